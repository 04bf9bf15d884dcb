// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.terminal.Quantities;
import org.cairn.pack.Pack;
import org.cairn.pack.PackName;

/** What commands know of packs. */
public final class Packs {
  private static final byte[] MAGIC = HexFormat.of().parseHex("89434149524e530a");

  private Packs() {}

  /** Whether a file begins as packs do. */
  public static boolean isOne(Path path) {
    if (!Files.isRegularFile(path)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(path)) {
      return Arrays.equals(in.readNBytes(MAGIC.length), MAGIC);
    } catch (IOException e) {
      return false; // who reads it next says why
    }
  }

  /**
   * The file of this name in a pack.
   *
   * @throws CommandFailedException if there is none
   */
  static Pack.Member find(Pack pack, String name) {
    return pack.members().stream()
        .filter(member -> member.file().name().toString().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new CommandFailedException(
                    "%s has no file %s; it has %s"
                        .formatted(pack.location(), name, some(pack.members()))));
  }

  private static String some(List<Pack.Member> members) {
    List<String> names =
        members.stream().limit(10).map(member -> member.file().name().toString()).toList();
    int more = members.size() - names.size();
    return String.join(", ", names) + (more > 0 ? " and " + more + " more" : "");
  }

  /** How many files: {@code 1 file}, {@code 57 files}. */
  static String files(long count) {
    return count == 1 ? "1 file" : Quantities.count(count) + " files";
  }

  /** The SHA-256 of a file, as {@code sha256sum} writes it. */
  static String sha256(Pack pack, Pack.Member member) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      pack.readInOrder(member, bytes -> digest.update(bytes.asByteBuffer()));
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  /**
   * A name as {@code sha256sum -c} reads it: with a mark before the line if it has to be escaped.
   */
  static String checkLine(String sha, PackName name) {
    String text = name.text();
    String escaped = text.replace("\\", "\\\\").replace("\n", "\\n");
    return (escaped.equals(text) ? "" : "\\") + sha + "  " + escaped;
  }
}
