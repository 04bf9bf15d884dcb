// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.HashAlgorithm;

/** The whole state of a {@link Program} at one moment: the trivial model of a version. */
record Snapshot(Map<String, Content> datasets) {
  static final Snapshot EMPTY = new Snapshot(Map.of());

  /** What was saved under a name. */
  @SuppressWarnings("ArrayRecordComponent") // compared by sameBytes only, never changed
  record Content(Variable.Kind kind, byte[] bytes, int blockSize, HashAlgorithm algorithm) {

    boolean sameBytes(Content other) {
      return kind == other.kind && Arrays.equals(bytes, other.bytes);
    }

    int blocks() {
      return Math.ceilDiv(bytes.length, blockSize);
    }

    /** How many blocks a differential checkpoint must write if {@code before} was saved last. */
    int dirtyBlocks(Content before) {
      int dirty = 0;
      for (int block = 0; block < blocks(); block++) {
        dirty += isClean(block, before) ? 0 : 1;
      }
      return dirty;
    }

    private boolean isClean(int block, Content before) {
      int from = block * blockSize;
      int to = Math.min(from + blockSize, bytes.length);
      return before.blockSize == blockSize
          && before.algorithm == algorithm
          && to == Math.min(from + blockSize, before.bytes.length)
          && Arrays.equals(bytes, from, to, before.bytes, from, to);
    }
  }

  Set<String> names() {
    return new TreeSet<>(datasets.keySet());
  }

  boolean sameBytes(Snapshot other) {
    return names().equals(other.names())
        && datasets.entrySet().stream()
            .allMatch(entry -> entry.getValue().sameBytes(other.content(entry.getKey())));
  }

  Content content(String name) {
    Content content = datasets.get(name);
    if (content == null) {
      throw new AssertionError("no \"" + name + "\" among " + names());
    }
    return content;
  }

  /** The number of blocks of all datasets. */
  long blocks() {
    return datasets.values().stream().mapToLong(Content::blocks).sum();
  }

  long bytes() {
    return datasets.values().stream().mapToLong(content -> content.bytes.length).sum();
  }

  /** How many blocks a differential checkpoint after {@code before} writes, exactly. */
  long dirtyBlocks(Snapshot before) {
    long dirty = 0;
    for (Map.Entry<String, Content> entry : datasets.entrySet()) {
      Content old = before.datasets.get(entry.getKey());
      Content now = entry.getValue();
      dirty += old == null ? now.blocks() : now.dirtyBlocks(old);
    }
    return dirty;
  }

  /** All datasets of two snapshots: what a program must protect to take either. */
  Map<String, Content> or(Snapshot other) {
    Map<String, Content> both = new TreeMap<>(datasets);
    both.putAll(other.datasets);
    return both;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    datasets.forEach(
        (name, content) ->
            text.append(name)
                .append('[')
                .append(content.bytes.length)
                .append("]#")
                .append(Integer.toHexString(Arrays.hashCode(content.bytes)))
                .append(' '));
    return text.toString().strip();
  }
}
