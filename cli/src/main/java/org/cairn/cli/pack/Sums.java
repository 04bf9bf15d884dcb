// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.pack.Pack;

/**
 * The SHA-256 of files in packs. A few bytes of a pack can say that a file has exabytes of zeros,
 * over which nobody would see the end: such a file has none, unless somebody insists.
 */
public final class Sums {
  /** So many zeros take minutes. */
  private static final long MOST_ZEROS = 1L << 40;

  private final Terminal terminal;
  private final boolean forced;

  /**
   * Makes sums.
   *
   * @param forced whether also of files with more zeros than anybody waits for
   */
  public Sums(Terminal terminal, boolean forced) {
    this.terminal = terminal;
    this.forced = forced;
  }

  /** A bar for all files of a pack. */
  ProgressBar bar(Pack pack) {
    return terminal.bar("sha256", Packs.bytesOf(pack.members()), Quantities::bytes);
  }

  /**
   * The line of a file.
   *
   * @throws IOException if it cannot be read, or has too many zeros
   */
  CheckLine of(Pack pack, Pack.Member member, ProgressBar bar) throws IOException {
    long zeros = member.zeroBytes();
    if (zeros > MOST_ZEROS && !forced) {
      throw new IOException(
          "%s of its %s are zeros that take no space in the pack, and long to hash; --force hashes them all the same"
              .formatted(Quantities.bytes(zeros), Quantities.bytes(member.file().size())));
    }
    MessageDigest digest = sha256();
    pack.readInOrder(
        member,
        bytes -> {
          digest.update(bytes.asByteBuffer());
          bar.advance(bytes.byteSize());
        });
    return CheckLine.of(HexFormat.of().formatHex(digest.digest()), member.file().name());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
