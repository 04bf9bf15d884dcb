// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A directory of {@link SimulatedFile}s: the names a running program sees, the names that a crash
 * cannot take, and the log of creations, renames and deletions between the two. The log works like
 * that of a file. Not thread-safe; it injects no faults, it only knows what they leave behind.
 */
final class SimulatedDisk {

  /** The files that names stand for after a change; a name without a file is free. */
  private record NameChange(Map<String, Optional<SimulatedFile>> names, Durability state) {

    NameChange with(Durability newState) {
      return new NameChange(names, newState);
    }

    boolean touches(Set<String> others) {
      return names.keySet().stream().anyMatch(others::contains);
    }

    void apply(Map<String, SimulatedFile> directory) {
      names.forEach(
          (name, file) -> {
            if (file.isPresent()) {
              directory.put(name, file.get());
            } else {
              directory.remove(name);
            }
          });
    }
  }

  private final SortedMap<String, SimulatedFile> visible;
  private final SortedMap<String, SimulatedFile> durable;
  private final List<NameChange> log;

  SimulatedDisk() {
    this(new TreeMap<>(), new TreeMap<>(), new ArrayList<>());
  }

  private SimulatedDisk(
      SortedMap<String, SimulatedFile> visible,
      SortedMap<String, SimulatedFile> durable,
      List<NameChange> log) {
    this.visible = visible;
    this.durable = durable;
    this.log = log;
  }

  List<String> names() {
    return new ArrayList<>(visible.keySet());
  }

  Optional<SimulatedFile> find(String name) {
    return Optional.ofNullable(visible.get(name));
  }

  SimulatedFile create(String name) throws IOException {
    SimulatedFile file = new SimulatedFile();
    change(Map.of(name, Optional.of(file)));
    return file;
  }

  void rename(String from, String to, SimulatedFile file) {
    change(Map.of(from, Optional.empty(), to, Optional.of(file)));
  }

  void delete(String name) {
    change(Map.of(name, Optional.empty()));
  }

  private void change(Map<String, Optional<SimulatedFile>> names) {
    NameChange change = new NameChange(names, Durability.PENDING);
    change.apply(visible);
    log.add(change);
  }

  void forceDirectory() {
    log.replaceAll(change -> change.with(change.state().forced()));
    int certain = 0;
    while (certain < log.size() && log.get(certain).state() == Durability.CERTAIN) {
      log.get(certain).apply(durable);
      certain++;
    }
    log.subList(0, certain).clear();
  }

  void failForceDirectory() {
    log.replaceAll(change -> change.with(change.state().forcedInVain()));
  }

  /** The bytes of all files that have a name. */
  long usedBytes() throws IOException {
    long used = 0;
    for (SimulatedFile file : visible.values()) {
      used += file.size();
    }
    return used;
  }

  boolean hasUnforced() {
    return !log.isEmpty() || visible.values().stream().anyMatch(SimulatedFile::hasUnforced);
  }

  /** A disk of its own in the same state, including what is not forced. */
  SimulatedDisk copy() throws IOException {
    Copies copies = new Copies(SimulatedFile::copy);
    List<NameChange> copiedLog = new ArrayList<>();
    for (NameChange change : log) {
      copiedLog.add(new NameChange(copies.ofChange(change.names()), change.state()));
    }
    return new SimulatedDisk(copies.of(visible), copies.of(durable), copiedLog);
  }

  /** The disk as it is found after a crash: everything that is left on it is durable. */
  SimulatedDisk afterCrash(Fate fate) throws IOException {
    Map<String, SimulatedFile> left = namesAfterCrash(fate);
    SortedMap<String, SimulatedFile> survivors = new Copies(file -> file.afterCrash(fate)).of(left);
    return new SimulatedDisk(survivors, new TreeMap<>(survivors), new ArrayList<>());
  }

  /**
   * Changes of different names survive in any combination. Changes of one name are kept in order by
   * every file system we know: what built on a lost change is lost with it.
   */
  private Map<String, SimulatedFile> namesAfterCrash(Fate fate) {
    Map<String, SimulatedFile> left = new TreeMap<>(durable);
    Set<String> lost = new HashSet<>();
    for (NameChange change : log) {
      boolean certain = change.state() == Durability.CERTAIN;
      if (certain || (!change.touches(lost) && fate.keeps())) {
        change.apply(left);
      } else {
        lost.addAll(change.names().keySet());
      }
    }
    return left;
  }

  private interface Copier {
    SimulatedFile copy(SimulatedFile file) throws IOException;
  }

  /** Copies every file once, however many names and changes refer to it. */
  private static final class Copies {
    private final Copier copier;
    private final Map<SimulatedFile, SimulatedFile> made = new HashMap<>();

    Copies(Copier copier) {
      this.copier = copier;
    }

    SortedMap<String, SimulatedFile> of(Map<String, SimulatedFile> directory) throws IOException {
      SortedMap<String, SimulatedFile> copy = new TreeMap<>();
      for (Map.Entry<String, SimulatedFile> entry : directory.entrySet()) {
        copy.put(entry.getKey(), of(entry.getValue()));
      }
      return copy;
    }

    Map<String, Optional<SimulatedFile>> ofChange(Map<String, Optional<SimulatedFile>> names)
        throws IOException {
      Map<String, Optional<SimulatedFile>> copy = new HashMap<>();
      for (Map.Entry<String, Optional<SimulatedFile>> entry : names.entrySet()) {
        Optional<SimulatedFile> file = entry.getValue();
        copy.put(entry.getKey(), file.isPresent() ? Optional.of(of(file.get())) : file);
      }
      return copy;
    }

    private SimulatedFile of(SimulatedFile file) throws IOException {
      SimulatedFile copy = made.get(file);
      if (copy == null) {
        copy = copier.copy(file);
        made.put(file, copy);
      }
      return copy;
    }
  }
}
