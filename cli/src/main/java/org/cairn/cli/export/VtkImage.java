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

  static byte[] head(String name, ElementType type, List<Long> shape, long bytes) {
    if (shape.isEmpty() || shape.size() > AXES || bytes == 0) {
      throw new CommandFailedException(
          "a .vti file has 1 to 3 axes, with elements; %s has shape %s: take a --slice"
              .formatted(name, shape));
    }
    StringBuilder extent = new StringBuilder();
    for (int axis = 0; axis < AXES; axis++) {
      long last = axis < shape.size() ? shape.get(shape.size() - 1 - axis) - 1 : 0;
      extent.append(axis == 0 ? "0 " : " 0 ").append(last);
    }
    String label = Xml.escaped(name);
    byte[] xml =
        """
        <?xml version="1.0"?>
        <VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
          <ImageData WholeExtent="%s" Origin="0 0 0" Spacing="1 1 1">
            <Piece Extent="%s">
              <PointData Scalars="%s">
                <DataArray type="%s" Name="%s" format="appended" offset="0"/>
              </PointData>
            </Piece>
          </ImageData>
          <AppendedData encoding="raw">
        _"""
            .formatted(extent, extent, label, type(type), label)
            .getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(xml.length + Long.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(xml)
        .putLong(bytes)
        .array();
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
