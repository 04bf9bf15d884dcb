// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.nio.file.Path;
import org.cairn.store.DirectoryStore;
import org.cairn.tier.shared.HostileSegments;
import org.cairn.tier.shared.SharedFragments;

/**
 * A JVM of little memory that reads files of shared directories, and looks through the directories
 * as a restart does. Its arguments are directories, each with the name of a file there.
 */
final class HostileSharedProbe {
  private HostileSharedProbe() {}

  private interface Action {
    String run() throws Exception;
  }

  public static void main(String[] arguments) {
    for (int i = 0; i < arguments.length; i += 2) {
      Path directory = Path.of(arguments[i]);
      String file = arguments[i + 1];
      System.out.println(answer(() -> HostileSegments.read(directory, file)));
      System.out.println(
          answer(
              () -> {
                int found = SharedFragments.in(DirectoryStore.open(directory, false), 1, "").size();
                return found + " fragments";
              }));
    }
  }

  private static String answer(Action action) {
    try {
      return "ok " + action.run();
    } catch (Throwable e) {
      return e.toString().replace('\n', ' ');
    }
  }
}
