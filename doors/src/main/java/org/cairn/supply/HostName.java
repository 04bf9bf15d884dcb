// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of this host, asked for once. */
public final class HostName {
  private static final Path KERNEL = Path.of("/proc/sys/kernel/hostname");
  private static final String NAME = find();

  private HostName() {}

  /** The name of this host. */
  public static String get() {
    return NAME;
  }

  /** The kernel is asked first: who asks for an address may wait for a name server. */
  private static String find() {
    try {
      String name = Files.readString(KERNEL).strip();
      return name.isEmpty() ? ofAddress() : name;
    } catch (IOException | RuntimeException e) {
      return ofAddress();
    }
  }

  private static String ofAddress() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
