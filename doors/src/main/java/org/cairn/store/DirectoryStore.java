// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A {@link Store} in a directory of a file system.
 *
 * <p>The directory itself may be reached through symbolic links. Inside it only regular files
 * count: links, directories and files with names that no store accepts are not listed, and a link
 * is refused where a file is asked for, because it could lead out of the directory.
 *
 * <p>Errors are {@link FileSystemException}s that name the path and the remedy.
 */
public final class DirectoryStore implements Store {
  private static final boolean CAN_FORCE_DIRECTORIES =
      !System.getProperty("os.name").startsWith("Windows");

  private final Path directory;

  private DirectoryStore(Path directory) {
    this.directory = directory;
  }

  /**
   * Opens the store in a directory.
   *
   * @param create whether the store is meant to be written: the directory and its parents are made,
   *     durably, if they do not exist, and it must be writable. Otherwise the directory must exist
   *     and be readable, so that what lies on read-only media can be inspected.
   * @throws FileSystemException if the directory is missing, is no directory or does not permit it
   */
  public static DirectoryStore open(Path directory, boolean create) throws IOException {
    if (create) {
      try {
        createDirectory(directory.toAbsolutePath());
      } catch (IOException e) {
        throw explained(e, directory, "the directory cannot be created");
      }
    }
    checkUsable(directory, create);
    return new DirectoryStore(directory.toRealPath());
  }

  /**
   * Opens a directory that all ranks see: it is made if it does not exist; one that cannot be
   * written to is opened to be read, so that a job can go on from an archive.
   *
   * @throws FileSystemException if the directory cannot be made, is none or cannot be read
   */
  public static DirectoryStore shared(Path directory) throws IOException {
    boolean archive = Files.isDirectory(directory) && !Files.isWritable(directory);
    return open(directory, !archive);
  }

  private static void createDirectory(Path directory) throws IOException {
    Path parent = directory.getParent();
    if (parent == null || Files.exists(directory)) {
      return;
    }
    createDirectory(parent);
    Files.createDirectories(directory); // this one: another process may be doing the same
    forceDirectory(parent); // a crash must not lose the directory with the checkpoints in it
  }

  private static void checkUsable(Path directory, boolean writing) throws IOException {
    if (Files.notExists(directory)) {
      throw new NoSuchFileException(
          directory.toString(), null, "the directory does not exist; check the path or create it");
    }
    if (!Files.exists(directory)) {
      throw denied(directory, "the directory cannot be reached");
    }
    if (!Files.isDirectory(directory)) {
      throw new FileSystemException(
          directory.toString(), null, "is a file where a directory is needed; choose another path");
    }
    if (!Files.isReadable(directory) || !Files.isExecutable(directory)) {
      throw denied(directory, "the directory cannot be read");
    }
    if (writing && !Files.isWritable(directory)) {
      throw denied(directory, "the directory cannot be written");
    }
  }

  private static AccessDeniedException denied(Path path, String what) {
    return new AccessDeniedException(
        path.toString(),
        null,
        what
            + " by user "
            + System.getProperty("user.name")
            + "; change its permissions, mount the file system writable or choose another place");
  }

  @Override
  public StoreFile open(String name, Access access) throws IOException {
    Path path = path(name);
    DirectoryStoreLock.checkNotHeld(path);
    boolean found = isRegular(path);
    if (!found && access != Access.CREATE && access != Access.CREATE_NEW) {
      throw new NoSuchFileException(path.toString());
    }
    try {
      AsynchronousFileChannel channel = Channels.open(path, options(access));
      try {
        return new DirectoryStoreFile(name, path, channel, access != Access.READ);
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (AccessDeniedException e) {
      throw explained(e, path, access == Access.READ ? "cannot be read" : "cannot be written");
    }
  }

  /**
   * Opens a file that is not of a store to be read: it may have any name, and be a link.
   *
   * @throws FileSystemException if it is not there, or no regular file
   */
  public static StoreFile openAlone(Path path) throws IOException {
    Path real = path.toRealPath();
    if (!Files.isRegularFile(real)) {
      throw new FileSystemException(path.toString(), null, "is not a regular file");
    }
    try {
      AsynchronousFileChannel channel = Channels.open(real, options(Access.READ));
      try {
        return new DirectoryStoreFile(path.toString(), real, channel, false);
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (AccessDeniedException e) {
      throw explained(e, path, "cannot be read");
    }
  }

  @Override
  public Optional<StoreFile> openUncached(String name) throws IOException {
    Path path = path(name);
    DirectoryStoreLock.checkNotHeld(path);
    if (!isRegular(path)) {
      throw new NoSuchFileException(path.toString());
    }
    return UncachedFile.open(name, path);
  }

  private static Set<OpenOption> options(Access access) {
    return switch (access) {
      case READ -> Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
      case WRITE ->
          Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      case CREATE ->
          Set.of(
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.CREATE,
              LinkOption.NOFOLLOW_LINKS);
      case CREATE_NEW ->
          Set.of(
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.CREATE_NEW,
              LinkOption.NOFOLLOW_LINKS);
    };
  }

  @Override
  public boolean exists(String name) throws IOException {
    return attributes(path(name)).filter(BasicFileAttributes::isRegularFile).isPresent();
  }

  @Override
  public List<String> list() throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        if (StoreNames.isValid(name) && Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
          names.add(name);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    Collections.sort(names);
    return names;
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Path source = path(from);
    Path target = path(to);
    DirectoryStoreLock.checkNotHeld(source);
    DirectoryStoreLock.checkNotHeld(target);
    if (!isRegular(source)) {
      throw new NoSuchFileException(source.toString(), target.toString(), "nothing to rename");
    }
    isRegular(target); // refuses to replace a link or an empty directory
    try {
      Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (AccessDeniedException e) {
      throw explained(e, source, "cannot be renamed");
    }
  }

  @Override
  public void delete(String name) throws IOException {
    Path path = path(name);
    DirectoryStoreLock.checkNotHeld(path);
    if (!isRegular(path)) {
      return;
    }
    try {
      Files.deleteIfExists(path);
    } catch (AccessDeniedException e) {
      throw explained(e, path, "cannot be deleted");
    }
  }

  @Override
  public void forceDirectory() throws IOException {
    forceDirectory(directory);
  }

  private static void forceDirectory(Path directory) throws IOException {
    if (!CAN_FORCE_DIRECTORIES) {
      return; // Windows has no such call; NTFS logs changes of names by itself.
    }
    try (AsynchronousFileChannel channel =
        Channels.open(directory, Set.of(StandardOpenOption.READ))) {
      channel.force(true);
    } catch (IOException e) {
      throw explained(e, directory, "the directory cannot be forced to disk");
    }
  }

  @Override
  public long freeSpace() throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  @Override
  public StoreLock lock(String name) throws IOException {
    Path path = path(name);
    isRegular(path); // refuses a link or a directory
    try {
      return DirectoryStoreLock.take(name, path);
    } catch (AccessDeniedException e) {
      throw explained(e, path, "cannot be locked");
    }
  }

  @Override
  public String location(String name) {
    return path(name).toString();
  }

  @Override
  public String toString() {
    return "DirectoryStore[" + directory + "]";
  }

  private Path path(String name) {
    return directory.resolve(StoreNames.check(name));
  }

  /**
   * Whether there is a regular file.
   *
   * @throws FileSystemException if there is something else, such as a link or a pipe
   */
  private static boolean isRegular(Path path) throws IOException {
    Optional<BasicFileAttributes> found = attributes(path);
    if (found.isPresent() && !found.get().isRegularFile()) {
      throw new FileSystemException(
          path.toString(), null, "is " + kind(found.get()) + ", not a regular file; move it away");
    }
    return found.isPresent();
  }

  /** What is known of the entry itself, without following a link; empty if there is no entry. */
  private static Optional<BasicFileAttributes> attributes(Path path) throws IOException {
    try {
      return Optional.of(
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static String kind(BasicFileAttributes attributes) {
    if (attributes.isSymbolicLink()) {
      return "a symbolic link";
    }
    return attributes.isDirectory() ? "a directory" : "a device or pipe";
  }

  /** The same failure with the path and the remedy in its message. */
  private static FileSystemException explained(IOException e, Path path, String what) {
    if (e instanceof AccessDeniedException) {
      AccessDeniedException denied = denied(path, what);
      denied.initCause(e);
      return denied;
    }
    FileSystemException explained =
        new FileSystemException(path.toString(), null, what + ": " + e.getMessage());
    explained.initCause(e);
    return explained;
  }
}
