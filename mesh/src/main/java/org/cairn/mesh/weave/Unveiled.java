// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.SerializedLambda;
import org.cairn.mesh.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a lambda is made of by serializing it to nowhere: the stream calls the lambda's {@code
 * writeReplace}, which it may do in closed modules too, and shows what that returned before it
 * would be written.
 */
final class Unveiled extends ObjectOutputStream {
  private @Nullable SerializedLambda lambda;

  private Unveiled() throws IOException {
    super(OutputStream.nullOutputStream());
    enableReplaceObject(true);
  }

  /** What the kernel is made of, or null if it is no lambda. */
  static @Nullable SerializedLambda lambda(Kernel kernel) {
    if (!kernel.getClass().isHidden()) {
      return null;
    }
    try (Unveiled stream = new Unveiled()) {
      stream.writeObject(kernel);
      return stream.lambda;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected @Nullable Object replaceObject(Object object) {
    if (object instanceof SerializedLambda found) {
      lambda = found;
    }
    // Nothing is written: captured values need not be serializable.
    return null;
  }
}
