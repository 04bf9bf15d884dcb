// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the memory of this process is made of, as {@code /proc/self/maps} tells: only what is
 * private and of no file can be watched, since whatever else maps the same pages writes past it.
 */
final class Mappings implements PageWatch.Ground {
  /** Stretches in the order of their addresses. */
  private final List<Mapping> all;

  private record Mapping(long from, long to, String refusal) {}

  private Mappings(List<Mapping> all) {
    this.all = all;
  }

  /** As they are now. */
  static Mappings read() throws UnwatchableException {
    try {
      return parse(Files.readAllLines(Path.of("/proc/self/maps")));
    } catch (IOException e) {
      throw new UnwatchableException("/proc/self/maps cannot be read: " + e.getMessage());
    }
  }

  /** How many there are. */
  int count() {
    return all.size();
  }

  /** Lines such as {@code 7f12-7f34 rw-p 00000000 00:00 0 [heap]}. */
  static Mappings parse(List<String> lines) {
    List<Mapping> all = new ArrayList<>();
    for (String line : lines) {
      String[] words = line.trim().split("\\s+", 6);
      String[] ends = words[0].split("-", 2);
      all.add(
          new Mapping(
              Long.parseUnsignedLong(ends[0], 16),
              Long.parseUnsignedLong(ends[1], 16),
              refusal(words)));
    }
    return new Mappings(all);
  }

  private static String refusal(String[] words) {
    String rights = words[1];
    boolean ofFile = !words[4].equals("0");
    if (ofFile || rights.charAt(3) == 's') {
      return "a mapped file or memory that is shared with others";
    }
    return rights.startsWith("rw") ? "" : "memory that cannot be read and written";
  }

  @Override
  public Optional<String> refusal(long from, long to) {
    long next = from;
    int at = first(from);
    while (next < to) {
      if (at == all.size() || Long.compareUnsigned(all.get(at).from, next) > 0) {
        return Optional.of("memory that is not mapped");
      }
      if (!all.get(at).refusal.isEmpty()) {
        return Optional.of(all.get(at).refusal);
      }
      next = all.get(at).to;
      at++;
    }
    return Optional.empty();
  }

  /** The first that ends behind an address. */
  private int first(long address) {
    int low = 0;
    int high = all.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(all.get(middle).to, address) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
