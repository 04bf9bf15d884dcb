// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.cairn.pack.locate.MalformedException;

/**
 * Goes from the root to every group and dataset, those of a group before those of its subgroups. An
 * object that has several names is found under the first of them, and a circle of groups ends where
 * it begins.
 */
final class Walk {
  /** Deeper groups are left out. */
  private static final int LONGEST_PATH = 1 << 12;

  /** Groups wait while they take no more memory than this. */
  private static final long MOST_WAITING_BYTES = 1L << 26;

  /** Datasets are found while their names have no more characters than this. */
  private static final long MOST_CHARACTERS = 1L << 26;

  private final Metadata file;
  private final Deque<Group> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private long characters;

  /**
   * A group.
   *
   * @param prefix what the paths of its members begin with
   */
  private record Group(long at, String path, String prefix) {
    Group(long at, String path) {
      this(at, path, path.concat("/"));
    }

    /** About how much memory it takes. */
    long bytes() {
      return 96L + 2L * path.length();
    }
  }

  Walk(Metadata file) {
    this.file = file;
  }

  /** Finds all that the root leads to. */
  void run() throws IOException {
    long root = file.superblock().root();
    file.claim(root);
    Group first = new Group(root, "");
    waitingBytes = first.bytes();
    waiting.add(first);
    while (!waiting.isEmpty()) {
      Group group = waiting.remove();
      waitingBytes -= group.bytes();
      file.about(group.path);
      try {
        links(group);
      } catch (MalformedException e) {
        file.note(e);
      }
    }
    if (file.isFull()) {
      file.note(root, "has more than %,d objects; the others were left out".formatted(Seen.MOST));
    }
  }

  private void links(Group group) throws IOException, MalformedException {
    DataObject object = DataObject.read(file, group.at);
    Link.Visitor visitor = new Links(group);
    if (object.symbolTable() != null) {
      SymbolTable.links(file, file.body(object.symbolTable()), visitor);
    }
    if (object.linkInfo() != null) {
      NewGroup.linksInHeap(file, file.body(object.linkInfo()), visitor);
    }
    if (object.hasLinks()) {
      NewGroup.linksInHeader(file, group.at, visitor);
    }
  }

  /** No lambda, and no operator for texts: their set-up takes longer than most files. */
  private final class Links implements Link.Visitor {
    private final Group group;

    Links(Group group) {
      this.group = group;
    }

    @Override
    public void link(Link link) throws IOException {
      visit(group, link);
    }
  }

  private void visit(Group group, Link link) throws IOException {
    String path = group.prefix.concat(link.name());
    file.about(path);
    file.steps(path);
    try {
      if (!link.elsewhere().isEmpty()) {
        file.note(group.at, link.elsewhere());
      } else if (link.object() == Cursor.UNDEFINED) {
        throw new MalformedException(group.at, "is a link to nowhere");
      } else if (file.claim(link.object())) {
        object(path, link.object());
      }
    } catch (MalformedException e) {
      file.note(e);
    }
    file.about(group.path);
  }

  private void object(String path, long at) throws IOException, MalformedException {
    if (path.length() > LONGEST_PATH) {
      throw new MalformedException(at, "has too long a path");
    }
    if (hasRoom(path) && file.twin().locate(file, path, at)) {
      characters += path.length();
      return;
    }
    DataObject object = DataObject.read(file, at);
    if (object.isDataset()) {
      dataset(path, object, at);
    } else if (object.isGroup()) {
      wait(new Group(at, path));
    }
  }

  private void dataset(String path, DataObject object, long at)
      throws IOException, MalformedException {
    boolean fits = hasRoom(path);
    characters += path.length();
    if (!fits) {
      throw new MalformedException(at, "was left out, because names take too much memory");
    }
    new Dataset(file, path, object, at).locate();
  }

  private boolean hasRoom(String path) {
    return characters + path.length() <= MOST_CHARACTERS;
  }

  private void wait(Group group) throws MalformedException {
    if (waitingBytes + group.bytes() > MOST_WAITING_BYTES) {
      throw new MalformedException(group.at, "was left out, because too many groups wait");
    }
    waitingBytes += group.bytes();
    waiting.add(group);
  }
}
