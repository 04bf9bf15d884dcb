// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.function.LongConsumer;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.pack.ArrayType;
import org.cairn.pack.Pack;
import org.cairn.transform.Elements;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/**
 * A variable of a file in a pack, to be written to a file of its own: only the frames that have
 * some of it are read.
 */
public final class PackExport {
  private final Pack pack;
  private final Pack.Member member;
  private final DatasetEntry variable;

  private PackExport(Pack pack, Pack.Member member, DatasetEntry variable) {
    this.pack = pack;
    this.member = member;
    this.variable = variable;
  }

  /**
   * Finds a variable.
   *
   * @throws CommandFailedException if the file or the variable is not there
   */
  public static PackExport of(Pack pack, String file, String variable) {
    Pack.Member member = Packs.find(pack, file);
    DatasetEntry found =
        member.streams().stream()
            .filter(stream -> stream.name().equals(variable))
            .findFirst()
            .orElseThrow(
                () ->
                    new CommandFailedException(
                        "%s has no variable %s; it has %s"
                            .formatted(file, variable, some(member))));
    return new PackExport(pack, member, found);
  }

  private static String some(Pack.Member member) {
    List<String> names = member.streams().stream().limit(20).map(DatasetEntry::name).toList();
    int more = member.streams().size() - names.size();
    return String.join(", ", names) + (more > 0 ? " and " + more + " more" : "");
  }

  /** How many bytes it has. */
  public long bytes() {
    return variable.spec().byteLength();
  }

  /**
   * What NumPy calls its elements.
   *
   * @throws CommandFailedException if its bytes are no array
   */
  public String numpyType() throws IOException {
    Elements elements = type().elements();
    if (!elements.isNumeric()) {
      return "|V" + elements.width();
    }
    String order =
        elements.width() == 1 ? "|" : elements.order() == ByteOrder.BIG_ENDIAN ? ">" : "<";
    return order + (elements.floating() ? "f" : "i") + elements.width();
  }

  /** Its shape, the slowest axis first. */
  public List<Long> shape() throws IOException {
    return type().shape();
  }

  private ArrayType type() throws IOException {
    ArrayType type = member.type(variable).orElse(null);
    if (type == null || type.coded() || type.inPieces()) {
      throw new CommandFailedException(
          "%s is %s: unpack %s and read it with the tools of its format, or use --format raw"
              .formatted(
                  variable.name(),
                  type == null
                      ? "of no known type"
                      : type.coded() ? "stored with filters" : "stored in chunks",
                  member.file().name()));
    }
    return type;
  }

  /**
   * Writes its bytes.
   *
   * @param from where they begin in the file
   */
  public void writeTo(FileChannel channel, long from, LongConsumer progress) throws IOException {
    try (Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "export")) {
      List<Pack.Damage> damages =
          pack.read(
              List.of(member.wanted(List.of(variable), sink(channel, from))), workers, progress);
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
