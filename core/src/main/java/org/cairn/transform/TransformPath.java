// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.util.Locale;
import java.util.Optional;

/**
 * Which of its twins the work of this package runs on in this JVM, and why. Results do not depend
 * on it.
 *
 * <p>Chosen once, when first asked for. The system property {@value #PROPERTY} decides: {@code
 * plain} and {@code vector} force a path, {@code auto} (or nothing) takes vectors where the Vector
 * API is present.
 *
 * @param vector whether the Vector API is used
 * @param forced whether the user said so
 * @param reason why this path was chosen, for people
 */
public record TransformPath(boolean vector, boolean forced, String reason) {

  /** The system property that forces a path. */
  public static final String PROPERTY = "cairn.transform.path";

  private static final String MODULE = "jdk.incubator.vector";

  /** The path of this run. */
  public static TransformPath current() {
    return Chosen.PATH;
  }

  private static final class Chosen {
    static final TransformPath PATH = choose(System.getProperty(PROPERTY, "auto"));
  }

  /**
   * What {@code wish}, a value of {@value #PROPERTY}, means on this machine.
   *
   * @throws IllegalArgumentException if it has no meaning
   * @throws IllegalStateException if it asks for vectors and the Vector API is not there
   */
  static TransformPath choose(String wish) {
    Optional<Module> vectors = ModuleLayer.boot().findModule(MODULE);
    // No module-info asks for it: whoever requires ours would be warned of an incubating module.
    vectors.ifPresent(module -> TransformPath.class.getModule().addReads(module));
    boolean present = vectors.isPresent();
    return switch (wish.toLowerCase(Locale.ROOT)) {
      case "plain" -> new TransformPath(false, true, PROPERTY + "=plain");
      case "vector" -> present ? new TransformPath(true, true, PROPERTY + "=vector") : refuse();
      case "auto" ->
          present
              ? new TransformPath(true, false, "the Vector API is present")
              : new TransformPath(false, false, "add --add-modules " + MODULE + " for vectors");
      default ->
          throw new IllegalArgumentException(
              PROPERTY + "=" + wish + " is none of auto, vector, plain");
    };
  }

  private static TransformPath refuse() {
    throw new IllegalStateException(
        PROPERTY
            + "=vector, but the Vector API is missing: start Java with --add-modules "
            + MODULE);
  }

  /** For people: {@code vector (the Vector API is present)}. */
  @Override
  public String toString() {
    return (vector ? "vector" : "plain") + " (" + reason + ")";
  }
}
