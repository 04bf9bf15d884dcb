// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The block codecs on offer, with the numbers under which files name them.
 *
 * <p>{@link #NONE} and {@link #DEFLATE} run everywhere. {@link #LZ4} and {@link #ZSTD} need their
 * native library; where it cannot be used, a dataset that is to have the codec says why. None of
 * them knows about numbers: smooth fields of doubles compress little until a typed transform comes
 * before the codec.
 */
public enum Codec {
  /** Blocks as they are: never compresses, and expanding copies. */
  NONE(0, "none"),

  /** LZ4 block format, acceleration 1. The fastest, with the least saving. */
  LZ4(1, "lz4"),

  /** One Zstandard frame per block, level 1, without checksum. */
  ZSTD(2, "zstd"),

  /** Raw deflate (RFC 1951), level 1, by {@code java.util.zip}. Slow; needs no native library. */
  DEFLATE(3, "deflate");

  private final int id;
  private final String label;

  Codec(int id, String label) {
    this.id = id;
    this.label = label;
  }

  /**
   * The number that stands for this codec in files: {@link #NONE} is 0, fits a byte, never reused.
   */
  public int id() {
    return id;
  }

  /** The name shown to users, such as {@code zstd}; {@link #parse} reads it. */
  public String label() {
    return label;
  }

  /**
   * The codec with this number.
   *
   * @throws IllegalArgumentException if no codec of this release has it
   */
  public static Codec of(int id) {
    for (Codec codec : values()) {
      if (codec.id == id) {
        return codec;
      }
    }
    throw new IllegalArgumentException(
        "Unknown codec number "
            + id
            + "; this release knows "
            + Arrays.stream(values())
                .map(codec -> codec.id + " (" + codec.label + ")")
                .collect(Collectors.joining(", ")));
  }

  /**
   * The codec with this label, whatever its case.
   *
   * @throws IllegalArgumentException if there is none, naming those there are
   */
  public static Codec parse(String name) {
    String wanted = name.strip().toLowerCase(Locale.ROOT);
    for (Codec codec : values()) {
      if (codec.label.equals(wanted)) {
        return codec;
      }
    }
    throw new IllegalArgumentException(
        "Unknown codec \""
            + name
            + "\"; known are "
            + Arrays.stream(values()).map(Codec::label).collect(Collectors.joining(", ")));
  }
}
