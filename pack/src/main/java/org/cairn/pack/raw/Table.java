// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.raw;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlArray;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/**
 * A table of a description; whatever is wrong in it is refused with its place.
 *
 * @param origin the file, for messages
 * @param place where the table begins
 */
record Table(String origin, TomlTable toml, TomlPosition place) {
  /** Refuses all other keys: to pass over one that is misspelt would be worse. */
  void allow(Set<String> keys) throws DescriptionException {
    for (String key : toml.keySet()) {
      if (!keys.contains(key)) {
        throw refuse(
            key, "\"%s\" is no key here; there are %s".formatted(key, new TreeSet<>(keys)));
      }
    }
  }

  private @Nullable Object get(String key) {
    return toml.get(List.of(key));
  }

  String string(String key) throws DescriptionException {
    Optional<String> found = optionalString(key);
    if (found.isEmpty()) {
      throw refuse(key, "\"%s\" is missing".formatted(key));
    }
    return found.get();
  }

  Optional<String> optionalString(String key) throws DescriptionException {
    return switch (get(key)) {
      case null -> Optional.empty();
      case String text -> Optional.of(text);
      default -> throw refuse(key, "\"%s\" is to be a text".formatted(key));
    };
  }

  OptionalLong number(String key, long least) throws DescriptionException {
    return switch (get(key)) {
      case null -> OptionalLong.empty();
      case Long number when number >= least -> OptionalLong.of(number);
      default -> throw refuse(key, "\"%s\" is to be a number, at least %d".formatted(key, least));
    };
  }

  boolean isText(String key) {
    return get(key) instanceof String;
  }

  /** Numbers from 1 on; none if the key is missing. */
  List<Long> numbers(String key) throws DescriptionException {
    List<Long> numbers = new ArrayList<>();
    for (Object item : array(key)) {
      if (!(item instanceof Long number) || number < 1) {
        throw refuse(key, "\"%s\" is to be a list of numbers, at least 1 each".formatted(key));
      }
      numbers.add(number);
    }
    return numbers;
  }

  /** Tables; none if the key is missing. */
  List<Table> tables(String key) throws DescriptionException {
    List<Table> tables = new ArrayList<>();
    for (Object item : array(key)) {
      if (!(item instanceof TomlTable table)) {
        throw refuse(key, "\"%s\" is to be tables, as [[%s]]".formatted(key, key));
      }
      tables.add(new Table(origin, table, placeOf(key, tables.size())));
    }
    return tables;
  }

  private List<Object> array(String key) throws DescriptionException {
    return switch (get(key)) {
      case null -> List.of();
      case TomlArray array -> array.toList();
      default -> throw refuse(key, "\"%s\" is to be a list".formatted(key));
    };
  }

  private TomlPosition placeOf(String key, int index) {
    return toml.get(List.of(key)) instanceof TomlArray array ? array.inputPositionOf(index) : place;
  }

  DescriptionException refuse(String key, String why) {
    TomlPosition known = toml.inputPositionOf(List.of(key));
    return new DescriptionException(origin, known == null ? place : known, why);
  }
}
