// SPDX-License-Identifier: Apache-2.0
package org.cairn.record;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * A record or message of one kind, and what takes it apart: what {@code RecordFuzzTest} makes
 * mutants of.
 *
 * @param valid bytes that are understood
 * @param origin what a refusal must name
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Specimen(String name, byte[] valid, String origin, Parser parser) {
  private static final String ORIGIN = "fuzz";

  /** Takes bytes apart. */
  public interface Parser {
    /** Reads them, or refuses them as damaged or as of another release. */
    void parse(byte[] bytes) throws IOException;
  }

  /** One that a plain reader of records takes apart. */
  public static Specimen of(String name, byte[] valid, RecordReader.Parser<?> parser) {
    return new Specimen(name, valid, ORIGIN, bytes -> parser.parse(RecordReader.of(bytes, ORIGIN)));
  }

  /** One in which a value may be refused as {@link RecordReader#parse} lets it. */
  public static Specimen message(String name, byte[] valid, RecordReader.Parser<?> parser) {
    return new Specimen(name, valid, ORIGIN, bytes -> RecordReader.parse(bytes, ORIGIN, parser));
  }

  /** A record. */
  public static byte[] write(Consumer<RecordWriter> content) {
    RecordWriter out = RecordWriter.onHeap();
    content.accept(out);
    return out.toArray();
  }

  /** Bytes with their checksum, so that a mutant of them is read further than that. */
  public static byte[] sealed(byte[] bytes) {
    return RecordWriter.onHeap().putBytes(bytes).seal().toArray();
  }
}
