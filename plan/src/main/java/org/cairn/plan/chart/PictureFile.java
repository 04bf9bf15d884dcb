// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.UUID;

/** Writes files whole or not at all, and says what to do when it cannot. */
final class PictureFile {
  private PictureFile() {}

  static void write(Path file, byte[] content) throws IOException {
    Path target = file.toAbsolutePath();
    check(file, target);
    Path folder = Objects.requireNonNull(target.getParent());
    // Not Files.createTempFile, whose files nobody but their owner may read.
    Path partial = folder.resolve(".cairn-" + UUID.randomUUID() + ".tmp");
    try {
      Files.write(partial, content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      move(partial, target);
    } catch (AccessDeniedException e) {
      throw new IOException(denied(file, folder), e);
    } catch (IOException e) {
      throw new IOException(
          file
              + " cannot be written: "
              + reason(e)
              + "; choose another name or folder, or free some space",
          e);
    } finally {
      Files.deleteIfExists(partial);
    }
  }

  private static void check(Path file, Path target) throws IOException {
    Path folder = target.getParent();
    if (folder == null || Files.isDirectory(target)) {
      throw new IOException(
          file + " is a folder; give the name of a file, such as chart.png in it");
    }
    if (!Files.exists(folder)) {
      throw new IOException(
          file + " cannot be written, as its folder does not exist; create it: mkdir -p " + folder);
    }
    if (!Files.isDirectory(folder)) {
      throw new IOException(
          file + " cannot be written, as " + folder + " is not a folder; choose another");
    }
    if (!Files.isWritable(folder)) {
      throw new IOException(denied(file, folder));
    }
  }

  private static String denied(Path file, Path folder) {
    return file
        + " cannot be written, as "
        + folder
        + " is read-only; choose another folder, or allow it: chmod u+w "
        + folder;
  }

  private static String reason(IOException e) {
    String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return reason == null ? e.getClass().getSimpleName() : reason;
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException _) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
