// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.pack.ArrayType;
import org.cairn.pack.Pack;
import org.cairn.pack.PackedArray;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.raw.Description;
import org.cairn.pack.raw.RawLocator;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;

/**
 * A variable of a file in a pack, to be written to a file of its own: only the frames that have
 * some of it are read.
 */
public final class PackExport {
  private final Pack pack;
  private final Pack.Member member;
  private final @Nullable DatasetEntry stream;

  /** Where its elements are not simply side by side. */
  private final @Nullable PackedArray boxes;

  private PackExport(
      Pack pack, Pack.Member member, @Nullable DatasetEntry stream, @Nullable PackedArray boxes) {
    this.pack = pack;
    this.member = member;
    this.stream = stream;
    this.boxes = boxes;
  }

  /**
   * Finds a variable.
   *
   * @param asArray whether its elements are wanted in their order; else its bytes as they lie
   * @param description what is in plain binary files; null if nobody says
   * @throws CommandFailedException if the file or the variable is not there
   * @throws IOException if its bytes are no array, with why and what can be done
   */
  public static PackExport of(
      Pack pack, String file, String variable, boolean asArray, @Nullable Path description)
      throws IOException {
    Pack.Member member = Packs.find(pack, file);
    Optional<DatasetEntry> stream =
        member.streams().stream().filter(one -> one.name().equals(variable)).findFirst();
    if (stream.isPresent() && !(asArray && isInBoxes(member, stream.get()))) {
      return new PackExport(pack, member, stream.get(), null);
    }
    Optional<PackedArray> boxes =
        asArray ? PackedArray.find(member, variable, locators(description)) : Optional.empty();
    if (boxes.isEmpty()) {
      throw stream.isPresent() ? noArray(member, variable) : noVariable(member, variable);
    }
    return new PackExport(pack, member, null, boxes.get());
  }

  private static Locators locators(@Nullable Path description) throws IOException {
    Locators installed = Locators.installed();
    return description == null
        ? installed
        : installed.after(new RawLocator(Description.read(description)));
  }

  private static boolean isInBoxes(Pack.Member member, DatasetEntry stream) throws IOException {
    ArrayType type = member.type(stream).orElse(null);
    return type == null || PackedArray.isNeeded(stream, type);
  }

  private static CommandFailedException noVariable(Pack.Member member, String variable) {
    return new CommandFailedException(
        "%s has no variable %s; it has %s".formatted(member.file().name(), variable, some(member)));
  }

  private static CommandFailedException noArray(Pack.Member member, String variable) {
    return new CommandFailedException(
        "%s is of no known type, or where its pieces belong is not known: use --format raw, say"
                .formatted(variable)
            + " --describe if it was packed so, or unpack %s and read it with the tools of its format"
                .formatted(member.file().name()));
  }

  private static String some(Pack.Member member) {
    List<String> names = member.streams().stream().limit(20).map(DatasetEntry::name).toList();
    int more = member.streams().size() - names.size();
    return names.isEmpty()
        ? "none"
        : String.join(", ", names) + (more > 0 ? " and " + more + " more" : "");
  }

  /** How many bytes it has. */
  public long bytes() {
    return boxes == null ? stream().spec().byteLength() : boxes.bytes();
  }

  /**
   * Looks whether there is space for it: a few bytes of metadata may claim an array of exabytes.
   *
   * @throws CommandFailedException if there is not
   */
  public void requireSpace(Path target) throws IOException {
    Path folder = target.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      return; // who writes it says so
    }
    long needed = boxes == null ? bytes() : boxes.spaceNeeded();
    long free = Files.getFileStore(folder).getUsableSpace();
    if (needed > free) {
      throw new CommandFailedException(
          "%s would have %,d bytes, and there are %,d left for it; choose another place"
              .formatted(target, needed, free));
    }
  }

  /** What NumPy calls its elements. */
  public String numpyType() throws IOException {
    if (boxes != null) {
      return boxes.type().name();
    }
    return member
        .numpyType(stream())
        .orElseThrow(
            () ->
                new CommandFailedException(
                    "nothing tells whether integers of %s have a sign: use --format raw, or pack %s"
                            .formatted(stream().name(), member.file().name())
                        + " again"))
        .name();
  }

  /** Its shape, the slowest axis first. */
  public List<Long> shape() throws IOException {
    return boxes == null ? type().shape() : boxes.shape();
  }

  private DatasetEntry stream() {
    return Objects.requireNonNull(stream, "it has boxes");
  }

  private ArrayType type() throws IOException {
    return member.type(stream()).orElseThrow(() -> noArray(member, stream().name()));
  }

  /**
   * Writes its bytes.
   *
   * @param from where they begin in the file
   */
  public void writeTo(FileChannel channel, long from, LongConsumer progress) throws IOException {
    if (boxes != null) {
      boxes.writeTo(channel, from, progress);
      return;
    }
    try (Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "export")) {
      List<Pack.Damage> damages =
          pack.read(
              List.of(member.wanted(List.of(stream()), sink(channel, from))), workers, progress);
      if (!damages.isEmpty()) {
        throw new CommandFailedException(damages.getFirst().what());
      }
    }
    if (channel.size() < from + bytes()) {
      channel.write(ByteBuffer.allocate(1), from + bytes() - 1); // it ends with zeros
    }
  }

  private VersionSource.Sink sink(FileChannel channel, long before) {
    return new VersionSource.Sink() {
      @Override
      public void block(DatasetEntry dataset, int block, MemorySegment bytes) throws IOException {
        long offset = before + (long) block * dataset.spec().blockSize();
        ByteBuffer some = bytes.asByteBuffer();
        while (some.hasRemaining()) {
          channel.write(some, offset + some.position());
        }
      }

      @Override
      public void zeros(DatasetEntry dataset, int first, int count) {} // as files begin
    };
  }
}
