// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import org.cairn.record.RecordReader;
import org.cairn.version.Delta;
import org.cairn.version.RecentDeltas;
import org.cairn.version.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a commit: the superblock that leads to a prepared version; then memory follows. */
final class Publication {
  private static final Logger LOG = LoggerFactory.getLogger(Publication.class);

  private final Holdings held;
  private final ContainerWriter writer;

  Publication(Holdings held) {
    this.held = held;
    this.writer = held.writer();
  }

  /** Makes a prepared version the newest: superblock, force; then memory follows. */
  void run(Prepared prepared) throws IOException {
    writer.ensureUsable();
    Pointer oldRootPlace = writer.superblock().root();
    boolean first = writer.superblock().lastSequence() == 0 && held.root().versions().isEmpty();
    writer.writeSuperblock(prepared.rootPlace());
    if (first) {
      // In both: so one that cannot be read beside one that tells of no version was torn while the
      // first was written, and hides nothing.
      writer.writeSuperblock(prepared.rootPlace());
    }
    writer.requireNamed();
    try {
      remember(prepared);
      held.follow(prepared, oldRootPlace);
    } catch (IOException | RuntimeException | Error e) {
      // The file has the version, memory only half of it.
      writer.breakDown(e);
      throw e;
    }
  }

  /** While the map still is that of the base. Nobody needs it so much that a commit may fail. */
  private void remember(Prepared prepared) throws IOException {
    Base base = held.base();
    RecentDeltas recent = held.recent();
    VersionInfo parent = base.info();
    Pending pending = prepared.pending();
    if (parent == null || !recent.areWanted()) {
      return;
    }
    long mapBytes = base.map().memoryBytes();
    if (!RecentDeltas.hasRoomFor(pending.delta().position(), mapBytes)) {
      return;
    }
    try {
      Delta delta =
          Delta.of(
              new Delta.Known(parent, base.catalog()),
              new Delta.Known(prepared.info(), prepared.catalog()),
              new RecordReader(pending.delta().bytes(), "memory", 0),
              base.map());
      recent.add(delta, mapBytes);
    } catch (OutOfMemoryError e) {
      LOG.debug("what leads to version {} is not remembered", pending.id(), e);
      recent.clear();
    }
  }

  /**
   * The version has just become durable, and has blocks in new places that older ones have in bad
   * ones. It stays durable whatever happens here; what fails is tried again by the next commit.
   */
  void mendAfterwards() {
    if (held.rot().isEmpty() || writer.isBroken()) {
      return;
    }
    try {
      new Mending(held, BlockSource.NONE, false).run();
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.warn(
          "{} has bad places and could not be mended now: {}", writer.location(), e.toString());
    }
  }
}
