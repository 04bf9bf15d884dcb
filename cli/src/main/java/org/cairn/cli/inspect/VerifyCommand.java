// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.cairn.UnsupportedFormatException;
import org.cairn.VersionName;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.VersionConverter;
import org.cairn.cli.pack.Packs;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.pack.Pack;
import org.cairn.pack.PackDirectory;
import org.cairn.tier.shared.SharedCheck;
import org.cairn.version.DatasetEntry;
import org.cairn.version.JobId;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn verify}. */
@Command(
    name = "verify",
    description = {
      "Reads every block of every version and compares it with its digest.",
      "",
      "Of a job of many ranks this means the containers, copies and parity of all of them, and what"
          + " a shared directory has of them. DIR can also be a shared directory.",
      "",
      "Exits with 1 if anything is damaged or missing, even what could be done without.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn verify checkpoints                  all versions",
      "  cairn verify --version 1.4 checkpoints    one version",
      "  cairn verify job job/rank3                all ranks of a job, or one",
      "  cairn verify --shared /scratch/s job      with what was flushed there",
      "  cairn verify /scratch/s                   a shared directory, with all its jobs",
      "  cairn verify --fast /scratch/s            the same, without decoding",
      "  cairn verify --json /backup/*/            many, for machines"
    })
public final class VerifyCommand implements Callable<Integer> {
  private static final int SHOWN = 20;

  /** A report for machines has no more of a version. */
  private static final int MOST_PROBLEMS = 10_000;

  /** What a pack holds. */
  private static final String FILES = "files";

  private static final String FOREIGN = "written by another release or kind of machine";

  private final Terminal terminal;

  @Parameters(
      paramLabel = "DIR",
      arity = "1..*",
      description = "Directories of checkpoints, or container files.")
  private List<Path> paths = List.of();

  @Option(
      names = "--version",
      paramLabel = "V",
      converter = VersionConverter.class,
      description = "Verify this version only.")
  private @Nullable VersionName version;

  @Option(
      names = "--fast",
      description =
          "Of packs and shared directories: compare checksums of frames as they are stored, and"
              + " decode none.")
  private boolean fast;

  @Mixin private final JobOption job = new JobOption();

  @Mixin private final SharedOption shared = new SharedOption();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public VerifyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * One container, or a file of a shared directory: what was read and what is wrong with it.
   *
   * @param foreign whether another release, or another kind of machine, wrote it: no damage
   */
  record Verified(
      String container,
      String holds,
      boolean sound,
      boolean foreign,
      List<VerifiedVersion> versions,
      List<String> problems) {

    static Verified unreadable(String container, String holds, Exception why) {
      boolean foreign = why instanceof UnsupportedFormatException other && other.isOurs();
      return new Verified(
          container, holds, false, foreign, List.of(), List.of(Explanations.of(why)));
    }

    long blocks() {
      return versions.stream().mapToLong(VerifiedVersion::blocks).sum();
    }

    long bytes() {
      return versions.stream().mapToLong(VerifiedVersion::bytes).sum();
    }

    long damagedBlocks() {
      return versions.stream().mapToLong(VerifiedVersion::damagedBlocks).sum();
    }
  }

  /** A job of many ranks: its files by their names in it, and the ranks that have none. */
  private record VerifiedJob(
      String path, Map<String, Verified> files, Map<String, Set<Integer>> missing) {

    boolean sound() {
      return missing.isEmpty() && files.values().stream().allMatch(Verified::sound);
    }
  }

  /**
   * One version.
   *
   * @param problems the first of them, if there are many
   */
  record VerifiedVersion(
      String version, long blocks, long bytes, long damagedBlocks, List<String> problems) {

    boolean sound() {
      return problems.isEmpty();
    }
  }

  @Override
  public Integer call() throws IOException {
    List<Verified> verified = new ArrayList<>();
    List<VerifiedJob> jobs = new ArrayList<>();
    for (Path path : paths) {
      if (!Files.exists(path)) {
        throw new CommandFailedException(path + " does not exist");
      }
      if (fast && !Packs.isAny(path) && !SharedPlace.isOne(path)) {
        throw CommandFailedException.ambiguous(
            "--fast is for packs and shared directories, which " + path + " is not");
      }
    }
    try (Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "verify")) {
      for (Path path : paths) {
        if (Packs.isOne(path)) {
          verified.add(verifyPack(path.toString(), path, version, workers));
        } else if (Packs.isDirectory(path)) {
          verified.addAll(verifyPacks(path, workers));
        } else if (isMany(path)) {
          jobs.add(verifyJob(shared.inventory(path), workers));
        } else {
          verified.addAll(verifyFiles(path, workers));
        }
      }
    }
    if (json.requested()) {
      jobs.forEach(one -> verified.addAll(one.files.values()));
      JsonOption.print(terminal, verified);
    } else {
      verified.forEach(this::print);
      jobs.forEach(this::print);
    }
    jobs.forEach(this::complainOfMissing);
    boolean sound =
        verified.stream().allMatch(Verified::sound) && jobs.stream().allMatch(VerifiedJob::sound);
    return sound ? 0 : 1;
  }

  private boolean isMany(Path path) throws IOException {
    return JobDirectory.find(path).isPresent()
        || SharedPlace.isOne(path)
        || (Files.isDirectory(path) && shared.directory() != null);
  }

  /** All versions of a directory of packs, or the one that was named. */
  private List<Verified> verifyPacks(Path path, Workers workers) throws IOException {
    List<Verified> verified = new ArrayList<>();
    PackDirectory.Listing listing = PackDirectory.open(path).list();
    for (PackDirectory.Version one : listing.versions()) {
      if (version == null || version.fits(one.id())) {
        String name = "%s@%s".formatted(path, one.id());
        verified.add(verifyPack(name, path, VersionName.of(one.id()), workers));
      }
    }
    if (version == null) {
      listing
          .problems()
          .forEach(
              problem ->
                  verified.add(
                      Verified.unreadable(path.toString(), FILES, new IOException(problem))));
    } else if (verified.isEmpty()) {
      throw new CommandFailedException(path + " has no version " + version);
    }
    return verified;
  }

  private Verified verifyPack(
      String name, Path path, @Nullable VersionName wanted, Workers workers) {
    try (Pack pack = Packs.open(path, wanted)) {
      long blocks = 0;
      long bytes = 0;
      for (Pack.Member member : pack.members()) {
        for (DatasetEntry stream : member.streams()) {
          blocks += stream.blocks();
          bytes += stream.spec().byteLength();
        }
      }
      List<String> problems = new ArrayList<>();
      try (ProgressBar bar =
          terminal.bar("verify", fast ? pack.size() : bytes, Quantities::bytes)) {
        List<Pack.Damage> damages =
            fast ? pack.verifyStored(bar::reach) : pack.verify(workers, bar::reach);
        problems.addAll(eachFileFirst(damages));
      }
      VerifiedVersion files =
          new VerifiedVersion(
              Packs.files(pack.members().size()),
              blocks,
              bytes,
              problems.size() - pack.knownDamages().size(), // these are of no block
              problems.stream().limit(MOST_PROBLEMS).toList());
      return new Verified(name, FILES, problems.isEmpty(), false, List.of(files), List.of());
    } catch (IOException e) {
      return Verified.unreadable(name, FILES, e);
    }
  }

  /** What is wrong, once; what is wrong with a file for the second time comes behind all files. */
  private static List<String> eachFileFirst(List<Pack.Damage> damages) {
    Set<String> files = new HashSet<>();
    Set<String> first = new LinkedHashSet<>();
    Set<String> again = new LinkedHashSet<>();
    for (Pack.Damage damage : damages) {
      String line = damage.file() + ": " + damage.what();
      (files.add(damage.file().toString()) ? first : again).add(line);
    }
    first.addAll(again);
    return List.copyOf(first);
  }

  /** A file, or the directory of a single rank, or of one of many. */
  private List<Verified> verifyFiles(Path path, Workers workers) throws IOException {
    List<ContainerPath> containers = ContainerPath.all(path);
    Predicate<VersionId> wanted = _ -> true;
    if (version != null || job.id() != null) {
      Inventory all = Inventory.of(path, null);
      wanted = wanted(all);
      if (containers.size() > 1) {
        containers = holding(all, containers, wanted);
      }
    }
    List<Verified> verified = new ArrayList<>();
    for (ContainerPath container : containers) {
      verified.add(verify(container, wanted, workers));
    }
    return verified;
  }

  private VerifiedJob verifyJob(Inventory all, Workers workers) throws IOException {
    Predicate<VersionId> wanted = wanted(all);
    Map<String, Verified> files = new LinkedHashMap<>();
    if (!isSharedAlone(all)) {
      for (ContainerPath container : holding(all, containers(all), wanted)) {
        files.put(shortName(all, container), verify(container, wanted, workers));
      }
    }
    SharedPlace place = all.shared();
    if (place != null) {
      files.putAll(verify(all, place, wanted));
    }
    if (files.isEmpty()) {
      throw new CommandFailedException(
          all.path() + (version == null ? " holds no checkpoints" : " has no version " + version));
    }
    return new VerifiedJob(all.path().toString(), files, missing(all));
  }

  private static boolean isSharedAlone(Inventory all) {
    SharedPlace place = all.shared();
    return place != null && place.path().equals(all.path());
  }

  private static List<ContainerPath> containers(Inventory all) throws IOException {
    try {
      return ContainerPath.all(all.path());
    } catch (CommandFailedException e) {
      if (all.shared() != null) {
        return List.of(); // all local files may be gone
      }
      throw e;
    }
  }

  private static String shortName(Inventory all, ContainerPath file) {
    return all.path().relativize(file.directory().resolve(file.file())).toString();
  }

  /** The versions that were asked for. */
  private Predicate<VersionId> wanted(Inventory all) {
    Collection<VersionId> among = all.versions();
    if (job.id() != null) {
      List<VersionId> mine = all.choose(job.id()).orElseThrow().life().versions();
      among = among.stream().filter(mine::contains).toList();
    }
    if (version != null) {
      among = List.of(StateOption.find(all.path(), version, among));
    }
    return job.id() == null && version == null ? _ -> true : among::contains;
  }

  /**
   * The containers to look at. A tier need not have got the one version that is to be verified, nor
   * has a container of another life.
   */
  private List<ContainerPath> holding(
      Inventory all, List<ContainerPath> containers, Predicate<VersionId> wanted) {
    if (version == null && job.id() == null) {
      return containers;
    }
    List<ContainerPath> others =
        all.files().stream()
            .filter(file -> file.versions().keySet().stream().noneMatch(wanted))
            .map(Inventory.Held::path)
            .toList();
    return containers.stream().filter(container -> !others.contains(container)).toList();
  }

  /** What the shared directory has of the jobs that are looked at. */
  private Map<String, Verified> verify(
      Inventory all, SharedPlace place, Predicate<VersionId> wanted) {
    Map<String, Verified> files = new LinkedHashMap<>();
    boolean alone = isSharedAlone(all);
    Set<JobId> local = new HashSet<>();
    all.files().forEach(file -> local.add(file.ownership().lineage().job()));
    for (VersionId id : place.all()) {
      boolean mine = alone || local.isEmpty() || local.contains(id.job());
      if (mine && wanted.test(id)) {
        files.put("shared " + id.exact(), verify(place, id));
      }
    }
    for (SharedPlace.Unreadable file : place.unreadable()) {
      VersionId id = file.version();
      boolean mine = alone || local.isEmpty() || local.contains(id.job());
      if (mine && wanted.test(id)) {
        String location = place.path().resolve(file.name()).toString();
        String holds = "part of version %s of %s".formatted(id, id.job().brief());
        files.put("shared " + file.name(), Verified.unreadable(location, holds, file.why()));
      }
    }
    return files;
  }

  private Verified verify(SharedPlace place, VersionId id) {
    String location = place.path().toString();
    String holds = "version %s of %s".formatted(id, id.job().brief());
    try (ProgressBar bar = terminal.bar("verify " + id.exact(), id.ranks(), Quantities::count)) {
      SharedCheck.Progress progress = (rank, ranks, blocks, bytes) -> bar.reach(rank);
      SharedCheck.Result result =
          fast
              ? SharedCheck.verifyStored(place.store(), id, progress)
              : SharedCheck.verify(place.store(), id, progress);
      List<String> problems =
          result.damages().stream()
              .map(damage -> "rank %d: %s".formatted(damage.rank(), damage.what()))
              .toList();
      VerifiedVersion verified =
          new VerifiedVersion(
              id.toString(), result.blocks(), result.bytes(), result.damaged(), problems);
      return new Verified(location, holds, problems.isEmpty(), false, List.of(verified), List.of());
    } catch (IOException e) {
      return Verified.unreadable(location, holds, e);
    }
  }

  /** For each life the ranks that its newest version was taken on and that have no container. */
  private Map<String, Set<Integer>> missing(Inventory all) {
    Map<String, Set<Integer>> missing = new TreeMap<>();
    if (!isSharedAlone(all)) {
      for (LifeEntry life : all.lives()) {
        boolean asked =
            job.id() == null
                ? life.state() != LifeEntry.State.PAST && !life.files().isEmpty()
                : life == all.choose(job.id()).orElseThrow();
        Set<Integer> ranks = missing(all, life);
        if (asked && !ranks.isEmpty()) {
          missing.put(life.id(), ranks);
        }
      }
    }
    return missing;
  }

  private static Set<Integer> missing(Inventory all, LifeEntry life) {
    Set<Integer> missing = new TreeSet<>();
    for (int rank = 0; rank < life.ranks(); rank++) {
      int wanted = rank;
      boolean here =
          all.files().stream()
              .anyMatch(
                  file ->
                      file.isState()
                          && file.rank() == wanted
                          && life.isOf(file.ownership().lineage()));
      if (!here) {
        missing.add(rank);
      }
    }
    return missing;
  }

  private Verified verify(ContainerPath container, Predicate<VersionId> wanted, Workers workers) {
    try (ContainerReader reader = container.open()) {
      List<VersionInfo> chosen =
          reader.versions().stream().filter(info -> wanted.test(info.id())).toList();
      long total = chosen.stream().mapToLong(VersionInfo::protectedBytes).sum();
      List<VerifiedVersion> versions = new ArrayList<>();
      try (ProgressBar bar = terminal.bar("verify " + container.file(), total, Quantities::bytes)) {
        long before = 0;
        for (VersionInfo info : chosen) {
          versions.add(verify(reader, info, workers, bar, before));
          before += info.protectedBytes();
        }
      }
      boolean sound =
          reader.problems().isEmpty() && versions.stream().allMatch(VerifiedVersion::sound);
      return new Verified(
          container.toString(),
          Contents.of(reader.ownership()),
          sound,
          false,
          versions,
          reader.problems());
    } catch (IOException | IllegalArgumentException e) {
      return Verified.unreadable(container.toString(), "?", e);
    }
  }

  private static VerifiedVersion verify(
      ContainerReader reader, VersionInfo info, Workers workers, ProgressBar bar, long before) {
    String id = info.id().toString();
    List<String> problems;
    long damagedBlocks = 0;
    try {
      VersionView view = reader.view(info.id());
      BlockScan.Damages damages =
          BlockScan.findDamage(view, workers, done -> bar.reach(before + done));
      damagedBlocks = damages.count();
      problems = damages.first().stream().map(VersionSource.Damage::what).toList();
    } catch (IOException | IllegalArgumentException e) {
      problems = List.of(Explanations.of(e));
    }
    if (!problems.isEmpty() && isGone(reader, info.id())) {
      return new VerifiedVersion(id, 0, 0, 0, List.of());
    }
    return new VerifiedVersion(id, info.blocks(), info.protectedBytes(), damagedBlocks, problems);
  }

  /** A program that runs meanwhile may have given the version up, and its space to another. */
  private static boolean isGone(ContainerReader reader, VersionId id) {
    try {
      return !reader.isRetained(id);
    } catch (IOException e) {
      return false;
    }
  }

  private void print(Verified verified) {
    Table table = new Table("version", ">blocks", ">size", "result");
    for (VerifiedVersion version : verified.versions) {
      table.row(
          version.version,
          Quantities.count(version.blocks),
          Quantities.bytes(version.bytes),
          result(version));
    }
    terminal.out().println(Printable.oneLine(verified.container));
    if (!table.isEmpty()) {
      terminal.print(table);
    }
    terminal.tell("%s", conclusion(verified));
    terminal.out().flush();
    verified.problems.forEach(this::complain);
    printProblems(verified);
  }

  private void print(VerifiedJob job) {
    Table table = new Table("file", "holds", ">versions", ">blocks", ">size", "result");
    job.files.forEach(
        (name, file) ->
            table.row(
                Printable.oneLine(name),
                file.holds,
                Quantities.count(file.versions.size()),
                Quantities.count(file.blocks()),
                Quantities.bytes(file.bytes()),
                result(file)));
    terminal.out().println(Printable.oneLine(job.path));
    terminal.print(table);
    terminal.tell("%s", conclusion(job));
    terminal.out().flush();
    for (Verified file : job.files.values()) {
      file.problems.forEach(this::complain);
      printProblems(file);
    }
  }

  private static String conclusion(Verified verified) {
    if (verified.sound) {
      return "Everything is sound.";
    }
    return verified.foreign ? "It was " + FOREIGN + "." : "There is damage.";
  }

  private static String result(Verified file) {
    if (file.foreign) {
      return FOREIGN;
    }
    if (file.damagedBlocks() > 0) {
      return Quantities.count(file.damagedBlocks()) + " block(s) damaged";
    }
    return file.sound ? "sound" : file.versions.isEmpty() ? "cannot be read" : "damaged";
  }

  private static String conclusion(VerifiedJob job) {
    if (job.sound()) {
      return "Everything is sound.";
    }
    List<String> damaged = names(job, file -> !file.sound && !file.foreign);
    List<String> foreign = names(job, Verified::foreign);
    List<String> said = new ArrayList<>();
    if (!damaged.isEmpty()) {
      said.add("There is damage in " + String.join(", ", damaged) + ".");
    }
    if (!foreign.isEmpty()) {
      said.add(
          "%s %s %s."
              .formatted(
                  String.join(", ", foreign), foreign.size() == 1 ? "was" : "were", FOREIGN));
    }
    return said.isEmpty()
        ? "What is there is sound, but not everything is there."
        : String.join(" ", said);
  }

  private static List<String> names(VerifiedJob job, Predicate<Verified> wanted) {
    return job.files.entrySet().stream()
        .filter(file -> wanted.test(file.getValue()))
        .map(file -> Printable.oneLine(file.getKey()))
        .toList();
  }

  private void complainOfMissing(VerifiedJob verified) {
    verified.missing.forEach(
        (life, ranks) ->
            complain(
                "%s has no container of %s of %s; cairn ls tells whether tiers make up for it"
                    .formatted(verified.path, JobVersion.ranks(ranks), life)));
  }

  private static String result(VerifiedVersion version) {
    if (version.damagedBlocks > 0) {
      return Quantities.count(version.damagedBlocks) + " block(s) damaged";
    } else if (!version.sound()) {
      return version.blocks == 0 ? "cannot be read" : "blocks sound, but damaged";
    }
    return version.blocks == 0 && version.bytes == 0 ? "nothing to verify" : "sound";
  }

  private void printProblems(Verified verified) {
    for (VerifiedVersion version : verified.versions) {
      // Of a pack there is one, and its problems name files.
      String of = verified.holds.equals(FILES) ? "" : "version " + version.version + ": ";
      version.problems.stream().limit(SHOWN).forEach(problem -> complain(of + problem));
      long all = Math.max(version.damagedBlocks, version.problems.size());
      if (all > SHOWN) {
        complain(
            "%sand %,d more; --json shows the first %,d"
                .formatted(of, all - SHOWN, version.problems.size()));
      }
    }
  }

  private void complain(String problem) {
    terminal.remark("cairn verify: " + Printable.oneLine(problem));
  }
}
