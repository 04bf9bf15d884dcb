// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.record.Feature;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;
import org.jspecify.annotations.Nullable;

/** Opens the file of a container for writing: finds what is there, and makes sure that it stays. */
final class Opening {
  private Opening() {}

  /** Opens a file that is there by then. */
  interface FileOpener {
    StoreFile open() throws IOException;
  }

  /** What an open container starts from; if this fails neither file nor lock stays open. */
  static Holdings open(Store store, String name, FileOpener opener) throws IOException {
    StoreLock lock = store.lock(name + ".lock");
    StoreFile file = null;
    try {
      file = opener.open();
      return found(store, name, lock, file);
    } catch (Throwable e) {
      closeAfter(e, file);
      closeAfter(e, lock);
      throw e;
    }
  }

  private static void closeAfter(Throwable failure, @Nullable AutoCloseable resource) {
    try {
      if (resource != null) {
        resource.close();
      }
    } catch (Exception | OutOfMemoryError e) {
      failure.addSuppressed(e); // what else there is to close is closed all the same
    }
  }

  private static Holdings found(Store store, String name, StoreLock lock, StoreFile file)
      throws IOException {
    // The lock file can be deleted under us, and another be made.
    file.lock();
    // After a kill, what is visible may not be durable yet, neither the bytes nor the name of the
    // file: trust nothing that a crash could undo.
    file.force();
    store.forceDirectory();
    ContainerFile records = new ContainerFile(file, store.location(name));
    ContainerFile.Anchor anchor = records.anchor();
    List<String> problems = new ArrayList<>(anchor.problems());
    Root root = anchor.root();
    Feature.refuseToWrite(root.features(), ContainerFormat.FEATURES, records.location());
    Base base = Base.newest(records, root, problems);
    ContainerWriter writer = new ContainerWriter(records, lock, anchor.superblock(), problems);
    writer.affirm();
    writer.startEpoch(anchor.newestEpoch() + 1);
    Holdings held = new Holdings(writer, root, base);
    held.account();
    if (problems.isEmpty()) {
      // What a commit that died has left behind the end is nobody's.
      held.cutTail();
    }
    return held;
  }
}
