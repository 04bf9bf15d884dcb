// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.LongSupplier;
import org.cairn.comm.Communicator;
import org.cairn.record.RecordReader;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.tier.FileNames;

/**
 * Whose directory is whose. At each start every rank gives its directory a random name, in a file.
 * So the ranks can tell whether a directory "rank3" that one of them sees is the one that rank 3
 * uses, or another: left behind on another machine, or a copy.
 */
final class DirectoryIds {
  private static final String UNKNOWN = "unknown";

  private final Communicator comm;
  private final Directories directories;
  private final String file;
  private final String mine;

  private DirectoryIds(Communicator comm, Directories directories, String file, String mine) {
    this.comm = comm;
    this.directories = directories;
    this.file = file;
    this.mine = mine;
  }

  /** Gives the directory of this rank a new name, for jobs of a name. */
  static DirectoryIds announce(
      Communicator comm, Directories directories, Store own, String job, LongSupplier random) {
    String file = FileNames.directoryId(job);
    String fresh = text(random.getAsLong(), random.getAsLong());
    return new DirectoryIds(comm, directories, file, write(own, file, fresh));
  }

  private static String write(Store own, String name, String fresh) {
    try (StoreFile file = own.open(name, Store.Access.CREATE)) {
      file.write(0, MemorySegment.ofArray(fresh.getBytes(StandardCharsets.US_ASCII)));
      file.truncate(fresh.length());
      return fresh;
    } catch (IOException e) {
      // Then nobody recognises the directory, which costs a second look at it.
      return UNKNOWN;
    }
  }

  private static String text(long high, long low) {
    return "%016x%016x".formatted(high, low);
  }

  private static long high(String id) {
    return id.equals(UNKNOWN) ? 0 : Long.parseUnsignedLong(id, 0, 16, 16);
  }

  private static long low(String id) {
    return id.equals(UNKNOWN) ? 0 : Long.parseUnsignedLong(id, 16, 32, 16);
  }

  /** All ranks tell theirs; collective. */
  Told exchange() {
    long[] all = new long[2 * comm.size()];
    comm.allGather(new long[] {high(mine), low(mine)}, all);
    return new Told(all);
  }

  /** The names of the directories of all ranks. */
  final class Told {
    private final long[] all;

    private Told(long[] all) {
      this.all = all;
    }

    /**
     * Whether this rank looks after the directories that it sees and no rank uses. Two hosts may
     * each have a copy of its own, with the same name inside: so the first rank of every host looks
     * at what it sees. But where the directory of another host's first rank is seen as it uses it,
     * both see the same place, and the other looks.
     */
    boolean makeThisRankLook() {
      List<Integer> readers = firstOfDomains();
      int position = readers.indexOf(comm.rank());
      return position == 0
          || position > 0 && !isUsed(FileNames.directory(readers.get(position - 1)));
    }

    /** Whether a directory that this rank sees is the one that a rank uses now. */
    boolean isUsed(String directory) {
      OptionalInt rank = FileNames.rankOf(directory);
      if (rank.isEmpty()
          || rank.getAsInt() >= comm.size()
          || !directory.equals(FileNames.directory(rank.getAsInt()))) {
        return false;
      }
      long high = all[2 * rank.getAsInt()];
      long low = all[2 * rank.getAsInt() + 1];
      return (high != 0 || low != 0) && read(directory).equals(text(high, low));
    }
  }

  private List<Integer> firstOfDomains() {
    Set<String> domains = new HashSet<>();
    List<Integer> first = new ArrayList<>();
    for (int rank = 0; rank < comm.size(); rank++) {
      if (domains.add(comm.domain(rank))) {
        first.add(rank);
      }
    }
    return first;
  }

  /** The random name of a directory; empty if it has none, or none that can be read. */
  private String read(String directory) {
    byte[] text = new byte[32];
    try (StoreFile id = directories.open(directory).open(file, Store.Access.READ)) {
      long count = id.read(0, MemorySegment.ofArray(text));
      return count == text.length ? RecordReader.of(text, file).getRestAsText() : "";
    } catch (IOException e) {
      return "";
    }
  }
}
