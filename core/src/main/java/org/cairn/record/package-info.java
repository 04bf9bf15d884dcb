// SPDX-License-Identifier: Apache-2.0
/**
 * Records: what files and messages are made of. {@link org.cairn.record.RecordWriter} builds one,
 * {@link org.cairn.record.RecordReader} reads one and stays inside it whatever the bytes say, and
 * {@link org.cairn.record.Fields} lets records grow: fields have tags and lengths, and whoever does
 * not know one passes it over.
 */
@NullMarked
package org.cairn.record;

import org.jspecify.annotations.NullMarked;
