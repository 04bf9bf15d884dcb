// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.raw;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.PatternSyntaxException;
import org.cairn.pack.locate.Variable;
import org.cairn.pack.raw.Description.Array;
import org.cairn.pack.raw.Description.Kind;
import org.cairn.transform.Elements;
import org.tomlj.Toml;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;

/**
 * Makes a description of a text.
 *
 * <pre>
 * [[file]]
 * match = "chk_*.bin"         # a glob on the name of the file
 *
 * [[file.array]]
 * name = "density"
 * type = "f64le"              # f, i or u, bits, le or be; or record24: 24 bytes each
 * shape = [64, 64, 128]       # the slowest axis first; without: a single element
 * order = "c"                 # or "fortran": the first axis of the shape is the fastest
 * offset = 1024               # without: behind the array before; the first one at 0
 * repeat = 5                  # how many of them; or "end": as many as the file has room for
 * every = 4194304             # how far they begin from each other; without: no gap
 * </pre>
 */
final class DescriptionParser {
  private static final Set<String> KEYS_OF_FILE = Set.of("match", "array");
  private static final Set<String> KEYS_OF_ARRAY =
      Set.of("name", "type", "shape", "order", "offset", "repeat", "every");

  private static final String TYPES =
      "types are f16 f32 f64 i16 i32 i64 u16 u32 u64 with le or be, i8, u8, and record24 for 24 bytes";

  /** Of an offset: the array before goes on to the end of the file. */
  private static final long NOWHERE = -1;

  private DescriptionParser() {}

  static Description parse(String text, String origin) throws DescriptionException {
    TomlParseResult toml = Toml.parse(text);
    if (toml.hasErrors()) {
      TomlParseError first = toml.errors().getFirst();
      throw new DescriptionException(origin, first.position(), String.valueOf(first.getMessage()));
    }
    Table root = new Table(origin, toml, TomlPosition.positionAt(1, 1));
    root.allow(Set.of("file"));
    List<Kind> kinds = new ArrayList<>();
    for (Table file : root.tables("file")) {
      kinds.add(kind(file));
    }
    return new Description(kinds);
  }

  private static Kind kind(Table file) throws DescriptionException {
    file.allow(KEYS_OF_FILE);
    String pattern = file.string("match");
    try {
      Kind.matcher(pattern);
    } catch (PatternSyntaxException e) {
      throw file.refuse("match", "no pattern: " + e.getDescription());
    }
    return new Kind(pattern, arrays(file));
  }

  private static List<Array> arrays(Table file) throws DescriptionException {
    List<Array> arrays = new ArrayList<>();
    Set<String> names = new HashSet<>();
    long behind = 0;
    for (Table table : file.tables("array")) {
      Array array = array(table, behind);
      if (!names.add(array.variable().name())) {
        throw table.refuse("name", "there is an array of this name already");
      }
      arrays.add(array);
      behind = behind(table, array);
    }
    return arrays;
  }

  private static Array array(Table table, long behind) throws DescriptionException {
    table.allow(KEYS_OF_ARRAY);
    Variable variable = variable(table);
    long length = length(table, variable);
    long every = table.number("every", length).orElse(length);
    return new Array(variable, offset(table, behind), every, repeat(table));
  }

  private static Variable variable(Table table) throws DescriptionException {
    String name = table.string("name");
    String type = table.string("type");
    Elements elements =
        TypeNames.parse(type)
            .orElseThrow(() -> table.refuse("type", "no type: \"%s\"; %s".formatted(type, TYPES)));
    List<Long> shape = table.numbers("shape");
    return new Variable(
        name.startsWith("/") ? name : "/" + name,
        elements,
        TypeNames.numpy(type, elements),
        isFortran(table) ? shape.reversed() : shape);
  }

  private static boolean isFortran(Table table) throws DescriptionException {
    String order = table.optionalString("order").orElse("c");
    return switch (order) {
      case "c" -> false;
      case "fortran" -> true;
      default -> throw table.refuse("order", "neither \"c\" nor \"fortran\"");
    };
  }

  private static long length(Table table, Variable variable) throws DescriptionException {
    try {
      return Array.length(variable);
    } catch (ArithmeticException e) {
      throw table.refuse("shape", "more than 2^63 bytes");
    }
  }

  private static long offset(Table table, long behind) throws DescriptionException {
    OptionalLong offset = table.number("offset", 0);
    if (offset.isEmpty() && behind == NOWHERE) {
      throw table.refuse("offset", "the array before has no end: \"offset\" is missing");
    }
    return offset.orElse(behind);
  }

  private static long repeat(Table table) throws DescriptionException {
    if (!table.isText("repeat")) {
      return table.number("repeat", 1).orElse(1);
    }
    if (table.string("repeat").equals("end")) {
      return Array.TO_THE_END;
    }
    throw table.refuse("repeat", "neither a number nor \"end\"");
  }

  /** Where the next array begins if it does not say. */
  private static long behind(Table table, Array array) throws DescriptionException {
    if (array.repeat() == Array.TO_THE_END) {
      return NOWHERE;
    }
    try {
      long last = Math.multiplyExact(array.repeat() - 1, array.every());
      return Math.addExact(Math.addExact(array.offset(), last), Array.length(array.variable()));
    } catch (ArithmeticException e) {
      throw table.refuse("repeat", "more than 2^63 bytes");
    }
  }
}
