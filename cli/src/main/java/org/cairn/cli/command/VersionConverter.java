// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

import org.cairn.VersionName;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads versions such as {@code 1.3} or {@code 1.3@5f0c91aa} from the command line. */
public final class VersionConverter implements ITypeConverter<VersionName> {

  @Override
  public VersionName convert(String text) {
    try {
      return VersionName.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}
