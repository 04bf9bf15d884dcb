// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.schedule;

import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.supply.Supply;
import org.cairn.testkit.store.AskingDirectories;
import org.cairn.testkit.store.AskingStore;
import org.jspecify.annotations.Nullable;

/** Lets another task go on before each call of a store. */
public final class Steps {
  private Steps() {}

  /** The same directories, with a step before each call of their stores. */
  public static Directories of(Directories directories) {
    return new AskingDirectories(directories, Steps::step, Steps::step);
  }

  /** The same store, with a step before each call. */
  public static Store of(Store store) {
    return new AskingStore(store, Steps::step);
  }

  private static void step(String call, @Nullable Object about) {
    Supply.step(about == null ? call : call + " " + about);
  }
}
