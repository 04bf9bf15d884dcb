// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.cairn.TierKind;
import org.cairn.record.Digest;
import org.cairn.record.RecordWriter;
import org.cairn.version.VersionId;

/**
 * Who does what when a version is brought back: for each member, which is a rank of the job that
 * saved it, who reads its state, who its parity, and who wants to have it.
 *
 * <p>Members are not processes. A process may read for many members or for none, and may want the
 * states of many, or of none; on the same number of ranks process {@code r} wants member {@code r}.
 * Every process computes the table for itself, from what all found, and gets the same; before a
 * restart they compare {@linkplain #digest digests}.
 *
 * @param members by their ranks
 */
public record Roles(VersionId version, List<Role> members) {
  /** No process. */
  public static final int NOBODY = -1;

  /**
   * What is done for one member.
   *
   * @param source where its state comes from, and who reads that
   * @param parities what it kept of the parity of groups that are decoded, and who reads that; one
   *     for each such group at most
   * @param want what is to become of its state
   */
  public record Role(Source source, List<Source> parities, Want want) {
    /** The container that holds its state as it is, and who reads it; empty if it is lost. */
    public Optional<Source> state() {
      return source.isContainer() ? Optional.of(source) : Optional.empty();
    }

    /** Its share in the parity of a group, and who reads it; empty if that is lost. */
    public Optional<Source> parity(Fragment.Group group) {
      return parities.stream().filter(one -> group.equals(one.group())).findFirst();
    }

    /** Whether a tier of this kind has to bring its state to somebody. */
    public boolean isBroughtBy(TierKind kind) {
      return source.kind().equals(kind)
          && (want.form == Form.CONTAINER || want.form == Form.READABLE);
    }
  }

  /**
   * What is to become of the state of a member.
   *
   * @param process who wants it; {@link #NOBODY} if nobody does
   */
  public record Want(int process, Form form) {
    /** It is needed for others at most. */
    public static final Want NOTHING = new Want(NOBODY, Form.NOTHING);

    /** Whether a process wants it in any form. */
    public boolean isOf(int other) {
      return form != Form.NOTHING && process == other;
    }
  }

  /** In which form a state is wanted. */
  public enum Form {
    /** Nobody wants it. */
    NOTHING,
    /** It lies already where it is wanted. Should it turn out to be damaged, it is rebuilt. */
    IN_PLACE,
    /** As a container of its own, with which a run goes on. */
    CONTAINER,
    /** To be read, from wherever that is cheapest. */
    READABLE
  }

  /** Says who wants the state of a member; the same on all processes. */
  @FunctionalInterface
  public interface Wishes {
    /** What is wanted of a member whose state comes from {@code source}. */
    Want of(int member, Source source);
  }

  /** Does not change. */
  public Roles {
    members = List.copyOf(members);
  }

  /**
   * Where the states of all members come from; empty if one cannot be had.
   *
   * @param usable what may be read
   */
  public static Optional<List<Source>> sources(
      Evidence evidence, VersionId version, Predicate<Source> usable) {
    List<Source> sources = new ArrayList<>();
    for (int member = 0; member < version.ranks(); member++) {
      Optional<Source> source = source(evidence, member, version, usable);
      if (source.isEmpty()) {
        return Optional.empty();
      }
      sources.add(source.get());
    }
    return Optional.of(List.copyOf(sources));
  }

  /** From the nearest tier that has it. */
  private static Optional<Source> source(
      Evidence evidence, int member, VersionId version, Predicate<Source> usable) {
    return TierTypes.all().stream()
        .flatMap(type -> type.offer(evidence, member, version).stream())
        .filter(usable)
        .findFirst();
  }

  /**
   * The table for a version.
   *
   * @param sources where the states of its members come from, by their ranks
   */
  public static Roles of(
      Evidence evidence, VersionId version, List<Source> sources, Wishes wishes) {
    Map<Integer, List<Source>> parities = parities(evidence, version, sources);
    List<Role> members = new ArrayList<>();
    for (int member = 0; member < sources.size(); member++) {
      Source source = sources.get(member);
      List<Source> kept = parities.getOrDefault(member, List.of());
      members.add(new Role(source, List.copyOf(kept), wishes.of(member, source)));
    }
    return new Roles(version, members);
  }

  /** What members of groups that have to be decoded kept, by member. */
  private static Map<Integer, List<Source>> parities(
      Evidence evidence, VersionId version, List<Source> sources) {
    Map<Integer, List<Source>> parities = new LinkedHashMap<>();
    sources.stream()
        .flatMap(
            source ->
                Optional.ofNullable(source.group())
                    .map(group -> new Decoded(source.kind(), group))
                    .stream())
        .distinct()
        .forEach(
            decoded -> {
              for (int member : decoded.group.members()) {
                evidence
                    .share(decoded.kind, decoded.group, member, version)
                    .ifPresent(
                        share ->
                            parities.computeIfAbsent(member, _ -> new ArrayList<>()).add(share));
              }
            });
    return parities;
  }

  private record Decoded(TierKind kind, Fragment.Group group) {}

  /** Tells it from other tables: processes that have different ones must not begin. */
  public Digest digest() {
    RecordWriter out = RecordWriter.onHeap();
    version.write(out);
    for (Role role : members) {
      write(out, role.source);
      out.putInt(role.parities.size());
      role.parities.forEach(share -> write(out, share));
      out.putInt(role.want.process).putText(role.want.form.name());
    }
    return Digest.of(out.toArray());
  }

  private static void write(RecordWriter out, Source source) {
    out.putInt(source.kind().number()).putInt(source.holder());
    out.putText(source.directory()).putText(source.file());
    Fragment.Group group = source.group();
    if (group != null) {
      out.putInt(group.members().size());
      group.members().forEach(out::putInt);
      out.putInt(group.lost()).putText(group.stamp());
    }
  }

  /** The groups from whose parity a tier has to bring something, each once. */
  public List<Fragment.Group> groups(TierKind kind) {
    return members.stream()
        .filter(role -> role.isBroughtBy(kind))
        .flatMap(role -> Optional.ofNullable(role.source.group()).stream())
        .distinct()
        .toList();
  }

  /** The processes that have something to do when a group is decoded, in their order. */
  public SequencedSet<Integer> processes(Fragment.Group group) {
    TreeSet<Integer> processes = new TreeSet<>();
    for (int member : group.members()) {
      Role role = members.get(member);
      role.state().ifPresent(state -> processes.add(state.holder()));
      role.parity(group).ifPresent(share -> processes.add(share.holder()));
      if (role.want.form != Form.NOTHING) {
        processes.add(role.want.process);
      }
    }
    return processes;
  }

  /** Whether a tier has to bring something to anybody. */
  public boolean isNeeded(TierKind kind) {
    return members.stream().anyMatch(role -> role.isBroughtBy(kind));
  }
}
