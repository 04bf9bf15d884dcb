// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.comm.Communicator;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.VersionId;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierKind;

/** What all ranks found, the same list on every rank. */
record Survey(List<Found> found) {

  /** A fragment and the rank that can read it. */
  record Found(int holder, Fragment fragment) {}

  /** Exchanges what every rank found; collective. */
  static Survey gather(Communicator comm, List<Fragment> mine) {
    List<Found> all = new ArrayList<>();
    List<byte[]> messages = comm.allGather(encode(mine));
    for (int rank = 0; rank < messages.size(); rank++) {
      for (Fragment fragment : decode(messages.get(rank))) {
        all.add(new Found(rank, fragment));
      }
    }
    return new Survey(List.copyOf(all));
  }

  /**
   * An epoch that nothing found so far bears. The containers that ranks have just opened know of it
   * already: opening has given them a new one.
   */
  long freshEpoch() {
    long fresh = 1;
    for (Found one : found) {
      boolean opened = isOwn(one);
      if (one.fragment.kind() == TierKind.LOCAL) {
        fresh = Math.max(fresh, one.fragment.epoch() + (opened ? 0 : 1));
      }
      for (VersionId version : one.fragment.versions()) {
        fresh = Math.max(fresh, version.epoch() + 1);
      }
    }
    return fresh;
  }

  private static boolean isOwn(Found one) {
    return one.fragment.owner() == one.holder
        && one.fragment.directory().equals(FragmentTable.directoryOf(one.holder));
  }

  /** The largest sequence number that any version bears. */
  long newestSequence() {
    return found.stream()
        .flatMap(one -> one.fragment.versions().stream())
        .mapToLong(VersionId::sequence)
        .max()
        .orElse(0);
  }

  private static byte[] encode(List<Fragment> fragments) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(fragments.size());
      for (Fragment fragment : fragments) {
        write(fragment, out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(Fragment fragment, DataOutputStream out) throws IOException {
    out.writeByte(fragment.kind().ordinal());
    out.writeInt(fragment.owner());
    out.writeUTF(fragment.directory());
    out.writeUTF(fragment.file());
    out.writeInt(fragment.versions().size());
    for (VersionId version : fragment.versions()) {
      RecordWriter id = RecordWriter.onHeap();
      version.write(id);
      out.write(id.toArray());
    }
    Fragment.Group group = fragment.group();
    out.writeInt(group == null ? 0 : group.members().size());
    if (group != null) {
      for (int member : group.members()) {
        out.writeInt(member);
      }
      out.writeInt(group.lost());
      out.writeUTF(group.stamp());
    }
    out.writeLong(fragment.epoch());
    // A message of any length must not make the exchange fail.
    String problem = fragment.problem();
    out.writeUTF(problem.length() > 1000 ? problem.substring(0, 1000) : problem);
  }

  private static List<Fragment> decode(byte[] message) {
    List<Fragment> fragments = new ArrayList<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(message))) {
      int count = in.readInt();
      for (int i = 0; i < count; i++) {
        fragments.add(read(in));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return fragments;
  }

  private static Fragment read(DataInputStream in) throws IOException {
    TierKind kind = TierKind.values()[in.readByte()];
    int owner = in.readInt();
    String directory = in.readUTF();
    String file = in.readUTF();
    List<VersionId> versions = new ArrayList<>();
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      versions.add(VersionId.read(RecordReader.of(in.readNBytes(VersionId.BYTES), "a message")));
    }
    int size = in.readInt();
    Fragment.Group group = null;
    if (size > 0) {
      List<Integer> members = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        members.add(in.readInt());
      }
      group = new Fragment.Group(List.copyOf(members), in.readInt(), in.readUTF());
    }
    return new Fragment(
        kind, owner, directory, file, List.copyOf(versions), group, in.readLong(), in.readUTF());
  }
}
