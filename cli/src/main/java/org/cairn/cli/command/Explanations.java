// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.cairn.CheckpointUnavailableException;
import org.cairn.cli.terminal.Printable;

/** Turns exceptions into the one line that a user reads. */
public final class Explanations {
  /** What Java has in place of bytes that are no characters. */
  private static final char UNREADABLE = '\uFFFD';

  private Explanations() {}

  /** What went wrong, in words for somebody who does not know the code. */
  public static String of(Throwable e) {
    return Printable.oneLine(
        switch (e) {
          case UncheckedIOException io when io.getCause() != null -> of(io.getCause());
          case FileSystemException files -> of(files);
          case CheckpointUnavailableException nothing -> of(nothing);
          default -> messageOf(e);
        });
  }

  /** The JDK's message of these is often a bare path. */
  private static String of(FileSystemException e) {
    if (e.getReason() != null) {
      return messageOf(e);
    }
    String what =
        switch (e) {
          case NoSuchFileException missing -> "does not exist" + hint(missing);
          case AccessDeniedException _ -> "may not be read or written by this user";
          case FileAlreadyExistsException _ -> "exists already";
          case NotDirectoryException _ -> "is not a directory";
          case DirectoryNotEmptyException _ -> "is not empty";
          default -> null;
        };
    return what == null || e.getFile() == null ? messageOf(e) : e.getFile() + " " + what;
  }

  /**
   * What was wanted, and the first reason why it cannot be had: there may be one for every file.
   */
  private static String of(CheckpointUnavailableException e) {
    String message = messageOf(e);
    return e.problems().isEmpty()
        ? message
        : message.lines().findFirst().orElse(message) + " " + e.problems().getFirst();
  }

  /** Java does not get the bytes of an argument, but those of what lies in a folder. */
  private static String hint(NoSuchFileException missing) {
    return missing.getFile() != null && missing.getFile().indexOf(UNREADABLE) >= 0
        ? "; a name that is not UTF-8 cannot be given here: name its folder (pack -r)"
        : "";
  }

  private static String messageOf(Throwable e) {
    String message = e.getMessage();
    if (message == null || message.isBlank()) {
      return e.getClass().getSimpleName() + "; run with --debug to see more";
    }
    // A message such as "12" or "null" is of no use without the kind of exception.
    boolean saysEnough = message.indexOf(' ') > 0;
    return saysEnough ? message : e.getClass().getSimpleName() + ": " + message;
  }
}
