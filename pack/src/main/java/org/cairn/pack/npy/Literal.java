// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.npy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.MalformedException;

/**
 * A value as Python writes it down. Of Python's values there are those that a header has:
 *
 * <pre>
 * Literal → String | Whole | "True" | "False" | Sequence | "{" (String ":" Literal ","?)* "}"
 * Sequence → "(" (Literal ","?)* ")" | "[" (Literal ","?)* "]"
 * </pre>
 */
sealed interface Literal {
  record Text(String text) implements Literal {}

  record Whole(long value) implements Literal {}

  record Truth(boolean value) implements Literal {}

  record Sequence(List<Literal> items) implements Literal {}

  record Dictionary(Map<String, Literal> entries) implements Literal {}

  /**
   * Reads a text.
   *
   * @param place where it begins in the file
   */
  static Literal parse(String text, long place, Hints hints) throws MalformedException {
    return new Parser(text, place, hints).parse();
  }

  /** Goes through a text once. */
  final class Parser {
    /** Types within types are rare, and three of them rarer. */
    private static final int DEEPEST = 32;

    private static final int MOST_DIGITS = 18;

    private final String text;
    private final long place;
    private final Hints hints;
    private int position;

    private Parser(String text, long place, Hints hints) {
      this.text = text;
      this.place = place;
      this.hints = hints;
    }

    private Literal parse() throws MalformedException {
      Literal literal = literal(0);
      if (next() != 0) {
        throw malformed("something behind it");
      }
      return literal;
    }

    private Literal literal(int depth) throws MalformedException {
      hints.step();
      if (depth > DEEPEST) {
        throw malformed("too many brackets");
      }
      char first = next();
      return switch (first) {
        case '\'', '"' -> text(first);
        case '(' -> sequence(')', depth);
        case '[' -> sequence(']', depth);
        case '{' -> dictionary(depth);
        default -> word();
      };
    }

    /** The next character that is no blank, not taken; 0 at the end. */
    private char next() {
      while (position < text.length() && text.charAt(position) <= ' ') {
        position++;
      }
      return position < text.length() ? text.charAt(position) : 0;
    }

    private boolean takes(char wanted) {
      boolean found = next() == wanted;
      position += found ? 1 : 0;
      return found;
    }

    private Text text(char quote) throws MalformedException {
      StringBuilder content = new StringBuilder();
      for (position++; position < text.length(); position++) {
        char here = text.charAt(position);
        if (here == quote) {
          position++;
          return new Text(content.toString());
        }
        if (here == '\\') {
          position++; // what is meant does not matter, only where it ends
        }
        content.append(here);
      }
      throw malformed("a text without an end");
    }

    private Sequence sequence(char end, int depth) throws MalformedException {
      List<Literal> items = new ArrayList<>();
      position++;
      while (!takes(end)) {
        items.add(literal(depth + 1));
        if (!takes(',') && next() != end) {
          throw malformed("expected a comma");
        }
      }
      return new Sequence(items);
    }

    private Dictionary dictionary(int depth) throws MalformedException {
      Map<String, Literal> entries = new HashMap<>();
      position++;
      while (!takes('}')) {
        if (!(literal(depth + 1) instanceof Text(String key)) || !takes(':')) {
          throw malformed("expected a key");
        }
        entries.put(key, literal(depth + 1));
        if (!takes(',') && next() != '}') {
          throw malformed("expected a comma");
        }
      }
      return new Dictionary(entries);
    }

    private Literal word() throws MalformedException {
      int start = position;
      while (position < text.length() && isOfWord(text.charAt(position))) {
        position++;
      }
      String word = text.substring(start, position);
      return switch (word) {
        case "True" -> new Truth(true);
        case "False" -> new Truth(false);
        default -> new Whole(number(word));
      };
    }

    private static boolean isOfWord(char c) {
      return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
    }

    /** Python 2 has an L behind large ones. */
    private long number(String word) throws MalformedException {
      String digits = word.endsWith("L") ? word.substring(0, word.length() - 1) : word;
      boolean isNumber =
          !digits.isEmpty()
              && digits.length() <= MOST_DIGITS
              && digits.chars().allMatch(c -> c >= '0' && c <= '9');
      if (!isNumber) {
        throw malformed("no number");
      }
      return Long.parseLong(digits);
    }

    private MalformedException malformed(String what) {
      return new MalformedException(
          place + position, "the header is no dictionary of Python: " + what);
    }
  }
}
