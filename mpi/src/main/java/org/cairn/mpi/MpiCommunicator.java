// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.cairn.comm.Arguments;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Launch;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.cairn.supply.Supply;

/**
 * Ranks that MPI connects.
 *
 * <p>Two communicators of MPI are behind one of ours: messages with reserved tags have their own,
 * so that {@link #ANY_TAG} cannot match them, and their tags are positive there, as MPI wants it.
 *
 * <p>Nothing here waits inside MPI: a wait is a started request that is tested until it is complete
 * (see {@link Waiting}). So a waiting rank does not keep a core busy, can be interrupted, and lets
 * other threads call where MPI allows one call at a time.
 *
 * <p>Closing the communicator of all ranks does not end MPI; that happens with the process.
 */
public final class MpiCommunicator implements Communicator {
  /** MPI's communicators know 0 and up; ours reserves what is below {@link #ANY_TAG}. */
  private static final int FIRST_RESERVED = ANY_TAG - 1;

  private final MpiProcess process;
  private final long programComm;
  private final long reservedComm;
  private final int rank;
  private final int size;
  private final List<String> domains;
  private volatile boolean closed;

  MpiCommunicator(MpiProcess process, long programComm, long reservedComm, List<String> domains) {
    this.process = process;
    this.programComm = programComm;
    this.reservedComm = reservedComm;
    this.rank = process.rank(programComm);
    this.size = process.size(programComm);
    this.domains = domains;
  }

  /**
   * All ranks that were started together. The first call of a process starts MPI, which is
   * collective.
   *
   * @throws CommunicationException if there is no MPI, or one that does not fit the launcher
   */
  public static MpiCommunicator world() {
    MpiCommunicator world = MpiProcess.current().world();
    world.closed = false; // a program may close it and come back
    return world;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public String domain(int ofRank) {
    return domains.get(Objects.checkIndex(ofRank, size));
  }

  @Override
  public int ranksOnHost() {
    return process.ranksOnHost();
  }

  @Override
  public boolean isConcurrent() {
    return process.isConcurrent();
  }

  /** Which library this is, on one line. */
  public String description() {
    return process.description();
  }

  MpiProcess process() {
    return process;
  }

  // --- messages ------------------------------------------------------------------------------

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    checkOpen();
    Arguments.checkSend(this, to, tag);
    checkAlive(data);
    long bytes = data.byteSize();
    boolean smallToSelf = to == rank && bytes <= SelfSends.LARGEST;
    MemorySegment staged = null;
    if (smallToSelf || !data.isNative()) {
      staged = process.staging.take(bytes);
      MemorySegment.copy(data, 0, staged, 0, bytes);
    }
    Slot slot = process.slots.take();
    slot.pinned = data;
    int code = startNative(slot, (staged == null ? data : staged).address(), bytes, to, tag);
    Message message = new Message(rank, tag, bytes);
    MpiSend send = new MpiSend(process, slot, staged, message);
    if (code != 0) {
      send.release(slot);
      throw send.explain(code);
    }
    return smallToSelf ? process.selfSends.complete(send, message) : send;
  }

  @Override
  public Request startReceive(MemorySegment target, int from, int tag) {
    return startedReceive(target, from, tag);
  }

  @Override
  public Message receive(MemorySegment target, int from, int tag) {
    return startedReceive(target, from, tag).awaitOrGiveUp();
  }

  private MpiReceive startedReceive(MemorySegment target, int from, int tag) {
    checkOpen();
    Arguments.checkReceive(this, target, from, tag);
    checkAlive(target);
    MpiReceive receive = new MpiReceive(this, target, from, tag);
    process.receives.add(receive);
    return receive;
  }

  @Override
  public Optional<Message> poll(int from, int tag) {
    checkOpen();
    Arguments.checkPoll(this, from, tag);
    return process.receives.poll(this, from, tag);
  }

  // --- calls of MPI --------------------------------------------------------------------------

  private int startNative(Slot slot, long address, long bytes, int to, int tag) {
    MpiFunctions mpi = MpiLibrary.mpi();
    process.enter();
    try {
      long request = slot.clearedHandle();
      if (!LargeType.isNeeded(bytes)) {
        long type = mpi.constants().bytes();
        return mpi.startSend(address, (int) bytes, type, to, toMpi(tag), commOf(tag), request);
      }
      return LargeType.use(
          process,
          bytes,
          type -> mpi.startSend(address, 1, type, to, toMpi(tag), commOf(tag), request));
    } finally {
      process.leave();
    }
  }

  /** Starts to receive the message that a slot holds. */
  int startMatched(Slot slot, long address, long bytes) {
    MpiFunctions mpi = MpiLibrary.mpi();
    process.enter();
    try {
      long request = slot.clearedHandle();
      long message = slot.messageAddress();
      if (!LargeType.isNeeded(bytes)) {
        long type = mpi.constants().bytes();
        return mpi.startMatched(address, (int) bytes, type, message, request);
      }
      return LargeType.use(
          process, bytes, type -> mpi.startMatched(address, 1, type, message, request));
    } finally {
      process.leave();
    }
  }

  /**
   * Looks for a message.
   *
   * @param slot gets its status, and its handle if it is taken
   * @param take whether to take it away from all others who look
   */
  Optional<Message> look(Slot slot, int from, int tag, boolean take) {
    MpiFunctions mpi = MpiLibrary.mpi();
    int source = from == ANY_SOURCE ? mpi.constants().anySource() : from;
    long comm = commOf(tag);
    long flag = slot.flagAddress();
    long status = slot.statusAddress();
    process.enter();
    try {
      int code =
          take
              ? mpi.take(source, toMpi(tag), comm, flag, slot.clearedMessage(), status)
              : mpi.probe(source, toMpi(tag), comm, flag, status);
      process.check(code, "looking for a message");
    } finally {
      process.leave();
    }
    return slot.flag() == 0 ? Optional.empty() : Optional.of(message(mpi, slot, tag < ANY_TAG));
  }

  /** The message that a slot's status describes. */
  private Message message(MpiFunctions mpi, Slot slot, boolean reserved) {
    MpiConstants constants = mpi.constants();
    int code = mpi.elements(slot.statusAddress(), constants.bytes(), slot.numberAddress());
    process.check(code, "asking for the length of a message");
    int tag = slot.status(constants.statusTag());
    return new Message(
        slot.status(constants.statusSource()),
        reserved ? FIRST_RESERVED - tag : tag,
        slot.number());
  }

  private long commOf(int tag) {
    return tag < ANY_TAG ? reservedComm : programComm;
  }

  private static int toMpi(int tag) {
    return tag < ANY_TAG ? FIRST_RESERVED - tag : tag; // ANY_TAG is MPI's too
  }

  /** MPI would be given the address of memory that is gone. */
  private static void checkAlive(MemorySegment memory) {
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException("the memory of the message was freed already");
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the communicator is closed");
    }
  }

  // --- ranks ---------------------------------------------------------------------------------

  @Override
  public Communicator split(int color, int key) {
    checkOpen();
    // MPI_Comm_split waits inside MPI. After this all ranks are here, and none waits for long.
    long[] choices = new long[2 * size];
    allGather(new long[] {color, key}, choices);
    checkColors(choices);
    List<String> theirDomains =
        IntStream.range(0, size)
            .filter(other -> choices[2 * other] == color)
            .boxed()
            .sorted(Comparator.comparingLong(other -> choices[2 * other + 1])) // stable
            .map(domains::get)
            .toList();
    process.enter();
    try {
      long program = divide(color, key);
      return new MpiCommunicator(process, program, process.duplicate(program), theirDomains);
    } finally {
      process.leave();
    }
  }

  @Override
  public Communicator duplicate() {
    checkOpen();
    barrier(); // MPI_Comm_dup waits inside MPI, as MPI_Comm_split does
    process.enter();
    try {
      long program = process.duplicate(programComm);
      return new MpiCommunicator(process, program, process.duplicate(program), domains);
    } finally {
      process.leave();
    }
  }

  /** On all ranks alike, hence after the exchange. */
  private static void checkColors(long[] choices) {
    for (int i = 0; i < choices.length; i += 2) {
      if (choices[i] < 0) {
        throw new IllegalArgumentException(
            "colors go from 0; rank %d chose %d".formatted(i / 2, choices[i]));
      }
    }
  }

  private long divide(int color, int key) {
    Slot slot = process.slots.take();
    try {
      process.check(
          MpiLibrary.mpi().split(programComm, color, key, slot.clearedHandle()), "MPI_Comm_split");
      return slot.handle();
    } finally {
      process.slots.giveBack(slot);
    }
  }

  /** Waits until all ranks call this, without messages that a program could see. */
  void awaitAll() {
    MpiFunctions mpi = MpiLibrary.mpi();
    Slot slot = process.slots.take();
    process.enter();
    try {
      process.check(mpi.startBarrier(reservedComm, slot.clearedHandle()), "MPI_Ibarrier");
    } finally {
      process.leave();
    }
    new MpiSend(process, slot, null, new Message(rank, 0, 0)).await();
  }

  /**
   * Takes what was sent to this rank and nobody received, such as the last beats of ranks that
   * ended later: at the end of MPI, UCX complains of each.
   */
  void takeLeftovers() {
    for (long comm : new long[] {programComm, reservedComm}) {
      Slot slot = process.slots.take();
      while (takesAny(slot, comm)) {
        Message message = message(MpiLibrary.mpi(), slot, false);
        MemorySegment room = Supply.autoArena().allocate(Math.max(1, message.bytes()));
        slot.pinned = room;
        process.check(startMatched(slot, room.address(), message.bytes()), "MPI_Imrecv");
        new MpiSend(process, slot, null, message).await();
        slot = process.slots.take();
      }
      process.slots.giveBack(slot);
    }
  }

  private boolean takesAny(Slot slot, long comm) {
    MpiFunctions mpi = MpiLibrary.mpi();
    int any = mpi.constants().anySource();
    process.enter();
    try {
      int code =
          mpi.take(
              any, ANY_TAG, comm, slot.flagAddress(), slot.clearedMessage(), slot.statusAddress());
      process.check(code, "looking for a message");
    } finally {
      process.leave();
    }
    return slot.flag() != 0;
  }

  /**
   * Compares MPI's idea of the ranks with the launcher's. An MPI that does not understand what
   * started it takes itself for the only rank; several such would each do all the work, and destroy
   * each other's files.
   */
  void comparedWith(Optional<Launch> launch) {
    int promised = launch.map(known -> known.size().orElse(size)).orElse(size);
    if (promised != size) {
      throw new CommunicationException(
          ("%s started %d ranks, but %s sees %d: it belongs to another launcher. Use its own, name"
                  + " the library that belongs to this one in %s, or, with srun, choose --mpi=pmix"
                  + " (Open MPI) or --mpi=pmi2 (MPICH)")
              .formatted(
                  launch.orElseThrow().launcher(),
                  promised,
                  process.description(),
                  size,
                  MpiLibrary.VARIABLE));
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    process.receives.close(this, this == process.world() ? () -> {} : this::free);
  }

  /**
   * MPI calls this collective, but neither of the libraries waits for others here; messages under
   * way keep what they need.
   */
  private void free() {
    MpiFunctions mpi = MpiLibrary.mpi();
    Slot slot = process.slots.take();
    process.enter();
    try {
      slot.setHandle(programComm);
      process.check(mpi.free(slot.handleAddress()), "MPI_Comm_free");
      slot.setHandle(reservedComm);
      process.check(mpi.free(slot.handleAddress()), "MPI_Comm_free");
    } finally {
      process.leave();
      process.slots.giveBack(slot);
    }
  }

  @Override
  public String toString() {
    return "rank " + rank + " of " + size + " (" + MpiLibrary.mpi().constants().flavour() + ")";
  }
}
