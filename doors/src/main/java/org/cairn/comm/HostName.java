// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of this host, asked for once: the answer may come from a slow name server. */
final class HostName {
  private static final String NAME = find();

  private HostName() {}

  static String get() {
    return NAME;
  }

  private static String find() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
