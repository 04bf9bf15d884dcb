// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.cairn.CodecUnavailableException;

/** Packs or unpacks in a JVM of its own, and says in one line what came of it. */
final class PackChild {
  private PackChild() {}

  /** Takes {@code pack}, {@code unpack} or {@code verify}, from where, and to where. */
  public static void main(String[] args) {
    try {
      System.out.println(run(args[0], Path.of(args[1]), Path.of(args[2])));
    } catch (IOException | CodecUnavailableException e) {
      System.out.println("refused: " + e);
    }
  }

  private static String run(String action, Path from, Path to) throws IOException {
    switch (action) {
      case "pack" -> {
        PackReport report = Packing.pack(from, to, Packing.settings());
        return "packed %d files, %d bytes".formatted(report.files(), report.stored());
      }
      case "unpack" -> {
        List<Pack.Damage> damages = Packing.unpack(from, Files.createDirectories(to), 1);
        return damages.isEmpty() ? "unpacked" : "damaged: " + damages;
      }
      case "verify" -> {
        return "verified: " + Packing.verify(from);
      }
      default -> throw new IllegalArgumentException(action);
    }
  }

  /** The words that start it. */
  static List<String> command(List<String> flags, String action, Path from, Path to) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    command.addAll(flags);
    command.addAll(List.of("-cp", classPath(), PackChild.class.getName()));
    command.addAll(List.of(action, from.toString(), to.toString()));
    return command;
  }

  static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }
}
