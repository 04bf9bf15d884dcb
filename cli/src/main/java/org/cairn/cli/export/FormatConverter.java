// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads formats as people call them. */
final class FormatConverter implements ITypeConverter<ExportCommand.Format> {
  private static final Map<String, ExportCommand.Format> ALSO =
      Map.of(
          "numpy", ExportCommand.Format.NPY,
          "hdf5", ExportCommand.Format.H5,
          "vtk", ExportCommand.Format.VTI,
          "xmf", ExportCommand.Format.XDMF,
          "bin", ExportCommand.Format.RAW);

  @Override
  public ExportCommand.Format convert(String text) {
    String name = text.strip().toLowerCase(Locale.ROOT);
    for (ExportCommand.Format one : ExportCommand.Format.values()) {
      if (one.extension().equals(name)) {
        return one;
      }
    }
    String known =
        Arrays.stream(ExportCommand.Format.values())
            .map(ExportCommand.Format::extension)
            .collect(Collectors.joining(", "));
    ExportCommand.Format meant = ALSO.get(name);
    throw new TypeConversionException(
        "'%s' is no format that can be written; there are %s%s"
            .formatted(text, known, meant == null ? "" : "; did you mean " + meant + "?"));
  }
}
