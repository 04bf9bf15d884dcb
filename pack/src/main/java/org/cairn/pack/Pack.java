// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.frame.Effort;
import org.cairn.pack.locate.NumpyType;
import org.cairn.record.Digest;
import org.cairn.record.Field;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.tier.shared.Manifest;
import org.cairn.tier.shared.Reference;
import org.cairn.tier.shared.SegmentAlone;
import org.cairn.tier.shared.SegmentBlocks;
import org.cairn.tier.shared.SegmentFrames;
import org.cairn.tier.shared.SegmentReader;
import org.cairn.tier.shared.SegmentSource;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/**
 * A pack that is read. All indices have been verified when it is open, and one that is damaged
 * costs its file only; data is verified when it is read, block by block.
 */
public final class Pack implements Closeable {
  private static final int ZEROS = 64 << 10;

  /** So many missing files are named one by one; nobody reads more. */
  private static final int MOST_MISSING = 1000;

  private final SegmentReader segment;
  private final long size;
  private final String location;
  private final List<Member> members;
  private final List<Damage> lost;
  private final Optional<Damage> own;
  private final Map<SegmentSource, PackName> names = new IdentityHashMap<>();

  /** A file in the pack. */
  public static final class Member {
    private final PackedFile file;
    private final SegmentSource source;
    private final List<DatasetEntry> streams;

    /** By the objects: there may be a hundred thousand, which take long to compare. */
    private final Map<DatasetEntry, Places> places = new IdentityHashMap<>();

    private Member(
        PackedFile file, SegmentSource source, List<DatasetEntry> streams, List<Places> places) {
      this.file = file;
      this.source = source;
      this.streams = streams;
      for (int i = 0; i < streams.size(); i++) {
        this.places.put(streams.get(i), places.get(i));
      }
    }

    /** What is told of it. */
    public PackedFile file() {
      return file;
    }

    /** What it consists of: variables, and the rest. */
    public List<DatasetEntry> streams() {
      return streams;
    }

    SegmentSource source() {
      return source;
    }

    /** What stands for all its variables and their bytes. */
    Digest root() {
      return new Digest(source.info().digestLow(), source.info().digestHigh());
    }

    /** The numbers of its streams, by the objects. */
    Map<DatasetEntry, Integer> streamNumbers() {
      Map<DatasetEntry, Integer> numbers = new IdentityHashMap<>();
      for (int i = 0; i < streams.size(); i++) {
        numbers.put(streams.get(i), i);
      }
      return numbers;
    }

    /** How many bytes of it are stored in some way: all that are not in holes. */
    long storedBytes() {
      return streams.stream().mapToLong(stream -> stream.spec().byteLength()).sum();
    }

    /** How many bytes of it are zeros that nothing is stored for, in holes and in blocks. */
    public long zeroBytes() throws IOException {
      long[] stored = {0};
      source.forEachStored((_, _, _, entry) -> stored[0] += entry.blockLength());
      return file.size() - stored[0];
    }

    /** How a variable can be read; empty if that is not told. */
    public Optional<ArrayType> type(DatasetEntry stream) throws IOException {
      return ArrayType.of(stream, file.name().toString());
    }

    /**
     * What NumPy calls the elements of a variable; if the pack does not tell, the metadata of the
     * file are read again. Empty if these do not, either.
     */
    public Optional<NumpyType> numpyType(DatasetEntry stream) throws IOException {
      Optional<NumpyType> told = ArrayType.numpyType(stream, file.name().toString());
      return told.isPresent() ? told : PackedArray.typeOf(this, stream.name());
    }

    /** Where a block of a stream belongs in the file. */
    void forEachPlace(DatasetEntry stream, int block, Places.Use use) throws IOException {
      long from = (long) block * stream.spec().blockSize();
      Places all = Objects.requireNonNull(places.get(stream), "a stream of this file");
      all.forEach(from, from + stream.blockLength(block), use);
    }

    /** All of the file, to be read into something. */
    SegmentSource.Wanted all(VersionSource.Sink sink) {
      return wanted(streams, sink);
    }

    /** Some streams of the file, to be read into something. */
    public SegmentSource.Wanted wanted(Collection<DatasetEntry> some, VersionSource.Sink sink) {
      return new SegmentSource.Wanted(
          source, some.stream().map(VersionSource.Range::all).toList(), sink);
    }
  }

  /** Takes bytes of a file, in its order. */
  public interface InOrder {
    /** Takes the next bytes; they are gone when it returns. */
    void take(MemorySegment bytes) throws IOException;
  }

  /**
   * Reads a file from its first byte to its last.
   *
   * @throws CorruptContainerException if a block is not as it was
   */
  public void readInOrder(Member member, InOrder target) throws IOException {
    long[] read = new long[member.streams.size()];
    try (SegmentBlocks blocks = new SegmentBlocks()) {
      for (PackedFile.Tile tile : member.file.tiles()) {
        if (tile.stream() == 0) {
          giveZeros(tile.length(), target);
        } else {
          int stream = tile.stream() - 1;
          give(blocks, member, stream, read[stream], tile.length(), target);
          read[stream] += tile.length();
        }
      }
    }
  }

  /** Whether a file has just the bytes of one in the pack. */
  boolean isSame(Member member, Path file) throws IOException {
    if (Files.size(file) != member.file.size()) {
      return false;
    }
    boolean[] same = {true};
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), ZEROS)) {
      readInOrder(
          member,
          bytes -> {
            byte[] other = in.readNBytes((int) bytes.byteSize());
            same[0] &= bytes.mismatch(MemorySegment.ofArray(other)) < 0;
          });
      return same[0] && in.read() < 0;
    } catch (CorruptContainerException e) {
      return false; // then the file is the only one that has them
    }
  }

  private static void giveZeros(long length, InOrder target) throws IOException {
    MemorySegment zeros = MemorySegment.ofArray(new byte[ZEROS]);
    for (long left = length; left > 0; left -= ZEROS) {
      target.take(zeros.asSlice(0, Math.min(ZEROS, left)));
    }
  }

  private static void give(
      SegmentBlocks blocks, Member member, int number, long from, long length, InOrder target)
      throws IOException {
    DatasetEntry stream = member.streams.get(number);
    int size = stream.spec().blockSize();
    long position = from;
    while (position < from + length) {
      int block = Math.toIntExact(position / size);
      long inBlock = position % size;
      long some = Math.min(stream.blockLength(block) - inBlock, from + length - position);
      target.take(blocks.read(member.source, stream, block).asSlice(inBlock, some));
      position += some;
    }
  }

  /**
   * A file of the pack that is not as it was, and why.
   *
   * @param file its name; if nobody knows it any more, something like {@code (file 3)}, and {@code
   *     (the pack itself)} for what is of no file
   */
  public record Damage(PackName file, String what) {
    static Damage ofNumber(int number, CorruptContainerException why) {
      return new Damage(nameOf(number), String.valueOf(why.getMessage()));
    }

    private static Damage ofPack(SegmentReader segment, IOException why) {
      return new Damage(
          new PackName("(the pack itself)"),
          "%s; found without that: %d of %d files. Unpack them and pack them anew"
              .formatted(why.getMessage(), segment.ranks().size(), segment.version().ranks()));
    }
  }

  /** What a file is called whose name cannot be read. */
  private static PackName nameOf(int number) {
    return new PackName("(file %d)".formatted(number));
  }

  private Pack(
      SegmentReader segment,
      long size,
      String location,
      List<Member> members,
      List<Damage> lost,
      Optional<Damage> own) {
    this.segment = segment;
    this.size = size;
    this.location = location;
    this.members = List.copyOf(members);
    this.lost = List.copyOf(lost);
    this.own = own;
    members.forEach(member -> names.put(member.source, member.file.name()));
  }

  /**
   * Opens a pack. If it is damaged where it tells what is in it, or cut off, those files are there
   * that can be found without that, and {@link #ownDamage} says so.
   *
   * @throws UnsupportedFormatException if it is none, or of a later release
   * @throws CorruptContainerException if nothing can be found in it
   */
  public static Pack open(Path path) throws IOException {
    Path absolute = path.toAbsolutePath();
    SegmentAlone.Opener file = () -> DirectoryStore.openAlone(absolute);
    String location = absolute.toString();
    SegmentAlone store;
    SegmentReader segment;
    try {
      store = SegmentAlone.of(file, location);
      segment = SegmentReader.open(store, store.name());
    } catch (CorruptContainerException | UnsupportedFormatException e) {
      return openRescued(file, location, e);
    }
    return open(store, segment, segment.size(), location, Optional.empty());
  }

  private static Pack openRescued(SegmentAlone.Opener file, String location, IOException why)
      throws IOException {
    return openRescued(SegmentAlone.rescue(file, location, why), location, why);
  }

  /**
   * Opens what is left of a version of a directory.
   *
   * @param why what is wrong with it
   * @throws IOException that very reason, if nothing is left
   */
  static Pack openRescued(Store store, VersionId version, String location, IOException why)
      throws IOException {
    return openRescued(SegmentAlone.rescue(store, version, why), location, why);
  }

  private static Pack openRescued(SegmentAlone store, String location, IOException why)
      throws IOException {
    long size = store.storedSize();
    SegmentReader segment = SegmentReader.open(store, store.name());
    return open(store, segment, size, location, Optional.of(Damage.ofPack(segment, why)));
  }

  /**
   * Opens a version of a directory.
   *
   * @param location what messages call it
   */
  static Pack open(Store store, Manifest manifest, String location) throws IOException {
    String name = manifest.groups().getFirst().segment();
    SegmentReader segment = SegmentReader.open(store, name);
    for (Reference reference : manifest.references()) {
      if (reference.segment().equals(name)
          && !reference.footer().equals(segment.footerChecksum())) {
        segment.close();
        throw new CorruptContainerException(
            store.location(name), -1, "it is not the segment that its manifest was made for");
      }
    }
    return open(store, segment, segment.size(), location, Optional.empty());
  }

  private static Pack open(
      Store store, SegmentReader segment, long size, String location, Optional<Damage> own)
      throws IOException {
    try {
      List<Damage> lost = own.isPresent() ? missing(segment) : new ArrayList<>();
      Map<Integer, SegmentSource> sources =
          SegmentSource.openAll(
              store, segment, (number, why) -> lost.add(Damage.ofNumber(number, why)));
      try {
        return new Pack(segment, size, location, members(sources, location, lost), lost, own);
      } catch (IOException | RuntimeException | Error e) {
        for (SegmentSource source : sources.values()) {
          source.close();
        }
        throw e;
      }
    } catch (IOException | RuntimeException | Error e) {
      segment.close();
      throw e;
    }
  }

  /** Files that ought to be there, too, by the number of them that each index tells. */
  private static List<Damage> missing(SegmentReader segment) {
    Set<Integer> there = Set.copyOf(segment.ranks());
    List<Damage> missing = new ArrayList<>();
    for (int i = 0; i < segment.version().ranks() && missing.size() < MOST_MISSING; i++) {
      if (!there.contains(i)) {
        missing.add(
            new Damage(nameOf(i), segment.location() + " has no index of it that is whole"));
      }
    }
    return missing;
  }

  private static List<Member> members(
      Map<Integer, SegmentSource> sources, String location, List<Damage> lost) throws IOException {
    Map<PackName, Member> members = new LinkedHashMap<>();
    for (Map.Entry<Integer, SegmentSource> source : sources.entrySet()) {
      try {
        Member member = member(source.getKey(), source.getValue(), location);
        if (members.put(member.file.name(), member) != null) {
          throw new UnsupportedFormatException(
              "%s: two files are called %s".formatted(location, member.file.name()));
        }
      } catch (CorruptContainerException e) {
        lost.add(Damage.ofNumber(source.getKey(), e));
      }
    }
    for (PackName name : members.keySet()) {
      for (PackName folder : name.folders()) {
        if (members.containsKey(folder)) {
          throw new UnsupportedFormatException(
              "%s: %s is a file, and the folder of %s".formatted(location, folder, name));
        }
      }
    }
    return List.copyOf(members.values());
  }

  private static Member member(int number, SegmentSource source, String location)
      throws IOException {
    Field told =
        source.info().unknown().stream()
            .filter(field -> field.tag() == PackedFile.TAG)
            .findFirst()
            .orElseThrow(
                () ->
                    new UnsupportedFormatException(
                        location + " is no pack: its members are ranks of a job, not files"));
    // Where the index itself lies is of no use: it may be stored in a frame.
    String place = "%s, index of file %d, its field %d".formatted(location, number, told.tag());
    PackedFile file = PackedFile.read(told, place);
    List<DatasetEntry> streams = List.copyOf(source.datasets());
    return new Member(file, source, streams, places(file, streams, location));
  }

  /** Refuses tiles that are not what the streams have. */
  private static List<Places> places(PackedFile file, List<DatasetEntry> streams, String location)
      throws CorruptContainerException {
    List<Places> places = new ArrayList<>();
    streams.forEach(_ -> places.add(new Places()));
    long offset = 0;
    for (PackedFile.Tile tile : file.tiles()) {
      if (tile.stream() > streams.size()) {
        throw new CorruptContainerException(
            location, -1, "%s has no stream %d".formatted(file.name(), tile.stream()));
      }
      if (tile.stream() > 0) {
        places.get(tile.stream() - 1).add(offset, tile.length());
      }
      offset += tile.length();
    }
    for (int i = 0; i < streams.size(); i++) {
      long expected = streams.get(i).spec().byteLength();
      if (places.get(i).length() != expected) {
        throw new CorruptContainerException(
            location,
            -1,
            "%s has %d bytes of \"%s\", and tiles of %d"
                .formatted(file.name(), expected, streams.get(i).name(), places.get(i).length()));
      }
    }
    return places;
  }

  /** The files, in the order in which they were packed. */
  public List<Member> members() {
    return members;
  }

  /** The frames that data lies in. */
  public List<SegmentFrames.Frame> frames() {
    return segment.frames().all();
  }

  /** How many bytes the pack has. */
  public long size() {
    return size;
  }

  /** When it was made. */
  public Instant createdAt() {
    return segment.createdAt();
  }

  /** Where it lies. */
  public String location() {
    return location;
  }

  /**
   * Reads parts of files; each frame is decoded once, and every block verified.
   *
   * @return what could not be read; blocks of others were given away all the same
   */
  public List<Damage> read(
      Collection<SegmentSource.Wanted> wanted, Workers workers, LongConsumer progress)
      throws IOException {
    List<Damage> damages = new ArrayList<>();
    for (SegmentSource.Damaged one : SegmentSource.scan(wanted, workers, progress)) {
      damages.add(
          new Damage(
              nameOf(one.wanted().source()),
              "%s, in %s".formatted(one.damage().what(), one.damage().dataset())));
    }
    return damages;
  }

  private PackName nameOf(SegmentSource source) {
    return Objects.requireNonNull(names.get(source), "a file of this pack");
  }

  /** Files of which not even the name can be read, and why. */
  public List<Damage> lost() {
    return lost;
  }

  /**
   * What is wrong with the pack as such, of which files were found all the same; empty if nothing
   * is.
   */
  public Optional<Damage> ownDamage() {
    return own;
  }

  /** What is wrong before anything was read: {@link #lost} and {@link #ownDamage}. */
  public List<Damage> knownDamages() {
    return withLost(List.of());
  }

  List<Damage> withLost(List<Damage> found) {
    List<Damage> all = new ArrayList<>(found);
    all.addAll(lost);
    own.ifPresent(all::add);
    return List.copyOf(all);
  }

  /** Reads everything and verifies it, with as many threads as there are cores. */
  public List<Damage> verify(LongConsumer progress) throws IOException {
    try (Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "verify")) {
      return verify(workers, progress);
    }
  }

  /** Reads everything and verifies it; gives nothing to anybody. */
  public List<Damage> verify(Workers workers, LongConsumer progress) throws IOException {
    return withLost(
        read(
            members.stream().map(member -> member.all(VersionSource.Sink.NOTHING)).toList(),
            workers,
            progress));
  }

  /**
   * Compares the checksums of all frames, and decodes none.
   *
   * @param progress is told how many stored bytes were read
   * @return what is damaged, once for each file that has something there; and files that are lost
   */
  public List<Damage> verifyStored(LongConsumer progress) throws IOException {
    return withLost(new StoredCheck(progress).run(segment, members));
  }

  /**
   * What has to be read for some files.
   *
   * @param segments in how many files of a directory it lies; 1 for a pack that is a file
   * @param frames how many frames are decoded
   * @param stored how many bytes these have
   * @param live how many of them are for the files
   * @param efforts how hard the frames were compressed, and why, as far as that was told
   */
  public record Reading(
      int segments, int frames, long stored, long live, List<Effort.Count> efforts) {
    /** How many times more is read than is wanted. */
    public double amplification() {
      return live == 0 ? 1 : (double) stored / live;
    }
  }

  /**
   * Tells what has to be read for some files.
   *
   * @throws IOException if something that they need is not there, or damaged
   */
  public Reading reading(Collection<Member> some) throws IOException {
    NeededFrames needed = NeededFrames.of(some);
    return new Reading(
        needed.segmentCount(),
        needed.all().size(),
        needed.storedBytes(),
        needed.liveBytes(),
        Effort.count(needed.all().stream().flatMap(one -> one.frame().effort().stream()).toList()));
  }

  /**
   * Variables of one class.
   *
   * @param name as that of a class, but names of variables are as they are in the files
   * @param variables how many there are
   * @param stored how many bytes are there for them, as their part of frames that others may share
   * @param transforms what was done to those that were looked at, the most frequent first; empty if
   *     none was, or nothing is stored
   * @param levels those of zstd that its frames were compressed with; 0 for none
   */
  public record StoredClass(
      String name,
      int variables,
      long bytes,
      long stored,
      List<String> transforms,
      List<Integer> levels) {}

  /**
   * Tells what some files have of each class, the largest first. A few frames are expanded.
   *
   * @throws IOException if something that they need is not there, or damaged
   */
  public List<StoredClass> classes(Collection<Member> some) throws IOException {
    return StoredClasses.of(some);
  }

  @Override
  public void close() throws IOException {
    try {
      for (Member member : members) {
        member.source.close();
      }
    } finally {
      segment.close();
    }
  }
}
