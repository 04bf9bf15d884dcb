// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongConsumer;
import org.cairn.tier.shared.SegmentSource;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/**
 * Brings files back out of a pack, byte for byte, with their permissions and times. A file appears
 * under its name when all of its bytes were verified and are durable, or not at all; what is damaged
 * costs no other file.
 */
public final class Unpacker {
  private final Pack pack;
  private final Path folder;

  /**
   * Unpacks a pack.
   *
   * @param folder below which files come; it exists
   */
  public Unpacker(Pack pack, Path folder) {
    this.pack = pack;
    this.folder = folder;
  }

  /**
   * Unpacks files.
   *
   * @param wanted those of the pack
   * @param progress is told how many bytes were read
   * @return those that could not be brought back, and why
   * @throws IOException if nothing can be written; files that exist are never replaced
   */
  public List<Pack.Damage> unpack(
      Collection<Pack.Member> wanted, Workers workers, LongConsumer progress) throws IOException {
    requireSpace(wanted);
    List<Target> targets = new ArrayList<>();
    try {
      List<SegmentSource.Wanted> all = new ArrayList<>();
      for (Pack.Member member : wanted) {
        Target target = Target.begin(member, folder);
        targets.add(target);
        all.add(member.all(target));
      }
      List<Pack.Damage> damages = pack.read(all, workers, progress);
      Set<PackName> damaged = new HashSet<>();
      damages.forEach(damage -> damaged.add(damage.file()));
      for (Target target : targets) {
        if (!damaged.contains(target.member.file().name())) {
          target.publish();
        }
      }
      return damages;
    } finally {
      for (Target target : targets) {
        target.close();
      }
    }
  }

  /** A pack of a few bytes may claim files of exabytes. */
  private void requireSpace(Collection<Pack.Member> wanted) throws IOException {
    long free = Files.getFileStore(folder).getUsableSpace();
    for (Pack.Member member : wanted) {
      long needed = 0;
      for (DatasetEntry stream : member.streams()) {
        needed += stream.spec().byteLength();
      }
      free -= needed;
      if (free < 0) {
        throw new IOException(
            "%s has too little space for what is in %s; %s alone has %d bytes"
                .formatted(folder, pack.location(), member.file().name(), needed));
      }
    }
  }

  /** A file on its way. */
  private static final class Target implements VersionSource.Sink, AutoCloseable {
    private final Pack.Member member;
    private final Path place;
    private final NewFile file;
    private final FileChannel channel;

    private Target(Pack.Member member, Path place, NewFile file, FileChannel channel) {
      this.member = member;
      this.place = place;
      this.file = file;
      this.channel = channel;
    }

    static Target begin(Pack.Member member, Path folder) throws IOException {
      Path place = member.file().name().below(folder);
      Path parent = Objects.requireNonNull(place.getParent(), "a folder");
      requireNoLinks(folder.toAbsolutePath().normalize(), parent);
      Files.createDirectories(parent);
      if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
        throw new FileAlreadyExistsException(place.toString(), null, "it exists already");
      }
      NewFile file = NewFile.beside(place);
      try {
        Path made = file.folder().resolve("file");
        FileChannel channel =
            FileChannel.open(made, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        file.finished("file");
        return new Target(member, place, file, channel);
      } catch (IOException | RuntimeException | Error e) {
        file.close();
        throw e;
      }
    }

    /** A link to elsewhere, which was there before, would lead out of the folder. */
    private static void requireNoLinks(Path folder, Path parent) throws IOException {
      for (Path at = parent; at != null && !at.equals(folder); at = at.getParent()) {
        if (Files.isSymbolicLink(at)) {
          throw new IOException(at + " is a link; nothing is unpacked through links");
        }
      }
    }

    @Override
    public void block(DatasetEntry dataset, int block, MemorySegment bytes) throws IOException {
      long[] done = new long[1];
      member.forEachPlace(
          dataset,
          block,
          (offset, length) -> {
            ByteBuffer some = bytes.asSlice(done[0], length).asByteBuffer();
            while (some.hasRemaining()) {
              channel.write(some, offset + some.position());
            }
            done[0] += length;
          });
    }

    /** The file has zeros wherever nothing is written. */
    @Override
    public void zeros(DatasetEntry dataset, int first, int count) {}

    void publish() throws IOException {
      long size = member.file().size();
      if (channel.size() < size) {
        channel.write(ByteBuffer.allocate(1), size - 1); // the last bytes are zeros
      }
      channel.force(true);
      channel.close();
      Path made = file.folder().resolve("file");
      setMode(made);
      Files.setLastModifiedTime(made, FileTime.from(member.file().modified()));
      file.publish();
    }

    private void setMode(Path made) throws IOException {
      try {
        Files.setAttribute(made, "unix:mode", member.file().mode());
      } catch (UnsupportedOperationException | IllegalArgumentException e) {
        return; // a system without such modes
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
      file.close();
    }

    @Override
    public String toString() {
      return place.toString();
    }
  }
}
