// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import java.util.Locale;
import java.util.Optional;

/**
 * Which of its twins the arithmetic of this package runs on in this JVM, and why. Results do not
 * depend on it.
 *
 * <p>Chosen once, when first asked for. The system property {@value #PROPERTY} decides: {@code
 * plain} and {@code vector} force a path, {@code auto} (or nothing) takes vectors where the Vector
 * API is present.
 *
 * @param vector whether the Vector API is used
 * @param bits the width of its vectors; 64 on the plain path
 * @param reason why this path was chosen, for people
 */
public record ErasurePath(boolean vector, int bits, String reason) {

  /** The system property that forces a path. */
  public static final String PROPERTY = "cairn.erasure.path";

  private static final String MODULE = "jdk.incubator.vector";

  /** The path of this run. */
  public static ErasurePath current() {
    return Chosen.PATH;
  }

  private static final class Chosen {
    static final ErasurePath PATH = choose(System.getProperty(PROPERTY, "auto"));
  }

  /**
   * What {@code wish}, a value of {@value #PROPERTY}, means on this machine.
   *
   * @throws IllegalArgumentException if it has no meaning
   * @throws IllegalStateException if it asks for vectors and the Vector API is not there
   */
  static ErasurePath choose(String wish) {
    Optional<Module> vectors = ModuleLayer.boot().findModule(MODULE);
    // No module-info asks for it: whoever requires ours would be warned of an incubating module.
    vectors.ifPresent(module -> ErasurePath.class.getModule().addReads(module));
    boolean present = vectors.isPresent();
    return switch (wish.toLowerCase(Locale.ROOT)) {
      case "plain" -> plain(PROPERTY + "=plain");
      case "vector" -> present ? vector(PROPERTY + "=vector") : refuse();
      case "auto" ->
          present
              ? vector("the Vector API is present")
              : plain("add --add-modules " + MODULE + " for vectors");
      default ->
          throw new IllegalArgumentException(
              PROPERTY + "=" + wish + " is none of auto, vector, plain");
    };
  }

  private static ErasurePath plain(String reason) {
    return new ErasurePath(false, Long.SIZE, reason);
  }

  private static ErasurePath vector(String reason) {
    return new ErasurePath(true, VectorKernel.bits(), reason);
  }

  private static ErasurePath refuse() {
    throw new IllegalStateException(
        PROPERTY
            + "=vector, but the Vector API is missing: start Java with --add-modules "
            + MODULE);
  }

  /** Whether the user forced it. */
  boolean forced() {
    return reason.startsWith(PROPERTY);
  }

  /** For people: {@code vector, 128 bits (the Vector API is present)}. */
  @Override
  public String toString() {
    return (vector ? "vector, " + bits + " bits" : "plain") + " (" + reason + ")";
  }
}
