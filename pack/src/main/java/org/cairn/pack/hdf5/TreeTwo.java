// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.cairn.pack.locate.MalformedException;

/**
 * The newer kind of B-tree, whose inner nodes have records, too.
 *
 * <pre>
 * Header → "BTHD", 0, Type:8, NodeSize:32, RecordSize:16, Depth:16, Split:8, Merge:8,
 *          Root:address, RootCount:16, Total:length, Checksum
 * Inner  → "BTIN", 0, Type:8, Record{count}, (Child:address, Count, [Total]){count + 1}, Checksum
 * Leaf   → "BTLF", 0, Type:8, Record{count}, Checksum
 * </pre>
 *
 * <p>How wide a child's count and total are follows from how many records fit below it.
 */
final class TreeTwo {
  static final int LINKS_BY_NAME = 5;
  static final int CHUNKS = 10;
  static final int FILTERED_CHUNKS = 11;

  /** Even with two children a node this is more than a file can have. */
  private static final int MOST_LEVELS = 48;

  /** Signature, version, type and checksum. */
  private static final int NODE_OVERHEAD = 10;

  private final Metadata file;
  private final int type;
  private final int recordBytes;
  private final long nodeBytes;
  private final int countBytes;

  /** By level from the leaves: how many records a node holds, and how wide a total below it is. */
  private final long[] most;

  private final int[] totalBytes;
  private final Deque<Node> path = new ArrayDeque<>();

  /** Takes records. */
  interface Visitor {
    void record(Cursor record) throws IOException, MalformedException;
  }

  private static final class Node {
    private final int level;
    private final Cursor records;
    private long recordsLeft;
    private final Cursor children;
    private long childrenLeft;

    Node(int level, Cursor records, long count, Cursor children, long childrenLeft) {
      this.level = level;
      this.records = records;
      this.recordsLeft = count;
      this.children = children;
      this.childrenLeft = childrenLeft;
    }
  }

  private TreeTwo(Metadata file, int type, Cursor header, int levels, int recordBytes, long node)
      throws MalformedException {
    this.file = file;
    this.type = type;
    this.recordBytes = recordBytes;
    this.nodeBytes = node;
    this.most = new long[levels + 1];
    this.totalBytes = new int[levels + 1];
    most[0] = (nodeBytes - NODE_OVERHEAD) / recordBytes;
    this.countBytes = bytesFor(most[0]);
    long total = most[0];
    for (int level = 1; level <= levels; level++) {
      int pointer = pointerBytes(level);
      most[level] = (nodeBytes - NODE_OVERHEAD - pointer) / (recordBytes + pointer);
      if (most[level] < 1 || total > Cursor.FAR / (most[level] + 2)) {
        throw new MalformedException(header.at(), "has a tree of absurd shape");
      }
      total = (most[level] + 1) * total + most[level];
      totalBytes[level] = bytesFor(total);
    }
  }

  /** Shows all records of a tree. */
  static void records(Metadata file, long at, int type, Visitor visitor)
      throws IOException, MalformedException {
    Cursor header = file.from(at).expect("BTHD", 0);
    int found = header.u8();
    long nodeBytes = header.u32();
    int recordBytes = header.u16();
    int levels = header.u16();
    if (found != type || levels > MOST_LEVELS || recordBytes == 0) {
      throw new MalformedException(at, "has a tree that is not understood");
    }
    long root = header.skip(2).address();
    int count = header.u16();
    if (root != Cursor.UNDEFINED && count > 0) {
      TreeTwo tree = new TreeTwo(file, type, header, levels, recordBytes, nodeBytes);
      tree.open(root, levels, count);
      tree.walk(visitor);
    }
  }

  private void walk(Visitor visitor) throws IOException {
    while (!path.isEmpty()) {
      Node node = path.element();
      try {
        if (node.recordsLeft > 0) {
          node.recordsLeft--;
          file.step();
          Cursor record = file.bytes(node.records.at(), recordBytes);
          node.records.skip(recordBytes);
          visitor.record(record);
        } else if (node.childrenLeft > 0) {
          node.childrenLeft--;
          file.step();
          child(node);
        } else {
          path.remove();
        }
      } catch (MalformedException e) {
        file.note(e);
      }
    }
  }

  private void child(Node node) throws IOException, MalformedException {
    long at = node.children.address();
    long count = node.children.count(countBytes);
    node.children.skip(totalBytes[node.level - 1]);
    open(at, node.level - 1, count);
  }

  private void open(long at, int level, long count) throws IOException, MalformedException {
    Cursor node = file.bytes(at, nodeBytes).expect(level == 0 ? "BTLF" : "BTIN", 0);
    if (node.u8() != type || count > most[level]) {
      throw new MalformedException(at, "a tree has a node that belongs elsewhere");
    }
    file.claimNode(at);
    Cursor records = file.bytes(node.at(), count * recordBytes);
    long children = level == 0 ? 0 : count + 1;
    Cursor pointers = file.bytes(records.end(), children == 0 ? 0 : children * pointerBytes(level));
    path.push(new Node(level, records, count, pointers, children));
  }

  private int pointerBytes(int level) {
    return file.superblock().offsetBytes() + countBytes + totalBytes[level - 1];
  }

  /** How many bytes a number takes that may be as large as this. */
  private static int bytesFor(long limit) {
    return (Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(1, limit))) / Byte.SIZE + 1;
  }
}
