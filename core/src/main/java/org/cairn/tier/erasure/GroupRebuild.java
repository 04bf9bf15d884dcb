// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.comm.Communicator;
import org.cairn.container.ContainerReader;
import org.cairn.container.Incoming;
import org.cairn.tier.Fragment;
import org.cairn.tier.Rebuild;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;

/** The part of one group in bringing a version back, as the table of {@link Roles} has it. */
final class GroupRebuild implements ErasureTier.Fragments {
  private final Fragment.Group group;
  private final Rebuild rebuild;
  private final List<Roles.Role> roles;

  /** For processes that have something to do for the group. */
  GroupRebuild(Fragment.Group group, Rebuild rebuild) {
    this.group = group;
    this.rebuild = rebuild;
    this.roles =
        group.members().stream().map(member -> rebuild.roles().members().get(member)).toList();
  }

  /**
   * Decodes.
   *
   * @param comm the processes of the group, in their order
   */
  void run(Communicator comm) throws IOException {
    try {
      ParityRebuild.run(comm, seats(), rebuild.version(), this);
    } catch (IOException e) {
      // All processes of the group are told alike: this parity does not help.
      for (Roles.Role role : roles) {
        role.parity(group)
            .filter(share -> share.holder() == rebuild.comm().rank())
            .ifPresent(share -> rebuild.bad(share, e));
      }
    }
  }

  private Seats seats() {
    List<Integer> processes = List.copyOf(rebuild.roles().processes(group));
    return new Seats(
        group.members(),
        processes,
        roles.stream().map(role -> seat(role.state(), processes)).toList(),
        roles.stream().map(role -> seat(role.parity(group), processes)).toList(),
        roles.stream().map(role -> processes.indexOf(role.want().process())).toList());
  }

  private static int seat(Optional<Source> source, List<Integer> processes) {
    return source.map(one -> processes.indexOf(one.holder())).orElse(Seats.NOBODY);
  }

  @Override
  public ContainerReader state(int member) throws IOException {
    return open(roles.get(member).state().orElseThrow());
  }

  @Override
  public ContainerReader parity(int member) throws IOException {
    return open(roles.get(member).parity(group).orElseThrow());
  }

  private ContainerReader open(Source source) throws IOException {
    return ContainerReader.open(rebuild.store(source.directory()), source.file());
  }

  @Override
  public Incoming.Target target(int member) throws IOException {
    return rebuild.incoming(group.members().get(member));
  }
}
