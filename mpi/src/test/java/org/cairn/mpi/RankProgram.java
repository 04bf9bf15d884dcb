// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;
import org.cairn.comm.Message;
import org.cairn.comm.Reduction;
import org.cairn.testkit.comm.CommunicatorScenarios;
import org.cairn.testkit.comm.Scenario;
import org.jspecify.annotations.Nullable;

/** What one rank does in the tests of this module: a real process, started by a real launcher. */
public final class RankProgram {
  private static final int TAG = 5;

  private RankProgram() {}

  /** Runs the parts that the arguments name, one after the other. */
  public static void main(String[] arguments) throws Exception {
    try (Communicator ranks = Communicators.world()) {
      for (String part : arguments) {
        run(part, ranks);
      }
    }
  }

  private static void run(String part, Communicator ranks) throws Exception {
    switch (part) {
      case "scenarios" -> scenarios(ranks);
      case "hello" -> hello(ranks);
      case "null-check" -> nullCheck(ranks);
      case "truncation" -> truncation(ranks);
      case "interrupt" -> interrupt(ranks);
      case "threads" -> threads(ranks);
      case "large" -> large(ranks);
      case "throw" -> failAt(ranks, () -> explode());
      case "exit" -> failAt(ranks, () -> System.exit(7));
      case "abort" -> failAt(ranks, () -> ranks.abort(9));
      case "leave" -> System.exit(0);
      default -> throw new IllegalArgumentException(part);
    }
  }

  /** The contract of communicators, in one process to save the start of many. */
  private static void scenarios(Communicator ranks) throws Exception {
    for (Scenario scenario : CommunicatorScenarios.all()) {
      if (scenario.minimumRanks() <= ranks.size()) {
        long start = System.nanoTime();
        scenario.run(ranks);
        if (ranks.rank() == 0) {
          say(
              ranks,
              "passed %s in %d ms".formatted(scenario, (System.nanoTime() - start) / 1_000_000));
        }
      }
    }
  }

  private static void hello(Communicator ranks) {
    say(
        ranks,
        "of %d, concurrent %b, independent %b, processes %b, domain %s, sum %d, %s"
            .formatted(
                ranks.size(),
                ranks.isConcurrent(),
                ranks.isIndependent(),
                ranks.isProcess(),
                ranks.domain(ranks.rank()),
                ranks.allReduce(ranks.rank(), Reduction.SUM),
                ranks.getClass().getSimpleName()));
  }

  /**
   * Compiled code has no null checks: it takes the signal. MPI must have left the handler alone.
   */
  private static void nullCheck(Communicator ranks) {
    int caught = 0;
    for (int i = 0; i < 30_000; i++) {
      try {
        // Rare, or the compiler would check first.
        caught += lengthOf(i < 29_990 ? "four" : null) - 4;
      } catch (NullPointerException e) {
        caught++;
      }
    }
    say(ranks, "caught " + caught + " null references");
  }

  @SuppressWarnings("NullAway") // what this is about
  private static int lengthOf(@Nullable String text) {
    return text.length();
  }

  /** A message that is too large is an error that tells both sizes, and leaves all else working. */
  private static void truncation(Communicator ranks) {
    if (ranks.rank() == 0) {
      for (int bytes : new int[] {100, 1_000_000}) {
        ranks.startSend(MemorySegment.ofArray(new byte[bytes]), 1, TAG).await();
      }
    } else if (ranks.rank() == 1) {
      for (int i = 0; i < 2; i++) {
        try {
          ranks.receive(MemorySegment.ofArray(new byte[10]), 0, TAG);
        } catch (CommunicationException e) {
          say(ranks, "too large: " + e.getMessage());
        }
      }
    }
    ranks.barrier();
  }

  /** An interrupted wait ends, keeps the status, and does not take the message that comes later. */
  private static void interrupt(Communicator ranks) {
    if (ranks.rank() == 1) {
      MemorySegment unused = MemorySegment.ofArray(new byte[8]);
      Thread.currentThread().interrupt();
      try {
        ranks.receive(unused, 0, TAG);
        say(ranks, "was not interrupted");
      } catch (CommunicationException e) {
        say(ranks, "interrupted " + Thread.interrupted());
      }
    }
    ranks.barrier();
    if (ranks.rank() == 0) {
      ranks.send(MemorySegment.ofArray(new long[] {42}), 1, TAG);
    } else if (ranks.rank() == 1) {
      MemorySegment target = MemorySegment.ofArray(new long[1]);
      ranks.receive(target, 0, TAG);
      say(ranks, "then received " + target.get(JAVA_LONG, 0));
    }
    ranks.barrier();
  }

  /** Two threads per rank, each with its tag, while collectives go on in the main thread. */
  private static void threads(Communicator ranks) throws InterruptedException {
    int messages = 2_000;
    int next = (ranks.rank() + 1) % ranks.size();
    int before = (ranks.rank() + ranks.size() - 1) % ranks.size();
    CountDownLatch done = new CountDownLatch(2);
    for (int t = 0; t < 2; t++) {
      int tag = 100 + t;
      Thread.ofPlatform()
          .start(
              () -> {
                MemorySegment out = MemorySegment.ofArray(new long[1]);
                MemorySegment in = MemorySegment.ofArray(new long[1]);
                for (long i = 0; i < messages; i++) {
                  out.set(JAVA_LONG, 0, i * tag);
                  var received = ranks.startReceive(in, before, tag);
                  ranks.send(out, next, tag);
                  received.await();
                  if (in.get(JAVA_LONG, 0) != i * tag) {
                    throw new AssertionError("message " + i + " of tag " + tag);
                  }
                }
                done.countDown();
              });
    }
    while (ranks.allReduce(done.getCount(), Reduction.MAX) > 0) {
      Thread.sleep(1);
    }
    say(ranks, "threads are done");
  }

  /** Beyond what an int can count: one message, found by wildcards, with its true length. */
  private static void large(Communicator ranks) {
    long bytes = (5L << 29) + 12_345; // 2.5 GiB and a bit
    try (Arena arena = Arena.ofShared()) {
      if (ranks.rank() == 0) {
        MemorySegment data = arena.allocate(bytes);
        for (long at = 0; at < bytes; at += 4096) {
          data.set(JAVA_BYTE, at, (byte) (at >> 12));
        }
        data.set(JAVA_BYTE, bytes - 1, (byte) 99);
        ranks.send(data, 1, TAG);
      } else if (ranks.rank() == 1) {
        Message announced = ranks.probe(Communicator.ANY_SOURCE, Communicator.ANY_TAG);
        MemorySegment data = arena.allocate(bytes + 1_000_000);
        Message got = ranks.receive(data, Communicator.ANY_SOURCE, Communicator.ANY_TAG);
        long wrong = 0;
        for (long at = 0; at < bytes - 1; at += 4096) {
          wrong += data.get(JAVA_BYTE, at) == (byte) (at >> 12) ? 0 : 1;
        }
        wrong += data.get(JAVA_BYTE, bytes - 1) == 99 ? 0 : 1;
        say(ranks, "large: announced %s, got %s, wrong %d".formatted(announced, got, wrong));
      }
    }
    ranks.barrier();
  }

  /** Rank 1 fails while the others wait for it. */
  private static void failAt(Communicator ranks, Runnable failure) {
    if (ranks.rank() == 1) {
      failure.run();
    }
    ranks.receive(MemorySegment.ofArray(new byte[1]), 1, TAG);
  }

  private static void explode() {
    throw new IllegalStateException("the reactor is too hot");
  }

  private static void say(Communicator ranks, String what) {
    // One write per line: launchers mix what ranks print.
    System.out.print("rank " + ranks.rank() + " " + what + "\n");
    System.out.flush();
  }
}
