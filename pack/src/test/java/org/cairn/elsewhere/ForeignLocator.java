// SPDX-License-Identifier: Apache-2.0
package org.cairn.elsewhere;

import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Locator;

/** A format of another module; found by its name among the resources of the tests. */
public final class ForeignLocator implements Locator {
  @Override
  public String format() {
    return "of another module";
  }

  @Override
  public boolean recognises(ByteSource file) {
    return file.name().endsWith(".foreign");
  }

  @Override
  public void locate(ByteSource file, Hints hints) {
    hints.note(0, "looked at by another module");
  }
}
