// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.container.ForgedContainer.Claim;
import org.cairn.container.ForgedContainer.Run;
import org.cairn.record.Feature;
import org.cairn.record.Field;
import org.cairn.version.VersionFormat;
import org.jspecify.annotations.Nullable;

/** The lies that {@code HostileContainerTest} puts before a reader, by name. */
public final class HostileContainers {
  private static final int MOST_SLOTS = Integer.MAX_VALUE;
  private static final long MOST_ZEROS = (long) MOST_SLOTS << 20;
  private static final byte[] CONTENT = "Cairn!!!".repeat(48).getBytes(StandardCharsets.UTF_8);
  private static final List<Field> NEEDED = List.of(new Field(0x8001, new byte[3]));
  private static final Pointer NOWHERE = new Pointer(1L << 62, 1L << 62, 0, 0);

  /** Forges one file. */
  public interface Forger {
    /** Writes all of the file. */
    void forge(ForgedContainer file) throws IOException;
  }

  private final Map<String, Forger> cases = new LinkedHashMap<>();

  private HostileContainers() {
    cases.put("honest", file -> single(file, file.raw(CONTENT, 0), claim()));
    roots();
    superblocks();
    pointers();
    runs();
    datasets();
    names();
    sizes();
    bombs();
  }

  /** All cases. */
  public static Map<String, Forger> all() {
    return Collections.unmodifiableMap(new HostileContainers().cases);
  }

  /** Writes one case. */
  public static void write(Path path, Forger forger) throws IOException {
    try (ForgedContainer file = new ForgedContainer(path)) {
      forger.forge(file);
    }
  }

  private static Claim claim() {
    return Claim.honest("a", CONTENT.length, 0);
  }

  /** A container of one version with one map record; everything right but what the caller says. */
  private static void single(ForgedContainer file, Run run, Claim... claims) throws IOException {
    Pointer catalog = file.catalog(claims);
    tryApply(file, run);
    file.map(true, run);
    file.version(1, 1, catalog);
    file.finish();
  }

  private static void tryApply(ForgedContainer file, Run... runs) {
    try {
      file.apply(true, runs);
    } catch (IOException e) {
      // So does the reader, hopefully.
    }
  }

  private void roots() {
    cases.put("root claims 2^31 bytes", file -> file.finish(root(file, MOST_SLOTS, 1)));
    cases.put("root claims negative bytes", file -> file.finish(root(file, -1, 1)));
    cases.put("root of no fields", file -> file.finish(root(file, 0, 0)));
    cases.put("root with field 0", file -> file.finish(root(file, 6, 0, 0, 0)));
    cases.put("root with a field of 2^31 bytes", file -> file.finish(root(file, 6, 1, -1, 0x7FFF)));
    cases.put("root with a field twice", file -> file.finish(root(file, 12, 1, 0, 0, 1, 0, 0)));
    cases.put(
        "root with fields that descend", file -> file.finish(root(file, 12, 2, 0, 0, 1, 0, 0)));
    cases.put("5000 versions", file -> versions(file, 5000));
    cases.put("4096 versions", file -> versions(file, 4096));
    cases.put("100,000 map records", HostileContainers::manyRecords);
    cases.put("a needed field of the root", file -> extended(file, List.of(), NEEDED, List.of()));
    cases.put("a needed field of a version", file -> extended(file, List.of(), List.of(), NEEDED));
    cases.put(
        "a feature needed to read",
        file -> extended(file, List.of(new Feature("org.cairn.x", 2)), List.of(), List.of()));
    cases.put(
        "a feature needed to write",
        file -> extended(file, List.of(new Feature("org.cairn.x", 1)), List.of(), List.of()));
    cases.put(
        "version with map record beyond the list",
        file -> {
          Pointer catalog = file.catalog(claim());
          Run run = file.raw(CONTENT, 0);
          file.apply(true, run);
          for (int i = 0; i < 2; i++) {
            file.mapRef(true, file.record(out -> out.putLong(0)));
          }
          file.version(1, 1, catalog);
          file.finish();
        });
    cases.put(
        "two versions of one name",
        file -> {
          Pointer catalog = file.catalog(claim());
          Run run = file.raw(CONTENT, 0);
          file.apply(true, run);
          file.map(true, run);
          file.version(1, 1, catalog);
          file.version(1, 1, catalog);
          file.finish();
        });
  }

  private static Pointer root(ForgedContainer file, int length, int... shorts) throws IOException {
    return file.record(
        out -> {
          out.putInt(ContainerFormat.TAG_ROOT);
          out.putInt(length);
          for (int one : shorts) {
            out.putShort(one);
          }
        });
  }

  /** Honest, but for what only a later release knows. */
  private static void extended(
      ForgedContainer file, List<Feature> features, List<Field> ofRoot, List<Field> ofVersion)
      throws IOException {
    file.extend(features, ofRoot, ofVersion);
    single(file, file.raw(CONTENT, 0), claim());
  }

  /** Each with a map record of its own, and all with the same content. */
  private static void versions(ForgedContainer file, int count) throws IOException {
    Pointer catalog = file.catalog(claim());
    Run run = file.raw(CONTENT, 0);
    file.apply(true, run);
    for (int i = 1; i <= count; i++) {
      file.map(true, run);
      file.version(1, i, catalog);
    }
    file.finish();
  }

  private static void manyRecords(ForgedContainer file) throws IOException {
    Pointer catalog = file.catalog(claim());
    for (int i = 0; i < 100_000; i++) {
      file.mapRef(true, new Pointer(100_000 + 32L * i, 32, i, i));
    }
    Run run = file.raw(CONTENT, 0);
    file.apply(true, run);
    file.map(true, run);
    file.version(1, 1, catalog);
    file.finish();
  }

  private void superblocks() {
    for (long value : new long[] {Long.MAX_VALUE, -1, Long.MIN_VALUE}) {
      cases.put("superblock sequence " + value, file -> superblocks(file, value, 1, 1, 9000));
      cases.put("superblock epoch " + value, file -> superblocks(file, 2, value, 1, 9000));
      cases.put("superblock last " + value, file -> superblocks(file, 2, 1, value, 9000));
      cases.put("superblock end " + value, file -> superblocks(file, 2, 1, 1, value));
    }
  }

  private static void superblocks(
      ForgedContainer file, long sequence, long epoch, long last, long end) throws IOException {
    single(file, file.raw(CONTENT, 0), claim());
    Root root = file.root();
    file.superblocks(file.record(root::write), sequence, epoch, last, end);
  }

  private void pointers() {
    cases.put("root nowhere", file -> file.finish(NOWHERE));
    cases.put("root inside a superblock", file -> file.finish(new Pointer(16, 96, 0, 0)));
    cases.put("root of negative length", file -> file.finish(new Pointer(8192, -5, 0, 0)));
    cases.put(
        "root of negative place", file -> file.finish(new Pointer(Long.MIN_VALUE, 100, 0, 0)));
    cases.put("catalog nowhere", file -> nowhere(file, NOWHERE, null));
    cases.put("map nowhere", file -> nowhere(file, null, NOWHERE));
    cases.put(
        "an unused map record nowhere",
        file -> {
          Pointer catalog = file.catalog(claim());
          file.mapRef(true, NOWHERE);
          Run run = file.raw(CONTENT, 0);
          file.apply(true, run);
          file.map(true, run);
          file.version(1, 1, catalog);
          file.finish();
        });
    cases.put(
        "an unused map record of 8 TiB",
        file -> {
          Pointer catalog = file.catalog(claim());
          file.mapRef(true, new Pointer(8192, (1L << 43) - 8192, 0, 0));
          Run run = file.raw(CONTENT, 0);
          file.apply(true, run);
          file.map(true, run);
          file.version(1, 1, catalog);
          file.finish();
        });
    cases.put("a root of 3 GiB in a sparse file", HostileContainers::hugeRoot);
    cases.put("a catalog of 3 GiB in a sparse file", HostileContainers::hugeCatalog);
    cases.put(
        "a map record of 1 TiB in a sparse file",
        file -> {
          Pointer catalog = file.catalog(claim());
          Pointer huge = new Pointer(16384, 1L << 40, 0, 0);
          file.mapRef(true, huge);
          file.version(1, 1, catalog);
          Root root = file.root();
          Pointer place = file.record(root::write);
          file.stretch((1L << 40) + 32768);
          file.finish(place);
        });
  }

  private static void hugeRoot(ForgedContainer file) throws IOException {
    file.stretch((3L << 30) + 8192);
    file.finish(new Pointer(8192, 3L << 30, 0, 0));
  }

  private static void hugeCatalog(ForgedContainer file) throws IOException {
    Run run = file.raw(CONTENT, 0);
    file.apply(true, run);
    file.map(true, run);
    file.version(1, 1, new Pointer(16384, 3L << 30, 0, 0));
    Root root = file.root();
    Pointer place = file.record(root::write);
    file.stretch((3L << 30) + 32768);
    file.finish(place);
  }

  private static void nowhere(
      ForgedContainer file, @Nullable Pointer catalog, @Nullable Pointer map) throws IOException {
    Pointer realCatalog = file.catalog(claim());
    Run run = file.raw(CONTENT, 0);
    file.apply(true, run);
    if (map == null) {
      file.map(true, run);
    } else {
      file.mapRef(true, map);
    }
    file.version(1, 1, catalog == null ? realCatalog : catalog);
    file.finish();
  }

  private void runs() {
    long huge = 1L << 62;
    run("a run of 2^62 slots", run -> new Run(1, 0, 128, 0, huge, 8192, run.words()));
    run("a run from slot 2^62 on", run -> new Run(1, 0, 128, huge, 3, 8192, run.words()));
    run("a run of no slots", run -> new Run(1, 0, 128, 0, 0, 8192));
    run("a run of negative slots", run -> new Run(1, 0, 128, -3, -3, 8192, run.words()));
    run("a run that passes the last slot", run -> Run.zeros(MOST_SLOTS - 1L, 3, 128));
    run("zeros of 2^62 slots", run -> Run.zeros(0, huge, 128));
    run("a run of unknown kind", run -> new Run(9, 0, 128, 0, 3, 8192, run.words()));
    run("blocks of negative length", run -> new Run(1, 0, -128, 0, 3, 8192, run.words()));
    run("blocks of 2 GiB", run -> new Run(1, 0, Integer.MAX_VALUE, 0, 3, 8192, run.words()));
    run("blocks of another length", run -> new Run(1, 0, 100, 0, 3, 8192, run.words()));
    run("blocks inside a superblock", run -> new Run(1, 0, 128, 0, 3, 0, run.words()));
    run("blocks behind the end", run -> new Run(1, 0, 128, 0, 3, 1L << 30, run.words()));
    run("blocks at 8 TiB", run -> new Run(1, 0, 128, 0, 3, (1L << 43) - 384, run.words()));
    run("blocks at 2^62", run -> new Run(1, 0, 128, 0, 3, huge, run.words()));
    run("blocks of negative place", run -> new Run(1, 0, 128, 0, 3, -128, run.words()));
    run("blocks of an unknown codec", run -> coded(run, 99, 50));
    run("blocks of a codec they are not of", run -> coded(run, 3, 50));
    run("coded blocks of no bytes", run -> coded(run, 3, 0));
    run("coded blocks of 2^62 bytes", run -> coded(run, 3, huge));
    run("coded blocks of codec none", run -> coded(run, 0, 50));
    cases.put("a map of 2^62 runs", file -> claimedRuns(file, huge));
    cases.put("a map of negative runs", file -> claimedRuns(file, -1));
    cases.put("a block twice in the file", HostileContainers::sharedPlace);
    cases.put("blocks that overlap", HostileContainers::overlappingPlaces);
  }

  private static Run coded(Run run, int codec, long storedLength) {
    long[] words = new long[9];
    for (int i = 0; i < 3; i++) {
      words[3 * i] = run.words()[2 * i];
      words[3 * i + 1] = run.words()[2 * i + 1];
      words[3 * i + 2] = storedLength;
    }
    return new Run(VersionFormat.RUN_CODED, codec, 128, 0, 3, run.place(), words);
  }

  private interface Lie {
    Run about(Run honest);
  }

  private void run(String name, Lie lie) {
    cases.put(name, file -> single(file, lie.about(file.raw(CONTENT, 0)), claim()));
  }

  private static void claimedRuns(ForgedContainer file, long runs) throws IOException {
    Pointer catalog = file.catalog(claim());
    Run run = file.raw(CONTENT, 0);
    file.apply(true, run);
    file.mapOf(true, runs, run);
    file.version(1, 1, catalog);
    file.finish();
  }

  /** Two slots of one place: when one changes, the place must not be given away. */
  private static void sharedPlace(ForgedContainer file) throws IOException {
    byte[] block = Arrays.copyOf(CONTENT, 128);
    Run first = file.raw(block, 0);
    Run second = new Run(1, 0, 128, 1, 1, first.place(), first.words());
    two(file, first, second, Claim.honest("a", 256, 0));
  }

  private static void overlappingPlaces(ForgedContainer file) throws IOException {
    byte[] zeroTail = new byte[192];
    Arrays.fill(zeroTail, (byte) 7);
    Run first = file.raw(Arrays.copyOf(zeroTail, 128), 0);
    file.bytes(Arrays.copyOf(zeroTail, 64));
    Run second = new Run(1, 0, 128, 1, 1, first.place() + 64, first.words());
    two(file, first, second, Claim.honest("a", 256, 0));
  }

  private static void two(ForgedContainer file, Run first, Run second, Claim... claims)
      throws IOException {
    Pointer catalog = file.catalog(claims);
    tryApply(file, first, second);
    file.map(true, first, second);
    file.version(1, 1, catalog);
    file.finish();
  }

  private void datasets() {
    List<Long> shape = List.of((long) CONTENT.length);
    dataset("element type 77", new Claim("a", 77, 1, 0, shape, 128, CONTENT.length, 0, 3));
    dataset("hash algorithm 200", new Claim("a", 1, 200, 0, shape, 128, CONTENT.length, 0, 3));
    dataset("codec 99", new Claim("a", 1, 1, 99, shape, 128, CONTENT.length, 0, 3));
    dataset("another hash algorithm", new Claim("a", 1, 5, 0, shape, 128, CONTENT.length, 0, 3));
    dataset("block size 0", new Claim("a", 1, 1, 0, shape, 0, CONTENT.length, 0, 3));
    dataset("block size 1", new Claim("a", 1, 1, 0, shape, 1, CONTENT.length, 0, 384));
    dataset("block size -1", new Claim("a", 1, 1, 0, shape, -1, CONTENT.length, 0, 3));
    dataset(
        "block size 2^31", new Claim("a", 1, 1, 0, shape, Integer.MAX_VALUE, CONTENT.length, 0, 1));
    dataset("a longer block", new Claim("a", 1, 1, 0, shape, 256, CONTENT.length, 0, 2));
    dataset("too few slots", new Claim("a", 1, 1, 0, shape, 128, CONTENT.length, 0, 2));
    dataset("no slots", new Claim("a", 1, 1, 0, shape, 128, CONTENT.length));
    dataset("slots nobody described", new Claim("a", 1, 1, 0, shape, 128, CONTENT.length, 50, 3));
    dataset("negative slots", new Claim("a", 1, 1, 0, shape, 128, CONTENT.length, -1, 3));
    dataset(
        "slots past the last", new Claim("a", 1, 1, 0, shape, 128, CONTENT.length, MOST_SLOTS, 3));
    dataset(
        "one slot thrice", new Claim("a", 1, 1, 0, shape, 128, CONTENT.length, 0, 1, 0, 1, 0, 1));
    cases.put(
        "two datasets in one slot",
        file -> single(file, file.raw(CONTENT, 0), claim(), Claim.honest("b", CONTENT.length, 0)));
    cases.put(
        "two datasets that overlap",
        file -> single(file, file.raw(CONTENT, 0), claim(), Claim.honest("b", 128, 1)));
    cases.put(
        "two datasets of one name",
        file -> single(file, file.raw(CONTENT, 0), claim(), Claim.honest("a", 0, 3)));
    cases.put(
        "2^31 datasets",
        file -> {
          Pointer catalog = file.record(out -> ForgedContainer.catalogHeader(out, MOST_SLOTS));
          Run run = file.raw(CONTENT, 0);
          file.apply(true, run);
          file.map(true, run);
          file.version(1, 1, catalog);
          file.finish();
        });
  }

  private void dataset(String name, Claim claim) {
    cases.put(name, file -> single(file, file.raw(CONTENT, 0), claim));
  }

  private void names() {
    for (String name :
        List.of(
            "../../x",
            "/etc/passwd",
            "",
            "a\nb",
            "\u0000",
            "\u001b[2J",
            "..",
            "x".repeat(100_000))) {
      String shown = name.length() > 20 ? "long" : name.codePoints().boxed().toList().toString();
      cases.put(
          "dataset called " + shown,
          file -> single(file, file.raw(CONTENT, 0), Claim.honest(name, CONTENT.length, 0)));
    }
    cases.put(
        "a name that is not UTF-8",
        file -> {
          Pointer catalog =
              file.record(
                  out -> {
                    ForgedContainer.catalogHeader(out, 1);
                    claim().write(out, new byte[] {(byte) 0xC3, 0x28}, List.of());
                  });
          named(file, catalog);
        });
    cases.put(
        "a name of 2^31 bytes",
        file -> {
          Pointer catalog =
              file.record(
                  out -> {
                    ForgedContainer.catalogHeader(out, 1);
                    long start = out.begin();
                    out.putShort(1).putInt(MOST_SLOTS);
                    claim().writeRest(out);
                    out.end(start);
                  });
          named(file, catalog);
        });
  }

  private static void named(ForgedContainer file, Pointer catalog) throws IOException {
    Run run = file.raw(CONTENT, 0);
    file.apply(true, run);
    file.map(true, run);
    file.version(1, 1, catalog);
    file.finish();
  }

  private void sizes() {
    dataset("2^61 doubles in no bytes", new Claim("a", 8, 1, 0, List.of(1L << 61), 128, 0));
    dataset("2^32 x 2^32", new Claim("a", 1, 1, 0, List.of(1L << 32, 1L << 32), 128, 0));
    dataset("negative extents", new Claim("a", 1, 1, 0, List.of(-24L, -16L), 128, 384, 0, 3));
    dataset("a negative length", new Claim("a", 1, 1, 0, List.of(1L), 128, -1, 0, 1));
    dataset(
        "2^62 bytes in three slots",
        new Claim("a", 1, 1, 0, List.of(1L << 62), 128, 1L << 62, 0, 3));
    dataset("255 axes", new Claim("a", 1, 1, 0, Collections.nCopies(255, 1L), 128, 1, 0, 1));
    long most = (long) MOST_SLOTS << 20;
    cases.put(
        "2 PiB in slots nobody described",
        file ->
            single(
                file,
                file.raw(CONTENT, 0),
                new Claim("a", 1, 1, 0, List.of(most), 1 << 20, most, 0, MOST_SLOTS)));
    cases.put(
        "1 GiB of zeros as opaque state",
        file ->
            single(
                file,
                Run.zeros(0, 1024, 1 << 20),
                new Claim("o", 9, 1, 0, List.of(1L << 30), 1 << 20, 1L << 30, 0, 1024)));
    cases.put(
        "1 GiB of zeros",
        file ->
            single(
                file,
                Run.zeros(0, 1024, 1 << 20),
                new Claim("a", 1, 1, 0, List.of(1L << 30), 1 << 20, 1L << 30, 0, 1024)));
  }

  /** Small files that would take much time or memory if what they claim were believed. */
  private void bombs() {
    long zeros = (1L << 25) << 20;
    cases.put(
        "32 TiB of zeros",
        file ->
            single(
                file,
                Run.zeros(0, 1 << 25, 1 << 20),
                new Claim("a", 1, 1, 0, List.of(zeros), 1 << 20, zeros, 0, 1 << 25)));
    cases.put("2^31 zeros that no dataset has", file -> unusedZeros(file, 1));
    cases.put("2^31 zeros, released, and again, 60 times", file -> unusedZeros(file, 60));
    cases.put("2^31 zeros, released, and again, 2000 times", file -> unusedZeros(file, 2000));
    cases.put("as many datasets as there can be", file -> manyDatasets(file, 1 << 17));
    cases.put("more datasets than there can be", file -> manyDatasets(file, (1 << 17) + 1));
    cases.put("a slot here and there", HostileContainers::scattered);
    cases.put("72 KB of misaligned runs of zeros", file -> misaligned(file, 2_300));
    cases.put("1 MB of misaligned runs of zeros", file -> misaligned(file, 30_000));
    cases.put("8 MB of misaligned runs of zeros", file -> misaligned(file, 250_000));
    cases.put(
        "2 PiB of zeros",
        file ->
            single(
                file,
                Run.zeros(0, MOST_SLOTS, 1 << 20),
                new Claim("a", 1, 1, 0, List.of(MOST_ZEROS), 1 << 20, MOST_ZEROS, 0, MOST_SLOTS)));
    cases.put("2 PiB of zeros in every second slot run", HostileContainers::zerosInPieces);
    cases.put("4000 versions of 2 PiB of zeros", HostileContainers::versionsOfZeros);
    cases.put("2000 blocks of one place", HostileContainers::onePlace);
    cases.put("4000 versions of 4000 map records", HostileContainers::manyVersions);
  }

  private static void manyDatasets(ForgedContainer file, int count) throws IOException {
    Claim[] claims = new Claim[count];
    for (int i = 0; i < count; i++) {
      claims[i] = Claim.honest("d" + i, 0, 0);
    }
    Pointer catalog = file.catalog(claims);
    file.map(true);
    file.version(1, 1, catalog);
    file.finish();
  }

  private static void unusedZeros(ForgedContainer file, int times) throws IOException {
    Pointer catalog = file.catalog(claim());
    file.map(true, file.raw(CONTENT, 0));
    for (int i = 0; i < times; i++) {
      file.map(false, Run.zeros(3, MOST_SLOTS - 3L, 128));
      file.map(false, Run.released(3, MOST_SLOTS - 3L));
    }
    file.version(1, 1, catalog);
    file.finish();
  }

  /** Each run is 32 bytes; does it cost a reader more than some hundreds? */
  private static void scattered(ForgedContainer file) throws IOException {
    Pointer catalog = file.catalog(claim());
    int count = 30_000;
    Run[] runs = new Run[count];
    for (int i = 0; i < count; i++) {
      runs[i] = Run.zeros(1024L * (i + 1), 1, 128);
    }
    file.map(true, runs);
    file.version(1, 1, catalog);
    file.finish();
  }

  /** Each begins and ends within a chunk of slots, so that none is alike all over. */
  private static void misaligned(ForgedContainer file, int count) throws IOException {
    Pointer catalog = file.catalog(claim());
    Run[] runs = new Run[count + 1];
    runs[0] = file.raw(CONTENT, 0);
    file.apply(true, runs[0]);
    for (int i = 1; i <= count; i++) {
      runs[i] = Run.zeros(8192L * i + 1, 8190, 128);
    }
    file.map(true, runs);
    file.version(1, 1, catalog);
    file.finish();
  }

  /** The slots of the dataset are a thousand runs. */
  private static void zerosInPieces(ForgedContainer file) throws IOException {
    int[] slots = new int[2000];
    int each = (MOST_SLOTS / 1000) & -2;
    for (int i = 0; i < 1000; i++) {
      slots[2 * i] = (999 - i) * each + 1;
      slots[2 * i + 1] = each - 1;
    }
    long bytes = (1000L * (each - 1)) << 20;
    single(
        file,
        Run.zeros(0, MOST_SLOTS, 1 << 20),
        new Claim("a", 1, 1, 0, List.of(bytes), 1 << 20, bytes, slots));
  }

  /** Each with a map record of its own that says it all again. */
  private static void versionsOfZeros(ForgedContainer file) throws IOException {
    Pointer catalog =
        file.catalog(
            new Claim("a", 1, 1, 0, List.of(MOST_ZEROS), 1 << 20, MOST_ZEROS, 0, MOST_SLOTS));
    Run zeros = Run.zeros(0, MOST_SLOTS, 1 << 20);
    file.apply(true, zeros);
    for (int i = 1; i <= 4000; i++) {
      file.map(i % 200 == 1, zeros);
      file.version(1, i, catalog);
    }
    file.finish();
  }

  /** Verifying them all would read the same bytes over and over. */
  private static void onePlace(ForgedContainer file) throws IOException {
    Run one = file.raw(CONTENT, 0);
    Run[] runs = new Run[2000];
    for (int i = 0; i < runs.length; i++) {
      runs[i] = new Run(one.kind(), 0, 128, i, 1, one.place(), one.words()[0], one.words()[1]);
    }
    Pointer catalog = file.catalog(Claim.honest("a", 2000 * 128L, 0));
    tryApply(file, runs);
    file.map(true, runs);
    file.version(1, 1, catalog);
    file.finish();
  }

  private static void manyVersions(ForgedContainer file) throws IOException {
    Pointer catalog = file.catalog(claim());
    Run[] runs = new Run[4000];
    for (int i = 0; i < runs.length; i++) {
      runs[i] = Run.zeros(10L + 2 * i, 1, 128);
    }
    Run honest = file.raw(CONTENT, 0);
    file.apply(true, honest);
    Pointer base = file.map(true, honest);
    Pointer delta = file.map(false, runs);
    file.apply(false, runs);
    for (int i = 0; i < 4000; i++) {
      file.mapRef(false, delta);
      file.version(1, i + 1, catalog);
    }
    assert base.length() > 0;
    file.finish();
  }
}
