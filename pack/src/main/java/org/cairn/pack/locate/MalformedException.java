// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

/** Bytes that make no sense in their format; whoever reads the object around them makes a note. */
public final class MalformedException extends Exception {
  private static final long serialVersionUID = 1;

  private final long offset;
  private final boolean outside;

  /**
   * Says what is wrong.
   *
   * @param offset where in the file
   */
  public MalformedException(long offset, String message) {
    this(offset, message, false);
  }

  private MalformedException(long offset, String message, boolean outside) {
    super(message, null, false, false);
    this.offset = offset;
    this.outside = outside;
  }

  /** Says what lies where the file has nothing. */
  public static MalformedException outside(long offset, String message) {
    return new MalformedException(offset, message, true);
  }

  /** Whether the file ends before that. */
  public boolean isOutside() {
    return outside;
  }

  /** Where in the file. */
  public long offset() {
    return offset;
  }

  /** Leaves out what cannot be read. */
  public void noteIn(Hints hints) {
    noteIn(hints, String.valueOf(getMessage()));
  }

  /** Does so in other words. */
  public void noteIn(Hints hints, String text) {
    if (outside) {
      hints.outside(offset, text);
    } else {
      hints.note(offset, text);
    }
  }
}
