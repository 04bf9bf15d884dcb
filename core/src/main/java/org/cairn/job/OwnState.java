// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.Optional;
import org.cairn.container.Container;
import org.cairn.tier.Source;

/** The container that this rank restores from, and goes on with if all can. */
sealed interface OwnState {
  /** A container that was rebuilt, and has not taken its place yet. */
  record Rebuilt(Container container) implements OwnState {}

  /**
   * A container of the rank's own directory.
   *
   * @param running whether the job has been running with it
   */
  record InPlace(LocalContainer local, boolean running) implements OwnState {
    @Override
    public Container container() throws IOException {
      return local.usable();
    }

    @Override
    public void leave() {
      if (!running) {
        local.leave();
      }
    }
  }

  /** It could not be opened; the step in which that was tried knows why. */
  record Unusable() implements OwnState {
    @Override
    public Container container() throws IOException {
      throw new IOException("there is no container");
    }
  }

  /** Opens it. */
  static OwnState open(Site site, BroughtStates states, Source source) throws IOException {
    Optional<Container> rebuilt = states.rebuilt(site.rank());
    if (rebuilt.isPresent()) {
      return new Rebuilt(rebuilt.get());
    }
    LocalContainer local = site.open(source.file());
    return new InPlace(local, site.isRunning(local));
  }

  Container container() throws IOException;

  /** Closes what was opened, because the rank does not go on with it. */
  default void leave() {}
}
