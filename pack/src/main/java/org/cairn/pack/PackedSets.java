// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;

/**
 * Remembers, in a directory of packs, which sets of files were packed, as long as the files are
 * there: versions go in the end, and sets that were packed must not come again because of it.
 *
 * <pre>
 * packed-sets → (signature ' P ' set '\n' | file (',' file)* ' R ' set '\n')*
 *                P packed, R being removed: just these files, and none that came later
 * </pre>
 *
 * <p>It is replaced by a rename after each change. If it is lost, sets are packed again; those that
 * are the newest version are found to be the same.
 */
final class PackedSets {
  private static final String NAME = "packed-sets";
  private static final String NEXT = NAME + ".next";

  private final Store store;
  private final Map<String, Entry> entries = new TreeMap<>();

  /** What is known here, and not there: the disk was full. */
  private boolean unwritten;

  /**
   * What is known of a set.
   *
   * @param signature of the set when it was packed, or of each of its files that are to go
   */
  private record Entry(String signature, boolean removing) {
    boolean names(String file) {
      return removing && List.of(signature.split(",", -1)).contains(file);
    }
  }

  private PackedSets(Store store) {
    this.store = store;
  }

  static PackedSets read(Store store) throws IOException {
    PackedSets sets = new PackedSets(store);
    try (StoreFile file = store.open(NAME, Store.Access.READ)) {
      byte[] bytes = new byte[Math.toIntExact(file.size())];
      long _ = file.read(0, MemorySegment.ofArray(bytes));
      for (String line : new String(bytes, UTF_8).split("\n", -1)) {
        String[] words = line.split(" ", 3);
        if (words.length == 3) {
          sets.entries.put(words[2], new Entry(words[0], words[1].equals("R")));
        }
      }
    } catch (NoSuchFileException e) {
      return sets;
    }
    return sets;
  }

  /** Whether the set was packed when it had this signature. */
  boolean isPacked(String set, String signature) {
    Entry entry = entries.get(set);
    return entry != null && !entry.removing && entry.signature.equals(signature);
  }

  /** Whether the set was packed, and somebody has begun to remove its files. */
  boolean isRemoving(String set) {
    Entry entry = entries.get(set);
    return entry != null && entry.removing;
  }

  /** Whether this is one of the files that were to be removed, not another one of its name. */
  boolean isRemoving(String set, String file) {
    Entry entry = entries.get(set);
    return entry != null && entry.names(file);
  }

  void packed(String set, String signature) throws IOException {
    entries.put(set, new Entry(signature, false));
    write();
  }

  /** These files of a set are about to be removed. */
  void removing(String set, List<String> files) throws IOException {
    entries.put(set, new Entry(String.join(",", files), true));
    write();
  }

  void forget(String set) throws IOException {
    entries.remove(set);
    write();
  }

  /** Forgets those of which there is no file any more; writes what could not be written before. */
  void retain(Collection<String> there) throws IOException {
    if (entries.keySet().retainAll(there) || unwritten) {
      write();
    }
  }

  private void write() throws IOException {
    unwritten = true;
    StringBuilder text = new StringBuilder();
    entries.forEach(
        (set, entry) ->
            text.append(entry.signature)
                .append(entry.removing ? " R " : " P ")
                .append(set)
                .append('\n'));
    store.delete(NEXT);
    try {
      writeNext(text.toString().getBytes(UTF_8));
    } catch (IOException e) {
      store.delete(NEXT); // half of it is of no use to anybody
      throw e;
    }
    store.rename(NEXT, NAME);
    store.forceDirectory();
    unwritten = false;
  }

  private void writeNext(byte[] bytes) throws IOException {
    try (StoreFile file = store.open(NEXT, Store.Access.CREATE_NEW)) {
      file.write(0, MemorySegment.ofArray(bytes));
      file.force();
    }
  }
}
