// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import org.cairn.version.VersionId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads versions such as {@code 1.3} from the command line. */
public final class VersionConverter implements ITypeConverter<VersionId> {

  @Override
  public VersionId convert(String text) {
    try {
      return VersionId.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}
