// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.Specimen;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.version.TestRun;

/**
 * Shared directories with files whose checksums are right as far as they go, and which claim, or
 * have, sizes beyond all measure: holes of a file cost nothing.
 */
public final class HostileSegments {
  private static final String MANIFEST = Flushes.manifest(1);
  private static final String MANY_RANKS =
      SharedNames.manifest(TestRun.id(1, 1, Integer.MAX_VALUE));
  private static final String SEGMENT = Flushes.segment(1, 0);
  private static final int CHECKSUM = 16;
  private static final int PREAMBLE_LENGTH_AT = 0x44;
  private static final int RANKS_AT = 0x38;

  private final Map<String, Hostile> all = new LinkedHashMap<>();

  /**
   * One directory.
   *
   * @param file which of its files lies
   * @param answer what must be said of it
   */
  public record Hostile(Forger forger, String file, String answer) {}

  /** Changes the files of an honest directory. */
  public interface Forger {
    /** Changes them. */
    void forge(Path directory) throws IOException;
  }

  private HostileSegments() {
    add("honest", MANIFEST, "ok 4 ranks", directory -> {});
    add("an honest segment", SEGMENT, "ok 12 blocks", directory -> {});
    add("a manifest of 2 GiB", MANIFEST, "expected the end of a manifest", stretch(2L << 30));
    add("a manifest of 60 MiB", MANIFEST, "is too much for", stretch(60L << 20));
    add("a preamble of 2 GiB", MANIFEST, "a preamble of 2147483647", preamble(0x7FFFFFFF, 0));
    add("a preamble of 17 MiB", MANIFEST, "a preamble of 17825792", preamble(17 << 20, 18 << 20));
    add("a preamble of 16 MiB", MANIFEST, "is too much for", preamble(16 << 20, 17 << 20));
    add("a preamble that is not there", MANIFEST, "expected 8388608 bytes", preamble(8 << 20, 0));
    add("a manifest of many ranks", MANY_RANKS, "are not all 2147483647 ranks", this::manyRanks);
    add("a manifest of empty groups", MANIFEST, "has no ranks", this::emptyGroups);
    add("a footer of 3 GiB", SEGMENT, "a record of 3", directory -> footer(directory, 3L << 30));
    add("a footer of 40 MiB", SEGMENT, "is too much for", directory -> footer(directory, 40 << 20));
    add("an index of 3 GiB", SEGMENT, "a record of 3", directory -> index(directory, 3L << 30));
    add("an index of 40 MiB", SEGMENT, "is too much for", directory -> index(directory, 40 << 20));
    add("an index beyond its file", SEGMENT, "before the footer", this::indexBeyond);
    add("a lease of 2 GiB", lease(), "ok nothing", directory -> hole(directory, lease(), 2L << 30));
    add("a claim of 2 GiB", claim(), "ok nothing", directory -> hole(directory, claim(), 2L << 30));
  }

  private void add(String name, String file, String answer, Forger forger) {
    all.put(name, new Hostile(forger, file, answer));
  }

  /** All of them, by what they claim. */
  public static Map<String, Hostile> all() {
    return new HostileSegments().all;
  }

  /** Writes an honest directory and forges it. */
  public static void write(Path directory, Hostile hostile) throws IOException {
    Flushes.flush(DirectoryStore.open(directory, true), Clock.system(), 1, Optional.empty());
    hostile.forger.forge(directory);
  }

  /** What is in a file of a directory, in few words. */
  public static String read(Path directory, String name) throws IOException {
    Store store = DirectoryStore.open(directory, false);
    if (SharedNames.lease(name).isPresent()) {
      return LeaseRecord.parse(LeaseFiles.read(store, name), name).isEmpty() ? "nothing" : "lease";
    }
    if (SharedNames.claim(name).isPresent()) {
      return Claim.parse(LeaseFiles.read(store, name), name).isEmpty() ? "nothing" : "claim";
    }
    if (name.equals(MANIFEST) || name.equals(MANY_RANKS)) {
      return Manifest.read(store, name).version().ranks() + " ranks";
    }
    int blocks = 0;
    try (SegmentReader reader = SegmentReader.open(store, name)) {
      for (int rank : reader.ranks()) {
        blocks += reader.member(rank).blocks();
      }
    }
    return blocks + " blocks";
  }

  private static String lease() {
    return new SharedNames.LeaseName(Flushes.version(1).job(), 1).name();
  }

  private static String claim() {
    return new SharedNames.ClaimName(Flushes.version(1).job(), Flushes.version(1).run()).name();
  }

  // ---------------------------------------------------------------- forging

  private static Forger stretch(long bytes) {
    return directory -> hole(directory, MANIFEST, bytes);
  }

  private static void hole(Path directory, String name, long bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(directory.resolve(name).toFile(), "rw")) {
      file.setLength(bytes);
    }
  }

  private static byte[] read(RandomAccessFile file, long from, long to) throws IOException {
    byte[] bytes = new byte[(int) (to - from)];
    file.seek(from);
    file.readFully(bytes);
    return bytes;
  }

  private static void put(RandomAccessFile file, long at, byte[] bytes) throws IOException {
    file.seek(at);
    file.write(bytes);
  }

  private interface Edit {
    void apply(RandomAccessFile file) throws IOException;
  }

  private static void edit(Path directory, String name, Edit edit) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(directory.resolve(name).toFile(), "rw")) {
      edit.apply(file);
    }
  }

  /** Changes a number in the header. */
  private static void header(RandomAccessFile file, int at, int value) throws IOException {
    byte[] header = read(file, 0, SegmentFormat.HEADER_BYTES - CHECKSUM);
    byte[] number = Specimen.write(out -> out.putInt(value));
    System.arraycopy(number, 0, header, at, number.length);
    put(file, 0, Specimen.sealed(header));
  }

  private static Forger preamble(int claimed, int fileBytes) {
    return directory ->
        edit(
            directory,
            MANIFEST,
            file -> {
              header(file, PREAMBLE_LENGTH_AT, claimed);
              file.setLength(Math.max(file.length(), fileBytes));
            });
  }

  private void manyRanks(Path directory) throws IOException {
    // A name that does not say so too would give it away.
    Files.move(directory.resolve(MANIFEST), directory.resolve(MANY_RANKS));
    edit(
        directory,
        MANY_RANKS,
        file -> {
          header(file, RANKS_AT, Integer.MAX_VALUE);
          put(file, 0, Specimen.sealed(read(file, 0, file.length() - CHECKSUM)));
        });
  }

  private static long bodyAt(RandomAccessFile file) throws IOException {
    byte[] length = read(file, PREAMBLE_LENGTH_AT, PREAMBLE_LENGTH_AT + 4);
    return SegmentFormat.HEADER_BYTES + RecordReader.of(length, "").getNumber("length");
  }

  private void emptyGroups(Path directory) throws IOException {
    byte[] group =
        Specimen.write(
            out ->
                new Manifest.Group(0, "a", List.of(), List.of(), Instant.EPOCH, List.of())
                    .write(out));
    edit(
        directory,
        MANIFEST,
        file -> {
          byte[] beginning = read(file, 0, bodyAt(file));
          byte[] whole =
              Specimen.write(
                  out -> {
                    out.putBytes(beginning).putInt(SegmentFormat.MANIFEST_TAG);
                    long body = out.begin();
                    long field = out.beginField(1);
                    while (out.position() < 6 << 20) {
                      out.putBytes(group);
                    }
                    out.end(field);
                    out.putShort(2).putInt(0).putLongField(3, 1).end(body);
                  });
          put(file, 0, Specimen.sealed(whole));
        });
  }

  /** The end of a segment, as far behind its beginning as wanted. */
  private static void end(RandomAccessFile file, long footer, long at) throws IOException {
    long size = at + SegmentFormat.TAIL_BYTES;
    byte[] tail =
        Specimen.write(
            out -> out.putLong(footer).putLong(size).seal().putLong(SegmentFormat.SEGMENT_MAGIC));
    // A tail has its checksum over the two numbers alone.
    put(file, at, tail);
    file.setLength(size);
  }

  private static void footer(Path directory, long bytes) throws IOException {
    edit(directory, SEGMENT, file -> end(file, bodyAt(file), bodyAt(file) + bytes));
  }

  private static void index(Path directory, long bytes) throws IOException {
    edit(directory, SEGMENT, file -> withMember(file, bodyAt(file), bytes, bodyAt(file) + bytes));
  }

  private void indexBeyond(Path directory) throws IOException {
    edit(
        directory,
        SEGMENT,
        file -> withMember(file, bodyAt(file), Long.MAX_VALUE - 1000, bodyAt(file) + 1000));
  }

  private static void withMember(RandomAccessFile file, long offset, long length, long footer)
      throws IOException {
    Digest beginning = Digest.of(read(file, 0, bodyAt(file)));
    Member member =
        new Member(0, offset, length, Digest.NONE, Digest.NONE, Instant.EPOCH, Optional.empty());
    byte[] content =
        Specimen.write(
            out -> {
              out.putInt(SegmentFormat.FOOTER_TAG);
              long body = out.begin();
              long field = out.beginField(Member.MEMBERS);
              member.write(out);
              out.end(field).putShort(Member.REFERENCES).putInt(0);
              field = out.beginField(Member.BEGINNING);
              beginning.write(out);
              out.end(field).end(body);
            });
    byte[] sealed = Specimen.sealed(content);
    put(file, footer, sealed);
    end(file, footer, footer + sealed.length);
  }
}
