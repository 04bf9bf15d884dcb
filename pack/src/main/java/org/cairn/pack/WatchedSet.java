// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.cairn.record.Digest;

/** Files of one name of a set that lie below a folder, as they were when they were looked at. */
final class WatchedSet {
  /** Before the name of a file that is about to be deleted. */
  static final String ASIDE = ".cairn-removing-";

  private static final Pattern DIGITS = Pattern.compile("\\d{1,18}");

  private final String name;
  private final List<Path> files = new ArrayList<>();
  private final Set<String> ranks = new HashSet<>();
  private final StringBuilder stamps = new StringBuilder();
  private boolean marked;

  private WatchedSet(String name) {
    this.name = name;
  }

  /**
   * What is below a folder.
   *
   * @param sets in their order: of numbers, if their names are such
   * @param aside files that were about to be deleted
   * @param folders all that there are
   * @param others what is called like a file of a set, and is a link or a device
   */
  record Found(List<WatchedSet> sets, List<Path> aside, List<Path> folders, List<Path> others) {}

  /**
   * Looks at all files below a folder; links are not followed.
   *
   * @param match which files, by their paths below the folder, with groups {@code set} and {@code
   *     rank}
   * @param marker which files say that a set is complete
   */
  static Found find(Path folder, Pattern match, Optional<Pattern> marker) throws IOException {
    SortedMap<String, WatchedSet> sets = new TreeMap<>(WatchedSet::compare);
    List<Path> aside = new ArrayList<>();
    List<Path> folders = new ArrayList<>();
    List<Path> others = new ArrayList<>();
    Set<String> marked = new HashSet<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : (Iterable<Path>) all.sorted()::iterator) {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
          folders.add(path);
        } else if (String.valueOf(path.getFileName()).startsWith(ASIDE)) {
          aside.add(path);
        } else if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
          String below = below(folder, path);
          nameOf(marker, below).ifPresent(marked::add);
          Matcher matcher = match.matcher(below);
          if (matcher.matches()) {
            sets.computeIfAbsent(matcher.group("set"), WatchedSet::new).add(path, below, matcher);
          }
        } else if (match.matcher(below(folder, path)).matches()) {
          others.add(path);
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    sets.values().forEach(set -> set.marked = marked.contains(set.name));
    return new Found(List.copyOf(sets.values()), aside, folders, others);
  }

  static String below(Path folder, Path path) {
    return folder.relativize(path).toString().replace('\\', '/');
  }

  /** The set that a path is of; empty if of none. */
  static Optional<String> nameOf(Optional<Pattern> pattern, String below) {
    return pattern.map(one -> one.matcher(below)).filter(Matcher::matches).map(m -> m.group("set"));
  }

  private static int compare(String a, String b) {
    if (DIGITS.matcher(a).matches() && DIGITS.matcher(b).matches()) {
      int byNumber = Long.compare(Long.parseLong(a), Long.parseLong(b));
      return byNumber != 0 ? byNumber : a.compareTo(b);
    }
    return a.compareTo(b);
  }

  private void add(Path path, String below, Matcher matcher) throws IOException {
    try {
      stamps.append(below).append('\0').append(stamp(path)).append('\0');
    } catch (NoSuchFileException e) {
      return; // it went meanwhile
    }
    files.add(path);
    ranks.add(matcher.namedGroups().containsKey("rank") ? matcher.group("rank") : below);
  }

  /** With the time that no program can set, where there is one. */
  private static String stamp(Path path) throws IOException {
    try {
      return Files.readAttributes(path, "unix:size,lastModifiedTime,ino,ctime").toString();
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      return FileStamp.of(path).toString();
    }
  }

  String name() {
    return name;
  }

  List<Path> files() {
    return files;
  }

  /** How many ranks have a file. */
  int ranks() {
    return ranks.size();
  }

  /** Whether somebody says that it is complete. */
  boolean isMarked() {
    return marked;
  }

  /** What changes with every file of the set. */
  String signature() {
    return Digest.of(MemorySegment.ofArray(stamps.toString().getBytes(UTF_8))).toString();
  }
}
