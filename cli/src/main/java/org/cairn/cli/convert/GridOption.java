// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.convert;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * How arrays are cut, as people write it: {@code 2x3}, or {@code u=2x3} for one of them.
 *
 * @param array its name; null for all that have so many axes
 * @param cuts how many bricks along each axis
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
record GridOption(@Nullable String array, int[] cuts) {
  private static final Pattern FORM =
      Pattern.compile("(?:(?<array>.+)=)?(?<cuts>\\d{1,6}(?:x\\d{1,6})*)");

  /** Reads one. */
  static final class Converter implements ITypeConverter<GridOption> {
    @Override
    public GridOption convert(String text) {
      Matcher form = FORM.matcher(text);
      if (!form.matches()) {
        throw new TypeConversionException("\"%s\" is no grid; write 2x3, or u=2x3".formatted(text));
      }
      return new GridOption(
          form.group("array"),
          Arrays.stream(form.group("cuts").split("x", -1)).mapToInt(Integer::parseInt).toArray());
    }
  }
}
