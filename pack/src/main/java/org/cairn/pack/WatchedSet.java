// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.Label;
import org.cairn.record.Digest;

/** Files of one name of a set that lie below a folder, as they were when they were looked at. */
final class WatchedSet {
  /** Before the name of a file that is about to be deleted. */
  static final String ASIDE = ".cairn-removing-";

  private static final Pattern DIGITS = Pattern.compile("\\d{1,18}");

  private final String name;

  /** With their paths below the folder. */
  private final SequencedMap<Path, String> files = new LinkedHashMap<>();

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
   * @param left what is not looked into, or called like a file of a set and not packed
   * @param readable whether all folders could be looked into
   */
  record Found(
      List<WatchedSet> sets,
      List<Path> aside,
      List<Path> folders,
      List<Left> left,
      boolean readable) {}

  /** What is passed over, and why. */
  record Left(Path path, String why) {}

  /**
   * Looks at all files below a folder; links are not followed.
   *
   * @param match which files, by their paths below the folder, with groups {@code set} and {@code
   *     rank}
   * @param marker which files say that a set is complete
   */
  static Found find(Path folder, Pattern match, Optional<Pattern> marker) throws IOException {
    WatchedFiles there = new WatchedFiles(folder).look();
    Finding finding = new Finding(folder, match, marker);
    for (Path file : there.files()) {
      finding.file(file);
    }
    there.others().forEach(finding::other);
    there.unreadable().forEach(finding::unreadable);
    return finding.found(there);
  }

  /** Finds out to which set each file belongs. */
  private static final class Finding {
    private final Path folder;
    private final Pattern match;
    private final Optional<Pattern> marker;
    private final SortedMap<String, WatchedSet> sets = new TreeMap<>(WatchedSet::compare);
    private final List<Path> aside = new ArrayList<>();
    private final List<Left> left = new ArrayList<>();
    private final Set<String> marked = new HashSet<>();

    Finding(Path folder, Pattern match, Optional<Pattern> marker) {
      this.folder = folder;
      this.match = match;
      this.marker = marker;
    }

    void file(Path path) throws IOException {
      if (String.valueOf(path.getFileName()).startsWith(ASIDE)) {
        aside.add(path);
        return;
      }
      String below = below(folder, path);
      nameOf(marker, below).ifPresent(marked::add);
      Matcher matcher = match.matcher(below);
      String set = matcher.matches() ? matcher.group("set") : null;
      if (set != null) {
        add(set, path, below, matcher);
      }
    }

    private void add(String set, Path path, String below, Matcher matcher) throws IOException {
      Optional<String> refused = refused(set);
      if (refused.isPresent()) {
        left.add(new Left(path, refused.get()));
      } else {
        sets.computeIfAbsent(set, WatchedSet::new).add(path, below, matcher);
      }
    }

    void other(Path path) {
      if (match.matcher(below(folder, path)).matches()) {
        left.add(
            new Left(
                path,
                "is a link or a device: it is not packed, and its set not complete without a file"));
      }
    }

    void unreadable(WatchedFiles.Unreadable one) {
      left.add(new Left(one.path(), "cannot be looked into, and is left out: " + one.why()));
    }

    Found found(WatchedFiles there) {
      sets.values().forEach(set -> set.marked = marked.contains(set.name));
      boolean readable = there.unreadable().isEmpty();
      return new Found(List.copyOf(sets.values()), aside, there.folders(), left, readable);
    }
  }

  /** Why no set can be called so: its name is the label of a version. */
  private static Optional<String> refused(String set) {
    try {
      Label _ = Label.of(set);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of("is not packed, because of what (?<set>…) finds there: " + e.getMessage());
    }
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
      stamps.append(stamp(path, below));
    } catch (NoSuchFileException e) {
      return; // it went meanwhile
    }
    files.put(path, below);
    String rank = matcher.namedGroups().containsKey("rank") ? matcher.group("rank") : null;
    ranks.add(rank == null ? below : rank);
  }

  /** With the time that no program can set, where there is one. */
  private static String stamp(Path path, String below) throws IOException {
    Object stamp;
    try {
      stamp = Files.readAttributes(path, "unix:size,lastModifiedTime,ino,ctime");
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      stamp = FileStamp.of(path);
    }
    return below + '\0' + stamp + '\0';
  }

  String name() {
    return name;
  }

  List<Path> files() {
    return List.copyOf(files.sequencedKeySet());
  }

  /** Whether its files are what they were when they were looked at; others may have come. */
  boolean isStill() throws IOException {
    StringBuilder now = new StringBuilder();
    try {
      for (Map.Entry<Path, String> file : files.entrySet()) {
        now.append(stamp(file.getKey(), file.getValue()));
      }
    } catch (NoSuchFileException e) {
      return false;
    }
    return stamps.compareTo(now) == 0;
  }

  /** What its files are now: another name for a moment makes no other file of one. */
  List<String> identities() throws IOException {
    List<String> all = new ArrayList<>();
    for (Path file : files.keySet()) {
      all.add(identity(file));
    }
    return all;
  }

  /** What a file is now. */
  String identity(Path file) throws IOException {
    FileStamp stamp = FileStamp.of(file);
    return digest(
        "%s\0%d\0%s\0%s".formatted(files.get(file), stamp.size(), stamp.modified(), stamp.key()));
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
    return digest(stamps.toString());
  }

  private static String digest(String text) {
    return Digest.of(MemorySegment.ofArray(text.getBytes(UTF_8))).toString();
  }
}
