// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.clock.Clock;
import org.cairn.pack.PackDirectoryWriter;
import org.cairn.pack.PackReport;
import org.cairn.pack.PackSettings;
import org.cairn.pack.PackWatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code cairn pack --watch}: what to watch, and watching. */
final class WatchOptions {
  private static final List<String> OPTIONS =
      List.of("--match", "--ranks", "--marker", "--settle", "--poll", "--remove", "--once");

  /** Ten years: more than anybody waits. */
  private static final double LONGEST = 3e8;

  @Option(
      names = "--watch",
      paramLabel = "RUN",
      description =
          "Watch a folder, and pack each set of files below it when it is complete; until SIGTERM.")
  private @Nullable Path folder;

  @Option(
      names = "--match",
      paramLabel = "REGEX",
      description =
          "With --watch: which files, by their paths below RUN, with groups (?<set>...) and"
              + " (?<rank>...).")
  private @Nullable String match;

  @Option(
      names = "--ranks",
      paramLabel = "N",
      description = "With --watch: how many ranks have files in a set.")
  private int ranks;

  @Option(
      names = "--marker",
      paramLabel = "REGEX",
      description =
          "With --watch: which files say that a set is complete, with a group (?<set>...).")
  private @Nullable String marker;

  @Option(
      names = "--settle",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description =
          "With --watch: so long files must have rested where no marker tells; ${DEFAULT-VALUE}"
              + " unless given.")
  private double settle = 30;

  @Option(
      names = "--poll",
      paramLabel = "SECONDS",
      defaultValue = "2",
      description = "With --watch: how often to look; ${DEFAULT-VALUE} unless given.")
  private double poll = 2;

  @Option(
      names = "--remove",
      description =
          "With --watch: delete files that are packed, once a marker is there or the next set is"
              + " packed, too, and after their bytes were compared with the packed ones.")
  private boolean remove;

  @Option(
      names = "--once",
      description =
          "With --watch: end when all sets that are there with all ranks are packed; with 1 if one"
              + " cannot be read, or there is no space for it.")
  private boolean once;

  /** Whether somebody wants to watch. */
  boolean isAsked() {
    return folder != null;
  }

  /** Refuses what says how to watch where nothing is watched. */
  void requireNone(CommandSpec spec) {
    for (String option : OPTIONS) {
      if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new ParameterException(spec.commandLine(), option + " is for --watch");
      }
    }
  }

  private void requireTimes(CommandSpec spec) {
    if (!(settle >= 0 && settle <= LONGEST)) {
      throw new ParameterException(
          spec.commandLine(), "--settle wants a number of seconds, not " + settle);
    }
    if (!(poll > 0 && poll <= LONGEST)) {
      throw new ParameterException(
          spec.commandLine(), "--poll wants a number of seconds above 0, not " + poll);
    }
  }

  private PackWatch.Settings settings(CommandSpec spec, Path run) {
    requireTimes(spec);
    if (match == null) {
      throw new ParameterException(spec.commandLine(), "--watch wants --match");
    }
    try {
      return new PackWatch.Settings(
          run,
          Pattern.compile(match),
          ranks,
          marker == null ? Optional.empty() : Optional.of(Pattern.compile(marker)),
          seconds(settle),
          seconds(Math.max(0.01, poll)),
          remove);
    } catch (PatternSyntaxException e) {
      throw new ParameterException(
          spec.commandLine(), "%s: %s".formatted(e.getPattern(), e.getDescription()), e);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  /** Watches until all is done, or the process is to end. */
  int run(
      Terminal terminal, CommandSpec spec, PackSettings packing, Path to, int keep, boolean asJson)
      throws IOException {
    PackWatch.Listener listener = asJson ? jsonLines(terminal, to) : lines(terminal, to);
    Path run = Objects.requireNonNull(folder).toAbsolutePath().normalize();
    PackWatch.Settings settings = settings(spec, run);
    CountDownLatch ended = new CountDownLatch(1);
    Optional<Thread> hook = Optional.empty();
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(to, keep);
        PackWatch watch = new PackWatch(settings, packing, writer, listener, Clock.system())) {
      hook = Optional.of(new Thread(() -> stop(watch, ended), "cairn-watch-stop"));
      Runtime.getRuntime().addShutdownHook(hook.get());
      return watch.run(once) ? 0 : 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    } finally {
      ended.countDown();
      hook.ifPresent(WatchOptions::remove);
    }
  }

  private static void remove(Thread hook) {
    try {
      boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // it is at work
    }
  }

  /** The process ends when the hook has: not before the lease was given back. */
  private static void stop(PackWatch watch, CountDownLatch ended) {
    watch.stop();
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A set that was packed, for machines. */
  record PackedSet(
      String set, String version, String directory, int files, long bytes, long packedBytes) {}

  /** A set whose files are gone. */
  record RemovedSet(String set, int removed) {}

  /** A document on each line: nobody knows which one is the last. */
  private static PackWatch.Listener jsonLines(Terminal terminal, Path to) {
    return new PackWatch.Listener() {
      @Override
      public void packed(String set, PackReport report) {
        JsonOption.printLine(
            terminal,
            new PackedSet(
                set,
                report.version().map(one -> one.id().toString()).orElse("-"),
                to.toString(),
                report.files(),
                report.bytes(),
                report.stored()));
      }

      @Override
      public void removed(String set, int files) {
        JsonOption.printLine(terminal, new RemovedSet(set, files));
      }

      @Override
      public void problem(String what) {
        terminal.remark("cairn pack: " + Printable.oneLine(what));
      }
    };
  }

  private static PackWatch.Listener lines(Terminal terminal, Path to) {
    return new PackWatch.Listener() {
      @Override
      public void packed(String set, PackReport report) {
        terminal
            .out()
            .printf(
                Locale.ROOT,
                "set %s: %s, %s in %s, version %s of %s%n",
                Printable.oneLine(set),
                Packs.files(report.files()),
                Quantities.bytes(report.bytes()),
                Quantities.bytes(report.stored()),
                report.version().map(one -> one.id().toString()).orElse("-"),
                Printable.oneLine(to.toString()));
        terminal.out().flush();
      }

      @Override
      public void removed(String set, int files) {
        terminal.out().printf("set %s: %s removed%n", Printable.oneLine(set), Packs.files(files));
        terminal.out().flush();
      }

      @Override
      public void problem(String what) {
        terminal.remark("cairn pack: " + Printable.oneLine(what));
      }
    };
  }
}
