// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.heat2d;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.cairn.comm.Communicator;

/**
 * Where a run ended.
 *
 * @param iterations iterations that were completed
 * @param change the largest change of a point when it was last looked at
 * @param sum the sum over the inner rows of all ranks
 * @param top the point in the middle of the first inner row
 * @param centre the point in the middle of the first slab
 */
public record Heat2DResult(long iterations, double change, double sum, double top, double centre) {
  private static final int SLAB = 3;

  /** The same on all ranks; all call it. */
  static Heat2DResult of(Heat2D heat, long iterations, double change) {
    int middle = heat.columns() / 2;
    return new Heat2DResult(
        iterations,
        change,
        heat.innerSum(),
        heat.point(1, middle),
        heat.point(heat.middleOfFirstSlab(), middle));
  }

  /** The exact values for comparison, and the usual ones for people. */
  @Override
  public String toString() {
    return """
        iterations %d
        change     %s %s
        sum        %s %s
        top        %s %s
        centre     %s %s
        """
        .formatted(
            iterations,
            Double.toHexString(change),
            change,
            Double.toHexString(sum),
            sum,
            Double.toHexString(top),
            top,
            Double.toHexString(centre),
            centre);
  }

  /**
   * Writes the plate to {@code file}, row by row, and the summary beside it; all ranks call it. A
   * file is complete or absent.
   */
  void write(Heat2D heat, Communicator ranks, Path file) throws IOException {
    if (ranks.rank() > 0) {
      ranks.send(heat.ownRows(), 0, SLAB);
      return;
    }
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try (FileChannel channel =
        FileChannel.open(
            part,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      writeSlab(heat.ownRows(), channel);
      for (int rank = 1; rank < ranks.size(); rank++) {
        long bytes = ranks.probe(rank, SLAB).bytes();
        double[] slab = new double[Math.toIntExact(bytes / Double.BYTES)];
        ranks.receive(slab, rank, SLAB);
        writeSlab(slab, channel);
      }
    }
    Files.writeString(file.resolveSibling(file.getFileName() + ".txt"), toString());
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static void writeSlab(double[] slab, FileChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
    for (int from = 0; from < slab.length; ) {
      int count = Math.min(slab.length - from, buffer.capacity() / Double.BYTES);
      buffer.asDoubleBuffer().put(slab, from, count);
      buffer.clear().limit(count * Double.BYTES);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      buffer.clear();
      from += count;
    }
  }
}
