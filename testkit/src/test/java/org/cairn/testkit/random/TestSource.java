// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of tests, or of what tests use, as text: its members, and which of them do more where
 * there is time. By names, so now and then one too many; never one too few.
 */
final class TestSource {
  private static final Pattern ASKS =
      Pattern.compile("Thorough\\.PROPERTY|\"cairn\\.thorough\"|Seeds\\.more\\(");

  private static final Pattern TEST =
      Pattern.compile("@(?:Test|SeededTest|ParameterizedTest|TestFactory|RepeatedTest)\\b");

  /** What is done for every test of a class. */
  private static final Pattern FOR_ALL = Pattern.compile("@Before(?:All|Each)\\b");

  private static final Pattern SAYS_SO = Pattern.compile("@(?:Only)?Thorough\\b|@Turn\\b");

  /** What may hold braces and names that mean nothing. */
  private static final Pattern NO_CODE =
      Pattern.compile(
          "(?s)/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\])*+\"|'(?:\\\\.|[^'\\\\])+'");

  private static final Pattern ANNOTATION =
      Pattern.compile("@(?!interface)[\\w.]+(?:\\((?:[^()]++|\\([^()]*+\\))*+\\))?");

  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|enum|record|interface)\\s+(\\w+)");

  private static final Pattern WORD = Pattern.compile("\\w++");

  private static final Pattern NAME = Pattern.compile("(\\w+)\\s*[(=;]");

  /** A field, a method or a class within. */
  private static final class Member {
    final String name;
    final Set<String> words = new HashSet<>();
    final boolean isTest;
    final boolean isForAll;
    final boolean saysSo;
    boolean doesMore;

    Member(String text) {
      name = nameOf(text);
      WORD.matcher(text).results().forEach(word -> words.add(word.group()));
      isTest = TEST.matcher(text).find();
      isForAll = FOR_ALL.matcher(text).find();
      saysSo = SAYS_SO.matcher(text).find();
      doesMore = ASKS.matcher(text).find();
    }

    /** Whether it is used by others, who do more thereby. */
    boolean isMoreForOthers() {
      return doesMore && !isTest && !name.isEmpty();
    }
  }

  private final String file;
  private final String type;
  private final boolean saysSo;
  private final List<Member> members = new ArrayList<>();

  private TestSource(String file, String type, boolean saysSo) {
    this.file = file;
    this.type = type;
    this.saysSo = saysSo;
  }

  static TestSource of(String file, String text) {
    String code = blank(NO_CODE, text);
    int start = code.indexOf('{', find(TYPE, code)) + 1;
    String head = text.substring(0, start);
    TestSource source =
        new TestSource(file, nameOf(head), SAYS_SO.matcher(blank(NO_CODE, head)).find());
    source.split(text, code, start);
    if (ASKS.matcher(head).find()) { // a condition of all tests
      source.members.forEach(member -> member.doesMore = true);
    }
    return source;
  }

  /** Members end with a brace or a semicolon that is in none but the class. */
  private void split(String text, String code, int start) {
    int depth = 1;
    int from = start;
    for (int at = start; at < code.length() && depth > 0; at++) {
      char c = code.charAt(at);
      depth += c == '{' || c == '(' ? 1 : c == '}' || c == ')' ? -1 : 0;
      boolean ends = depth == 1 && (c == ';' || c == '}' && !goesOn(code, at + 1));
      if (ends) {
        members.add(new Member(text.substring(from, at + 1)));
        from = at + 1;
      }
    }
  }

  /** After an array's or an anonymous class's brace a field goes on. */
  private static boolean goesOn(String code, int at) {
    String rest = code.substring(at).stripLeading();
    return rest.startsWith(";") || rest.startsWith(",") || rest.startsWith(".");
  }

  /** A test does more if something does that it uses, or that it is prepared by. */
  static void spread(List<TestSource> module) {
    boolean changed = true;
    while (changed) {
      changed = false;
      List<TestSource> more = module.stream().filter(TestSource::hasMore).toList();
      for (TestSource source : module) {
        for (Member member : source.members) {
          if (!member.doesMore && source.isMoreBy(member, more)) {
            member.doesMore = true;
            changed = true;
          }
        }
      }
    }
  }

  private boolean isMoreBy(Member member, List<TestSource> more) {
    return (member.isTest && members.stream().anyMatch(one -> one.doesMore && one.isForAll))
        || more.stream()
            .filter(other -> other == this || other.isHelper() && mentions(other.type))
            .flatMap(other -> other.members.stream())
            .anyMatch(one -> one.isMoreForOthers() && member.words.contains(one.name));
  }

  private boolean hasMore() {
    return members.stream().anyMatch(Member::isMoreForOthers);
  }

  private boolean isHelper() {
    return members.stream().noneMatch(member -> member.isTest);
  }

  private boolean mentions(String other) {
    return members.stream().anyMatch(member -> member.words.contains(other));
  }

  /** The names of tests that do more. */
  List<String> thorough() {
    return members.stream()
        .filter(member -> member.isTest && (member.doesMore || saysSo || member.saysSo))
        .map(member -> member.name)
        .toList();
  }

  /** Tests that do more, and would never be asked to. */
  List<String> offences() {
    Set<String> found = new HashSet<>();
    for (Member member : members) {
      if (member.isTest && member.doesMore && !saysSo && !member.saysSo) {
        found.add(file + ": " + member.name);
      }
    }
    return found.stream().sorted().toList();
  }

  private static int find(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.start() : 0;
  }

  private static String nameOf(String text) {
    String code = blank(ANNOTATION, blank(NO_CODE, text));
    Matcher type = TYPE.matcher(code);
    if (type.find()) {
      return type.group(1);
    }
    Matcher name = NAME.matcher(code);
    return name.find() ? name.group(1) : "";
  }

  /** The same length, without what matches. */
  private static String blank(Pattern pattern, String text) {
    return pattern.matcher(text).replaceAll(found -> " ".repeat(found.group().length()));
  }
}
