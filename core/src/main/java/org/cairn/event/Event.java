// SPDX-License-Identifier: Apache-2.0
package org.cairn.event;

import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.cairn.supply.Plainly;

/**
 * Something that happened, as one line of JSON: {@code time} and {@code event} first, then what
 * belongs to it. Times are in seconds, sizes in bytes. Readers must skip fields they do not know.
 */
public final class Event {
  private final Map<String, Object> fields = new LinkedHashMap<>();

  /** An event of a kind, such as {@code checkpoint}. */
  public Event(String kind, Instant time) {
    fields.put("time", Plainly.text(time));
    fields.put("event", kind);
  }

  /** Adds a field: a number, a boolean, a text, or a collection of these. */
  public Event with(String name, Object value) {
    fields.put(name, value);
    return this;
  }

  /** One line, without the line end. */
  public String toJson() {
    StringBuilder out = new StringBuilder(256);
    append(out, fields);
    return out.toString();
  }

  private static void append(StringBuilder out, Object value) {
    switch (value) {
      case Map<?, ?> map -> appendMap(out, map);
      case Collection<?> items -> appendItems(out, items);
      case Double number when number.isNaN() || number.isInfinite() -> out.append("null");
      case Number number -> out.append(number);
      case Boolean truth -> out.append(truth);
      default -> quote(out, value.toString());
    }
  }

  private static void appendMap(StringBuilder out, Map<?, ?> map) {
    char separator = '{';
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.append(separator);
      quote(out, entry.getKey().toString());
      out.append(':');
      append(out, entry.getValue());
      separator = ',';
    }
    out.append(map.isEmpty() ? "{}" : "}");
  }

  private static void appendItems(StringBuilder out, Collection<?> items) {
    out.append('[');
    boolean first = true;
    for (Object item : items) {
      out.append(first ? "" : ",");
      append(out, item);
      first = false;
    }
    out.append(']');
  }

  private static void quote(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < 0x20 || c == 0x2028 || c == 0x2029 || Character.isSurrogate(c)) {
        out.append("\\u%04x".formatted((int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
