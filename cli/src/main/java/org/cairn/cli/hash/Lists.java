// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.cairn.cli.command.SizeConverter;
import org.cairn.plan.hash.BlockSizes;
import org.cairn.plan.hash.StudiedHash;
import picocli.CommandLine.TypeConversionException;

/** Lists as people type them: {@code 128..4KiB,64KiB}. */
final class Lists {
  private static final String TO = "..";

  private Lists() {}

  /** What is between commas, each thing once. */
  static <T> List<T> of(String text, Function<String, T> parse) {
    return Stream.of(text.split(",", -1)).map(parse).distinct().toList();
  }

  /** Those that were named, or all of them. */
  static List<StudiedHash> hashes(String text, List<StudiedHash> all) {
    return text.equals("all") ? all : of(text, StudiedHash::parse);
  }

  /** Numbers of threads. */
  static List<Integer> threads(String text) {
    return of(
        text,
        number -> {
          if (number.strip().matches("[1-9]\\d{0,3}")) {
            return Integer.parseInt(number.strip());
          }
          throw new IllegalArgumentException(
              "--threads has '" + number + "'; write numbers of threads, such as 1,2");
        });
  }

  /** Sizes of blocks, one by one or by powers of two from one to another. */
  static List<Integer> blocks(String text) {
    List<Integer> sizes = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      int to = part.indexOf(TO);
      if (to < 0) {
        sizes.add(size(part));
      } else {
        addRange(sizes, part, size(part.substring(0, to)), size(part.substring(to + 2)));
      }
    }
    return BlockSizes.check(sizes.stream().distinct().toList());
  }

  private static void addRange(List<Integer> sizes, String part, int first, int last) {
    BlockSizes.check(List.of(first, last));
    if (first > last) {
      throw BlockSizes.refuse("there is no block size in " + part);
    }
    for (int size = first; size <= last; size *= 2) {
      sizes.add(size);
    }
  }

  private static int size(String text) {
    try {
      return Math.toIntExact(new SizeConverter().convert(text));
    } catch (TypeConversionException | ArithmeticException e) {
      throw BlockSizes.refuse("'" + text + "' is no block size");
    }
  }
}
