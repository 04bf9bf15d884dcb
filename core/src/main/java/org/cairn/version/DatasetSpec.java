// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.division.Division;

/**
 * What is to be saved under a name: everything but the bytes.
 *
 * @param shape the number of elements along each axis, slowest first
 * @param byteLength the product of the shape times the size of an element
 * @param division what it is of what all ranks have
 */
public record DatasetSpec(
    String name,
    ElementType type,
    List<Long> shape,
    long byteLength,
    int blockSize,
    HashAlgorithm algorithm,
    Codec codec,
    Division division) {

  /** What no other rank has to do with. */
  public DatasetSpec(
      String name,
      ElementType type,
      List<Long> shape,
      long byteLength,
      int blockSize,
      HashAlgorithm algorithm,
      Codec codec) {
    this(name, type, shape, byteLength, blockSize, algorithm, codec, Division.alone());
  }

  /** Refuses what cannot be stored. */
  public DatasetSpec {
    shape = List.copyOf(shape);
    int nameBytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (nameBytes > VersionFormat.MAX_NAME) {
      throw new IllegalArgumentException(
          "the name of a dataset has %d bytes; it may have %d: %s…"
              .formatted(nameBytes, VersionFormat.MAX_NAME, name.substring(0, 40)));
    }
    if (blockSize < VersionFormat.MIN_BLOCK || blockSize > VersionFormat.MAX_BLOCK) {
      throw new IllegalArgumentException(
          "block size %d of \"%s\" is not between %d and %d"
              .formatted(blockSize, name, VersionFormat.MIN_BLOCK, VersionFormat.MAX_BLOCK));
    }
    if (shape.size() > VersionFormat.MAX_AXES || shape.stream().anyMatch(extent -> extent < 0)) {
      throw new IllegalArgumentException(
          "shape %s of \"%s\" has a negative extent, or more than %d"
              .formatted(shape, name, VersionFormat.MAX_AXES));
    }
    if (bytes(shape, type, name) != byteLength) {
      throw new IllegalArgumentException(
          "shape %s of %s does not make %d bytes of \"%s\""
              .formatted(shape, type.label(), byteLength, name));
    }
    requireFits(division, elements(shape), name);
  }

  private static void requireFits(Division division, long elements, String name) {
    try {
      division.requireFits(elements);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new IllegalArgumentException("\"%s\": %s".formatted(name, e.getMessage()), e);
    }
  }

  private static long bytes(List<Long> shape, ElementType type, String name) {
    try {
      return Math.multiplyExact(elements(shape), type.bytes());
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "shape %s of \"%s\" is more than any memory".formatted(shape, name), e);
    }
  }

  /** The product of a shape; an empty shape is a single element. */
  public static long elements(List<Long> shape) {
    long product = 1;
    for (long extent : shape) {
      product = Math.multiplyExact(product, extent);
    }
    return product;
  }

  /** How many blocks the bytes are cut into. */
  public long blocks() {
    return Math.ceilDiv(byteLength, blockSize);
  }
}
