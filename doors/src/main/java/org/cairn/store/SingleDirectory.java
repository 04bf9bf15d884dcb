// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.File;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** One store under one name: for a job of a single rank, which needs no directories. */
public record SingleDirectory(String name, Store store) implements Directories {
  @Override
  public Store create(String wanted) throws IOException {
    return open(wanted);
  }

  @Override
  public Store open(String wanted) throws IOException {
    if (!wanted.equals(name)) {
      throw new NoSuchFileException(wanted);
    }
    return store;
  }

  @Override
  public List<String> names() {
    return List.of(name);
  }

  @Override
  public String location() {
    String below = store.location(name);
    String end = File.separator + name;
    return below.endsWith(end) ? below.substring(0, below.length() - end.length()) : below;
  }
}
