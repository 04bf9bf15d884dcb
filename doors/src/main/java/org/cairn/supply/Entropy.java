// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.function.LongSupplier;

/**
 * Random numbers of the operating system, for names that must differ between all runs there are.
 *
 * <p>They come from the kernel itself where it offers them as a file, which is where {@link
 * SecureRandom} has them from as well; but that one first loads the providers of the JDK, for which
 * every start of a program would wait.
 */
public final class Entropy implements LongSupplier {
  private static final Path KERNEL = Path.of("/dev/urandom");

  @Override
  public long getAsLong() {
    try (InputStream bytes = Files.newInputStream(KERNEL)) {
      byte[] word = bytes.readNBytes(Long.BYTES);
      if (word.length == Long.BYTES) {
        return ByteBuffer.wrap(word).getLong();
      }
    } catch (IOException e) {
      // Another kind of system, or no descriptor left: the JDK knows a way.
    }
    return new SecureRandom().nextLong();
  }
}
