// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.store.Store;
import org.cairn.version.Ownership;
import org.cairn.version.RunId;

/**
 * What files and directories of ranks are called; names are made and parsed here alone. Those of
 * files in shared directories are left to {@link SharedNames}.
 *
 * <pre>
 * rank3/                     the directory of rank 3, where a job has several ranks
 *   rank3.cairn              the state of rank 3
 *   rank2.partner.cairn      a copy of the state of rank 2
 *   rank3.parity.cairn       what rank 3 holds of the parity of its group
 *   rank3-5f0c91aa.cairn     the same beside a file of another life, with digits of the run
 *   rank3.cairn.new          a container that is being made
 *   rank3.rebuilt.cairn      a state being rebuilt; takes its place when all ranks have theirs
 *   rank3.cairn.damaged1     put aside, because it cannot be read
 *   rank3.lock               held by the job without a name while it runs; else rank3.NAME.lock
 *   events.jsonl             what happened; of a job with a name, events-NAME.jsonl
 *   directory.id             a random name of the directory
 * </pre>
 *
 * <p>Names are for people. What a file is, and whose, it says inside.
 */
public final class FileNames {
  /** The random name of a directory. */
  public static final String DIRECTORY_ID = "directory.id";

  private static final Pattern CONTAINER =
      Pattern.compile("rank(\\d{1,9})(-[0-9a-f]{8,16})?(\\.partner|\\.parity)?\\.cairn");
  private static final Pattern DIRECTORY = Pattern.compile("rank(\\d{1,9})");
  private static final Pattern DAMAGED = Pattern.compile("(.*\\.cairn)\\.damaged\\d*");
  private static final Pattern JOB_NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private static final String UNFINISHED = ".new";

  private FileNames() {}

  /** The directory of a rank, where a job has several. */
  public static String directory(int rank) {
    return "rank" + rank;
  }

  /** Whether a directory of this name may be that of a rank. */
  public static boolean isDirectory(String name) {
    return DIRECTORY.matcher(name).matches();
  }

  /** The container of a rank, unless another life has one of that name. */
  public static String local(int rank) {
    return "rank" + rank + ".cairn";
  }

  /** A copy of the container of {@code owner}. */
  public static String partner(int owner) {
    return "rank" + owner + ".partner.cairn";
  }

  /** The parity that {@code holder} keeps. */
  public static String parity(int holder) {
    return "rank" + holder + ".parity.cairn";
  }

  /** A container on its way to become that of {@code rank}. */
  public static String rebuilt(int rank) {
    return "rank" + rank + ".rebuilt.cairn";
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
    return "rank" + rank + (job.isEmpty() ? "" : "." + job) + ".lock";
  }

  /** The log of events of a job. */
  public static String events(String job) {
    return job.isEmpty() ? "events.jsonl" : "events-" + job + ".jsonl";
  }

  /** Whether a file is a log of events. */
  public static boolean isEvents(String name) {
    return name.equals("events.jsonl") || name.startsWith("events-") && name.endsWith(".jsonl");
  }

  /** Whether a file holds a container, finished or not. */
  public static boolean isContainer(String name) {
    return name.endsWith(".cairn") || name.endsWith(".cairn" + UNFINISHED);
  }

  /** The name of the container that was put aside as {@code name}, if one was. */
  public static Optional<String> beforeDamage(String name) {
    Matcher matcher = DAMAGED.matcher(name);
    return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /** Refuses a name of a job that cannot be part of a name of a file. */
  public static String checkJob(String name) {
    if (!name.isEmpty() && !JOB_NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a job cannot be called \"%s\"; use up to 64 letters, digits, dots, - and _"
              .formatted(name));
    }
    return name;
  }

  /** What a file of this name should be. */
  public record Meaning(TierKind kind, int rank) {}

  /** What a file should be, if it is one of these. */
  public static Optional<Meaning> meaning(String name) {
    Matcher matcher = CONTAINER.matcher(name);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String role = matcher.group(3);
    TierKind kind =
        role == null
            ? TierKind.LOCAL
            : role.equals(".partner") ? TierKind.PARTNER : TierKind.ERASURE;
    return Optional.of(new Meaning(kind, Integer.parseInt(matcher.group(1))));
  }

  /**
   * A name that no file has: the plain one, or one with digits of the run that will write it.
   *
   * @param kind as in {@link Ownership}
   */
  public static String free(Store store, int kind, int rank, RunId run) throws IOException {
    String role =
        switch (kind) {
          case Ownership.COPY -> ".partner";
          case Ownership.PARITY -> ".parity";
          default -> "";
        };
    String name = "rank" + rank + role + ".cairn";
    for (int digits = 8; isTaken(store, name); digits++) {
      if (digits > RunId.DIGITS) {
        throw new IOException("no name is left for " + store.location(name));
      }
      String some = run.toString().substring(0, digits).toLowerCase(Locale.ROOT);
      name = "rank%d-%s%s.cairn".formatted(rank, some, role);
    }
    return name;
  }

  private static boolean isTaken(Store store, String name) throws IOException {
    return store.exists(name);
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
