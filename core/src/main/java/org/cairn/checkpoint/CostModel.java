// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import org.cairn.Strategy;
import org.cairn.supply.Plainly;

/**
 * Says when a differential checkpoint pays, from measured rates (Keller and Bautista-Gomez,
 * Application-Level Differential Checkpointing, equations 1 to 5).
 *
 * <p>With {@code N} blocks of which {@code N_d} are dirty, {@code t_w} to write a block and {@code
 * t_h} to hash one, comparing saves {@code (N − N_d) t_w} (1) and costs {@code (N + N_d) t_h} (2)
 * where dirty blocks are hashed twice, as in the paper, but only {@code N t_h} here: a digest is
 * kept until its version is durable. With {@code n = N_d / N}, {@code ρ = t_h / t_w} and {@code p}
 * the number of times a dirty block is hashed, the cost per block (3) is
 *
 * <pre>τ = t_h − t_w + n (t_w + (p − 1) t_h)</pre>
 *
 * <p>which is zero at the threshold (4) {@code η = (1 − ρ) / (1 + (p − 1) ρ)}, and relative to a
 * full checkpoint (5) is {@code S(n) = ρ − 1 + n (1 + (p − 1) ρ)}.
 *
 * <p>A full checkpoint of Cairn has digests too: they are what the next one is compared with. They
 * can be computed in the background, from the copies. So the threshold decides where that spares
 * the program something; a checkpoint that must wait for its digests in any case is never the
 * slower for comparing them, and writes less. Rates are exponential averages over checkpoints, in
 * seconds per byte. Safe for several threads.
 */
public final class CostModel {
  /** The paper hashes dirty blocks a second time. */
  public static final int PASSES_IN_THE_PAPER = 2;

  /** Cairn does not. */
  public static final int PASSES_HERE = 1;

  private static final double WEIGHT = 0.3;

  /** Fewer bytes say more about latency than about rates. */
  private static final long LEAST_BYTES = 64 << 10;

  private double hashSecondsPerByte = Double.NaN;
  private double writeSecondsPerByte = Double.NaN;
  private double dirtyFraction = Double.NaN;

  /** Equation 4: the fraction of dirty blocks below which comparing pays; may be negative. */
  public static double threshold(double hash, double write, int passes) {
    double rho = hash / write;
    return (1 - rho) / (1 + (passes - 1) * rho);
  }

  /** Equation 5: the relative change of the checkpoint time; negative is a gain. */
  public static double relativeCost(double hash, double write, double dirty, int passes) {
    double rho = hash / write;
    return rho - 1 + dirty * (1 + (passes - 1) * rho);
  }

  /** Takes in how long hashing took, all cores together. */
  synchronized void observeHashing(long bytes, double seconds) {
    if (bytes >= LEAST_BYTES) {
      hashSecondsPerByte = average(hashSecondsPerByte, seconds / bytes);
    }
  }

  /** Takes in how long writing and forcing took. */
  synchronized void observeWriting(long bytes, double seconds) {
    if (bytes >= LEAST_BYTES) {
      writeSecondsPerByte = average(writeSecondsPerByte, seconds / bytes);
    }
  }

  /** Takes in what part of the comparable bytes had changed. */
  synchronized void observeDirty(double fraction) {
    dirtyFraction = average(dirtyFraction, fraction);
  }

  /** What it takes to hash a byte, all cores together; not a number before it was measured. */
  synchronized double hashSecondsPerByte() {
    return hashSecondsPerByte;
  }

  private static double average(double before, double now) {
    return Double.isNaN(before) ? now : before + WEIGHT * (now - before);
  }

  /** What to do next, and why, in words for people. */
  public record Decision(boolean full, String reason) {}

  /**
   * Decides on the next checkpoint.
   *
   * @param wouldHide whether a full one would spare the program the hashing: it is asynchronous,
   *     and all of the state fits into staging memory, so that copies are all it waits for
   */
  synchronized Decision decide(Strategy strategy, boolean wouldHide) {
    return switch (strategy) {
      case DIFFERENTIAL -> new Decision(false, "differential: as configured");
      case FULL -> new Decision(true, "full: as configured");
      case AUTO -> advise(wouldHide);
    };
  }

  private Decision advise(boolean wouldHide) {
    if (Double.isNaN(dirtyFraction)
        || Double.isNaN(hashSecondsPerByte)
        || Double.isNaN(writeSecondsPerByte)) {
      return new Decision(false, "differential: nothing measured yet");
    }
    double threshold = threshold(hashSecondsPerByte, writeSecondsPerByte, PASSES_HERE);
    boolean pays = dirtyFraction <= threshold;
    boolean full = !pays && wouldHide;
    String measured =
        Plainly.fixed(100 * dirtyFraction, 1)
            + " % dirty expected, comparing pays below "
            + Plainly.fixed(100 * Math.max(0, threshold), 1)
            + " % (hash "
            + Plainly.fixed(1e-9 / hashSecondsPerByte, 2)
            + " GB/s, write "
            + Plainly.fixed(1e-9 / writeSecondsPerByte, 2)
            + " GB/s)";
    String remark = pays || full ? "" : "; but a full one would have to wait for its digests too";
    return new Decision(full, (full ? "full: " : "differential: ") + measured + remark);
  }
}
