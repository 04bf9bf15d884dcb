// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.comm.Ranks;
import org.cairn.store.Directories;
import org.cairn.store.FileDirectories;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.ForwardingStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who reads a job of many ranks has few of their files open, and only those that it needs. */
class OpenFilesTest {
  private static final int RANKS = OpenStates.MOST + 6;
  private static final int ROWS = 3;

  @TempDir Path directory;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final List<String> opened = Collections.synchronizedList(new ArrayList<>());

  /** A column each: every row crosses all ranks. */
  private void save() {
    Ranks.run(
        RANKS,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directory, comm, SampleState.options())) {
            int[] u = new int[ROWS];
            Arrays.setAll(u, row -> row * RANKS + comm.rank());
            cairn
                .protect("u", u)
                .part(
                    Part.of(
                        new long[] {ROWS, RANKS},
                        new long[] {0, comm.rank()},
                        new long[] {ROWS, 1}));
            cairn.checkpoint();
          }
        });
  }

  private Directories watched() {
    Directories files = new FileDirectories(directory);
    return new Directories() {
      @Override
      public Store create(String name) throws IOException {
        throw new IOException("nothing is written");
      }

      @Override
      public Store open(String name) throws IOException {
        return new Watched(files.open(name));
      }

      @Override
      public List<String> names() throws IOException {
        return files.names();
      }

      @Override
      public String location() {
        return files.location();
      }
    };
  }

  private final class Watched extends ForwardingStore {
    Watched(Store store) {
      super(store);
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      StoreFile file = super.open(name, access);
      opened.add(name);
      most.accumulateAndGet(open.incrementAndGet(), Math::max);
      return new ForwardingFile(file) {
        @Override
        public void close() throws IOException {
          open.decrementAndGet();
          super.close();
        }
      };
    }
  }

  @Test
  void aJobMayHaveMoreRanksThanAProcessFiles() {
    save();
    try (Checkpoints saved = Checkpoints.open(watched())) {
      SavedArray u = saved.newest().array("u");
      assertThat(open).as("to know what there is").hasValue(0);
      int[] expected = new int[ROWS * RANKS];
      Arrays.setAll(expected, i -> i);
      for (int i = 0; i < 2; i++) {
        assertThat(u.ints()).isEqualTo(expected);
      }
      assertThat(most).hasValue(OpenStates.MOST);
      opened.clear();
      assertThat(u.slice(new long[] {1, 2}, new long[] {3, 4}).ints())
          .containsExactly(RANKS + 2, RANKS + 3, 2 * RANKS + 2, 2 * RANKS + 3);
      assertThat(opened).as("of all ranks").containsExactly("rank2.cairn", "rank3.cairn");
    }
    assertThat(open).hasValue(0);
  }
}
