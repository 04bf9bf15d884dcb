// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.cairn.comm.Communicator;
import org.cairn.comm.SoloCommunicator;
import org.cairn.event.EventLog;
import org.cairn.hash.Hashers;
import org.cairn.job.Job;
import org.cairn.job.JobSetup;
import org.cairn.store.Directories;
import org.cairn.store.DirectoryStore;
import org.cairn.store.FileDirectories;
import org.cairn.store.LoneDirectory;
import org.cairn.store.SingleDirectory;
import org.cairn.store.Store;
import org.cairn.store.VolatileDirectories;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.FileNames;
import org.cairn.track.Trackers;
import org.cairn.watch.Watch;
import org.cairn.work.HeadStart;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the place where a program keeps its checkpoints, and what is needed to write there. All of
 * it is open in the end, or nothing; why not, a {@link CheckpointDirectoryException} says.
 */
final class Opening {
  static {
    HeadStart.begin(); // before the first class that is not loaded yet
  }

  private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

  private final Communicator ranks;
  private final Options options;
  private final Directories directories;

  /** What saves the state at the end, if it is kept in memory. */
  private final Optional<Evacuation> evacuation;

  private Opening(
      Directories directories,
      Communicator ranks,
      Options options,
      Optional<Evacuation> evacuation) {
    this.ranks = ranks;
    this.options = options;
    this.directories = directories;
    this.evacuation = evacuation;
  }

  /** A directory of a single rank. */
  static OpenJob in(Path directory, Options options) {
    ProvingGround.ofSurroundings().check(directory);
    try {
      Store own = DirectoryStore.open(directory, true);
      Directories lone =
          new LoneDirectory(FileNames.directory(0), own, new FileDirectories(directory));
      return opened(lone, new SoloCommunicator(), options);
    } catch (IOException e) {
      throw unusable(directory.toString(), e);
    }
  }

  /** A store of a single rank. */
  static OpenJob in(Store store, Options options) {
    return in(single(store), new SoloCommunicator(), options);
  }

  private static Directories single(Store store) {
    return new SingleDirectory(FileNames.directory(0), store);
  }

  /** A directory in which each rank has one of its own. */
  static OpenJob in(Path directory, Communicator ranks, Options options) {
    ProvingGround.ofSurroundings().check(directory);
    if (ranks.size() == 1) {
      return in(directory, options);
    }
    Directories directories = new FileDirectories(directory);
    return options.checked().inMemory()
        ? inMemory(directories, ranks, options)
        : opened(directories, ranks, options);
  }

  private static OpenJob inMemory(Directories directories, Communicator ranks, Options options) {
    VolatileDirectories memory = new VolatileDirectories(directories, FileNames::isContainer);
    Optional<Evacuation> evacuation = Optional.of(new Evacuation(memory));
    return new Opening(memory, ranks, options, evacuation).open();
  }

  /** Stores of any kind. */
  static OpenJob in(Directories directories, Communicator ranks, Options options) {
    ProvingGround.ofSurroundings().check(directories);
    return opened(directories, ranks, options);
  }

  private static OpenJob opened(Directories directories, Communicator ranks, Options options) {
    return new Opening(directories, ranks, options, Optional.empty()).open();
  }

  private OpenJob open() {
    ProvingGround.ofSurroundings().check(options.tiers());
    if (options.checked().inMemory() && ranks.size() == 1) {
      LOG.warn("a single rank has nobody who could keep its state in memory; it goes to files");
    }
    Watch watch = Watch.over(ranks, options.clock(), options.waitAtMost());
    try {
      return open(watch);
    } catch (IOException e) {
      watch.close();
      throw unusable(directories.location(), e);
    } catch (RuntimeException | Error e) {
      watch.close();
      throw e;
    }
  }

  private OpenJob open(Watch watch) throws IOException {
    JobLog jobLog = new JobLog(options.clock());
    Job job =
        Job.open(
            watch.communicator(),
            directories,
            setup(),
            new TierEvents(jobLog),
            new ScrubEvents(jobLog));
    try {
      EventLog log = new EventLog(job.store(), FileNames.events(job.name()));
      jobLog.writeTo(log);
      JobEvents events = new JobEvents(log, options.clock());
      int hash = job.saidByFirst(options.named().id());
      Options shared = options.sharedBy(ranks.ranksOnHost()).naming(Hashers.algorithm(hash));
      if (shared.tracking() == Tracking.REQUIRED) {
        job.refuseTogether(Trackers.refusal(shared.tracking()));
      }
      OpenJob opened = new OpenJob(shared, job, events, watch, evacuation);
      evacuation.ifPresent(Evacuation::promise);
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      job.close();
      throw e;
    }
  }

  private JobSetup setup() {
    return new JobSetup(
        options.tiers(),
        options.retain(),
        settings(),
        options.job(),
        options.pruneOthersAfter(),
        options.scrub(),
        options.warnsOfDifferences(),
        evacuation.isPresent(),
        options.clock(),
        options.random());
  }

  /** Ranks that differ in these would call collectives in different order. */
  private String settings() {
    return (options.asynchronous() ? "asynchronous" : "synchronous")
        + ", when busy "
        + options.whenBusy()
        + ", every "
        + options.interval()
        + ", waiting at most "
        + options.waitAtMost()
        + (options.warnsOfDifferences() ? ", only warning of differences" : "");
  }

  private static CheckpointDirectoryException unusable(String where, IOException e) {
    if (e instanceof AgreedFailureException && e.getCause() instanceof IOException cause) {
      return unusable(where, cause);
    }
    String message = String.valueOf(e.getMessage());
    String text = message.contains(where) ? message : where + ": " + message;
    String kind =
        e.getClass() == IOException.class ? "" : " [" + e.getClass().getSimpleName() + "]";
    return new CheckpointDirectoryException("cannot use checkpoints: " + text + kind, e);
  }
}
