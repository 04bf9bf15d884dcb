// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Optional;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/** A checkpoint or restart could not be completed. The last good checkpoint is untouched. */
public class CheckpointFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable VersionId version;

  /** Reports what failed, and why. */
  public CheckpointFailedException(String message, Throwable cause) {
    this(message, cause, null);
  }

  CheckpointFailedException(String message, Throwable cause, @Nullable VersionId version) {
    super(message, cause);
    this.version = version;
  }

  /** The version that did not become durable; empty if none had been begun. */
  public Optional<VersionId> version() {
    return Optional.ofNullable(version);
  }
}
