// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.comm.Reduction;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.Agreement;
import org.cairn.tier.Source;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong on this rank in one step of a recovery: something is damaged, or the rank itself
 * failed. All ranks agree on it at the end of the step, by a single number if all is well.
 */
final class RecoveryStep {
  static final long GOOD = 0;
  static final long NOTED = 1;
  static final long DAMAGED = 2;
  static final long FAILED = 3;

  private final Site site;
  private final VersionId version;
  private final List<FragmentTable.Bad> bad = new ArrayList<>();
  private @Nullable Throwable failure;

  RecoveryStep(Site site, VersionId version) {
    this.site = site;
    this.version = version;
  }

  void bad(Source source, Throwable why) {
    bad.add(
        new FragmentTable.Bad(
            source.holder(),
            source.directory(),
            source.file(),
            version,
            String.valueOf(why.getMessage())));
  }

  void damage(Source source, Optional<String> what) {
    what.ifPresent(text -> bad(source, new IOException(text)));
  }

  void fail(Throwable reason) {
    failure = failure == null ? reason : failure;
  }

  /** Exchanges what was found; false if something must be done without, thrown if a rank failed. */
  boolean succeedsEverywhere() throws IOException {
    return verdict(false) != DAMAGED;
  }

  /**
   * The same on all ranks.
   *
   * @param noted something that all have to know if any rank says so
   */
  long verdict(boolean noted) throws IOException {
    long mine = noted ? NOTED : GOOD;
    mine = bad.isEmpty() ? mine : DAMAGED;
    long worst = site.comm().allReduce(failure == null ? mine : FAILED, Reduction.MAX);
    if (worst == FAILED) {
      Agreement.reach(site.comm(), failure);
    }
    if (worst == DAMAGED) {
      doWithout(decode(site.comm().allMerge(encode(bad), RecoveryStep::merge)));
    }
    return worst;
  }

  private void doWithout(List<FragmentTable.Bad> all) throws IOException {
    boolean progress = false;
    for (FragmentTable.Bad damaged : all) {
      if (site.table().exclude(damaged)) {
        progress = true;
        site.problems().add("version " + damaged.version() + " is lost: " + damaged.why());
      }
    }
    if (!progress) {
      throw new AgreedFailureException("recovery makes no progress: " + site.problems());
    }
  }

  private static byte[] merge(byte[] one, byte[] next) {
    try {
      List<FragmentTable.Bad> both = decode(one);
      both.addAll(decode(next));
      return encode(both);
    } catch (CorruptContainerException e) {
      throw new IllegalStateException("what ranks say is damaged", e);
    }
  }

  private static byte[] encode(List<FragmentTable.Bad> all) {
    RecordWriter out = RecordWriter.onHeap().putInt(all.size());
    for (FragmentTable.Bad one : all) {
      one.write(out);
    }
    return out.toArray();
  }

  private static List<FragmentTable.Bad> decode(byte[] message) throws CorruptContainerException {
    RecordReader in = RecordReader.of(message, "a message");
    List<FragmentTable.Bad> all = new ArrayList<>();
    for (int left = in.getCount(VersionId.BYTES); left > 0; left--) {
      all.add(FragmentTable.Bad.read(in));
    }
    return all;
  }
}
