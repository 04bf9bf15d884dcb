// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.cairn.ElementType;
import org.cairn.cli.command.CommandFailedException;

/**
 * An {@code .xdmf} file, which ParaView and VisIt open: it says what the elements are, which lie in
 * a file of their own beside it, one after the other. The last axis of the array is x.
 *
 * <p>A field of two axes is a layer of three. Readers agree on those: of two axes some take the
 * distance of points for that of others.
 */
final class Xdmf {
  private static final String EXTENSION = ".xdmf";

  private Xdmf() {}

  /**
   * The file with the elements of one of these. Its name has none of the characters at which
   * readers would cut it off, whatever the other's is.
   */
  static Path elements(Path file) {
    String name = String.valueOf(file.getFileName());
    boolean called = name.endsWith(EXTENSION) && name.length() > EXTENSION.length();
    String stem = called ? name.substring(0, name.length() - EXTENSION.length()) : name;
    return file.resolveSibling(FileNames.of(stem) + ".raw");
  }

  /**
   * What says how to read the elements.
   *
   * @param elements the file that has them, little-endian
   * @param step the time that is shown for it
   * @param attributes texts, numbers and lists of numbers, by their names
   */
  static byte[] of(Exportable array, Path elements, long step, Map<String, ?> attributes) {
    String dimensions = dimensions(array);
    Geometry geometry = array.geometry();
    OptionalDouble time = geometry.time();
    return """
    <?xml version="1.0" encoding="UTF-8"?>
    <Xdmf Version="2.0">
      <Domain>
        <Grid Name="%s" GridType="Uniform">
    %s
          <Time Value="%s"/>
          <Topology TopologyType="3DCoRectMesh" Dimensions="%s"/>
          <Geometry GeometryType="ORIGIN_DXDYDZ">
            <DataItem Format="XML" NumberType="Float" Precision="8" Dimensions="3">%s %s %s</DataItem>
            <DataItem Format="XML" NumberType="Float" Precision="8" Dimensions="3">%s %s %s</DataItem>
          </Geometry>
          <Attribute Name="%s" AttributeType="Scalar" Center="%s">
            <DataItem Format="Binary" Endian="Little" %s Dimensions="%s">%s</DataItem>
          </Attribute>
        </Grid>
      </Domain>
    </Xdmf>
    """
        .formatted(
            Xml.escaped(array.name()),
            information(attributes),
            time.isPresent() ? Xml.number(time.getAsDouble()) : step,
            geometry.isOfCells() ? nodes(array) : dimensions,
            Xml.number(geometry.origin(2)),
            Xml.number(geometry.origin(1)),
            Xml.number(geometry.origin(0)),
            Xml.number(geometry.fromLast(2).spacing()),
            Xml.number(geometry.fromLast(1).spacing()),
            Xml.number(geometry.fromLast(0).spacing()),
            Xml.escaped(array.name()),
            geometry.isOfCells() ? "Cell" : "Node",
            type(array),
            dimensions,
            elements.getFileName())
        .getBytes(StandardCharsets.UTF_8);
  }

  private static String dimensions(Exportable array) {
    List<Long> shape = array.shape();
    if (shape.size() < 2 || shape.size() > 3 || array.bytes() == 0) {
      throw new CommandFailedException(
          "an .xdmf file has 2 or 3 axes, with elements; %s has shape %s: take a --slice, name"
                  .formatted(array.name(), shape)
              + " others with --dataset, or choose another --format");
    }
    String extents = shape.stream().map(String::valueOf).collect(Collectors.joining(" "));
    return shape.size() == 2 ? "1 " + extents : extents;
  }

  /** One more than cells along each axis: of two axes the layer is one cell thick. */
  private static String nodes(Exportable array) {
    String extents =
        array.shape().stream().map(one -> String.valueOf(one + 1)).collect(Collectors.joining(" "));
    return array.shape().size() == 2 ? "2 " + extents : extents;
  }

  private static String information(Map<String, ?> attributes) {
    return attributes.entrySet().stream()
        .map(
            one ->
                "      <Information Name=\"%s\" Value=\"%s\"/>"
                    .formatted(
                        Xml.escaped(one.getKey()), Xml.escaped(String.valueOf(one.getValue()))))
        .collect(Collectors.joining("\n"));
  }

  private static String type(Exportable array) {
    ElementType type = array.type();
    String number =
        switch (type) {
          case DOUBLE, FLOAT -> "Float";
          case LONG, INT -> "Int";
          case SHORT -> "Short";
          case CHAR -> "UShort";
          case BYTE -> "Char";
          case BOOLEAN -> "UChar";
          case OPAQUE ->
              throw new CommandFailedException(
                  "an .xdmf file has numbers; what %s is only its program knows: --format raw has"
                          .formatted(array.name())
                      + " its bytes");
        };
    return "NumberType=\"%s\" Precision=\"%d\"".formatted(number, type.bytes());
  }
}
