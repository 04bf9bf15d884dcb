// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.cairn.container.ContainerReader;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The versions before one that is restored on another number of ranks: whether they have all
 * datasets that it has. Then, should it turn out to be damaged when memory is half filled, an older
 * one fills all of that again, and nothing has to be verified first.
 */
final class Elders {
  private static final Logger LOG = LoggerFactory.getLogger(Elders.class);

  private final Site site;
  private final Roles roles;

  Elders(Site site, Roles roles) {
    this.site = site;
    this.roles = roles;
  }

  /** Whether all that this rank can see of them has; what it cannot see may not. */
  boolean haveAll() {
    List<VersionId> older =
        site.table().lives().versions().stream()
            .filter(version -> version.compareTo(roles.version()) < 0)
            .toList();
    if (older.isEmpty()) {
      return true;
    }
    for (int member = 0; member < roles.members().size(); member++) {
      Roles.Role role = roles.members().get(member);
      if (role.want().process() == site.rank() && !haveAll(role.source(), older)) {
        return false;
      }
    }
    return true;
  }

  private boolean haveAll(Source source, List<VersionId> older) {
    if (!source.isContainer()) {
      return false;
    }
    try (ContainerReader reader =
        ContainerReader.open(site.store(source.directory()), source.file())) {
      List<VersionId> known = reader.versions().stream().map(VersionInfo::id).toList();
      Set<String> names = names(reader, roles.version());
      for (VersionId version : older) {
        if (!known.contains(version) || !names(reader, version).containsAll(names)) {
          return false;
        }
      }
      return true;
    } catch (IOException | IllegalArgumentException e) {
      LOG.debug("older versions cannot be looked at", e);
      return false;
    }
  }

  private static Set<String> names(ContainerReader reader, VersionId version) throws IOException {
    Set<String> names = new HashSet<>();
    for (DatasetEntry entry : reader.view(version).datasets()) {
      names.add(entry.name());
    }
    return names;
  }
}
