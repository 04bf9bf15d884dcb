// SPDX-License-Identifier: Apache-2.0
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;

/**
 * What {@code ./cairn} lets a JVM do once, to keep what that takes for JVMs that follow: a program begins, is saved and restored, alone and as
 * two ranks; with enough memory that hashing and copying are seen to be worth compiling.
 *
 * <p>{@code cairn run build/Training.java DIRECTORY}, in which it leaves its checkpoints.
 */
public final class Training {
  private static final int BYTES = 64 << 20;

  private Training() {}

  public static void main(String[] args) {
    Path place = Path.of(args[0]);
    for (int life = 0; life < 2; life++) {
      alone(place.resolve("alone"));
      Ranks.run(2, ranks -> together(place.resolve("together"), ranks));
    }
  }

  private static void alone(Path place) {
    double[] heap = new double[BYTES / Double.BYTES];
    try (Arena arena = Arena.ofShared(); Checkpointer cairn = Checkpointer.open(place)) {
      MemorySegment segment = arena.allocate(BYTES, 4096);
      LongCell step = cairn.protect("step", 0L);
      cairn.protect("heap", heap);
      cairn.protect("segment", segment, ElementType.DOUBLE);
      System.out.println(cairn.restart());
      for (int i = 0; i < heap.length; i++) {
        heap[i] += i;
      }
      segment.fill((byte) 1);
      step.increment();
      System.out.println(cairn.checkpoint());
      heap[7]++;
      System.out.println(cairn.checkpointAsync().await());
    }
  }

  private static void together(Path place, Communicator ranks) {
    double[] heap = new double[BYTES / 8 / Double.BYTES];
    Options partners = Options.defaults().tiers(Tiers.none().partner(1));
    try (Checkpointer cairn = Checkpointer.open(place, ranks, partners)) {
      LongCell step = cairn.protect("step", 0L);
      cairn.protect("heap", heap);
      cairn.restart();
      heap[7 * ranks.rank()]++;
      step.increment();
      cairn.checkpoint();
    }
  }
}
