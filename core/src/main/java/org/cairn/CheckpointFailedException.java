// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Optional;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint did not become durable. The one before is untouched, and the next call tries again.
 */
public class CheckpointFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable VersionId version;

  /** Reports a failure that is not about one checkpoint. */
  public CheckpointFailedException(String message, Throwable cause) {
    this(message, cause, null);
  }

  CheckpointFailedException(String message, Throwable cause, @Nullable VersionId version) {
    super(message, cause);
    this.version = version;
  }

  /** The version that did not become durable; empty if there was none yet. */
  public Optional<VersionId> version() {
    return Optional.ofNullable(version);
  }
}
