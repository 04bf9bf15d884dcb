// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The formats that are known, in the order in which they are asked: the first that recognises a
 * file looks into it. For any number of threads.
 *
 * <p>Nothing that a locator does keeps a file from being stored, except that it cannot be read:
 * what was found before it gave up counts, and a note says why it did.
 */
public final class Locators {
  private final Iterable<Locator> locators;
  private final Limits limits;

  /**
   * How much work a file may cause.
   *
   * @param steps how many objects are looked at
   * @param extents how many extents are found; each takes 150 to 300 bytes of memory
   */
  public record Limits(long steps, int extents) {
    /** Enough for a hundred thousand datasets, or a million chunks. */
    public static final Limits USUAL = new Limits(20_000_000, 1_000_000);
  }

  /**
   * What is known of a file.
   *
   * @param format the name of its format; empty if nobody recognises it
   */
  public record Located(Optional<String> format, Hints hints) {}

  private Locators(Iterable<Locator> locators, Limits limits) {
    this.locators = locators;
    this.limits = limits;
  }

  /** These only, in this order. */
  public static Locators of(List<Locator> locators) {
    return new Locators(List.copyOf(locators), Limits.USUAL);
  }

  /**
   * Those that {@link java.util.ServiceLoader} finds: of this module, then of others, which are
   * looked for when none of this module recognises a file.
   */
  public static Locators installed() {
    return new Locators(InstalledLocators.ALL, Limits.USUAL);
  }

  /** The same, asked after this one. */
  public Locators after(Locator first) {
    Stream<Locator> before = Stream.of(first);
    Stream<Locator> all =
        Stream.concat(before, StreamSupport.stream(locators.spliterator(), false));
    return new Locators(all.toList(), limits);
  }

  /** The same, with other limits. */
  public Locators within(Limits other) {
    return new Locators(locators, other);
  }

  /** The names of the formats, in the order in which they are asked. */
  public List<String> formats() {
    List<String> formats = new ArrayList<>();
    locators.forEach(locator -> formats.add(locator.format()));
    return formats;
  }

  /**
   * Looks into a file.
   *
   * @throws IOException if it cannot be read
   */
  public Located locate(ByteSource file) throws IOException {
    return locate(file, new Hints(limits.steps(), limits.extents()));
  }

  /**
   * Looks for one variable, and how it is stored.
   *
   * @throws IOException if the file cannot be read
   */
  public Located locate(ByteSource file, String variable) throws IOException {
    return locate(file, Hints.ofOne(variable, limits.steps(), limits.extents()));
  }

  private Located locate(ByteSource file, Hints hints) throws IOException {
    for (Locator locator : locators) {
      if (recognises(locator, file, hints)) {
        locate(locator, file, hints);
        return new Located(Optional.of(locator.format()), hints);
      }
    }
    return new Located(Optional.empty(), hints);
  }

  private static boolean recognises(Locator locator, ByteSource file, Hints hints)
      throws IOException {
    try {
      return locator.recognises(file);
    } catch (RuntimeException e) {
      hints.note(0, defect(locator, e));
      return false;
    }
  }

  private static void locate(Locator locator, ByteSource file, Hints hints) throws IOException {
    try {
      locator.locate(file, hints);
    } catch (Hints.ExhaustedException e) {
      hints.note(0, "%s; the rest was not looked at".formatted(e.getMessage()));
    } catch (RuntimeException | StackOverflowError e) {
      hints.note(0, defect(locator, e));
    }
  }

  /** A defect of a locator must not keep a file from being stored. */
  private static String defect(Locator locator, Throwable defect) {
    return "the locator of %s failed: %s".formatted(locator.format(), defect);
  }
}
