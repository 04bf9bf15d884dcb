// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.cairn.tier.shared.SegmentSource;
import org.cairn.version.DatasetEntry;
import org.jspecify.annotations.Nullable;

/**
 * What became of a file from one pack to another; indices tell, no data is read.
 *
 * @param name as the later pack has it; as the earlier, if it is gone
 * @param before what it was called, and how large it was; empty if it is new
 * @param after what it is now; empty if it is gone
 * @param changed bytes of blocks that are not at their place in the earlier one, or not the same
 */
public record PackDifference(
    PackName name,
    Kind kind,
    Optional<PackedFile> before,
    Optional<PackedFile> after,
    long changed) {

  /** What happened to a file. */
  public enum Kind {
    SAME,
    /** The bytes are the same, permissions or time are not. */
    TOUCHED,
    CHANGED,
    RENAMED,
    ADDED,
    /** The later pack has it; the earlier has lost files, and it may have been one of them. */
    ADDED_OR_LOST,
    REMOVED,
    /** The earlier pack has it; the later has lost files, and it may have been one of them. */
    REMOVED_OR_LOST
  }

  /** Compares two packs, file by file, in the order of names. */
  public static List<PackDifference> of(Pack before, Pack after) {
    Map<PackName, Pack.Member> gone = byName(before);
    Map<PackName, Pack.Member> come = byName(after);
    Map<PackName, PackDifference> found = new TreeMap<>();
    for (Pack.Member now : List.copyOf(come.values())) {
      PackName name = now.file().name();
      Pack.Member old = gone.remove(name);
      if (old != null) {
        come.remove(name);
        found.put(name, compare(old, now));
      }
    }
    Map<Object, Pack.Member> byContent = new HashMap<>();
    gone.values().forEach(one -> byContent.putIfAbsent(content(one), one));
    for (Pack.Member now : come.values()) {
      Pack.Member old = byContent.remove(content(now));
      if (old != null) {
        gone.remove(old.file().name());
        found.put(now.file().name(), of(Kind.RENAMED, old, now, 0));
      } else {
        found.put(now.file().name(), of(come(before), null, now, now.file().size()));
      }
    }
    gone.values().forEach(old -> found.put(old.file().name(), of(gone(after), old, null, 0)));
    return new ArrayList<>(found.values());
  }

  private static Kind come(Pack before) {
    return before.lost().isEmpty() ? Kind.ADDED : Kind.ADDED_OR_LOST;
  }

  private static Kind gone(Pack after) {
    return after.lost().isEmpty() ? Kind.REMOVED : Kind.REMOVED_OR_LOST;
  }

  private static Map<PackName, Pack.Member> byName(Pack pack) {
    Map<PackName, Pack.Member> members = new LinkedHashMap<>();
    pack.members().forEach(member -> members.put(member.file().name(), member));
    return members;
  }

  private static Object content(Pack.Member member) {
    return List.of(member.root(), member.file().tiles());
  }

  private static PackDifference of(
      Kind kind, Pack.@Nullable Member before, Pack.@Nullable Member after, long changed) {
    Pack.Member named = after != null ? after : Objects.requireNonNull(before);
    return new PackDifference(
        named.file().name(),
        kind,
        Optional.ofNullable(before).map(Pack.Member::file),
        Optional.ofNullable(after).map(Pack.Member::file),
        changed);
  }

  private static PackDifference compare(Pack.Member before, Pack.Member after) {
    if (content(before).equals(content(after))) {
      boolean untouched = before.file().equals(after.file());
      return of(untouched ? Kind.SAME : Kind.TOUCHED, before, after, 0);
    }
    Map<String, DatasetEntry> old = new HashMap<>();
    before.streams().forEach(stream -> old.put(stream.name(), stream));
    long changed = 0;
    for (DatasetEntry stream : after.streams()) {
      DatasetEntry earlier = old.get(stream.name());
      for (int block = 0; block < stream.blocks(); block++) {
        boolean same =
            earlier != null && isSame(before.source(), earlier, after.source(), stream, block);
        changed += same ? 0 : stream.blockLength(block);
      }
    }
    return of(Kind.CHANGED, before, after, changed);
  }

  private static boolean isSame(
      SegmentSource before,
      DatasetEntry earlier,
      SegmentSource after,
      DatasetEntry stream,
      int block) {
    return block < earlier.blocks()
        && earlier.blockLength(block) == stream.blockLength(block)
        && before.isZero(earlier, block) == after.isZero(stream, block)
        && before.low(earlier, block) == after.low(stream, block)
        && before.high(earlier, block) == after.high(stream, block);
  }
}
