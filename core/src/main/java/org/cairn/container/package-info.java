// SPDX-License-Identifier: Apache-2.0
/**
 * The container: one file that holds the retained versions of one rank's state. What a version is,
 * is told in {@code org.cairn.version}.
 *
 * <p>{@link org.cairn.container.ContainerFormat} is the grammar of the file, {@link
 * org.cairn.container.Container} commits to it, {@link org.cairn.container.ContainerReader} reads
 * it. The page {@code docs/format/container.md} shows a worked example. A version that comes from
 * elsewhere is {@link org.cairn.container.Incoming}; if it is only to be read it goes to a {@link
 * org.cairn.container.Spool}, which is no container.
 */
@NullMarked
package org.cairn.container;

import org.jspecify.annotations.NullMarked;
