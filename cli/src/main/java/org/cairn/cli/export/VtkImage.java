// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.cairn.ElementType;
import org.cairn.cli.command.CommandFailedException;

/**
 * What surrounds the elements in a {@code .vti} file, VTK's format of regular grids, which ParaView
 * and VisIt open. The last axis of the array is x.
 *
 * <pre>
 * Vti → XML to "_"   bytes:u64 Element*   rest of the XML
 * </pre>
 */
final class VtkImage {
  private static final int AXES = 3;

  private VtkImage() {}

  static byte[] head(Exportable array) {
    String name = array.name();
    List<Long> shape = array.shape();
    if (shape.isEmpty() || shape.size() > AXES || array.bytes() == 0) {
      throw new CommandFailedException(
          "a .vti file has 1 to 3 axes, with elements; %s has shape %s: take a --slice"
              .formatted(name, shape));
    }
    Geometry geometry = array.geometry();
    boolean ofCells = geometry.isOfCells();
    StringBuilder extent = new StringBuilder();
    StringBuilder origin = new StringBuilder();
    StringBuilder spacing = new StringBuilder();
    for (int axis = 0; axis < AXES; axis++) {
      // Of n cells there are points 0 to n, of n points 0 to n - 1.
      long elements = axis < shape.size() ? shape.get(shape.size() - 1 - axis) : ofCells ? 0 : 1;
      extent.append(axis == 0 ? "0 " : " 0 ").append(ofCells ? elements : elements - 1);
      origin.append(axis == 0 ? "" : " ").append(Xml.number(geometry.origin(axis)));
      spacing.append(axis == 0 ? "" : " ").append(Xml.number(geometry.fromLast(axis).spacing()));
    }
    String kind = ofCells ? "CellData" : "PointData";
    String label = Xml.escaped(name);
    byte[] xml =
        """
        <?xml version="1.0"?>
        <VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
          <ImageData WholeExtent="%s" Origin="%s" Spacing="%s">
        %s    <Piece Extent="%s">
              <%s Scalars="%s">
                <DataArray type="%s" Name="%s" format="appended" offset="0"/>
              </%s>
            </Piece>
          </ImageData>
          <AppendedData encoding="raw">
        _"""
            .formatted(
                extent,
                origin,
                spacing,
                time(geometry),
                extent,
                kind,
                label,
                type(array.type()),
                label,
                kind)
            .getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(xml.length + Long.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(xml)
        .putLong(array.bytes())
        .array();
  }

  /** ParaView shows it as the time of the file. */
  private static String time(Geometry geometry) {
    if (geometry.time().isEmpty()) {
      return "";
    }
    return """
            <FieldData>
              <DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">%s</DataArray>
            </FieldData>
        """
        .formatted(geometry.time().getAsDouble());
  }

  static byte[] tail() {
    return "\n  </AppendedData>\n</VTKFile>\n".getBytes(StandardCharsets.UTF_8);
  }

  private static String type(ElementType type) {
    return switch (type) {
      case DOUBLE -> "Float64";
      case FLOAT -> "Float32";
      case LONG -> "Int64";
      case INT -> "Int32";
      case SHORT -> "Int16";
      case CHAR -> "UInt16";
      case BYTE -> "Int8";
      case BOOLEAN, OPAQUE -> "UInt8";
    };
  }
}
