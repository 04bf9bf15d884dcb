// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.util.List;

/** A place with a {@link Store} for every rank, and perhaps left-over ones of other ranks. */
public interface Directories {
  /** The store of this name, made if there is none. */
  Store create(String name) throws IOException;

  /** An existing store, to be read. */
  Store open(String name) throws IOException;

  /** The name of the place itself, where a program with a single rank keeps its state. */
  String ROOT = ".";

  /** The names of all stores there are; {@link #ROOT} among them if there are files beside them. */
  List<String> names() throws IOException;

  /** Where the stores lie, for messages. */
  String location();
}
