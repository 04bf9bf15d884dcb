// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import org.cairn.Compression;
import org.cairn.frame.EncodingLine;
import org.cairn.frame.FrameOrder;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.locate.PieceNames;
import org.cairn.pack.locate.Tiling;

/**
 * How files are packed.
 *
 * @param order in which data of files fill frames, and how large these are
 * @param threads how many compress
 * @param budget how much memory that may take
 * @param bandwidth of where packs are stored, in bytes a second, for {@link Compression#auto}
 * @param names which variables are of one class
 * @param rules which hints count
 * @param locators which formats are known
 */
public record PackSettings(
    Compression compression,
    FrameOrder order,
    FrameOrder.Sizes sizes,
    int threads,
    long budget,
    double bandwidth,
    PieceNames names,
    Tiling.Rules rules,
    Locators locators) {
  private static final int GROUP = 1 << 20;
  private static final long BLOCK = 1 << 20;
  private static final double BANDWIDTH = 500e6;

  /** Small files, classes side by side, all cores. */
  public static PackSettings usual() {
    return new PackSettings(
        Compression.small(),
        FrameOrder.AWARE,
        new FrameOrder.Sizes(GROUP, BLOCK, FrameOrder.Sizes.FRAME),
        Runtime.getRuntime().availableProcessors(),
        EncodingLine.BUDGET,
        BANDWIDTH,
        PieceNames.USUAL,
        Tiling.Rules.USUAL,
        Locators.installed());
  }

  /** The same with another effort. */
  public PackSettings with(Compression other) {
    return new PackSettings(
        other, order, sizes, threads, budget, bandwidth, names, rules, locators);
  }

  /** The same in another order. */
  public PackSettings with(FrameOrder other, FrameOrder.Sizes otherSizes) {
    return new PackSettings(
        compression, other, otherSizes, threads, budget, bandwidth, names, rules, locators);
  }

  /** The same with other classes. */
  public PackSettings with(PieceNames other) {
    return new PackSettings(
        compression, order, sizes, threads, budget, bandwidth, other, rules, locators);
  }

  /** The same with other hints. */
  public PackSettings with(Tiling.Rules other, Locators formats) {
    return new PackSettings(
        compression, order, sizes, threads, budget, bandwidth, names, other, formats);
  }

  /** The same for a store of so many bytes a second. */
  public PackSettings bandwidth(double other) {
    return new PackSettings(
        compression, order, sizes, threads, budget, other, names, rules, locators);
  }

  /** The same with so many threads. */
  public PackSettings threads(int other) {
    return new PackSettings(
        compression, order, sizes, other, budget, bandwidth, names, rules, locators);
  }
}
