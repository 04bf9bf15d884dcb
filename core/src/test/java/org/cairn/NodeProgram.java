// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.DirectoryStore;

/**
 * A parallel program in a process of its own, each rank with the directory of a node. Its state
 * tells which program it is, and at which step. Run by {@link StrangersTest}.
 */
final class NodeProgram {
  private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);

  private final long tag;
  private final int steps;
  private final String request;
  private final String shared;
  private final List<String> nodes;
  private final CountDownLatch end;

  private NodeProgram(String[] args) {
    this.tag = Long.parseLong(args[0]);
    this.steps = Integer.parseInt(args[1]);
    this.request = args[2];
    this.shared = args[3];
    this.nodes = List.of(args).subList(4, args.length);
    this.end = new CountDownLatch(nodes.size());
  }

  public static void main(String[] args) {
    NodeProgram program = new NodeProgram(args);
    Ranks.run(program.nodes.size(), program.nodes::get, program::run);
  }

  private void run(Communicator ranks) throws Exception {
    Tiers tiers = Tiers.none().partner(1);
    if (!shared.equals("-")) {
      tiers =
          Tiers.none()
              .shared(DirectoryStore.open(Path.of(shared), true), 1)
              .leaseRest(Duration.ofSeconds(Integer.getInteger("test.leaseRest", 60)));
    }
    Options options = Options.defaults().blockSize(256).threads(1).tiers(tiers);
    try (Checkpointer cairn = Checkpointer.open(Path.of(nodes.get(ranks.rank())), ranks, options)) {
      compute(ranks, cairn);
    } catch (CheckpointUnavailableException e) {
      say(ranks, "refused " + String.valueOf(e.getMessage()).replace('\n', ' '));
    } finally {
      end.countDown();
    }
    // The first to end would take the others with it before they have their answer.
    end.await(20, TimeUnit.SECONDS);
  }

  private void compute(Communicator ranks, Checkpointer cairn) throws IOException {
    LongCell owner = cairn.protect("tag", tag);
    LongCell step = cairn.protect("step", 0L);
    long[] u = new long[500];
    cairn.protect("u", u);
    RestartReport report = cairn.restart(request());
    for (int i = 0; i < u.length; i++) {
      long expected = report.isRestored() ? value(owner.get(), step.get(), ranks.rank(), i) : 0;
      if (u[i] != expected) {
        say(ranks, "mixed");
        throw new IllegalStateException("element " + i + " of rank " + ranks.rank());
      }
    }
    say(ranks, (report.isRestored() ? "restored " : "begun ") + owner.get() + " " + step.get());
    for (int n = 0; n < steps; n++) {
      step.increment();
      for (int i = 0; i < u.length; i++) {
        u[i] = value(owner.get(), step.get(), ranks.rank(), i);
      }
      Checkpoint taken = cairn.checkpoint();
      taken.await(shared.equals("-") ? TierKind.PARTNER : TierKind.SHARED);
      say(ranks, "safe " + taken.version().job().brief() + " " + step.get());
    }
  }

  private RestartRequest request() {
    return switch (request) {
      case "newest" -> RestartRequest.newest();
      case "begin-anew" -> RestartRequest.beginAnew();
      default -> RestartRequest.newest().job(request);
    };
  }

  private static long value(long tag, long step, int rank, int i) {
    return tag * 1_000_003 + step * 10_007 + rank * 101L + i;
  }

  private static void say(Communicator ranks, String line) throws IOException {
    if (ranks.rank() == 0 || line.equals("mixed")) {
      OUT.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }
}
