// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.npy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.HeaderReader;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Locator;
import org.cairn.pack.locate.MalformedException;
import org.cairn.pack.locate.NumpyType;
import org.cairn.pack.locate.Variable;
import org.cairn.transform.Elements;
import org.jspecify.annotations.Nullable;

/**
 * Knows where {@code .npy} files have their array.
 *
 * <pre>
 * File   → 0x93 "NUMPY" Major:1 Minor:1 Length Header Data
 * Length → 2 bytes in version 1, 4 in versions 2 and 3, little-endian
 * Header → a dictionary of Python: 'descr', 'fortran_order', 'shape'
 * </pre>
 *
 * <p>The array is called after the file, without what its name ends in and with # for numbers:
 * files of all ranks and steps have the same variable.
 */
public final class NpyLocator implements Locator {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

  /** NumPy itself refuses more than 10,000 bytes, unless told otherwise. */
  private static final int LONGEST_HEADER = 1 << 20;

  @Override
  public String format() {
    return "NumPy";
  }

  @Override
  public boolean recognises(ByteSource file) throws IOException {
    if (file.size() < MAGIC.length) {
      return false;
    }
    byte[] start = new byte[MAGIC.length];
    file.read(0, MemorySegment.ofArray(start));
    return Arrays.equals(start, MAGIC);
  }

  @Override
  public void locate(ByteSource file, Hints hints) throws IOException {
    HeaderReader in = new HeaderReader(file, MAGIC.length, ByteOrder.LITTLE_ENDIAN);
    try {
      Map<String, Literal> header = readHeader(in, hints);
      locate(file, in.position(), header, hints);
    } catch (MalformedException e) {
      e.noteIn(hints);
    } catch (ArithmeticException e) {
      hints.note(0, "an array of more than 2^63 bytes");
    }
  }

  private static Map<String, Literal> readHeader(HeaderReader in, Hints hints)
      throws IOException, MalformedException {
    long place = in.position();
    int version = in.readByte();
    in.readByte();
    if (version < 1 || version > 3) {
      throw new MalformedException(place, "version %d is not known".formatted(version));
    }
    long length =
        version == 1 ? in.readByte() | in.readByte() << 8 : Integer.toUnsignedLong(in.readInt());
    if (length > LONGEST_HEADER) {
      throw new MalformedException(place, "a header of %,d bytes".formatted(length));
    }
    long start = in.position();
    // Names of fields are in UTF-8 in version 3; they are not looked at.
    String text = new String(in.readBytes((int) length), StandardCharsets.ISO_8859_1);
    if (Literal.parse(text, start, hints) instanceof Literal.Dictionary(var entries)) {
      return entries;
    }
    throw new MalformedException(start, "the header is no dictionary of Python");
  }

  private static void locate(ByteSource file, long start, Map<String, Literal> header, Hints hints)
      throws MalformedException {
    List<Long> shape = shape(header.get("shape"));
    if (shape == null || !(header.get("fortran_order") instanceof Literal.Truth(boolean fortran))) {
      throw new MalformedException(0, "the header has no shape, or no order of axes");
    }
    Optional<Dtype> type = Optional.ofNullable(header.get("descr")).flatMap(Dtype::of);
    Elements elements = type.flatMap(Dtype::elements).orElse(null);
    NumpyType numpy = type.flatMap(Dtype::type).orElse(null);
    if (elements == null || numpy == null) {
      hints.note(0, "text, objects, or nothing that is known: bytes like any others");
      return;
    }
    long length = elements.width();
    for (long axis : shape) {
      length = Math.multiplyExact(length, axis);
    }
    List<Long> slowestFirst = fortran ? shape.reversed() : shape;
    Variable variable = new Variable(variableName(file.name()), elements, numpy, slowestFirst);
    hints.extent(Extent.whole(variable, start, length));
  }

  private static @Nullable List<Long> shape(@Nullable Literal literal) {
    if (!(literal instanceof Literal.Sequence(List<Literal> items))) {
      return null;
    }
    List<Long> shape = new ArrayList<>();
    for (Literal item : items) {
      if (!(item instanceof Literal.Whole(long axis))) {
        return null;
      }
      shape.add(axis);
    }
    return shape;
  }

  private static String variableName(String file) {
    String stem = file.endsWith(".npy") ? file.substring(0, file.length() - 4) : file;
    return stem.isEmpty() ? "/array" : "/" + stem.replaceAll("\\d+", "#");
  }
}
