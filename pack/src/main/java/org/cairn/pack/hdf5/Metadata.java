// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.MalformedException;
import org.cairn.pack.locate.Storage;
import org.cairn.pack.locate.Variable;

/** A file while it is looked at: what all that read it share. For one thread. */
final class Metadata {
  private static final int CHARACTERS_OF_A_STEP = 64;

  private final Pages pages;
  private final Superblock superblock;
  private final Hints hints;
  private final Seen seen = new Seen();
  private final Alike alike = new Alike();
  private final Twin twin;

  /** What is being looked at, for notes. */
  private String subject = "";

  Metadata(Pages pages, Superblock superblock, Twin twin, Hints hints) {
    this.pages = pages;
    this.superblock = superblock;
    this.twin = twin;
    this.hints = hints;
  }

  Superblock superblock() {
    return superblock;
  }

  /** What the last dataset had. */
  Alike alike() {
    return alike;
  }

  /** A dataset like which there may be others. */
  Twin twin() {
    return twin;
  }

  /** Reads from a place on, at most to the end of the file. */
  Cursor from(long at) throws MalformedException {
    return within(at, pages.size());
  }

  /** Reads from one place to another. */
  Cursor within(long at, long end) throws MalformedException {
    if (at == Cursor.UNDEFINED) {
      throw new MalformedException(0, "needs an address that is undefined");
    }
    if (end < at || !pages.holds(at, end - at)) {
      throw MalformedException.outside(at, "leads beyond the end of the file");
    }
    return new Cursor(pages, superblock, at, end);
  }

  /** Reads so many bytes. */
  Cursor bytes(long at, long length) throws MalformedException {
    return within(at, length < 0 || length > Cursor.FAR ? Cursor.FAR : at + length);
  }

  /** Counts something that is looked at. */
  void step() {
    hints.step();
  }

  /** Counts several of them. */
  void steps(int count) {
    hints.steps(count);
  }

  /** Whether bytes of one page are those of an array, between bounds. */
  boolean isLike(long at, byte[] array, int[] bounds, int ends) throws IOException {
    return pages.isLike(at, array, bounds, ends);
  }

  /**
   * Counts text: a short one belongs to what it names, a long one takes as long as many objects.
   */
  void steps(String text) {
    for (int i = CHARACTERS_OF_A_STEP; i <= text.length(); i += CHARACTERS_OF_A_STEP) {
      hints.step();
    }
  }

  /**
   * Takes the place of a node or an object for itself.
   *
   * @return whether nobody had it before
   */
  boolean claim(long at) {
    return seen.add(at);
  }

  /** Takes the place of a node, which nobody may have had before. */
  void claimNode(long at) throws MalformedException {
    if (!claim(at)) {
      throw new MalformedException(
          at, seen.isFull() ? "has too many objects" : "leads to a node for the second time");
    }
  }

  /** Whether no more objects can be looked at. */
  boolean isFull() {
    return seen.isFull();
  }

  /** Says what notes are about from now on: the path of an object, empty for the root. */
  void about(String path) {
    subject = path;
  }

  void note(MalformedException problem) {
    problem.noteIn(hints, aboutSubject(String.valueOf(problem.getMessage())));
  }

  void note(long at, String text) {
    hints.note(at, aboutSubject(text));
  }

  /** With the object that it is said of. */
  private String aboutSubject(String text) {
    return (subject.isEmpty() ? "/" : subject) + ": " + text;
  }

  /** Whether bytes are all within the file. */
  boolean holds(long at, long length) {
    return pages.holds(at, length);
  }

  /** Adds an extent, if the file has it. */
  void found(Extent extent) {
    if (holds(extent.offset(), extent.length())) {
      hints.extent(extent);
    } else {
      hints.outside(extent.offset(), aboutSubject("has data beyond the end of the file"));
    }
  }

  /** Whether somebody wants to know how a dataset is stored. */
  boolean wantsStorage(String path) {
    return hints.wantsStorage(path);
  }

  void storage(Variable variable, Storage storage) {
    hints.storage(variable, storage);
  }

  /** Where a message is, which may be somewhere else than in its header. */
  Cursor body(Message message) throws IOException, MalformedException {
    return message.isShared() ? SharedMessage.find(this, message) : message.body(this);
  }
}
