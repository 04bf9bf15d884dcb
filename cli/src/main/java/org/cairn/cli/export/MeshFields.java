// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.cairn.SavedArray;
import org.cairn.SavedVersion;
import org.cairn.cli.array.Slice;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.mesh.Axis;
import org.cairn.mesh.FieldArray;
import org.cairn.mesh.MeshReport;

/** Fields of a mesh, among the arrays of a version. */
final class MeshFields {
  private final SavedVersion version;
  private final Optional<MeshReport> report;

  private MeshFields(SavedVersion version, Optional<MeshReport> report) {
    this.version = version;
    this.report = report;
  }

  static MeshFields of(SavedVersion version) {
    return new MeshFields(version, MeshReport.find(version));
  }

  /** Whether the version was taken by a mesh. */
  boolean isMesh() {
    return report.isPresent();
  }

  boolean has(String name) {
    return array(name).isPresent();
  }

  private Optional<FieldArray> array(String name) {
    return report.flatMap(mesh -> mesh.array(name));
  }

  /** Refuses a field of which nothing is in the version, and says why nothing is. */
  void requireSaved(String name) {
    for (MeshReport.OfField field : report.map(MeshReport::fields).orElse(List.of())) {
      if (field.name().equals(name) && field.savedBytes() + field.lateBytes() == 0) {
        throw new CommandFailedException(
            "nothing of field %s is in version %s (%s); cairn mesh report says what is"
                .formatted(Printable.name(name), version.id(), field.reason()));
      }
    }
  }

  /** What is wanted of an array that nobody has sliced: of a field, all but what is around it. */
  Slice.Of whole(SavedArray array) {
    return array(array.name())
        .map(field -> slice(array, field.inner()))
        .orElseGet(() -> Slice.parse(":").of(array));
  }

  /** What each rank computed of it. */
  List<Exportable> perRank(SavedArray array) {
    FieldArray field =
        array(array.name())
            .orElseThrow(
                () ->
                    new CommandFailedException(
                        "--per-rank is for fields of a mesh, and %s is none; --rank R has the data of one rank"
                            .formatted(Printable.name(array.name()))));
    List<Exportable> all = new ArrayList<>();
    for (int rank = 0; rank < field.ranks(); rank++) {
      Slice.Of mine = slice(array, field.innerOf(rank));
      if (mine.array().size() > 0) {
        all.add(exportable(mine).called("-rank" + rank));
      }
    }
    return all;
  }

  private static Slice.Of slice(SavedArray array, FieldArray.Elements elements) {
    SavedArray part = array.slice(elements.from(), elements.to());
    return new Slice.Of(
        part,
        Arrays.stream(elements.from()).boxed().toList(),
        part.shape(),
        IntStream.range(0, part.shape().size()).boxed().toList());
  }

  Exportable exportable(Slice.Of slice) {
    Exportable plain = Exportable.of(slice);
    return array(slice.array().name()).map(field -> plain.at(geometry(field, slice))).orElse(plain);
  }

  private Geometry geometry(FieldArray field, Slice.Of slice) {
    List<Geometry.Along> axes = new ArrayList<>();
    for (int axis : slice.axes()) {
      Axis of = field.axis(axis);
      axes.add(
          new Geometry.Along(
              of.name().toLowerCase(Locale.ROOT),
              field.coordinate(axis, slice.from().get(axis)),
              field.spacing(axis),
              field.isAtEnds(axis)));
    }
    MeshReport mesh = report.orElseThrow();
    return new Geometry(axes, mesh.step(), mesh.time());
  }

  /** Says what is missing, where that is so. */
  Optional<String> remark(Slice.Of slice) {
    long[] from = slice.from().stream().mapToLong(Long::longValue).toArray();
    long[] to = from.clone();
    for (int axis = 0; axis < to.length; axis++) {
      to[axis] += slice.array().shape().get(axis);
    }
    return array(slice.array().name())
        .map(field -> field.missing(new FieldArray.Elements(from, to)))
        .filter(missing -> missing > 0)
        .map(
            missing ->
                "%s of %s elements of %s are not in version %s, because a restart does without them: they are written as 0"
                    .formatted(
                        Quantities.count(missing),
                        Quantities.count(slice.array().size()),
                        Printable.name(slice.array().name()),
                        version.id()));
  }
}
