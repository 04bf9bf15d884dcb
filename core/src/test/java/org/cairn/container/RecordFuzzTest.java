// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.job.JobSpecimens;
import org.cairn.record.Specimen;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.cairn.tier.erasure.ParitySpecimens;
import org.cairn.tier.shared.SegmentSpecimens;
import org.cairn.tier.transfer.TierSpecimens;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * The one target for random and mutated bytes: whatever the bytes, every reader of records and
 * messages answers with what it read, or with one of two exceptions, and takes little memory.
 * {@code -Dcairn.iterations=x100} goes on for longer.
 */
@Timeout(300)
@Tag("models")
@Thorough(times = 8)
class RecordFuzzTest {
  private static final int MUTANTS = 60;
  private static final long MOST_BYTES = 24 << 20;

  @SeededTest(seeds = 15)
  void anyBytesAreReadOrRefused(Random random) throws IOException {
    for (Specimen specimen : specimens(random)) {
      specimen.parser().parse(specimen.valid());
      for (int i = 0; i < MUTANTS; i++) {
        attempt(specimen, mutant(specimen.valid(), random));
      }
      byte[] noise = new byte[random.nextInt(200)];
      random.nextBytes(noise);
      attempt(specimen, noise);
    }
  }

  private static List<Specimen> specimens(Random random) throws IOException {
    MemoryStore store = ContainerSpecimens.store(random);
    List<Specimen> all = new ArrayList<>(ContainerSpecimens.all(random, store));
    all.addAll(TierSpecimens.all(store));
    all.addAll(ParitySpecimens.all(store, random));
    all.addAll(SegmentSpecimens.all());
    all.addAll(JobSpecimens.all());
    return all;
  }

  private static void attempt(Specimen specimen, byte[] bytes) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    try {
      specimen.parser().parse(bytes);
    } catch (CorruptContainerException | UnsupportedFormatException e) {
      assertThat(e.getMessage()).contains(specimen.origin());
    } catch (IOException | RuntimeException | Error e) {
      throw new AssertionError(specimen.name() + " of " + Arrays.toString(bytes), e);
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before)
        .as("memory for %s of %d bytes", specimen.name(), bytes.length)
        .isLessThan(MOST_BYTES);
  }

  /** Bits flipped, numbers replaced by extreme ones, pieces cut out, repeated or appended. */
  private static byte[] mutant(byte[] valid, Random random) {
    byte[] bytes = valid.clone();
    for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(7)) {
        case 0 -> bytes = Arrays.copyOf(bytes, at);
        case 1 -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(20));
        case 2 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 4), (byte) 0xFF);
        case 3 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 8), (byte) 0x7F);
        case 4 -> bytes[at] = (byte) random.nextInt();
        case 5 -> bytes = withLargeVarint(bytes, at);
        default -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      }
    }
    return bytes;
  }

  /** One byte becomes the 268,435,455 of a number with 7 bits a byte. */
  private static byte[] withLargeVarint(byte[] bytes, int at) {
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 3);
    System.arraycopy(bytes, at, longer, at + 3, bytes.length - at);
    Arrays.fill(longer, at, at + 3, (byte) 0xFF);
    longer[at + 3] = 0x7F;
    return longer;
  }
}
