// SPDX-License-Identifier: Apache-2.0
/** The second tier: every rank's container once more, with another rank. */
package org.cairn.tier.partner;
