// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import org.cairn.store.FileStore;
import org.cairn.tier.segment.SharedDirectory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --shared}, for commands that look at a whole job. */
final class SharedOption {
  @Option(
      names = "--shared",
      paramLabel = "DIR",
      description = "The shared directory of a job of many ranks, to count what was flushed there.")
  private @Nullable Path directory;

  /** Surveys a job, and the shared directory if there is one. */
  JobSurvey survey(JobDirectory job) throws IOException {
    JobSurvey survey = JobSurvey.of(job);
    if (directory != null) {
      survey.add(new SharedDirectory(FileStore.open(directory, false)).list());
    }
    return survey;
  }
}
