// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.MalformedException;
import org.cairn.pack.locate.Variable;
import org.jspecify.annotations.Nullable;

/**
 * The header of a dataset whose data lie in one place, to find others by. Programs write one
 * dataset like the other; a header with the same bytes, but for the place of the data and for what
 * nobody looks at, says the same and need not be taken apart. For one thread.
 *
 * <p>The same are all bytes but the place, times, and the bodies of messages that are neither type
 * nor space nor layout. A header that goes on elsewhere, or has one of these three elsewhere, is
 * nobody's twin: what it says is not in its bytes alone.
 */
final class Twin {
  /** So many are passed over at most, after others were remembered in vain. */
  private static final int LONGEST_PAUSE = (1 << 10) - 1;

  private static final int LONGEST = 1 << 12;
  private static final int TIMES_BYTES = 16;

  /** How many bytes the two have before the place of the data: those of versions 3 and 4. */
  private static final int VERSION_AND_CLASS = 2;

  private final boolean used;
  private byte[] header = {};
  private int[] bounds = {};
  private int ends;
  private int messages;
  private int placeAt;
  private long bytes;
  private @Nullable Variable variable;

  /** How many are passed over before the next is remembered, and how many after that. */
  private int toPass;

  private int pause;

  /** Knows none yet, and never will if it is not to be used. */
  Twin(boolean used) {
    this.used = used;
  }

  /** Remembers a dataset, if its header can be found again in others. */
  void remember(Metadata file, DataObject object, Variable found, long foundBytes)
      throws IOException, MalformedException {
    Message layout = object.layout();
    if (!used || toPass-- > 0 || layout == null || object.headerBytes() > LONGEST) {
      return;
    }
    toPass = pause;
    pause = Math.min(LONGEST_PAUSE, 2 * pause + 1);
    variable = null;
    Cursor start = layout.body(file);
    int version = start.u8();
    if (layout.isShared() || version < 3 || start.u8() != Layout.CONTIGUOUS) {
      return;
    }
    header = file.bytes(object.at(), object.headerBytes()).bytes((int) object.headerBytes());
    placeAt = (int) (layout.start() - object.at()) + VERSION_AND_CLASS;
    if (bound(object, layout, file.superblock().offsetBytes())) {
      messages = object.messages();
      bytes = foundBytes;
      variable = found;
    }
  }

  /** Says which bytes are to be the same: from one bound to the next, then not to the next. */
  private boolean bound(DataObject object, Message layout, int placeBytes) {
    bounds = new int[2 * object.messages() + 6];
    ends = 0;
    int flags = header[5];
    if (header[0] != 1 && (flags & ObjectHeader.WITH_TIMES) != 0) {
      leaveOut(6, TIMES_BYTES);
    }
    for (int i = 0; i < object.messages(); i++) {
      Message message = object.message(i);
      if (message == null || message.type() == Message.CONTINUATION) {
        return false;
      }
      int at = (int) (message.start() - object.at());
      int length = (int) (message.end() - message.start());
      if (message == layout) {
        leaveOut(placeAt, placeBytes);
      } else if (!isLookedAt(message)) {
        leaveOut(at, length);
      } else if (message.isShared()) {
        return false;
      }
      bounds[ends + 1] = at + length;
    }
    ends += 2;
    return true;
  }

  private void leaveOut(int at, int length) {
    bounds[ends + 1] = at;
    bounds[ends + 2] = at + length;
    bounds[ends + 3] = at + length;
    ends += 2;
  }

  private static boolean isLookedAt(Message message) {
    return message.type() == Message.DATASPACE
        || message.type() == Message.DATATYPE
        || message.type() == Message.LAYOUT;
  }

  /**
   * Adds the dataset with the header at a place, if that is like the one that is remembered.
   *
   * @return whether it is
   */
  boolean locate(Metadata file, String path, long at) throws IOException, MalformedException {
    Variable like = variable;
    if (like == null || !file.isLike(at, header, bounds, ends)) {
      return false;
    }
    long place = file.bytes(at + placeAt, file.superblock().offsetBytes()).address();
    // Not written yet: there is more to say of it.
    if (place == Cursor.UNDEFINED) {
      return false;
    }
    toPass = 0;
    pause = 0;
    file.steps(messages);
    Variable found = new Variable(path, like.elements(), like.type(), like.shape());
    file.found(Extent.whole(found, place, bytes));
    return true;
  }
}
