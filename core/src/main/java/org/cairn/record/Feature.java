// SPDX-License-Identifier: Apache-2.0
package org.cairn.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;

/**
 * Something that a file makes use of and that not every release knows, by name: as ZFS has it, what
 * is new in a file is told feature by feature, and an old release that does not meet any goes on
 * reading new files.
 *
 * <pre>Features → ( need:u32 name:text )*      to the end of the field they are read from</pre>
 *
 * @param name printable ASCII without spaces, as {@code org.cairn.label}
 * @param need what a release must know it for: {@link #OPTIONAL}, {@link #TO_WRITE} or {@link
 *     #TO_READ}; larger numbers, of later releases, count as the last
 */
public record Feature(String name, int need) {
  /** Whoever does not know it keeps it, and may read and write. */
  public static final int OPTIONAL = 0;

  /** Whoever does not know it may read the file, and must not write to it. */
  public static final int TO_WRITE = 1;

  /** Whoever does not know it must not even read the file. */
  public static final int TO_READ = 2;

  /** How many a file can name. */
  public static final int MAX_FEATURES = 256;

  /** How long a name can be. */
  public static final int MAX_NAME = 128;

  private static final int MIN_BYTES = 9;

  /** Refuses a name that a message could not show. */
  public Feature {
    if (!isName(name) || need < 0) {
      throw new IllegalArgumentException("a feature called \"%s\", need %d".formatted(name, need));
    }
  }

  private static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_NAME
        && name.chars().allMatch(c -> c > ' ' && c < 0x7F);
  }

  /** Puts a list into a field. */
  public static void write(List<Feature> features, RecordWriter out) {
    for (Feature feature : features) {
      out.putInt(feature.need).putText(feature.name);
    }
  }

  /** Takes a list out of a field. */
  public static List<Feature> read(RecordReader in) throws CorruptContainerException {
    List<Feature> features = new ArrayList<>();
    while (in.remaining() > 0) {
      if (features.size() == MAX_FEATURES || in.remaining() < MIN_BYTES) {
        throw in.corrupt("more than " + MAX_FEATURES + " features, or half of one");
      }
      int need = in.getNumber("a need");
      String name = in.getText();
      if (!isName(name)) {
        throw in.corrupt("a feature without a proper name");
      }
      features.add(new Feature(name, need));
    }
    return List.copyOf(features);
  }

  /**
   * Refuses to read a file with a feature that must be known to do so.
   *
   * @param known the names that this release knows
   * @param file where the file lies
   */
  public static void refuseToRead(List<Feature> features, Set<String> known, String file)
      throws UnsupportedFormatException {
    refuse(features, known, file, TO_READ, "read");
  }

  /** Refuses to write to a file with a feature that must be known to do so. */
  public static void refuseToWrite(List<Feature> features, Set<String> known, String file)
      throws UnsupportedFormatException {
    refuse(features, known, file, TO_WRITE, "write to");
  }

  private static void refuse(
      List<Feature> features, Set<String> known, String file, int least, String what)
      throws UnsupportedFormatException {
    for (Feature feature : features) {
      if (feature.need >= least && !known.contains(feature.name)) {
        throw new UnsupportedFormatException(
            "%s has feature \"%s\", which a release must know to %s it and this one does not: use a newer release"
                .formatted(file, feature.name, what),
            true);
      }
    }
  }
}
