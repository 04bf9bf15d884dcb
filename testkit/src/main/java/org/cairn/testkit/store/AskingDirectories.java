// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.util.List;
import org.cairn.store.Directories;
import org.cairn.store.Store;

/**
 * Directories whose stores are {@link AskingStore}s.
 *
 * @param directories what is behind them
 * @param own is asked before calls of the directories themselves
 * @param ofStores is asked before calls of their stores
 */
public record AskingDirectories(
    Directories directories, AskingStore.Question own, AskingStore.Question ofStores)
    implements Directories {
  @Override
  public Store create(String name) throws IOException {
    own.before("create", name);
    return new AskingStore(directories.create(name), ofStores);
  }

  @Override
  public Store open(String name) throws IOException {
    own.before("open", name);
    return new AskingStore(directories.open(name), ofStores);
  }

  @Override
  public List<String> names() throws IOException {
    own.before("names", null);
    return directories.names();
  }

  @Override
  public String location() {
    return directories.location();
  }
}
