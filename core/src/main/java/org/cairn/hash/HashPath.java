// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.util.Locale;
import java.util.Optional;

/**
 * Which of its twins XXH3 runs on in this JVM, and why. Digests do not depend on it.
 *
 * <p>Chosen once, when first asked for. The system property {@value #PROPERTY} decides: {@code
 * plain} and {@code vector} force a path, {@code auto} (or nothing) takes the one that is faster
 * here.
 *
 * @param vector whether the Vector API is used
 * @param bits the width of its vectors; 64 on the plain path
 * @param reason why this path was chosen, for people
 */
public record HashPath(boolean vector, int bits, String reason) {

  /** The system property that forces a path. */
  public static final String PROPERTY = "cairn.hash.path";

  private static final String MODULE = "jdk.incubator.vector";

  /** The path of this run. */
  public static HashPath current() {
    return Chosen.PATH;
  }

  private static final class Chosen {
    static final HashPath PATH = choose(System.getProperty(PROPERTY, "auto"));
  }

  /**
   * What {@code wish}, a value of {@value #PROPERTY}, means on this machine.
   *
   * @throws IllegalArgumentException if it has no meaning
   * @throws IllegalStateException if it asks for vectors and the Vector API is not there
   */
  static HashPath choose(String wish) {
    boolean present = isVectorApiPresent();
    return switch (wish.toLowerCase(Locale.ROOT)) {
      case "plain" -> plain(PROPERTY + "=plain");
      case "vector" -> present ? forcedVector() : refuse();
      case "auto" -> present ? fastest() : plain("add --add-modules " + MODULE + " for vectors");
      default ->
          throw new IllegalArgumentException(
              PROPERTY + "=" + wish + " is none of auto, vector, plain");
    };
  }

  private static boolean isVectorApiPresent() {
    Optional<Module> vectors = ModuleLayer.boot().findModule(MODULE);
    // No module-info asks for it: whoever requires ours would be warned of an incubating module.
    vectors.ifPresent(module -> HashPath.class.getModule().addReads(module));
    return vectors.isPresent();
  }

  /** How long the vectors are that Java may use here; 0 if it may not. */
  static int vectorBits() {
    return isVectorApiPresent() ? VectorWidth.preferredBits() : 0;
  }

  private static HashPath plain(String reason) {
    return new HashPath(false, Long.SIZE, reason);
  }

  private static HashPath forcedVector() {
    return new HashPath(true, VectorWidth.preferredBits(), PROPERTY + "=vector");
  }

  private static HashPath refuse() {
    throw new IllegalStateException(
        PROPERTY
            + "=vector, but the Vector API is missing: start Java with --add-modules "
            + MODULE);
  }

  /** The Vector API is present: but short vectors help on ARM only. */
  private static HashPath fastest() {
    int bits = VectorWidth.preferredBits();
    boolean arm = System.getProperty("os.arch").equals("aarch64");
    return bits > 128 || arm
        ? new HashPath(true, bits, "widest vectors of this machine")
        : plain("vectors of this machine have 128 bits only");
  }

  /** Whether the user forced it. */
  boolean forced() {
    return reason.startsWith(PROPERTY);
  }

  /** For people: {@code vector, 512 bits (widest vectors of this machine)}. */
  @Override
  public String toString() {
    return (vector ? "vector, " + bits + " bits" : "plain") + " (" + reason + ")";
  }
}
