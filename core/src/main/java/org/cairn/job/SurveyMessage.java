// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.CorruptContainerException;
import org.cairn.TierKind;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierTypes;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * What ranks found, as one message. What thousands of them say alike (lineages, identities of
 * versions, words) is in it once, and what is left of a rank is little more than its digests.
 *
 * <pre>
 * Message  → lineages:u32 Lineage* versions:u32 VersionId* texts:u32 text* groups:u32 Group*
 *            found:u32 Found*
 * Group    → count:varint member:varint* lost:varint stamp:varint (a text)
 * Found    → holder:varint kind:varint owner+1:varint state:u8 directory:Name file:Name
 *            count:varint (version:varint takenAt:u64 digest(16))*
 *            group+1:varint epoch:varint lineage+1:varint problem:varint (a text)
 *            mark:Digest, if it is of another release
 * Name     → 2 × text:varint, or 1 more if "rank" and a number are to be put before the text:
 *            that of the holder before a directory, that of the owner before a file
 * </pre>
 */
final class SurveyMessage {
  private static final int MAX_PROBLEM = 1000;
  private static final int LEAST_FOUND = 11;

  private SurveyMessage() {}

  // ---------------------------------------------------------------- writing

  static byte[] write(List<Found> found) {
    return new Writer().write(found);
  }

  /** Things that are written once, and numbered in the order of their first use. */
  private static final class Once<T> {
    private final Map<T, Integer> numbers = new LinkedHashMap<>();

    int number(T thing) {
      Integer known = numbers.putIfAbsent(thing, numbers.size());
      return known == null ? numbers.size() - 1 : known;
    }

    Iterable<T> all() {
      return numbers.keySet();
    }

    int count() {
      return numbers.size();
    }
  }

  private static final class Writer {
    private final Once<Lineage> lineages = new Once<>();
    private final Once<VersionId> versions = new Once<>();
    private final Once<String> texts = new Once<>();
    private final Once<Fragment.Group> groups = new Once<>();

    byte[] write(List<Found> found) {
      RecordWriter body = RecordWriter.onHeap().putInt(found.size());
      found.forEach(one -> write(one, body));
      RecordWriter groupBytes = RecordWriter.onHeap();
      groups.all().forEach(group -> write(group, groupBytes)); // which may use new texts
      RecordWriter out = RecordWriter.onHeap().putInt(lineages.count());
      lineages.all().forEach(lineage -> lineage.write(out));
      out.putInt(versions.count());
      versions.all().forEach(version -> version.write(out));
      out.putInt(texts.count());
      texts.all().forEach(out::putText);
      out.putInt(groups.count());
      return out.putBytes(groupBytes.toArray()).putBytes(body.toArray()).toArray();
    }

    private void write(Fragment.Group group, RecordWriter out) {
      out.putVarint(group.members().size());
      group.members().forEach(out::putVarint);
      out.putVarint(group.lost()).putVarint(texts.number(group.stamp()));
    }

    private void write(Found one, RecordWriter out) {
      Fragment fragment = one.fragment();
      out.putVarint(one.holder()).putVarint(fragment.kind().number());
      out.putVarint(fragment.owner() + 1L).putByte(fragment.state().number());
      writeName(fragment.directory(), one.holder(), out);
      writeName(fragment.file(), fragment.owner(), out);
      out.putVarint(fragment.versions().size());
      for (Fragment.Held held : fragment.versions()) {
        out.putVarint(versions.number(held.id())).putLong(held.takenAt().toEpochMilli());
        out.putLong(held.digestLow()).putLong(held.digestHigh());
      }
      Fragment.Group group = fragment.group();
      out.putVarint(group == null ? 0 : groups.number(group) + 1L);
      out.putVarint(fragment.epoch());
      Lineage lineage = fragment.lineage();
      out.putVarint(lineage == null ? 0 : lineages.number(lineage) + 1L);
      // A message of any length must not make the exchange fail.
      String problem = fragment.problem();
      out.putVarint(
          texts.number(
              problem.length() > MAX_PROBLEM ? problem.substring(0, MAX_PROBLEM) : problem));
      if (fragment.state() == Fragment.State.FOREIGN_RELEASE) {
        fragment.mark().write(out);
      }
    }

    private void writeName(String name, int number, RecordWriter out) {
      String prefix = prefix(number);
      boolean usual = name.startsWith(prefix);
      int text = texts.number(usual ? name.substring(prefix.length()) : name);
      out.putVarint(2L * text + (usual ? 1 : 0));
    }
  }

  private static String prefix(int number) {
    return "rank" + number;
  }

  // ---------------------------------------------------------------- reading

  static List<Found> read(RecordReader in) throws IOException {
    return new Reader(in).read();
  }

  private static final class Reader {
    private final RecordReader in;
    private final List<Lineage> lineages = new ArrayList<>();
    private final List<VersionId> versions = new ArrayList<>();
    private final List<String> texts = new ArrayList<>();
    private final List<Fragment.Group> groups = new ArrayList<>();

    Reader(RecordReader in) {
      this.in = in;
    }

    List<Found> read() throws IOException {
      for (int left = in.getCount(4); left > 0; left--) {
        lineages.add(Lineage.read(in));
      }
      for (int left = in.getCount(VersionId.BYTES); left > 0; left--) {
        versions.add(VersionId.read(in));
      }
      for (int left = in.getCount(4); left > 0; left--) {
        texts.add(in.getText());
      }
      for (int left = in.getCount(3); left > 0; left--) {
        groups.add(readGroup());
      }
      List<Found> found = new ArrayList<>();
      for (int left = in.getCount(LEAST_FOUND); left > 0; left--) {
        found.add(readFound());
      }
      return found;
    }

    private Fragment.Group readGroup() throws IOException {
      List<Integer> members = new ArrayList<>();
      for (int left = count(1); left > 0; left--) {
        members.add(in.getSmallVarint("a rank"));
      }
      return new Fragment.Group(
          List.copyOf(members), in.getSmallVarint("a number of ranks"), number(texts));
    }

    private Found readFound() throws IOException {
      int holder = in.getSmallVarint("a rank");
      TierKind kind = TierTypes.kind(in.getSmallVarint("a kind of tier"));
      int owner = in.getSmallVarint("a rank") - 1;
      Fragment.State state = Fragment.State.of(in.getByte());
      String directory = readName(holder);
      String file = readName(owner);
      List<Fragment.Held> held = new ArrayList<>();
      for (int left = count(25); left > 0; left--) {
        held.add(
            new Fragment.Held(
                number(versions), Instant.ofEpochMilli(in.getLong()), in.getLong(), in.getLong()));
      }
      Fragment.Group group = numberOrNone(groups);
      long epoch = in.getVarint();
      Lineage lineage = numberOrNone(lineages);
      String problem = number(texts);
      Digest mark = state == Fragment.State.FOREIGN_RELEASE ? Digest.read(in) : Digest.NONE;
      return new Found(
          holder,
          new Fragment(
              kind,
              owner,
              directory,
              file,
              List.copyOf(held),
              group,
              epoch,
              lineage,
              state,
              problem,
              mark));
    }

    private String readName(int number) throws IOException {
      int coded = in.getSmallVarint("a name");
      String text = get(texts, coded / 2);
      return coded % 2 == 0 ? text : prefix(number) + text;
    }

    private int count(int bytesEach) throws CorruptContainerException {
      int count = in.getSmallVarint("a count");
      if ((long) count * bytesEach > in.remaining()) {
        throw in.corrupt("a count of " + count + " does not fit the record");
      }
      return count;
    }

    private <T> T number(List<T> things) throws CorruptContainerException {
      return get(things, in.getSmallVarint("a number"));
    }

    private <T> @Nullable T numberOrNone(List<T> things) throws CorruptContainerException {
      int number = in.getSmallVarint("a number");
      return number == 0 ? null : get(things, number - 1);
    }

    private <T> T get(List<T> things, int number) throws CorruptContainerException {
      if (number >= things.size()) {
        throw in.corrupt("number %d of %d".formatted(number, things.size()));
      }
      return things.get(number);
    }
  }
}
