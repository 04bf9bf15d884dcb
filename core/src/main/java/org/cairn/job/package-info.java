// SPDX-License-Identifier: Apache-2.0
/**
 * Many ranks that checkpoint and restart as one: what they agree on, and how.
 *
 * <p>{@link org.cairn.job.Job} is what the API uses. A failure of one rank becomes a value, the
 * ranks exchange it, and all of them throw alike ({@link org.cairn.tier.Agreement}).
 */
package org.cairn.job;
