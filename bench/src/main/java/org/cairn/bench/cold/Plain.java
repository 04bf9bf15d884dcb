// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.cold;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The least that a cold process can do, with the JDK alone: reads a file with two threads into
 * memory that it has, and takes the CRC32C of every block; or writes memory to a new file and
 * forces it; or does nothing. Prints the seconds.
 *
 * <pre>Plain read|write|nothing FILE BYTES</pre>
 */
public final class Plain {
  private static final int CALL = 8 << 20;
  private static final int BLOCK = 16 << 10;

  private Plain() {}

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    if (args[0].equals("nothing")) {
      System.out.println(0);
      return;
    }
    Path file = Path.of(args[1]);
    long bytes = Long.parseLong(args[2]) / CALL * CALL;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(bytes, 4096).fill((byte) 1);
      long start = System.nanoTime();
      if (args[0].equals("read")) {
        read(file, memory);
      } else {
        write(file, memory);
      }
      System.out.println((System.nanoTime() - start) * 1e-9);
    }
  }

  private static void read(Path path, MemorySegment memory) throws Exception {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      long[] sums = new long[2];
      Thread other = new Thread(() -> readHalf(file, memory, 1, sums));
      other.start();
      readHalf(file, memory, 0, sums);
      other.join();
      if (Arrays.stream(sums).anyMatch(sum -> sum == 0)) {
        throw new IOException(path + " could not be read");
      }
    }
  }

  private static void readHalf(FileChannel file, MemorySegment memory, int half, long[] sums) {
    long calls = memory.byteSize() / CALL;
    try {
      for (long call = half * calls / 2; call < (half + 1) * calls / 2; call++) {
        ByteBuffer buffer = memory.asSlice(call * CALL, CALL).asByteBuffer();
        while (buffer.hasRemaining() && file.read(buffer, call * CALL + buffer.position()) >= 0) {}
        for (int block = 0; block < CALL; block += BLOCK) {
          CRC32C crc = new CRC32C();
          crc.update(buffer.limit(block + BLOCK).position(block));
          sums[half] += 1 + crc.getValue();
        }
      }
    } catch (IOException e) {
      sums[half] = 0;
    }
  }

  private static void write(Path path, MemorySegment memory) throws IOException {
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long at = 0; at < memory.byteSize(); at += CALL) {
        ByteBuffer buffer = memory.asSlice(at, CALL).asByteBuffer();
        while (buffer.hasRemaining()) {
          file.write(buffer, at + buffer.position());
        }
      }
      file.force(false);
    }
  }
}
