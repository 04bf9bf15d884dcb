// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.time.Instant;

/** A version of which something was found, be it little. */
public record Sighting(VersionId id, Instant takenAt) {}
