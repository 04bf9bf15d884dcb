// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.cairn.cli.terminal.Printable;

/** A few lines of Python that read what was exported, and show that they did. */
final class PythonLines {
  private final List<String> lines = new ArrayList<>();
  private final Set<String> names = new LinkedHashSet<>();

  /**
   * Of files of one format.
   *
   * @param format one that NumPy or h5py reads
   * @param origin what they are of
   */
  PythonLines(ExportCommand.Format format, String origin) {
    lines.add("# " + Printable.oneLine(origin));
    lines.add("import numpy as np");
    if (format == ExportCommand.Format.H5) {
      lines.add("import h5py");
    }
  }

  /** Reads one more. */
  void add(ExportCommand.Format format, Exportable one, Path file) {
    String name = variable(one.name());
    String path = quoted(file.toString());
    lines.add(
        name
            + " = "
            + switch (format) {
              case H5 -> "h5py.File(%s)[%s]".formatted(path, quoted(Hdf5Head.linkName(one.name())));
              case RAW ->
                  "np.memmap(%s, dtype=%s, mode='r', shape=%s)"
                      .formatted(path, quoted(one.type().numpy()), tuple(one.shape()));
              default -> "np.load(%s, mmap_mode='r')".formatted(path);
            });
  }

  /** The lines, each file with a line that tells of it. */
  List<String> all() {
    List<String> all = new ArrayList<>(lines);
    for (String name : names) {
      all.add("print(%s, %s.dtype, %s.shape)".formatted(quoted(name), name, name));
      all.add("print('from', np.min(%s), 'to', np.max(%s))".formatted(name, name));
    }
    return all;
  }

  /** A name that Python takes, and that no other file has. */
  private String variable(String dataset) {
    String plain = dataset.replaceAll("[^A-Za-z0-9_]", "_");
    String name = plain.isEmpty() || Character.isDigit(plain.charAt(0)) ? "_" + plain : plain;
    while (!names.add(name)) {
      name += "_";
    }
    return name;
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'";
  }

  private static String tuple(List<Long> shape) {
    return shape.stream()
        .map(String::valueOf)
        .collect(Collectors.joining(", ", "(", ",)"))
        .replace("(,)", "()");
  }
}
