// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import org.cairn.Label;
import org.cairn.clock.Clock;
import org.cairn.store.FullDisk;

/**
 * Packs sets of files of a running program as they become complete, each a version of a directory.
 *
 * <p>Guarantees that
 *
 * <ol>
 *   <li>a set is packed when files of all ranks are there and have rested, or a marker says so; and
 *       again, as another version, if one of its files has changed since;
 *   <li>whenever this is killed, another one goes on: no set is left out, and none is there twice;
 *   <li>a file is removed only if its set has a marker, or the next set is complete, too, and only
 *       after its bytes were compared with the packed ones, under a name that nobody else uses; one
 *       that came after the set was packed stays, whatever its bytes: it is of a set that is to
 *       come;
 *   <li>on a full disk nothing is lost or left half done: it waits for space, and goes on;
 *   <li>files and folders may come and go while it looks, as often as they like; then it rests nine
 *       times as long as a look took, or as long as it is told to at most.
 * </ol>
 *
 * <p>For one thread; {@link #stop} may be called by others.
 */
public final class PackWatch implements AutoCloseable {
  /** A set is compressed anew each time that it is tried: not more often, if it does not fit. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  /** For so many times as long as a look took it does not look again. */
  private static final int REST = 9;

  /** How long it takes at most until somebody is heard who wants to end it. */
  private static final Duration DEAF = Duration.ofMillis(200);

  private final Settings settings;
  private final PackDirectoryWriter target;
  private final Listener listener;
  private final Clock clock;
  private final Packer packer;
  private final PackedSets done;
  private final Wakeups wakeups;
  private final Map<String, Resting> resting = new HashMap<>();

  /** Sets that could not be read, and when they are tried again. */
  private final Map<String, Long> postponed = new HashMap<>();

  /** What is left out, of which somebody was told. */
  private final Set<Path> told = new HashSet<>();

  /** Sets that are not removed any more, of which somebody was told. */
  private final Set<String> toldOfSets = new HashSet<>();

  /** Whether all folders could be looked into. */
  private boolean readable = true;

  private Optional<Full> full = Optional.empty();

  /** Why old versions stay, of which somebody was told. */
  private Optional<String> obstacle = Optional.empty();

  private volatile boolean stopped;

  /**
   * What is watched.
   *
   * @param folder below which files come
   * @param match which files, by their paths below it, with groups {@code set} and {@code rank}
   * @param ranks how many ranks have a file in each set; 0 if only a marker tells
   * @param marker which files say that a set is complete, with the group {@code set}
   * @param settle how long files must have rested without a marker
   * @param poll how often is looked where nothing is notified
   * @param remove whether files go once they are packed
   */
  public record Settings(
      Path folder,
      Pattern match,
      int ranks,
      Optional<Pattern> marker,
      Duration settle,
      Duration poll,
      boolean remove) {
    /** Refuses what finds no sets. */
    public Settings {
      if (!match.namedGroups().containsKey("set")) {
        throw new IllegalArgumentException("%s has no group (?<set>…)".formatted(match));
      }
      if (marker.isPresent() && !marker.get().namedGroups().containsKey("set")) {
        throw new IllegalArgumentException("%s has no group (?<set>…)".formatted(marker.get()));
      }
      if (ranks < 1 && marker.isEmpty()) {
        throw new IllegalArgumentException(
            "neither a number of ranks nor a marker tells when a set is complete");
      }
    }
  }

  /** Is told what happens. */
  public interface Listener {
    /** A set is a version now. */
    void packed(String set, PackReport report);

    /** Files of a set are gone. */
    void removed(String set, int files);

    /** Something that somebody should look at; it is tried again. */
    void problem(String what);
  }

  /** There was no space for packs; how long is waited, and until when. */
  private record Full(Duration pause, long until) {}

  /** Since when a set is as it is. */
  private record Resting(String signature, long since) {}

  /**
   * Watches a folder.
   *
   * @param target stays open, and the caller's
   */
  public PackWatch(
      Settings settings,
      PackSettings packing,
      PackDirectoryWriter target,
      Listener listener,
      Clock clock)
      throws IOException {
    this.settings = settings;
    this.target = target;
    this.listener = listener;
    this.clock = clock;
    this.done = PackedSets.read(target.store());
    this.wakeups = new Wakeups(clock);
    this.packer = new Packer(packing, _ -> goOn());
  }

  /** Ends {@link #run}, soon: what is being packed is given up, and nothing of it stays. */
  public void stop() {
    stopped = true;
  }

  private void goOn() {
    if (stopped) {
      throw new CancellationException("stopped");
    }
  }

  /**
   * Watches until it is stopped.
   *
   * @param once whether to end when all sets that are there with all ranks are packed, but for
   *     those that cannot be read; or when there is no space for one
   * @return whether all of them are
   */
  public boolean run(boolean once) throws IOException, InterruptedException {
    try {
      boolean waiting = true;
      while (!stopped && (waiting || !once)) {
        long start = clock.nanos();
        waiting = look(once);
        if (once && full.isPresent()) {
          return false;
        }
        if (waiting || !once) {
          rest(Duration.ofNanos(clock.nanos() - start));
        }
      }
    } catch (CancellationException e) {
      return isAllRead(); // as it was told to
    }
    return isAllRead();
  }

  private boolean isAllRead() {
    return postponed.isEmpty() && readable;
  }

  /** Whoever writes all the time has changed something all the time. */
  private void rest(Duration took) throws InterruptedException {
    Duration least = min(took.multipliedBy(REST), settings.poll);
    for (Duration left = least; left.isPositive() && !stopped; left = left.minus(DEAF)) {
      clock.pause(min(left, DEAF));
    }
    Duration left = settings.poll.minus(least);
    while (left.isPositive() && !stopped && !wakeups.await(min(left, DEAF))) {
      left = left.minus(DEAF);
    }
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /**
   * Looks once, and packs what is complete.
   *
   * @return whether there are sets with all ranks that have not rested yet, or changed meanwhile,
   *     or for which there is no space; not those that cannot be read
   */
  public boolean look() throws IOException {
    return look(false);
  }

  private boolean look(boolean once) throws IOException {
    if (full.isPresent() && full.get().until - clock.nanos() > 0) {
      return true;
    }
    try {
      boolean waiting = lookNow();
      full = Optional.empty();
      return waiting;
    } catch (IOException e) {
      if (!FullDisk.isReason(e)) {
        throw e;
      }
      waitForSpace(e, once);
      return true;
    }
  }

  private void waitForSpace(IOException reason, boolean once) {
    if (full.isEmpty()) {
      String then =
          once ? "start this again" : "it goes on within " + LONGEST_WAIT.toSeconds() + " s";
      listener.problem(
          "%s; nothing is lost: make room, and %s".formatted(reason.getMessage(), then));
    }
    Duration next = full.map(before -> before.pause.multipliedBy(2)).orElse(settings.poll);
    Duration pause = min(next, LONGEST_WAIT);
    full = Optional.of(new Full(pause, clock.nanos() + pause.toNanos()));
  }

  private boolean lookNow() throws IOException {
    WatchedSet.Found found = WatchedSet.find(settings.folder, settings.match, settings.marker);
    wakeups.watch(found.folders());
    Set<String> there = bringBack(found.aside());
    found.sets().forEach(set -> there.add(set.name()));
    if (found.readable()) {
      done.retain(there);
    }
    postponed.keySet().retainAll(there);
    tellOf(found.left());
    readable = found.readable();
    boolean waiting = false;
    long now = clock.nanos(); // one for all: those that came together are packed in their order
    for (int i = 0; i < found.sets().size(); i++) {
      WatchedSet set = found.sets().get(i);
      goOn();
      if (isPostponed(set, now)) {
        continue;
      }
      if (settings.remove && done.isRemoving(set.name())) {
        waiting |= remove(set);
        continue;
      }
      boolean packed = done.isPacked(set.name(), set.signature());
      if (!packed && isWhole(set)) {
        packed = hasRested(set, now) && pack(set);
        waiting |= !packed && !postponed.containsKey(set.name());
      }
      // At once: when the next one is packed, the copy of this one may be given up.
      if (packed && settings.remove && (set.isMarked() || isFollowed(found.sets(), i, now))) {
        waiting |= removeIfThere(set);
      }
    }
    return waiting;
  }

  /** Whether the set behind this one is complete, too. */
  private boolean isFollowed(List<WatchedSet> all, int place, long now) {
    if (place + 1 == all.size()) {
      return false;
    }
    WatchedSet next = all.get(place + 1);
    return done.isPacked(next.name(), next.signature()) || isWhole(next) && hasRested(next, now);
  }

  /** Links are not followed: nobody knows when what they lead to is complete, or whose it is. */
  private void tellOf(List<WatchedSet.Left> left) {
    for (WatchedSet.Left one : left) {
      if (told.add(one.path())) {
        listener.problem("%s %s".formatted(one.path(), one.why()));
      }
    }
  }

  /** Why old versions stay is told once for as long as it is the same. */
  private void tellOfObstacle() {
    Optional<String> now = target.obstacle();
    if (!now.equals(obstacle)) {
      now.ifPresent(listener::problem);
      obstacle = now;
    }
  }

  private boolean isPostponed(WatchedSet set, long now) {
    Long until = postponed.get(set.name());
    return until != null && until - now > 0;
  }

  /** What cannot be read now may be later, and is in nobody's way until then. */
  private void postpone(String set, String why) {
    postponed.put(set, clock.nanos() + settings.settle.toNanos());
    listener.problem("set %s: %s".formatted(set, why));
  }

  private boolean isWhole(WatchedSet set) {
    boolean all = settings.ranks < 1 || set.ranks() >= settings.ranks;
    return all && (set.isMarked() || settings.ranks > 0);
  }

  private boolean hasRested(WatchedSet set, long now) {
    if (set.isMarked()) {
      return true;
    }
    String signature = set.signature();
    Resting before = resting.get(set.name());
    if (before == null || !before.signature.equals(signature)) {
      before = new Resting(signature, now);
      resting.put(set.name(), before);
    }
    return now - before.since >= settings.settle.toNanos();
  }

  private boolean pack(WatchedSet set) throws IOException {
    if (!set.isStill()) { // since the sets before it were begun
      resting.remove(set.name());
      return false;
    }
    List<Packer.Input> inputs = new ArrayList<>();
    for (Path file : set.files()) {
      inputs.add(new Packer.Input(file, PackName.of(settings.folder, file)));
    }
    try {
      Optional<PackReport> report = packer.packUnlessSame(inputs, target, Label.of(set.name()));
      postponed.remove(set.name());
      report.ifPresent(one -> listener.packed(set.name(), one));
      tellOfObstacle();
      done.packed(set.name(), set.signature());
      return true;
    } catch (ChangedFileException | NoSuchFileException e) {
      resting.remove(set.name());
      listener.problem("set %s: %s".formatted(set.name(), e.getMessage()));
      return false;
    } catch (FileSystemException e) {
      if (set.files().stream().noneMatch(file -> file.toString().equals(e.getFile()))) {
        throw e; // of the directory of packs
      }
      postpone(set.name(), String.valueOf(e.getMessage()));
      return false;
    }
  }

  // ---------------------------------------------------------------- removing

  private boolean removeIfThere(WatchedSet set) throws IOException {
    if (!set.isStill()) {
      return true; // it is packed again first
    }
    if (isThere(set.name())) {
      done.removing(set.name(), set.identities());
      return remove(set);
    }
    if (toldOfSets.add(set.name())) {
      listener.problem(
          "set %s stays: its copy was given up before the next set was complete; keep more versions"
              .formatted(set.name()));
    }
    return false;
  }

  /** Retention may have taken the copy: then the files are all that there is. */
  private boolean isThere(String set) throws IOException {
    try (Copy copy = new Copy(set)) {
      return copy.isThere();
    }
  }

  /**
   * Removes the files that were packed, and forgets the set: what has its name then is another one.
   *
   * @return whether there is such a one
   */
  private boolean remove(WatchedSet set) throws IOException {
    List<Compared> all = new ArrayList<>();
    try (Copy copy = new Copy(set.name())) {
      for (Path file : copy.isThere() ? set.files() : List.<Path>of()) {
        goOn();
        all.add(removeIfSame(copy, set, file));
      }
    }
    if (!all.contains(Compared.UNTOUCHED)) {
      done.forget(set.name());
    }
    int removed = Collections.frequency(all, Compared.SAME);
    if (removed > 0) {
      listener.removed(set.name(), removed);
    }
    return all.contains(Compared.DIFFERENT);
  }

  private Compared removeIfSame(Copy copy, WatchedSet set, Path file) throws IOException {
    try {
      if (!done.isRemoving(set.name(), set.identity(file))) {
        return Compared.DIFFERENT; // even if its bytes are the same: it came later
      }
      Path aside = file.resolveSibling(WatchedSet.ASIDE + file.getFileName());
      return moveAside(set, file, aside)
          ? compare(copy, set.name(), aside, file)
          : Compared.UNTOUCHED;
    } catch (NoSuchFileException e) {
      listener.problem("set %s: %s is gone".formatted(set.name(), e.getMessage()));
      return Compared.GONE;
    }
  }

  /** Where nothing may be changed other sets are packed all the same. */
  private boolean moveAside(WatchedSet set, Path file, Path aside) throws IOException {
    try {
      Files.move(file, aside);
      return true;
    } catch (NoSuchFileException e) {
      throw e;
    } catch (FileSystemException e) {
      postpone(set.name(), "%s cannot be removed: %s".formatted(file, e.getMessage()));
      return false;
    }
  }

  /** Files that were put aside by somebody who was killed then; the sets of those that stay. */
  private Set<String> bringBack(List<Path> all) throws IOException {
    Set<String> back = new HashSet<>();
    for (Path aside : all) {
      String name = String.valueOf(aside.getFileName()).substring(WatchedSet.ASIDE.length());
      Path file = aside.resolveSibling(name);
      Optional<String> set =
          WatchedSet.nameOf(Optional.of(settings.match), WatchedSet.below(settings.folder, file));
      if (set.isEmpty()) {
        continue; // of somebody who watches other files
      }
      try (Copy copy = new Copy(set.get())) {
        if (compare(copy, set.get(), aside, file) != Compared.SAME) {
          back.add(set.get());
        }
      }
    }
    return back;
  }

  /** How a file is, compared with what was packed. */
  private enum Compared {
    SAME,
    DIFFERENT,
    UNTOUCHED,
    GONE
  }

  /** Deletes a file that was put aside if it is what was packed; else it gets its name again. */
  private Compared compare(Copy copy, String set, Path aside, Path file) throws IOException {
    boolean same = false;
    try {
      same = copy.isSame(PackName.of(settings.folder, file), aside);
    } catch (ClosedChannelException e) {
      throw e; // by an interrupt; who comes next finds it aside
    } catch (IOException e) {
      giveBack(aside, file);
      postpone(
          set,
          "%s cannot be compared with what was packed, and stays: %s"
              .formatted(file, e.getMessage()));
      return Compared.UNTOUCHED;
    }
    if (same) {
      Files.delete(aside);
      return Compared.SAME;
    }
    giveBack(aside, file);
    return Compared.DIFFERENT;
  }

  private void giveBack(Path aside, Path file) throws IOException {
    try {
      Files.createLink(file, aside); // never replaces one that came meanwhile
      Files.delete(aside);
    } catch (FileAlreadyExistsException e) {
      listener.problem("%s is not what was packed, and there is a new %s".formatted(aside, file));
    } catch (UnsupportedOperationException e) {
      Files.move(aside, file);
    }
  }

  /** The newest version of a set; there may be none any more. */
  private final class Copy implements AutoCloseable {
    private final Optional<Pack> pack;

    Copy(String set) throws IOException {
      PackDirectory directory = target.directory();
      Optional<PackDirectory.Version> version =
          directory.list().versions().stream()
              .filter(one -> one.label().text().equals(set))
              .findFirst();
      this.pack =
          version.isEmpty()
              ? Optional.empty()
              : Optional.of(directory.openWhole(version.get().id()));
    }

    boolean isThere() {
      return pack.isPresent();
    }

    boolean isSame(PackName name, Path file) throws IOException {
      Optional<Pack.Member> member =
          pack.stream()
              .flatMap(one -> one.members().stream())
              .filter(one -> one.file().name().equals(name))
              .findFirst();
      return member.isPresent() && pack.get().isSame(member.get(), file);
    }

    @Override
    public void close() throws IOException {
      if (pack.isPresent()) {
        pack.get().close();
      }
    }
  }

  @Override
  public void close() throws IOException {
    wakeups.close();
    packer.close();
  }
}
