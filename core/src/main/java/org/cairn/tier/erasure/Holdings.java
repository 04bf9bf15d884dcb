// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one process has of a version of a group: states and parity of the members it reads for. */
final class Holdings implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Holdings.class);

  private final VersionId version;
  private final Map<Integer, VersionView> states = new TreeMap<>();
  private final Map<Integer, Share> parities = new TreeMap<>();
  private final List<ContainerReader> readers = new ArrayList<>();

  /** The parity of a member, and what it was made under. */
  private record Share(VersionView view, ParityLayout layout) {}

  /** The state of a member, or its parity. */
  record Part(int member, boolean parity) {}

  /** What turned out to be damaged, and is done without. */
  static final class Damaged {
    private final Set<Part> parts = new HashSet<>();

    boolean has(int member, boolean parity) {
      return parts.contains(new Part(member, parity));
    }

    /** Does something for a member, and notes what it finds damaged. */
    <T> T noting(int member, Exchange.Maker<T> deed) throws IOException {
      try {
        return deed.make();
      } catch (DamagedBaseException e) {
        parts.add(new Part(member, e.isParity()));
        throw e;
      }
    }
  }

  private Holdings(VersionId version) {
    this.version = version;
  }

  /** Opens what a process reads. What cannot be read is done without, as if it were lost. */
  static Holdings open(
      Seats seats,
      int process,
      VersionId version,
      ErasureTier.Fragments fragments,
      Damaged damaged) {
    Holdings holdings = new Holdings(version);
    for (int i = 0; i < seats.size(); i++) {
      int member = i;
      if (seats.readsState(process, member) && !damaged.has(member, false)) {
        VersionView view = holdings.view(() -> fragments.state(member));
        if (view != null) {
          holdings.states.put(member, view);
        }
      }
      if (seats.readsParity(process, member) && !damaged.has(member, true)) {
        VersionView view = holdings.view(() -> fragments.parity(member));
        if (view != null) {
          holdings.addParity(member, view);
        }
      }
    }
    return holdings;
  }

  private interface Opener {
    @Nullable ContainerReader open() throws IOException;
  }

  private @Nullable VersionView view(Opener opener) {
    try {
      ContainerReader reader = opener.open();
      if (reader == null) {
        return null;
      }
      readers.add(reader);
      return reader.view(version);
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("a source is done without: {}", e.getMessage());
      return null;
    }
  }

  private void addParity(int member, VersionView view) {
    try {
      ParityLayout.Placed placed = ParityLayout.read(view);
      if (placed.index() == member) {
        parities.put(member, new Share(view, placed.layout()));
      } else {
        LOG.warn("parity of member {} is of no use to member {}", placed.index(), member);
      }
    } catch (IOException e) {
      LOG.warn("a source is done without: {}", e.getMessage());
    }
  }

  /** What there is to be told of it. */
  List<Remains.Report> reports() {
    List<Remains.Report> reports = new ArrayList<>();
    Set<Integer> members = new HashSet<>(states.keySet());
    members.addAll(parities.keySet());
    for (int member : members) {
      VersionView state = states.get(member);
      Share share = parities.get(member);
      reports.add(
          new Remains.Report(
              member,
              state == null
                  ? null
                  : new Digest(state.info().digestLow(), state.info().digestHigh()),
              share == null ? null : share.layout));
    }
    return reports;
  }

  /** The state of a member. */
  VersionView state(int member) {
    return there(states.get(member), "state", member);
  }

  /** The parity of a member. */
  VersionView parity(int member) {
    return there(parities.get(member), "parity", member).view;
  }

  private static <T> T there(@Nullable T part, String what, int member) {
    if (part == null) {
      throw new IllegalStateException("there is no %s of member %d here".formatted(what, member));
    }
    return part;
  }

  @Override
  public void close() throws IOException {
    for (ContainerReader reader : readers) {
      reader.close();
    }
  }
}
