// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.fab;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.HeaderReader;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Locator;
import org.cairn.pack.locate.MalformedException;
import org.cairn.pack.locate.Variable;
import org.cairn.transform.Elements;

/**
 * Knows where FAB files of AMReX ({@code Cell_D_00000} and the like) have their data: boxes one
 * behind the other, each a {@link FabHeader} and then all of its components.
 *
 * <p>A component of a box is a variable, {@code /Cell/fab=0/component=4}: the files do not name
 * components, and what they hold together is told by the name of the file only.
 */
public final class FabLocator implements Locator {
  private static final int LONGEST_LINE = 512;
  private static final Pattern FILE_NAME = Pattern.compile("(.+)_D_\\d+");

  @Override
  public String format() {
    return "AMReX FAB";
  }

  @Override
  public boolean recognises(ByteSource file) throws IOException {
    byte[] start = new byte[FabHeader.START.length()];
    if (file.size() < start.length) {
      return false;
    }
    file.read(0, MemorySegment.ofArray(start));
    return new String(start, StandardCharsets.ISO_8859_1).equals(FabHeader.START);
  }

  @Override
  public void locate(ByteSource file, Hints hints) throws IOException {
    HeaderReader in = new HeaderReader(file, 0, ByteOrder.BIG_ENDIAN);
    String group = group(file.name());
    try {
      for (int box = 0; in.remaining() > 0; box++) {
        hints.step();
        locateBox(in, group + "/fab=" + box, hints);
      }
    } catch (MalformedException e) {
      e.noteIn(hints);
    }
  }

  private static String group(String file) {
    Matcher name = FILE_NAME.matcher(file);
    return name.matches() ? "/" + name.group(1) : "";
  }

  private static void locateBox(HeaderReader in, String name, Hints hints)
      throws IOException, MalformedException {
    long place = in.position();
    FabHeader header = FabHeader.parse(readLine(in), place);
    Optional<Elements> elements = header.elements();
    if (elements.isEmpty()) {
      hints.note(place, name + ": numbers of a kind that is not known");
    }
    for (int component = 0; component < header.components(); component++) {
      hints.step();
      long start = in.position();
      in.skip(header.componentBytes());
      if (elements.isPresent()) {
        Variable variable =
            new Variable(name + "/component=" + component, elements.get(), header.shape());
        hints.extent(Extent.whole(variable, start, header.componentBytes()));
      }
    }
  }

  private static String readLine(HeaderReader in) throws IOException, MalformedException {
    StringBuilder line = new StringBuilder();
    long place = in.position();
    while (line.length() < LONGEST_LINE) {
      int next = in.readByte();
      if (next == '\n') {
        return line.toString();
      }
      line.append((char) next);
    }
    throw new MalformedException(place, "no header of a box");
  }
}
