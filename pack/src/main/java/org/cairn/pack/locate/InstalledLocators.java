// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The locators of this module, then those of others, each found when it is asked for: to look for
 * others opens every archive that a program consists of, which takes longer than to look into most
 * files. For any number of threads.
 */
final class InstalledLocators implements Iterable<Locator> {
  static final InstalledLocators ALL = new InstalledLocators();

  private final Iterator<Locator> coming =
      ServiceLoader.load(Locator.class, Locator.class.getClassLoader()).iterator();

  private final List<Locator> own = new ArrayList<>();
  private final List<Locator> others = new ArrayList<>();

  private InstalledLocators() {}

  @Override
  public Iterator<Locator> iterator() {
    return new Iterator<>() {
      private int next;

      @Override
      public boolean hasNext() {
        return at(next) != null;
      }

      @Override
      public Locator next() {
        Locator locator = at(next++);
        if (locator == null) {
          throw new NoSuchElementException();
        }
        return locator;
      }
    };
  }

  /** Those of others have places when it is known that there are no more of this module. */
  private synchronized @Nullable Locator at(int place) {
    while (place >= own.size() && coming.hasNext()) {
      Locator locator = coming.next();
      (isOwn(locator) ? own : others).add(locator);
    }
    if (place < own.size()) {
      return own.get(place);
    }
    int other = place - own.size();
    return other < others.size() ? others.get(other) : null;
  }

  private static boolean isOwn(Locator locator) {
    return locator.getClass().getPackageName().startsWith("org.cairn.pack.");
  }
}
