// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.raw;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.Optional;
import org.cairn.pack.locate.Variable;

/**
 * What lies where in plain binary files, as a person says.
 *
 * @param files kinds of files; the first whose pattern fits the name of a file is its kind
 */
public record Description(List<Kind> files) {
  /** Takes a copy. */
  public Description {
    files = List.copyOf(files);
  }

  /**
   * Reads a description.
   *
   * @throws DescriptionException if it makes no sense, with the line and the column
   */
  public static Description read(Path path) throws IOException {
    return parse(Files.readString(path), path.toString());
  }

  /**
   * Reads a description that is in memory.
   *
   * @param origin where it comes from, for messages
   */
  public static Description parse(String toml, String origin) throws DescriptionException {
    return DescriptionParser.parse(toml, origin);
  }

  /** The kind of a file of this name, which has no directory. */
  Optional<Kind> kindOf(String name) {
    return files.stream().filter(kind -> kind.fits(name)).findFirst();
  }

  /**
   * Files of one kind.
   *
   * @param pattern what their names are like: a glob, as {@code chk_*.bin}
   * @param arrays what is in them
   */
  public record Kind(String pattern, List<Array> arrays) {
    /** Takes a copy. */
    public Kind {
      arrays = List.copyOf(arrays);
    }

    boolean fits(String name) {
      return !name.isEmpty() && matcher(pattern).matches(Path.of(name));
    }

    /**
     * Makes a matcher.
     *
     * @throws java.util.regex.PatternSyntaxException if the pattern is none
     */
    static PathMatcher matcher(String pattern) {
      return FileSystems.getDefault().getPathMatcher("glob:" + pattern);
    }
  }

  /**
   * An array, or several that are alike.
   *
   * @param variable one of them
   * @param offset where the first begins
   * @param every how far one begins behind the other
   * @param repeat how many there are; {@link #TO_THE_END} if as many as the file has room for
   */
  public record Array(Variable variable, long offset, long every, long repeat) {
    /** As often as the file has room for it. */
    public static final long TO_THE_END = -1;

    /** Refuses what no file can have. */
    public Array {
      boolean isPossible =
          offset >= 0 && (repeat >= 1 || repeat == TO_THE_END) && every >= length(variable);
      if (!isPossible || length(variable) < 1) {
        throw new IllegalArgumentException(
            "%s at %d, every %d, %d times".formatted(variable, offset, every, repeat));
      }
    }

    /** The bytes of one. */
    long length() {
      return length(variable);
    }

    /**
     * The bytes of a variable.
     *
     * @throws ArithmeticException if there are too many
     */
    static long length(Variable variable) {
      long length = variable.elements().width();
      for (long axis : variable.shape()) {
        length = Math.multiplyExact(length, axis);
      }
      return length;
    }

    /** How many of them a file of so many bytes has. */
    long fitting(long size) {
      long behind = size - offset;
      long room = behind < length() ? 0 : (behind - length()) / every + 1;
      return repeat == TO_THE_END ? room : Math.min(repeat, room);
    }
  }
}
