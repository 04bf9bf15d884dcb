// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.cairn.VersionName;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.pack.Pack;
import org.cairn.pack.PackDirectory;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/** What commands know of packs. */
public final class Packs {
  private static final byte[] MAGIC = HexFormat.of().parseHex("89434149524e530a");

  private static final byte[] MARK = Arrays.copyOf(MAGIC, 6);
  private static final int SECOND_SUPERBLOCK = 4096;

  private Packs() {}

  /** Whether a file begins as packs do, or ends so: either may be damaged. */
  public static boolean isOne(Path path) {
    if (!Files.isRegularFile(path)) {
      return false;
    }
    try (SeekableByteChannel channel = Files.newByteChannel(path)) {
      return hasMagicAt(channel, 0) || hasMagicAt(channel, channel.size() - MAGIC.length);
    } catch (IOException e) {
      return false; // who reads it next says why
    }
  }

  /** Whether a file has the mark that all files of Cairn's have, where any of them has it. */
  public static boolean isOfCairn(Path path) {
    try (SeekableByteChannel channel = Files.newByteChannel(path)) {
      return hasAt(channel, 0, MARK) || hasAt(channel, SECOND_SUPERBLOCK, MARK) || isOne(path);
    } catch (IOException e) {
      return true; // who reads it next says why
    }
  }

  private static boolean hasMagicAt(SeekableByteChannel channel, long position) throws IOException {
    return hasAt(channel, position, MAGIC);
  }

  private static boolean hasAt(SeekableByteChannel channel, long position, byte[] wanted)
      throws IOException {
    ByteBuffer found = ByteBuffer.allocate(wanted.length);
    if (position < 0) {
      return false;
    }
    channel.position(position);
    while (found.hasRemaining() && channel.read(found) >= 0) {
      // the rest
    }
    return Arrays.equals(found.array(), wanted);
  }

  /** Whether a path names a pack, or a directory of them. */
  public static boolean isAny(Path path) {
    return isOne(path) || isDirectory(path);
  }

  /** Whether a path names a directory of packs. */
  public static boolean isDirectory(Path path) {
    try {
      return PackDirectory.isOne(path);
    } catch (IOException e) {
      return false; // who reads it next says why
    }
  }

  /**
   * Opens a pack, or a version of a directory of packs.
   *
   * @param version which one; the newest if it is null
   * @throws CommandFailedException if there is none
   */
  public static Pack open(Path path, @Nullable VersionName version) throws IOException {
    if (!isDirectory(path)) {
      if (version != null) {
        throw CommandFailedException.ambiguous(
            "%s is one pack, without versions; leave out --version".formatted(path));
      }
      return Pack.open(path);
    }
    PackDirectory directory = PackDirectory.open(path);
    return directory.open(find(path, directory.list(), version));
  }

  /** The version that is meant. */
  static VersionId find(Path path, PackDirectory.Listing listing, @Nullable VersionName version) {
    List<VersionId> ids = listing.versions().stream().map(PackDirectory.Version::id).toList();
    if (version == null) {
      VersionId newest = ids.stream().findFirst().orElseThrow(() -> nothingWhole(path, listing));
      refuseOlder(path, listing, newest);
      return newest;
    }
    return Stream.of(ids, listing.damaged())
        .flatMap(some -> version.among(some).stream())
        .findFirst()
        .orElseThrow(
            () ->
                new CommandFailedException(
                    "%s has no version %s; it has %s"
                        .formatted(
                            path,
                            version,
                            ids.isEmpty()
                                ? "none that is whole"
                                : String.join(
                                    ", ", ids.stream().map(VersionId::toString).toList()))));
  }

  /** Who asks for the newest version must not get an older one without knowing. */
  private static void refuseOlder(Path path, PackDirectory.Listing listing, VersionId newest) {
    for (int i = 0; i < listing.damaged().size(); i++) {
      VersionId damaged = listing.damaged().get(i);
      if (damaged.compareTo(newest) > 0) {
        throw new CommandFailedException(
            "the newest version of %s is damaged: %s; --version %s gives what is left of it, --version %s the newest that is whole"
                .formatted(path, listing.problems().get(i), damaged, newest));
      }
    }
  }

  private static CommandFailedException nothingWhole(Path path, PackDirectory.Listing listing) {
    return new CommandFailedException(
        listing.damaged().isEmpty()
            ? path + " holds no version yet"
            : "%s holds no version that is whole; %s; what is left of it --version %s gives"
                .formatted(path, listing.problems().getFirst(), listing.damaged().getFirst()));
  }

  /**
   * The file of this name in a pack, as {@link org.cairn.pack.PackName#readable} has it.
   *
   * @throws CommandFailedException if there is none
   */
  static Pack.Member find(Pack pack, String name) {
    return pack.members().stream()
        .filter(member -> member.file().name().readable().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new CommandFailedException(
                    "%s has no file %s; it has %s"
                        .formatted(pack.location(), name, some(pack.members()))));
  }

  private static String some(List<Pack.Member> members) {
    List<String> names =
        members.stream()
            .limit(10)
            .map(member -> Printable.oneLine(member.file().name().readable()))
            .toList();
    int more = members.size() - names.size();
    return String.join(", ", names) + (more > 0 ? " and " + more + " more" : "");
  }

  /** How much smaller something became, or larger. */
  static String smaller(long plain, long stored) {
    if (plain == 0) {
      return "nothing to compress";
    }
    double ratio = plain / (double) Math.max(1, stored);
    return ratio >= 1
        ? String.format(Locale.ROOT, "%.2f times smaller", ratio)
        : String.format(Locale.ROOT, "%.2f times larger", 1 / ratio);
  }

  /** How many files: {@code 1 file}, {@code 57 files}. */
  public static String files(long count) {
    return count == 1 ? "1 file" : Quantities.count(count) + " files";
  }

  /** What some files have together; a file of a hostile pack says of itself what it likes. */
  static long bytesOf(List<Pack.Member> members) {
    long bytes = 0;
    for (Pack.Member member : members) {
      bytes += Math.min(member.file().size(), Long.MAX_VALUE - bytes);
    }
    return bytes;
  }
}
