// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

/** Another watch; tests change what they need. */
class WatchAround implements PageWatch {
  private final PageWatch watch;

  WatchAround(PageWatch watch) {
    this.watch = watch;
  }

  @Override
  public int pageSize() {
    return watch.pageSize();
  }

  @Override
  public Ground ground() throws UnwatchableException {
    return watch.ground();
  }

  @Override
  public void watch(long from, long to) throws UnwatchableException {
    watch.watch(from, to);
  }

  @Override
  public int room() throws UnwatchableException {
    return watch.room();
  }

  @Override
  public void unwatch(long from, long to) {
    watch.unwatch(from, to);
  }

  @Override
  public void scan(long from, long to, Written written) throws UnwatchableException {
    watch.scan(from, to, written);
  }

  @Override
  public void close() {
    watch.close();
  }
}
