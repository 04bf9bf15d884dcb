// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.container.ContainerReader;
import org.cairn.redivision.Redivision;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Containers that another process reads for all, and that this one sees as well, as on storage that
 * nodes share. A directory of the same name may be another one here: what tells is the root digest
 * of the version, which is of all that was saved.
 */
final class NearStates implements Redivision.Opener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NearStates.class);

  private final Site site;
  private final Roles roles;
  private final List<ContainerReader> open = new ArrayList<>();

  NearStates(Site site, Roles roles) {
    this.site = site;
    this.roles = roles;
  }

  @Override
  public Optional<VersionSource> open(int member) {
    Source source = roles.members().get(member).source();
    Optional<Fragment.Held> expected =
        source.isContainer() ? held(member, source) : Optional.empty();
    if (expected.isEmpty()) {
      return Optional.empty();
    }
    try {
      ContainerReader reader =
          ContainerReader.open(site.directories().open(source.directory()), source.file());
      open.add(reader);
      return reader.ownership().rank() == member && hasSame(reader, expected.get())
          ? Optional.of(reader.view(roles.version()))
          : Optional.empty();
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      // Others have it open, and this process may be in the middle of something with them.
      LOG.debug("the state of rank {} is read by others", member, e);
      return Optional.empty();
    }
  }

  /** The version as whoever reads the container found it. */
  private Optional<Fragment.Held> held(int member, Source source) {
    return site.table().holding(source.kind(), member, roles.version()).stream()
        .map(Found::fragment)
        .filter(
            fragment ->
                fragment.directory().equals(source.directory())
                    && fragment.file().equals(source.file()))
        .flatMap(fragment -> fragment.find(roles.version()).stream())
        .findFirst();
  }

  private boolean hasSame(ContainerReader reader, Fragment.Held expected) {
    return reader.versions().stream()
        .filter(info -> info.id().equals(roles.version()))
        .anyMatch(info -> isSame(info, expected));
  }

  private static boolean isSame(VersionInfo info, Fragment.Held expected) {
    return info.digestLow() == expected.digestLow() && info.digestHigh() == expected.digestHigh();
  }

  @Override
  public void close() {
    open.forEach(reader -> Leaving.leave("a container that was read", reader::close));
  }
}
