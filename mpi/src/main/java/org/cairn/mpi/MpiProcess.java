// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Launch;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * MPI as this process uses it, from its start to its end.
 *
 * <p>Assumptions: MPI is started once per process, by whoever asks first, and ends with it.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>Where MPI allows one call at a time, {@link #enter} makes threads wait for each other. No
 *       call is made inside that waits for another rank, except where all ranks are known to be
 *       about to make it too.
 *   <li>After {@link #end} no other thread gets past {@link #enter}.
 * </ol>
 */
final class MpiProcess {
  /** What fails together with this process; the name of its host if it is not set. */
  static final String DOMAIN_VARIABLE = "CAIRN_DOMAIN";

  static final String DOMAIN_PROPERTY = "cairn.domain";

  private static final int NAME_BYTES = 256;
  private static final int TEXT_BYTES = 8192;

  /** Exit statuses above are those of signals. */
  private static final int SIGNALS = 128;

  private static @Nullable MpiProcess current;

  private final MpiFunctions mpi = MpiLibrary.mpi();
  final SlotPool slots = new SlotPool();
  final Staging staging = new Staging();
  final SelfSends selfSends = new SelfSends();
  final ReceiveQueue receives = new ReceiveQueue(slots);
  final ThreadLevel level;
  private final @Nullable ReentrantLock guard;
  private final boolean startedHere;
  private volatile @Nullable Thread ender;
  private Waiting waiting = Waiting.forRanksPerHost(Integer.MAX_VALUE);
  private int ranksOnHost = 1;
  private final MpiCommunicator world;

  private MpiProcess() {
    Slot slot = slots.take();
    check(mpi.initialized(slot.flagAddress()), "MPI_Initialized");
    startedHere = slot.flag() == 0;
    check(
        startedHere
            ? mpi.initThread(0, 0, ThreadLevel.wanted().number(), slot.flagAddress())
            : mpi.queryThread(slot.flagAddress()),
        "starting MPI");
    level = ThreadLevel.of(slot.flag());
    guard = level == ThreadLevel.MULTIPLE ? null : new ReentrantLock();
    slots.giveBack(slot);

    MpiConstants constants = mpi.constants();
    check(mpi.setErrorHandler(constants.self(), constants.errorsReturn()), "set error handler");
    check(mpi.setErrorHandler(constants.world(), constants.errorsReturn()), "set error handler");
    world = makeWorld(constants);
    if (startedHere) {
      MpiExit.install(this);
    }
  }

  /** Starts MPI if that has not happened yet; collective then. */
  static synchronized MpiProcess current() {
    if (current == null) {
      MpiProcess started = new MpiProcess();
      started.world.comparedWith(Launch.detect());
      current = started;
    }
    return current;
  }

  private MpiCommunicator makeWorld(MpiConstants constants) {
    // Copies: other users of MPI in this process keep the original.
    long program = duplicate(constants.world());
    long reserved = duplicate(constants.world());
    List<String> hosts = gatherNames(program, hostName());
    ranksOnHost = Collections.frequency(hosts, hostName());
    waiting = Waiting.forRanksPerHost(ranksOnHost);
    String domain = configuredDomain().orElseGet(this::hostName);
    return new MpiCommunicator(this, program, reserved, gatherNames(program, domain));
  }

  private static Optional<String> configuredDomain() {
    return Optional.ofNullable(System.getProperty(DOMAIN_PROPERTY))
        .or(() -> Optional.ofNullable(System.getenv(DOMAIN_VARIABLE)))
        .filter(name -> !name.isBlank());
  }

  MpiCommunicator world() {
    return world;
  }

  /** How many ranks run on this host, whatever their failure domains are called. */
  int ranksOnHost() {
    return ranksOnHost;
  }

  Waiting waiting() {
    return waiting;
  }

  /** Which library this is, on one line. */
  String description() {
    String version = text(mpi::libraryVersion).lines().findFirst().orElse("");
    return mpi.constants().flavour() + " (" + MpiLibrary.LOADED.file() + ": " + version + ")";
  }

  // --- calls ---------------------------------------------------------------------------------

  /** To be called before MPI is, with {@link #leave} to follow. */
  void enter() {
    if (guard != null) {
      guard.lock();
    }
    if (ender != null && ender != Thread.currentThread()) {
      leave();
      refuse();
    }
  }

  /** Lets the process end first, so that threads that are of no importance do not complain. */
  private static void refuse() {
    LockSupport.parkNanos(1_000_000_000);
    throw new CommunicationException("the program is ending, and MPI with it");
  }

  void leave() {
    if (guard != null) {
      guard.unlock();
    }
  }

  /** Whether many threads may call {@link #enter}. */
  boolean isConcurrent() {
    return level.compareTo(ThreadLevel.SERIALIZED) >= 0;
  }

  /** Turns an error code into an exception. */
  void check(int code, String what) {
    if (code != 0) {
      throw new CommunicationException(what + ": " + explain(code));
    }
  }

  /** What MPI says of an error code. */
  String explain(int code) {
    return text((text, length) -> mpi.errorString(code, text, length)).strip();
  }

  private String hostName() {
    return text(mpi::processorName);
  }

  private interface TextFunction {
    int call(long text, long length);
  }

  private static String text(TextFunction function) {
    try (Arena arena = Supply.confinedArena()) {
      MemorySegment text = arena.allocate(TEXT_BYTES);
      MemorySegment length = arena.allocate(8);
      int code = function.call(text.address(), length.address());
      return code == 0 ? text.getString(0) : "MPI error " + code;
    }
  }

  long duplicate(long comm) {
    Slot slot = slots.take();
    check(mpi.duplicate(comm, slot.clearedHandle()), "MPI_Comm_dup");
    long result = slot.handle();
    slots.giveBack(slot);
    return result;
  }

  int rank(long comm) {
    Slot slot = slots.take();
    check(mpi.rank(comm, slot.flagAddress()), "MPI_Comm_rank");
    int rank = slot.flag();
    slots.giveBack(slot);
    return rank;
  }

  int size(long comm) {
    Slot slot = slots.take();
    check(mpi.size(comm, slot.flagAddress()), "MPI_Comm_size");
    int size = slot.flag();
    slots.giveBack(slot);
    return size;
  }

  /** One name of each rank. All ranks have to call this at about the same time: it blocks. */
  private List<String> gatherNames(long comm, String name) {
    byte[] bytes = name.getBytes(UTF_8);
    if (bytes.length >= NAME_BYTES) {
      throw new IllegalArgumentException(
          "%s has %d bytes; %d is the limit: %s"
              .formatted(DOMAIN_VARIABLE, bytes.length, NAME_BYTES - 1, name));
    }
    int size = size(comm);
    try (Arena arena = Supply.confinedArena()) {
      MemorySegment mine = arena.allocate(NAME_BYTES);
      MemorySegment all = arena.allocate((long) NAME_BYTES * size);
      MemorySegment.copy(bytes, 0, mine, JAVA_BYTE, 0, bytes.length);
      gather(comm, mine, all);
      List<String> names = new ArrayList<>(size);
      Map<String, String> once = new HashMap<>(); // hosts have many ranks
      for (int rank = 0; rank < size; rank++) {
        names.add(once.computeIfAbsent(all.getString((long) rank * NAME_BYTES), found -> found));
      }
      return List.copyOf(names);
    }
  }

  private void gather(long comm, MemorySegment mine, MemorySegment all) {
    long type = mpi.constants().bytes();
    int bytes = (int) mine.byteSize();
    check(
        mpi.allGather(mine.address(), bytes, type, all.address(), bytes, type, comm),
        "MPI_Allgather");
  }

  // --- the end -------------------------------------------------------------------------------

  /**
   * Ends MPI when the program does.
   *
   * @param status what the process exits with; anything but 0 ends the other ranks too, which might
   *     wait for this one forever
   */
  void end(int status) {
    ender = Thread.currentThread();
    if (status > SIGNALS) {
      return; // launchers send them to all ranks
    }
    if (status != 0) {
      mpi.abort(mpi.constants().world(), status);
      return;
    }
    // Waits as all our waits do; MPI_Finalize would keep a core busy. Threads of the program that
    // are inside a call get out meanwhile.
    world.awaitAll();
    world.takeLeftovers();
    mpi.finish();
  }
}
