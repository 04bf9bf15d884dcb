// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.cairn.record.Field;

/**
 * What a person says of a version: a label to find it by, a note, and whether it is to be kept for
 * ever. It goes wherever the version goes.
 *
 * <pre>{@code
 * cairn.checkpoint(Label.of("spin-up done").note("before the wind was changed").keep());
 * }</pre>
 *
 * <p>A version that is kept does not count for retention and is not collected, at any tier, also
 * where a later run goes on with an older one; {@code cairn prune --kept} deletes it.
 *
 * <p>Fields of a version, each only if there is something to say:
 *
 * <pre>
 * 7 label:UTF-8     8 note:UTF-8     9 kept: nothing
 * </pre>
 *
 * @param text the label; empty if there is none
 * @param note more of it; empty if there is none
 * @param kept whether it is to be kept for ever
 */
public record Label(String text, String note, boolean kept) {
  /** No label is longer, in bytes of UTF-8. */
  public static final int MAX_TEXT = 128;

  /** No note is longer, in bytes of UTF-8. */
  public static final int MAX_NOTE = 1024;

  private static final int TEXT = 7;
  private static final int NOTE = 8;
  private static final int KEPT = 9;

  private static final Label NONE = new Label("", "", false);

  /** Refuses what no file can hold, or no line can show. */
  public Label {
    check("label", text, MAX_TEXT);
    check("note", note, MAX_NOTE);
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException("a label is one line, without control characters");
    }
  }

  private static void check(String what, String text, int most) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new IllegalArgumentException("a " + what + " is not valid Unicode");
    }
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > most) {
      throw new IllegalArgumentException(
          "a %s has %d bytes; it can have %d".formatted(what, bytes, most));
    }
  }

  /** Nothing to say. */
  public static Label none() {
    return NONE;
  }

  /** A label. */
  public static Label of(String text) {
    return new Label(text, "", false);
  }

  /** The same with a note. */
  public Label note(String words) {
    return new Label(text, words, kept);
  }

  /** The same, to be kept for ever. */
  public Label keep() {
    return new Label(text, note, true);
  }

  /** Whether nothing is said. */
  public boolean isNone() {
    return equals(NONE);
  }

  /** As fields of a record. */
  public List<Field> toFields() {
    List<Field> fields = new ArrayList<>();
    if (!text.isEmpty()) {
      fields.add(new Field(TEXT, text.getBytes(StandardCharsets.UTF_8)));
    }
    if (!note.isEmpty()) {
      fields.add(new Field(NOTE, note.getBytes(StandardCharsets.UTF_8)));
    }
    if (kept) {
      fields.add(new Field(KEPT, new byte[0]));
    }
    return fields;
  }

  /**
   * What fields of a record say; others are passed over.
   *
   * @throws IllegalArgumentException if they say what cannot be
   */
  public static Label of(List<Field> fields) {
    Label label = NONE;
    for (Field field : fields) {
      label =
          switch (field.tag()) {
            case TEXT -> new Label(text(field), label.note, label.kept);
            case NOTE -> label.note(text(field));
            case KEPT -> label.keep();
            default -> label;
          };
    }
    return label;
  }

  private static String text(Field field) {
    return new String(field.bytes(), StandardCharsets.UTF_8);
  }

  /** For people: {@code "spin-up done", kept}. */
  @Override
  public String toString() {
    String quoted = text.isEmpty() ? "" : "\"" + text + "\"";
    String and = text.isEmpty() || !kept ? "" : ", ";
    return quoted + and + (kept ? "kept" : "");
  }
}
