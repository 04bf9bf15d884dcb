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
 * @param centre the point in the middle of the slab of rank 0
 */
public record Heat2DResult(long iterations, double change, double sum, double top, double centre) {

  /** The same on all ranks; all call it. */
  static Heat2DResult of(Heat2D heat, Communicator ranks, long iterations, double change) {
    int middle = heat.columns() / 2;
    double[] points = {heat.at(1, middle), heat.at(heat.rows() / 2, middle)};
    ranks.broadcast(points, 0);
    return new Heat2DResult(iterations, change, heat.innerSum(), points[0], points[1]);
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

  /** Writes the plate to {@code file} and the summary beside it; a file is complete or absent. */
  void write(Heat2D heat, Path file) throws IOException {
    Path plate = file.resolveSibling(file.getFileName() + ".part");
    writePlate(heat.plate(), plate);
    Files.writeString(file.resolveSibling(file.getFileName() + ".txt"), toString());
    Files.move(plate, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static void writePlate(double[] plate, Path file) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      for (int from = 0; from < plate.length; ) {
        int count = Math.min(plate.length - from, buffer.capacity() / Double.BYTES);
        buffer.asDoubleBuffer().put(plate, from, count);
        buffer.clear().limit(count * Double.BYTES);
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        buffer.clear();
        from += count;
      }
    }
  }
}
