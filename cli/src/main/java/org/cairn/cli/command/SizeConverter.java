// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes such as {@code 512MiB}, {@code 16k} or {@code 4096}; units are powers of 1024. */
public final class SizeConverter implements ITypeConverter<Long> {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,12})\\s*([kmgt]?)(i?b)?");

  @Override
  public Long convert(String text) {
    Matcher matcher = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException("'" + text + "' is no size; write 512MiB, 16k or 4096");
    }
    String unit = matcher.group(2);
    int power = unit.isEmpty() ? 0 : 1 + "kmgt".indexOf(unit);
    return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << (10 * power));
  }
}
