// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.raw;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Locator;
import org.cairn.pack.locate.Variable;
import org.cairn.pack.raw.Description.Array;
import org.cairn.pack.raw.Description.Kind;

/**
 * Knows where files have their data by what a person says of them. It is asked before those that
 * know formats.
 *
 * <p>Arrays that are repeated have one axis more, the slowest; without gaps they are one extent
 * together.
 */
public final class RawLocator implements Locator {
  private final Description description;

  /** By this description. */
  public RawLocator(Description description) {
    this.description = description;
  }

  @Override
  public String format() {
    return "described";
  }

  @Override
  public boolean recognises(ByteSource file) {
    return description.kindOf(file.name()).isPresent();
  }

  @Override
  public void locate(ByteSource file, Hints hints) {
    Optional<Kind> kind = description.kindOf(file.name());
    for (Array array : kind.map(Kind::arrays).orElse(List.of())) {
      hints.step();
      locate(file.size(), array, hints);
    }
  }

  private static void locate(long size, Array array, Hints hints) {
    Variable one = array.variable();
    long there = array.fitting(size);
    if (array.repeat() != Array.TO_THE_END && there < array.repeat()) {
      hints.outside(
          array.offset(),
          "%s is there %d times, and not %d".formatted(one.name(), there, array.repeat()));
    }
    if (there == 0) {
      return;
    }
    if (array.repeat() == 1) {
      hints.extent(Extent.whole(one, array.offset(), array.length()));
    } else if (array.every() == array.length()) {
      hints.extent(Extent.whole(repeated(one, there), array.offset(), there * array.length()));
    } else {
      locateEach(array, there, hints);
    }
  }

  private static void locateEach(Array array, long there, Hints hints) {
    Variable all = repeated(array.variable(), there);
    List<Long> box = repeated(array.variable(), 1).shape();
    for (long i = 0; i < there; i++) {
      hints.step();
      List<Long> start = new ArrayList<>(Collections.nCopies(box.size(), 0L));
      start.set(0, i);
      long offset = array.offset() + i * array.every();
      hints.extent(new Extent(all, start, box, offset, array.length(), false));
    }
  }

  private static Variable repeated(Variable one, long times) {
    List<Long> shape = new ArrayList<>();
    shape.add(times);
    shape.addAll(one.shape());
    return new Variable(one.name(), one.elements(), one.type(), shape);
  }
}
