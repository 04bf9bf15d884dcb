// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A place whose own files are those of a single rank, and below it perhaps directories that many
 * ranks have left: those are found under names of their own, {@code ./rank3}, since one of them may
 * be called as the rank is.
 *
 * @param own the name of the store of the rank
 * @param beside the place and what is below it
 */
public record LoneDirectory(String own, Store store, Directories beside) implements Directories {
  /** What the names of directories below the place begin with. */
  public static final String BELOW = "./";

  @Override
  public Store create(String name) throws IOException {
    return open(name);
  }

  @Override
  public Store open(String name) throws IOException {
    return name.equals(own) ? store : beside.open(below(name));
  }

  private static String below(String name) {
    return name.startsWith(BELOW) ? name.substring(BELOW.length()) : name;
  }

  @Override
  public List<String> names() throws IOException {
    List<String> names = new ArrayList<>();
    names.add(own);
    for (String name : beside.names()) {
      if (!name.equals(ROOT)) {
        names.add(BELOW + name);
      }
    }
    return names;
  }

  @Override
  public String location() {
    return beside.location();
  }
}
