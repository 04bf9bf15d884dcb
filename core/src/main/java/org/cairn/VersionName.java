// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Collection;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.version.VersionId;

/**
 * What a person calls a version: {@code 1.3}, or {@code 1.3@5f0c} if there are several of that
 * number, with as many digits of the run as it takes.
 *
 * @param run the first digits of the run; empty if any run will do
 */
public record VersionName(long epoch, long sequence, String run) {
  private static final Pattern FORM =
      Pattern.compile("(\\d{1,18})\\.(\\d{1,18})(?:@([0-9a-fA-F]{1,16}))?");

  /** Reads a name as it is typed. */
  public static VersionName parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" is not a version; write it as EPOCH.SEQUENCE, for example 1.3,"
              + " or with digits of its run, 1.3@5f0c91aa");
    }
    String run = form.group(3);
    return new VersionName(
        Long.parseLong(form.group(1)),
        Long.parseLong(form.group(2)),
        run == null ? "" : run.toLowerCase(Locale.ROOT));
  }

  /** The name that fits no other version. */
  public static VersionName of(VersionId id) {
    return new VersionName(id.epoch(), id.sequence(), id.run().toString());
  }

  /** Whether it fits a version. */
  public boolean fits(VersionId id) {
    return epoch == id.epoch() && sequence == id.sequence() && id.run().toString().startsWith(run);
  }

  /** Those of {@code all} that it fits, each once. */
  public Collection<VersionId> among(Collection<VersionId> all) {
    return all.stream().filter(this::fits).distinct().toList();
  }

  @Override
  public String toString() {
    return epoch + "." + sequence + (run.isEmpty() ? "" : "@" + run);
  }
}
