// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Locator;

/** Does what a test wants when a file is looked into: says something of it, or changes it. */
record TestLocator(Action action) implements Locator {
  /** What it does. */
  interface Action {
    void run(ByteSource file, Hints hints) throws IOException;
  }

  @Override
  public String format() {
    return "test";
  }

  @Override
  public boolean recognises(ByteSource file) {
    return true;
  }

  @Override
  public void locate(ByteSource file, Hints hints) throws IOException {
    action.run(file, hints);
  }
}
