// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.store.StoreNames;

/** Names of files in records: a store must accept them. */
final class Names {
  private Names() {}

  /** A field that is a name. */
  static String read(RecordReader in) throws CorruptContainerException {
    return checked(in, in.getRestAsText());
  }

  /** A name with its length before it. */
  static String readCounted(RecordReader in) throws CorruptContainerException {
    return checked(in, in.getText());
  }

  private static String checked(RecordReader in, String name) throws CorruptContainerException {
    if (!StoreNames.isValid(name)) {
      throw in.corrupt("expected the name of a file, found none");
    }
    return name;
  }
}
