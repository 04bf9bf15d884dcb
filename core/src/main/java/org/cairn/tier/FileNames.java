// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.TierKind;
import org.cairn.store.Store;
import org.cairn.version.Ownership;
import org.cairn.version.RunId;
import org.jspecify.annotations.Nullable;

/**
 * What files and directories of ranks are called; names are made and parsed here alone. Those of
 * files in shared directories are left to the shared tier.
 *
 * <pre>
 * rank3/                          the directory of rank 3, where a job has several ranks
 *   rank3.cairn                   the state of rank 3
 *   rank2.partner.cairn           a copy of the state of rank 2
 *   rank3.parity.cairn            what rank 3 holds of the parity of its group
 *   rank3+plate-7.cairn           the state of rank 3 of a job called plate-7
 *   rank2.partner+plate-7.cairn   a copy of the state of rank 2 of that job
 *   rank3@5f0c91aa.cairn          beside a file of another life: with digits of the run
 *   rank3.cairn.new               a container that is being made
 *   rank3.rebuilt.cairn           a state being rebuilt; takes its place when all ranks have theirs
 *   rank3.spool                   blocks of rank 3 that are only read; deleted before it has a byte
 *   rank3.cairn.damaged1          put aside, because it cannot be read
 *   rank3.lock, rank3+plate-7.lock   held by a job while it runs
 *   events.jsonl, events+plate-7.jsonl   what happened
 *   events.1.jsonl, events.1+plate-7.jsonl   what happened before that, see EventLog
 *   directory.id, directory+plate-7.id   a random name of the directory, new at each start
 * </pre>
 *
 * <p>Jobs of different names so never meet in a file. What a file is, and whose, it says inside;
 * names are for people, and for files that cannot be read.
 */
public final class FileNames {
  private static final String JOB = "[A-Za-z0-9._-]{1,64}";
  private static final String CONTAINER = ".cairn";
  private static final String UNFINISHED = ".new";
  private static final String RANK = "rank";
  private static final int MOST_DIGITS = 9;

  /** For names that are not the plain ones: to compile these takes as long as to open a file. */
  private static final class Patterns {
    static final Pattern CONTAINER =
        Pattern.compile(
            "rank(\\d{1,9})(\\.[a-z]{1,16})?(?:\\+("
                + JOB
                + "))?(?:@[0-9a-f]{8,16})?\\.cairn(\\.new|\\.damaged\\d+)?");
    static final Pattern REBUILT =
        Pattern.compile("rank\\d{1,9}\\.rebuilt(?:\\+" + JOB + ")?\\.cairn");
    static final Pattern ANY = Pattern.compile(".*\\.cairn(\\.new|\\.damaged\\d+)?");
    static final Pattern EVENTS = Pattern.compile("events(?:\\.1)?(?:\\+(" + JOB + "))?\\.jsonl");
    static final Pattern JOB_NAME = Pattern.compile(JOB);

    private Patterns() {}
  }

  private FileNames() {}

  /** The directory of a rank, where a job has several. */
  public static String directory(int rank) {
    return "rank" + rank;
  }

  /** Whether a directory of this name may be that of a rank. */
  public static boolean isDirectory(String name) {
    return rankOf(name).isPresent();
  }

  /** The rank whose directory has this name; empty if it is none. */
  public static OptionalInt rankOf(String directory) {
    int digits = directory.length() - RANK.length();
    if (!directory.startsWith(RANK) || digits < 1 || digits > MOST_DIGITS) {
      return OptionalInt.empty();
    }
    for (int i = RANK.length(); i < directory.length(); i++) {
      if (directory.charAt(i) < '0' || directory.charAt(i) > '9') {
        return OptionalInt.empty();
      }
    }
    return OptionalInt.of(Integer.parseInt(directory.substring(RANK.length())));
  }

  /** The container of a rank of a job without a name, unless another life has one. */
  public static String local(int rank) {
    return container(rank, "", Ownership.STATE, "");
  }

  /** A copy of the container of {@code owner}, of a job without a name. */
  public static String partner(int owner) {
    return container(owner, "", Ownership.COPY, "");
  }

  /** The parity that {@code holder} keeps, of a job without a name. */
  public static String parity(int holder) {
    return container(holder, "", Ownership.PARITY, "");
  }

  private static String container(int rank, String job, int kind, String run) {
    String role = TierTypes.find(kind).flatMap(TierType::role).orElse("");
    return "rank" + rank + role + of(job) + (run.isEmpty() ? "" : "@" + run) + ".cairn";
  }

  private static String of(String job) {
    return job.isEmpty() ? "" : "+" + job;
  }

  /** A container on its way to become that of {@code rank}. */
  public static String rebuilt(int rank, String job) {
    return "rank" + rank + ".rebuilt" + of(job) + ".cairn";
  }

  /** What a file with blocks of {@code rank} is called for the moment in which it has a name. */
  public static String spool(int rank, String job) {
    return "rank" + rank + ".spool" + of(job);
  }

  /** Whether a file is a container on its way to become that of a rank. */
  public static boolean isRebuilt(String name) {
    return Patterns.REBUILT.matcher(name).matches();
  }

  /** A container that is not complete yet. */
  public static String unfinished(String container) {
    return container + UNFINISHED;
  }

  /** The lock that the writer of a container holds. */
  public static String lockOf(String container) {
    return container + ".lock";
  }

  /** The lock that a job of this name holds in the directory of a rank while it runs. */
  public static String jobLock(int rank, String job) {
    return "rank" + rank + of(job) + ".lock";
  }

  /** The log of events of a job. */
  public static String events(String job) {
    return "events" + of(job) + ".jsonl";
  }

  /** The job whose events are in a file, newer or older ones; nothing if it is no such log. */
  public static Optional<String> jobOfEvents(String name) {
    Matcher matcher = Patterns.EVENTS.matcher(name);
    return matcher.matches()
        ? Optional.of(matcher.group(1) == null ? "" : matcher.group(1))
        : Optional.empty();
  }

  /** The random name of a directory. */
  public static String directoryId(String job) {
    return "directory" + of(job) + ".id";
  }

  /** Whether a file holds a container, finished or not. */
  public static boolean isContainer(String name) {
    return name.endsWith(".cairn") || name.endsWith(".cairn" + UNFINISHED);
  }

  /** Refuses a name of a job that cannot be part of a name of a file. */
  public static String checkJob(String name) {
    if (!name.isEmpty() && !Patterns.JOB_NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a job cannot be called \"%s\"; use up to 64 letters, digits, dots, - and _"
              .formatted(name));
    }
    if (name.contains(".cairn")) {
      throw new IllegalArgumentException(
          "a job cannot be called \"%s\"; its files would look like others with .cairn in the name"
              .formatted(name));
    }
    return name;
  }

  /** Whether a container is complete, as far as its name tells. */
  public enum Condition {
    /** It has its name. */
    IN_PLACE,
    /** It is being made. */
    UNFINISHED,
    /** It was put aside. */
    DAMAGED
  }

  /**
   * What a file of this name should be.
   *
   * @param rank -1 if the name does not tell
   * @param job the name of its job; empty if it has none
   */
  public record Meaning(TierKind kind, int rank, String job, Condition condition) {}

  /**
   * What a container should be, by its name, whoever gave it that name; nothing if it is none that
   * counts. Asked for files that cannot be read: the others say it themselves.
   */
  public static Optional<Meaning> meaning(String name) {
    if (!mayBeContainer(name)) {
      return Optional.empty();
    }
    OptionalInt plain =
        name.endsWith(CONTAINER)
            ? rankOf(name.substring(0, name.length() - CONTAINER.length()))
            : OptionalInt.empty();
    return plain.isPresent()
        ? TierTypes.ofRole("")
            .map(type -> new Meaning(type.kind(), plain.getAsInt(), "", Condition.IN_PLACE))
        : meaningOfUnusual(name);
  }

  /** Settles what most files of a directory are not. */
  private static boolean mayBeContainer(String name) {
    return name.contains(CONTAINER)
        && (name.endsWith(CONTAINER)
            || name.endsWith(UNFINISHED)
            || Character.isDigit(name.charAt(name.length() - 1)));
  }

  private static Optional<Meaning> meaningOfUnusual(String name) {
    Matcher matcher = Patterns.CONTAINER.matcher(name);
    if (isRebuilt(name)) {
      return Optional.empty();
    }
    Optional<TierType> type =
        matcher.matches()
            ? TierTypes.ofRole(matcher.group(2) == null ? "" : matcher.group(2))
            : Optional.empty();
    if (type.isEmpty()) {
      return meaningOfOther(name);
    }
    String job = matcher.group(3) == null ? "" : matcher.group(3);
    return Optional.of(
        new Meaning(
            type.get().kind(),
            Integer.parseInt(matcher.group(1)),
            job,
            condition(matcher.group(4))));
  }

  private static Optional<Meaning> meaningOfOther(String name) {
    Matcher matcher = Patterns.ANY.matcher(name);
    return matcher.matches()
        ? Optional.of(new Meaning(TierKind.LOCAL, -1, "", condition(matcher.group(1))))
        : Optional.empty();
  }

  private static Condition condition(@Nullable String suffix) {
    if (suffix == null) {
      return Condition.IN_PLACE;
    }
    return suffix.equals(UNFINISHED) ? Condition.UNFINISHED : Condition.DAMAGED;
  }

  /**
   * A name that no file has: the plain one, or one with digits of the run that will write it.
   *
   * @param kind as in {@link Ownership}
   */
  public static String free(Store store, int rank, String job, int kind, RunId run)
      throws IOException {
    String name = container(rank, job, kind, "");
    for (int digits = 8; store.exists(name); digits++) {
      if (digits > RunId.DIGITS) {
        throw new IOException("no name is left beside " + store.location(name));
      }
      name = container(rank, job, kind, run.toString().substring(0, digits));
    }
    return name;
  }

  /** Renames a file that cannot be read, so that its name is free; durable when it returns. */
  public static String putAside(Store store, String name) throws IOException {
    int number = 1;
    while (store.exists(name + ".damaged" + number)) {
      number++;
    }
    String aside = name + ".damaged" + number;
    store.rename(name, aside);
    store.forceDirectory();
    return aside;
  }
}
