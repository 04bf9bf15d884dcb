// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/** The loops of {@code cloverleaf-region.txt}. */
final class CloverLeaf {
  /** How loops that fill a boundary say what they do. */
  enum Boundaries {
    /** As in OPS: read and write, with the own point and the neighbour in the stencil. */
    UPDATE,
    /** As it is: the neighbour is read, the own point written. */
    READ_NEIGHBOUR
  }

  private static final String RESOURCE = "cloverleaf-region.txt";

  final List<FieldShape> fields = new ArrayList<>();

  /** What each loop of the region says, in the order in which they run. */
  final List<List<FieldAccess>> region = new ArrayList<>();

  /** The loops without repetitions, and the region by their numbers. */
  final List<LoopAccess> loops = new ArrayList<>();

  final int[] ring;

  private final Map<String, Integer> numbers = new LinkedHashMap<>();
  private final Function<String, Box> shape;
  private final Boundaries boundaries;

  CloverLeaf(Function<String, Box> shape, Boundaries boundaries) {
    this.shape = shape;
    this.boundaries = boundaries;
    List<String> names = read();
    Map<List<FieldAccess>, Integer> known = new LinkedHashMap<>();
    ring = new int[region.size()];
    for (int at = 0; at < ring.length; at++) {
      List<FieldAccess> accesses = region.get(at);
      ring[at] = known.computeIfAbsent(accesses, accessesOfNew -> known.size());
      if (ring[at] == loops.size()) {
        loops.add(LoopAccess.of(names.get(at), accesses, fields));
      }
    }
  }

  private List<String> read() {
    List<String> names = new ArrayList<>();
    Box range = Box.EMPTY;
    for (String line : lines()) {
      String[] words = line.strip().split(" +");
      if (line.startsWith(" ")) {
        region.getLast().addAll(accesses(words, range));
      } else {
        range = Box.of(number(words[1]), number(words[2]), number(words[3]), number(words[4]));
        names.add(words[0]);
        region.add(new ArrayList<>());
      }
    }
    return names;
  }

  private static List<String> lines() {
    try (InputStream in = CloverLeaf.class.getResourceAsStream(RESOURCE);
        Stream<String> lines =
            new BufferedReader(
                    new InputStreamReader(
                        Objects.requireNonNull(in, RESOURCE), StandardCharsets.UTF_8))
                .lines()) {
      return lines.filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private List<FieldAccess> accesses(String[] words, Box range) {
    List<String> rest = List.of(words).subList(1, words.length);
    int colon = rest.indexOf(":");
    List<String> names = colon < 0 ? rest : rest.subList(0, colon);
    List<Offset> offsets =
        colon < 0
            ? List.of(Offset.HERE)
            : rest.subList(colon + 1, rest.size()).stream().map(CloverLeaf::offset).toList();
    return names.stream()
        .flatMap(name -> accesses(words[0], field(name), range, offsets).stream())
        .toList();
  }

  private static Offset offset(String word) {
    int comma = word.indexOf(',');
    return new Offset(number(word.substring(0, comma)), number(word.substring(comma + 1)), 0);
  }

  private int field(String name) {
    return numbers.computeIfAbsent(
        name,
        newName -> {
          fields.add(new FieldShape(newName, shape.apply(newName), 8));
          return numbers.size();
        });
  }

  private List<FieldAccess> accesses(String kind, int field, Box range, List<Offset> offsets) {
    return switch (kind) {
      case "R" -> List.of(new FieldAccess(field, Mode.READ, range, offsets));
      case "W" -> List.of(new FieldAccess(field, Mode.WRITE, range));
      case "U" -> List.of(new FieldAccess(field, Mode.UPDATE, range));
      case "B" ->
          boundaries == Boundaries.UPDATE
              ? List.of(new FieldAccess(field, Mode.UPDATE, range, offsets))
              : List.of(
                  new FieldAccess(field, Mode.READ, range, offsets),
                  new FieldAccess(field, Mode.WRITE, range));
      default -> throw new IllegalArgumentException(RESOURCE + ": an access " + kind);
    };
  }
}
