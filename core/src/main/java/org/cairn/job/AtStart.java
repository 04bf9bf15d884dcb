// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.cairn.container.ContainerReader;
import org.cairn.store.Store;
import org.cairn.tier.Found;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was found when the job was opened; it holds until it is decided which job this is. */
final class AtStart implements Standing {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final FragmentTable table;

  /** What this rank told the others. */
  private final byte[] told;

  AtStart(FragmentTable table, byte[] told) {
    this.table = table;
    this.told = told;
  }

  FragmentTable table() {
    return table;
  }

  /** Whether this rank would tell the others the same again. */
  boolean wasTold(byte[] now) {
    return Arrays.equals(now, told);
  }

  @Override
  public long newestSequence() {
    return 0;
  }

  /** What was found damaged, for people. */
  List<String> problems() {
    return table.answers(List.of());
  }

  /** Versions found in files of any rank, newest first. */
  List<VersionId> versions() {
    return table.lives().versions().stream().sorted(Comparator.reverseOrder()).toList();
  }

  /** What is in the files of a rank's own state, newest first. */
  List<VersionInfo> versionsOf(int rank, Store store) {
    List<VersionInfo> versions = new ArrayList<>();
    for (Found one : table.survey().found()) {
      if (one.isOwnState() && one.holder() == rank && one.fragment().lineage() != null) {
        versions.addAll(versionsIn(store, one.fragment().file()));
      }
    }
    versions.sort(Comparator.comparing(VersionInfo::id).reversed());
    return versions;
  }

  private static List<VersionInfo> versionsIn(Store store, String file) {
    try (ContainerReader reader = ContainerReader.open(store, file)) {
      return reader.versions();
    } catch (IOException e) {
      LOG.warn("{} cannot be read any more: {}", file, e.toString());
      return List.of();
    }
  }
}
