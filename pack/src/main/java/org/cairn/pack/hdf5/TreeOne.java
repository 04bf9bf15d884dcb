// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.cairn.pack.locate.MalformedException;

/**
 * The older kind of B-tree.
 *
 * <pre>
 * Node → "TREE", Type:8, Level:8, Count:16, Left:address, Right:address, (Key, Child:address){count}, Key
 * </pre>
 *
 * <p>It is walked from the root down, by a path of at most as many nodes as it has levels; a child
 * that is not one level below, or that was there before, is left out.
 */
final class TreeOne {
  static final int GROUP = 0;
  static final int CHUNKS = 1;

  private final Metadata file;
  private final int type;
  private final int keyBytes;
  private final Deque<Node> path = new ArrayDeque<>();

  /** Takes what is below the tree. */
  interface Leaf {
    void entry(Cursor key, long child) throws IOException, MalformedException;
  }

  private static final class Node {
    private final int level;
    private final Cursor entries;
    private int left;

    Node(int level, Cursor entries, int left) {
      this.level = level;
      this.entries = entries;
      this.left = left;
    }
  }

  private TreeOne(Metadata file, int type, int keyBytes) {
    this.file = file;
    this.type = type;
    this.keyBytes = keyBytes;
  }

  /** Shows all entries of a tree. */
  static void entries(Metadata file, long root, int type, int keyBytes, Leaf leaf)
      throws IOException, MalformedException {
    TreeOne tree = new TreeOne(file, type, keyBytes);
    tree.open(root, -1);
    tree.walk(leaf);
  }

  private void walk(Leaf leaf) throws IOException {
    while (!path.isEmpty()) {
      Node node = path.element();
      if (node.left == 0) {
        path.remove();
        continue;
      }
      node.left--;
      try {
        next(node, leaf);
      } catch (MalformedException e) {
        file.note(e);
      }
    }
  }

  private void next(Node node, Leaf leaf) throws IOException, MalformedException {
    file.step();
    Cursor key = file.bytes(node.entries.at(), keyBytes);
    long child = node.entries.skip(keyBytes).address();
    if (node.level == 0) {
      leaf.entry(key, child);
    } else {
      open(child, node.level - 1);
    }
  }

  private void open(long at, int expected) throws IOException, MalformedException {
    Cursor node = file.from(at);
    if (node.u32() != 0x45455254) { // "TREE"
      throw new MalformedException(at, "is no TREE");
    }
    int found = node.u8();
    int level = node.u8();
    if (found != type || expected >= 0 && level != expected) {
      throw new MalformedException(at, "a tree has a node that belongs elsewhere");
    }
    file.claimNode(at);
    int count = node.u16();
    int addressBytes = file.superblock().offsetBytes();
    node.skip(2L * addressBytes);
    long bytes = (long) count * (keyBytes + addressBytes);
    path.push(new Node(level, file.bytes(node.at(), bytes), count));
  }
}
