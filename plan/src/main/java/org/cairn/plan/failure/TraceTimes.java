// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;

/**
 * Times as people write them, in seconds. A time without a zone is taken as it stands: the night
 * when clocks change has neither an hour more nor one less, because the record does not say where
 * it was kept.
 */
enum TraceTimes {
  /** As LANL writes it: {@code 6/21/2005 10:54}. */
  AMERICAN("a date such as 6/21/2005 10:54") {
    @Override
    double parse(String text) {
      return seconds(LocalDateTime.parse(text, AMERICAN_FORMAT).toInstant(ZoneOffset.UTC));
    }
  },
  /** {@code 2026-01-31T12:00:00}, local. */
  LOCAL("a date such as 2026-01-31T12:00:00, without a zone as in the rows before") {
    @Override
    double parse(String text) {
      LocalDateTime time = LocalDateTime.parse(withT(text), DateTimeFormatter.ISO_LOCAL_DATE_TIME);
      return seconds(time.toInstant(ZoneOffset.UTC));
    }
  },
  /** {@code 2026-01-31T12:00:00+01:00}. */
  ZONED("a date such as 2026-01-31T12:00:00Z, with a zone as in the rows before") {
    @Override
    double parse(String text) {
      return seconds(ZonedDateTime.parse(withT(text), ISO_FORMAT).toInstant());
    }
  },
  /** {@code 1234.5}. */
  SECONDS("a number of seconds, as in the rows before") {
    @Override
    double parse(String text) {
      double value = new BigDecimal(text).doubleValue();
      if (Double.isInfinite(value)) {
        throw new NumberFormatException(text + " is too large");
      }
      return value;
    }
  };

  private static final DateTimeFormatter AMERICAN_FORMAT =
      DateTimeFormatter.ofPattern("M/d/uuuu H:m[:s]", Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);

  private static final DateTimeFormatter ISO_FORMAT =
      new DateTimeFormatterBuilder()
          .parseCaseInsensitive()
          .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
          .appendPattern("[XXX][XX][X]['['VV']']")
          .toFormatter(Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);

  private final String form;

  TraceTimes(String form) {
    this.form = form;
  }

  /**
   * Reads one in this form.
   *
   * @throws DateTimeParseException if it is no such date
   * @throws NumberFormatException if it is no such number
   */
  abstract double parse(String text);

  /** What is expected, with an example. */
  String form() {
    return form;
  }

  /**
   * Finds the form of a time.
   *
   * @throws DateTimeParseException if it has none of these
   */
  static TraceTimes formOf(String text) {
    try {
      SECONDS.parse(text);
      return SECONDS;
    } catch (NumberFormatException e) {
      TemporalAccessor time =
          ISO_FORMAT.parseBest(withT(text), ZonedDateTime::from, LocalDateTime::from);
      return time instanceof ZonedDateTime ? ZONED : LOCAL;
    }
  }

  private static String withT(String text) {
    return text.strip().replaceFirst("(?<=\\d) +(?=\\d)", "T").replace(" ", "");
  }

  private static double seconds(Instant instant) {
    return instant.getEpochSecond() + instant.getNano() * 1e-9;
  }
}
