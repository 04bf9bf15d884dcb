// SPDX-License-Identifier: Apache-2.0
/** The first tier, which every job has: what its containers offer at a start. */
package org.cairn.tier.local;
