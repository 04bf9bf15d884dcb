// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

/** Bytes that make no sense in their format; whoever reads the object around them makes a note. */
public final class MalformedException extends Exception {
  private static final long serialVersionUID = 1;

  private final long offset;

  /**
   * Says what is wrong.
   *
   * @param offset where in the file
   */
  public MalformedException(long offset, String message) {
    super(message, null, false, false);
    this.offset = offset;
  }

  /** Where in the file. */
  public long offset() {
    return offset;
  }

  /** Leaves out what cannot be read. */
  public void noteIn(Hints hints) {
    hints.note(offset, String.valueOf(getMessage()));
  }
}
