// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.version.JobId;
import org.cairn.version.RunId;
import org.cairn.version.VersionId;

/**
 * What files in a shared directory are called; their names are made and parsed here alone.
 *
 * <pre>
 * seg-JOB-RUN-7.12-r64-TOKEN-g3.cairn-seg   what group 3 wrote for version 7.12 of 64 ranks
 * index-JOB-RUN-7.12-r64-TOKEN-g3.cairn-seg indices that it wrote then for later versions
 * manifest-JOB-RUN-7.12-r64                 what makes the segments of all groups a version
 * lease-JOB-4                               who writes for a job; the largest number counts
 * claim-JOB-RUN                             that a run is just writing a version
 * mark-5f0c91aa3344bbcc                     for a moment, while ranks find out whether all see it
 * </pre>
 *
 * <p>JOB are the 32 hexadecimal digits of the job, RUN the 16 of the run, TOKEN 8 random ones,
 * drawn for each flush: many jobs and runs lie side by side, and no name is ever used twice.
 */
public final class SharedNames {
  /**
   * The job of all directories of packs, which is a mark and no job: {@code cairn packs} in ASCII,
   * and zeros.
   */
  public static final JobId PACKS = new JobId(0x636169726e207061L, 0x636b730000000000L);

  private static final String JOB = "([0-9a-f]{32})";
  private static final String RUN = "([0-9a-f]{16})";
  private static final String VERSION = JOB + "-" + RUN + "-(\\d{1,18})\\.(\\d{1,18})-r(\\d{1,9})";
  private static final Pattern SEGMENT =
      Pattern.compile("(?:seg|index)-" + VERSION + "-([0-9a-f]{8})-g(\\d{1,9})\\.cairn-seg");
  private static final Pattern MANIFEST = Pattern.compile("manifest-" + VERSION);
  private static final Pattern LEASE = Pattern.compile("lease-" + JOB + "-(\\d{1,18})");
  private static final Pattern CLAIM = Pattern.compile("claim-" + JOB + "-" + RUN);
  private static final Pattern ANY =
      Pattern.compile("(?:seg|index|manifest|lease|claim)-" + JOB + "-.*");

  private static final String INDEX = "index-";

  private SharedNames() {}

  /**
   * What the name of a segment says.
   *
   * @param token drawn for the flush
   * @param group the group of ranks that wrote it
   * @param ofIndices whether it holds nothing but indices, which belong to no version
   */
  public record Segment(VersionId version, int token, int group, boolean ofIndices) {
    /** A segment with the blocks of a version. */
    public Segment(VersionId version, int token, int group) {
      this(version, token, group, false);
    }

    /** The file beside it that holds nothing but indices. */
    Segment forIndices() {
      return new Segment(version, token, group, true);
    }

    /** The name. */
    public String name() {
      String kind = ofIndices ? INDEX : "seg-";
      return "%s%s-%08x-g%d.cairn-seg".formatted(kind, versionName(version), token, group);
    }
  }

  /** Whether a segment of this name holds nothing but indices. */
  static boolean isOfIndices(String name) {
    return name.startsWith(INDEX);
  }

  /** What the name of a lease says. */
  public record LeaseName(JobId job, long number) {
    /** The name. */
    public String name() {
      return "lease-%s-%d".formatted(job, number);
    }
  }

  /** What the name of a claim says. */
  public record ClaimName(JobId job, RunId run) {
    /** The name. */
    public String name() {
      return "claim-%s-%s".formatted(job, run);
    }
  }

  /** The name of a manifest. */
  public static String manifest(VersionId version) {
    return "manifest-" + versionName(version);
  }

  /** The name of a mark. */
  public static String mark(long random) {
    return "mark-%016x".formatted(random);
  }

  /** All of the identity. */
  private static String versionName(VersionId version) {
    return "%s-%s-%d.%d-r%d"
        .formatted(
            version.job(), version.run(), version.epoch(), version.sequence(), version.ranks());
  }

  /** What a segment is, with blocks or of indices, if the name is that of one. */
  public static Optional<Segment> segment(String name) {
    Matcher matcher = SEGMENT.matcher(name);
    return matcher.matches()
        ? Optional.of(
            new Segment(
                version(matcher),
                Integer.parseUnsignedInt(matcher.group(6), 16),
                Integer.parseInt(matcher.group(7)),
                isOfIndices(name)))
        : Optional.empty();
  }

  /** The version of a manifest, if the name is that of one. */
  public static Optional<VersionId> manifestVersion(String name) {
    Matcher matcher = MANIFEST.matcher(name);
    return matcher.matches() ? Optional.of(version(matcher)) : Optional.empty();
  }

  /** What a lease is, if the name is that of one. */
  public static Optional<LeaseName> lease(String name) {
    Matcher matcher = LEASE.matcher(name);
    return matcher.matches()
        ? Optional.of(
            new LeaseName(JobId.parse(matcher.group(1)), Long.parseLong(matcher.group(2))))
        : Optional.empty();
  }

  /** What a claim is, if the name is that of one. */
  public static Optional<ClaimName> claim(String name) {
    Matcher matcher = CLAIM.matcher(name);
    return matcher.matches()
        ? Optional.of(new ClaimName(JobId.parse(matcher.group(1)), RunId.parse(matcher.group(2))))
        : Optional.empty();
  }

  /** The job that a file belongs to, if its name says so. */
  public static Optional<JobId> job(String name) {
    Matcher matcher = ANY.matcher(name);
    return matcher.matches() ? Optional.of(JobId.parse(matcher.group(1))) : Optional.empty();
  }

  private static VersionId version(Matcher name) {
    return new VersionId(
        JobId.parse(name.group(1)),
        RunId.parse(name.group(2)),
        Long.parseLong(name.group(3)),
        Long.parseLong(name.group(4)),
        Integer.parseInt(name.group(5)));
  }
}
