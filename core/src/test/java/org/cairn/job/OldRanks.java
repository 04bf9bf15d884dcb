// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.container.Retention;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.Home;
import org.cairn.tier.Roles;
import org.cairn.tier.Roles.Form;
import org.cairn.tier.Source;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Life;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionId;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/** What a job of four ranks left behind, for processes that were not there. */
final class OldRanks {
  static final int MEMBERS = 4;
  static final int STEPS = 2;

  final MemoryDirectories directories;
  final MemoryStore shared;
  boolean sharedIsThere = true;

  /** What is only read goes through files, unless a test says otherwise. */
  long memory;

  private OldRanks(MemoryDirectories directories, MemoryStore shared) {
    this.directories = directories;
    this.shared = shared;
  }

  /** Runs the job: a checkpoint at each step, brought to all these tiers. */
  static OldRanks of(Tiers tiers) {
    OldRanks old = new OldRanks(new MemoryDirectories(), new MemoryStore());
    Tiers all = tiers.every(TierKind.SHARED) == 0 ? tiers : tiers.shared(old.shared, 1);
    SmallJob job = new SmallJob(MEMBERS, old.directories);
    job.options = _ -> SmallJob.OPTIONS.tiers(all);
    job.run(
        rank -> {
          for (int i = 0; i < STEPS; i++) {
            rank.advance();
            var taken = rank.cairn().checkpoint();
            taken.tiers().forEach(taken::await);
          }
        });
    assertThat(job.failures).containsOnlyNulls();
    return old;
  }

  /** Settings of tests that use the shared tier. */
  static Tiers sharing(Store shared) {
    return Tiers.none()
        .shared(shared, 1)
        .sharedGroup(2)
        .leaseRest(Duration.ofMillis(300))
        .visibility(Duration.ofMillis(30));
  }

  OldRanks copy() {
    OldRanks copy = new OldRanks(directories.copy(), shared.copy());
    copy.sharedIsThere = sharedIsThere;
    copy.memory = memory;
    return copy;
  }

  Tiers tiers() {
    return sharedIsThere ? sharing(shared) : Tiers.none();
  }

  // ---------------------------------------------------------------- what is lost

  void loseState(int member) throws IOException {
    delete(FileNames.directory(member), FileNames.local(member));
  }

  void loseCopy(int member) throws IOException {
    for (String directory : directories.names()) {
      delete(directory, FileNames.partner(member));
    }
  }

  void loseParity(int member) throws IOException {
    delete(FileNames.directory(member), FileNames.parity(member));
  }

  private void delete(String directory, String file) throws IOException {
    Store store = directories.create(directory);
    if (store.exists(file)) {
      store.delete(file);
    }
  }

  /** Flips a byte somewhere in a file of a directory. */
  void damage(Random random) throws IOException {
    List<String> names = directories.names();
    Store store = directories.open(names.get(random.nextInt(names.size())));
    List<String> files = store.list().stream().filter(FileNames::isContainer).toList();
    if (files.isEmpty()) {
      return;
    }
    try (StoreFile file = store.open(files.get(random.nextInt(files.size())), Store.Access.WRITE)) {
      byte[] one = new byte[1];
      long at = (long) (random.nextDouble() * file.size());
      file.read(at, MemorySegment.ofArray(one));
      one[0] ^= 0x40;
      file.write(at, MemorySegment.ofArray(one));
    }
  }

  // ---------------------------------------------------------------- what is found

  /** What processes find if each directory is read by the one that is told. */
  List<Found> survey(int processes, IntUnaryOperator reader) throws IOException {
    List<Found> found = new ArrayList<>();
    for (int rank = 0; rank < MEMBERS; rank++) {
      String directory = FileNames.directory(rank);
      List<Fragment> seen =
          new DirectoryScan(directory, directories.create(directory), "").fragments();
      int holder = reader.applyAsInt(rank);
      seen.forEach(fragment -> found.add(new Found(holder, fragment)));
    }
    for (TierType type : TierTypes.all()) {
      found.addAll(FragmentScan.elsewhere(type, tiers(), processes, ""));
    }
    return found;
  }

  static Life life(List<Found> found) {
    return new Survey(found).lives().current().getFirst();
  }

  /** The version of a step. */
  static VersionId version(List<Found> found, long step) {
    return life(found).versions().stream()
        .filter(one -> one.sequence() == step)
        .findFirst()
        .orElseThrow();
  }

  Home home(int rank, int ranks) {
    return new Home(directories.create(FileNames.directory(rank)), rank, ranks, TestRun.RANDOM);
  }

  // ---------------------------------------------------------------- bringing it back

  /** What came of it; the same in all processes. */
  record Outcome(boolean brought, int attempts, List<Source> sources) {}

  /**
   * Brings the states of a step to those who want them, does without what is damaged, and compares
   * what can be read with what was saved; collective.
   */
  Outcome bring(Communicator comm, List<Found> found, long step, Roles.Wishes wishes)
      throws IOException {
    FragmentTable table = new FragmentTable(comm.size(), new Survey(found), "");
    Site site =
        new Site(
            comm,
            directories,
            home(comm.rank(), comm.size()),
            table,
            Retention.newest(1),
            tiers(),
            Optional.empty(),
            new ArrayList<>());
    VersionId version = version(found, step);
    for (int attempt = 1; ; attempt++) {
      Optional<List<Source>> sources = Roles.sources(table, version, _ -> true);
      if (sources.isEmpty()) {
        return new Outcome(false, attempt, List.of());
      }
      Roles roles = Roles.of(table, version, sources.get(), wishes);
      if (isBrought(site, roles, found, step)) {
        return new Outcome(true, attempt, sources.get());
      }
    }
  }

  private boolean isBrought(Site site, Roles roles, List<Found> found, long step)
      throws IOException {
    Optional<BroughtStates> brought =
        BroughtStates.bring(site, roles, life(found).lineage(), memory);
    if (brought.isEmpty()) {
      return false;
    }
    try (BroughtStates states = brought.get()) {
      RecoveryStep reading = new RecoveryStep(site, roles.version());
      for (int member = 0; member < MEMBERS; member++) {
        Roles.Role role = roles.members().get(member);
        if (role.want().isOf(site.rank())) {
          assertThat(states.rebuilt(member).isPresent() && role.want().form() == Form.READABLE)
              .as("a container that nobody wants")
              .isFalse();
          reading.damage(role.source(), verify(states.source(member), member, step));
        }
      }
      return reading.succeedsEverywhere();
    }
  }

  /** Compares a state with what was saved; says what is damaged. */
  static Optional<String> verify(VersionSource source, int member, long step) throws IOException {
    assertThat(RootDigest.of(source).isOf(source.info())).isTrue();
    long[] u = new long[1000 + 300 * member];
    Arrays.setAll(u, i -> SmallJob.Rank.value(i, member, step));
    Optional<String> damage = verify(source, "step", new long[] {step}, 0, 8);
    for (long from : new long[] {0, 3000}) { // all of it, and the part that begins there
      long to = from == 0 ? 8L * u.length : 5001;
      damage = damage.isPresent() ? damage : verify(source, "u", u, from, to);
    }
    return damage;
  }

  private static Optional<String> verify(
      VersionSource source, String name, long[] expected, long from, long to) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(8 * expected.length).order(ByteOrder.nativeOrder());
    bytes.asLongBuffer().put(expected);
    DatasetEntry dataset = source.find(name).orElseThrow();
    byte[] found = new byte[expected.length * 8];
    long size = dataset.spec().blockSize();
    try (Workers workers = new Workers(2, "reader")) {
      List<VersionSource.Damage> damages =
          source.scan(
              List.of(new VersionSource.Range(dataset, from, to)),
              workers,
              (entry, block, memory) ->
                  MemorySegment.copy(
                      memory,
                      ValueLayout.JAVA_BYTE,
                      0,
                      found,
                      (int) (block * size),
                      (int) memory.byteSize()),
              _ -> {});
      if (!damages.isEmpty()) {
        return Optional.of(damages.getFirst().what());
      }
    }
    assertThat(Arrays.copyOfRange(found, (int) from, (int) to))
        .as("%s of member %d", name, dataset.blocks())
        .isEqualTo(Arrays.copyOfRange(bytes.array(), (int) from, (int) to));
    return Optional.empty();
  }

  /** Nothing that was made on the way is left. */
  void assertTidy() throws IOException {
    for (String directory : directories.names()) {
      assertThat(directories.open(directory).list())
          .noneMatch(name -> name.contains(".rebuilt") || name.contains(".spool"));
    }
  }
}
