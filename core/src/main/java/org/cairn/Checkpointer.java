// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.supply.Supply;
import org.cairn.supply.UnseenWrites;
import org.cairn.tier.FileNames;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;

/**
 * Saves the arrays that make up a program's state, and brings them back after a crash.
 *
 * <pre>{@code
 * try (Checkpointer cairn = Checkpointer.open(Path.of("checkpoints"))) {
 *   double[] u = new double[n];
 *   LongCell step = cairn.protect("step", 0L);
 *   cairn.protect("u", u);
 *
 *   cairn.restart();                       // no-op on a first run
 *   while (step.get() < steps) {
 *     advance(u);
 *     step.increment();
 *     cairn.checkpointIfDue();             // or checkpoint()
 *   }
 * }
 * }</pre>
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>Calls come from one thread at a time; one that comes while another is going on is refused.
 *   <li>Protected memory does not change while {@code checkpoint} or {@code add} runs; it may
 *       change as soon as they return, durable or not.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>After a crash at any moment {@code restart} gives the state of the last durable checkpoint,
 *       or of the one in flight if it just made it; never a mixture.
 *   <li>A checkpoint that fails changes nothing: the last good one stays, and the next call tries
 *       again. A failure in the background is thrown once: by {@link Checkpoint#await}, or else by
 *       the next call, which then does nothing but tell it.
 *   <li>What was restored is not dropped in silence: a dataset of the restored version that is
 *       protected late gets its content then, and as long as nothing protects it and nobody has
 *       given it up, checkpoints are refused.
 *   <li>No block reaches the program unverified.
 * </ol>
 */
public final class Checkpointer implements AutoCloseable {
  /** Of all processors; where pages are smaller it is some of them. */
  private static final long ALLOCATED_PAGE = 64 << 10;

  private final OpenJob job;
  private final ProtectedDatasets datasets;
  private final Dataset.Defaults defaults;
  private final Taking taking;
  private final Turn turn;

  private Checkpointer(OpenJob job) {
    this.job = job;
    this.datasets = job.datasets();
    Options options = job.options();
    this.defaults =
        new Dataset.Defaults(options.blockSize(), options.hash(), options.keepsHashes());
    this.taking = job.taking();
    this.turn = job.turn();
  }

  /** Opens a directory for checkpoints, and creates it if it does not exist. */
  public static Checkpointer open(Path directory) {
    return open(directory, Options.defaults());
  }

  /**
   * Opens a directory for checkpoints, and creates it if it does not exist.
   *
   * @throws CheckpointDirectoryException if it cannot be used: no directory, no permission, in use
   *     by another process, or what lies there is no container or a damaged one
   */
  public static Checkpointer open(Path directory, Options options) {
    return new Checkpointer(Opening.in(directory, options));
  }

  /** Checkpoints to a store of any kind. */
  public static Checkpointer open(Store store, Options options) {
    return new Checkpointer(Opening.in(store, options));
  }

  /**
   * Opens a directory for the checkpoints of all ranks of a parallel program; collective. Each rank
   * has a subdirectory of its own there, {@code rank0}, {@code rank1} and so on. The directory may
   * be on storage that ranks share, or one on each node under the same name.
   *
   * @throws CheckpointDirectoryException on all ranks alike, if one of them cannot use it
   */
  public static Checkpointer open(Path directory, Communicator ranks, Options options) {
    return new Checkpointer(Opening.in(directory, ranks, options));
  }

  /** Opens a directory for the checkpoints of all ranks, with defaults; collective. */
  public static Checkpointer open(Path directory, Communicator ranks) {
    return open(directory, ranks, Options.defaults());
  }

  /** Checkpoints of all ranks to stores of any kind; collective. */
  public static Checkpointer open(Directories directories, Communicator ranks, Options options) {
    return new Checkpointer(Opening.in(directories, ranks, options));
  }

  /** The name of the container of a rank. */
  public static String containerName(int rank) {
    return FileNames.local(rank);
  }

  // ---------------------------------------------------------------- protect

  /**
   * Protects an array; the array itself is what is saved and restored. As with all forms of {@code
   * protect}: after a restart, what the restored version has under this name is restored at once,
   * from the container of this rank alone, as if it had been protected before. A name that the
   * version does not have can be protected at any time.
   *
   * @throws DatasetMismatchException if it was saved with another type or shape; nothing is
   *     protected then
   * @throws CheckpointUnavailableException if what was saved is damaged
   */
  public Dataset protect(String name, byte[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, boolean[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, char[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, short[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, int[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, long[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, float[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, double[] array) {
    return protectMemory(name, array);
  }

  /**
   * Protects rows of one length as one dataset of two axes. Rows may be put in the place of others;
   * each checkpoint saves those that are there. They are copied side by side first: Cairn keeps
   * memory of the size of the array for that.
   *
   * @throws IllegalArgumentException if a row is missing, of another length, or there twice
   */
  public Dataset protect(String name, double[][] rows) {
    return add(Dataset.rows(name, rows, defaults));
  }

  /** Protects rows of one length as one dataset of two axes. */
  public Dataset protect(String name, float[][] rows) {
    return add(Dataset.rows(name, rows, defaults));
  }

  /** Protects memory of any size as bytes. */
  public Dataset protect(String name, MemorySegment bytes) {
    return protectMemory(name, bytes);
  }

  /** Protects memory of any size, saying what its elements are. */
  public Dataset protect(String name, MemorySegment memory, ElementType type) {
    return add(Dataset.fixed(name, memory, type, defaults));
  }

  /**
   * Allocates memory that begins with a page and protects it as bytes; see {@link #allocate(String,
   * long, ElementType)}.
   */
  public MemorySegment allocate(String name, long bytes) {
    return allocate(name, bytes, ElementType.BYTE);
  }

  /**
   * Allocates memory outside of the Java heap, all zeros, that begins with a page, and protects it:
   * so all of it can be {@linkplain Tracking tracked}, and nothing else lies on its pages. It stays
   * as long as anybody can reach it. After a restart it has what the restored version has under
   * this name.
   *
   * @throws IllegalArgumentException if there is not a whole number of elements
   */
  public MemorySegment allocate(String name, long bytes, ElementType type) {
    if (bytes < 0 || bytes % type.bytes() != 0) {
      throw new IllegalArgumentException(
          "%d bytes are not a whole number of elements of type %s".formatted(bytes, type.label()));
    }
    MemorySegment memory = Supply.autoArena().allocate(roundedUp(bytes), ALLOCATED_PAGE);
    MemorySegment wanted = memory.asSlice(0, bytes);
    add(Dataset.fixed(name, wanted, type, defaults));
    return wanted;
  }

  private static long roundedUp(long bytes) {
    return Math.max(1, Math.ceilDiv(bytes, ALLOCATED_PAGE)) * ALLOCATED_PAGE;
  }

  /**
   * Says that memory was written to past the page tables: by a network card, a GPU or through a
   * second mapping. What Java or the kernel writes is seen without. Memory that a device reaches by
   * itself is tracked only if some of it was marked after its first checkpoint: then all such
   * writes to it are taken to be, until the dataset is unprotected or is other memory.
   */
  public static void mark(MemorySegment written) {
    UnseenWrites.mark(written);
  }

  /** Protects all of a direct buffer, whatever its position and limit. */
  public Dataset protect(String name, Buffer buffer) {
    return protectMemory(name, buffer);
  }

  /**
   * Protects memory of a device, such as a GPU, that stays where it is: it is hashed there, and
   * only what changed is copied. Before a checkpoint looks at it, it waits for all that the context
   * does in which the memory was allocated. Containers do not tell where a dataset was: what was
   * saved from a device can be restored to an array, and the other way round.
   *
   * @param pointer what the device's allocator gave, or a place behind that
   * @param bytes how many; they must stay allocated until {@link #unprotect} or {@link #close}
   * @throws IllegalArgumentException if that is no memory of a device, or no kind of device is on
   *     the class path; the message says which
   */
  public Dataset protectDevice(String name, long pointer, long bytes, ElementType type) {
    return add(Dataset.onDevice(name, pointer, bytes, type, OptionalLong.empty(), defaults));
  }

  /**
   * The same for memory that only one stream writes to: a checkpoint waits for that one alone.
   *
   * @param stream its handle
   */
  public Dataset protectDevice(
      String name, long pointer, long bytes, ElementType type, long stream) {
    return add(Dataset.onDevice(name, pointer, bytes, type, OptionalLong.of(stream), defaults));
  }

  /** Protects a number; a restart sets it. */
  public LongCell protect(String name, long initial) {
    long[] value = {initial};
    protectMemory(name, value);
    return new LongCell(value);
  }

  /** Protects a number; a restart sets it. */
  public IntCell protect(String name, int initial) {
    int[] value = {initial};
    protectMemory(name, value);
    return new IntCell(value);
  }

  /** Protects a number; a restart sets it. */
  public DoubleCell protect(String name, double initial) {
    double[] value = {initial};
    protectMemory(name, value);
    return new DoubleCell(value);
  }

  /** Protects a truth value; a restart sets it. */
  public BooleanCell protect(String name, boolean initial) {
    boolean[] value = {initial};
    protectMemory(name, value);
    return new BooleanCell(value);
  }

  /** Protects a number that is the same on all ranks, see {@link Dataset#everywhere}. */
  public LongCell protectEverywhere(String name, long initial) {
    long[] value = {initial};
    add(Dataset.fixed(name, value, defaults).everywhere());
    return new LongCell(value);
  }

  /** Protects a number that is the same on all ranks, see {@link Dataset#everywhere}. */
  public IntCell protectEverywhere(String name, int initial) {
    int[] value = {initial};
    add(Dataset.fixed(name, value, defaults).everywhere());
    return new IntCell(value);
  }

  /** Protects a number that is the same on all ranks, see {@link Dataset#everywhere}. */
  public DoubleCell protectEverywhere(String name, double initial) {
    double[] value = {initial};
    add(Dataset.fixed(name, value, defaults).everywhere());
    return new DoubleCell(value);
  }

  /** Protects a truth value that is the same on all ranks, see {@link Dataset#everywhere}. */
  public BooleanCell protectEverywhere(String name, boolean initial) {
    boolean[] value = {initial};
    add(Dataset.fixed(name, value, defaults).everywhere());
    return new BooleanCell(value);
  }

  /**
   * Protects an array that the program replaces as it likes: to grow, shrink or move.
   *
   * @param type {@code double[].class} or another primitive array type, or {@code MemorySegment}
   * @param current gives the array as it is now
   * @param allocator makes an array of this many elements (bytes, for a {@code MemorySegment}) and
   *     puts it where {@code current} finds it; a restart calls it with the saved size
   */
  public <T> Dataset protect(
      String name, Class<T> type, Supplier<T> current, LongFunction<T> allocator) {
    return add(Dataset.supplied(name, type, current, allocator, defaults));
  }

  /**
   * Protects rows that the program replaces as it likes, by more or fewer of another length.
   *
   * @param type {@code double[][].class} or {@code float[][].class}
   */
  public <T> Dataset protect(
      String name, Class<T> type, Supplier<T> current, RowsAllocator<T> allocator) {
    return add(Dataset.suppliedRows(name, type, current, allocator, defaults));
  }

  /** Protects state that only this pair of functions understands. */
  public Dataset protectOpaque(String name, Supplier<byte[]> save, Consumer<byte[]> load) {
    return add(Dataset.opaque(name, save, load, defaults));
  }

  /**
   * Protects the fields of an object that are annotated with {@link Protect}, as datasets named
   * {@code prefix.field}.
   */
  public List<Dataset> protectObject(String prefix, Object state) {
    return addAll(ObjectFields.of(prefix, state, defaults));
  }

  private Dataset protectMemory(String name, Object memory) {
    return add(Dataset.fixed(name, memory, defaults));
  }

  private Dataset add(Dataset dataset) {
    return addAll(List.of(dataset)).getFirst();
  }

  private List<Dataset> addAll(List<Dataset> added) {
    try (Turn.Held _ = turn.join("protect()")) {
      datasets.add(added);
      return added;
    }
  }

  /**
   * Takes a dataset out of the state; the next checkpoint is without it. So is it said, too, that a
   * dataset which the restored version has and nothing protects is not wanted any more.
   */
  public void unprotect(String name) {
    try (Turn.Held _ = turn.join("unprotect()")) {
      datasets.remove(name);
    }
  }

  /** A protected dataset. */
  public Dataset dataset(String name) {
    return datasets.get(name);
  }

  /** All protected datasets. */
  public Collection<Dataset> datasets() {
    return datasets.list();
  }

  // ---------------------------------------------------------------- restart

  /** Restores all protected datasets from the newest version that is whole. */
  public RestartReport restart() {
    return restart(RestartRequest.newest());
  }

  /**
   * Restores what is asked for; if the program has changed since, as {@link RestartRequest#rename},
   * {@link RestartRequest#converting} and {@link RestartRequest#orElse} say. Datasets of the
   * version that are protected later are restored then; see {@link RestartRequest#dropping} for
   * those that nothing protects any more.
   *
   * @throws CheckpointUnavailableException if there are versions, but none can be restored
   * @throws DatasetMismatchException if a dataset was saved with another type or shape than is
   *     protected now
   * @throws CheckpointFailedException if it failed, or a checkpoint in the background had, which
   *     nobody was told of; in that case nothing was restored, and the next call tries
   */
  public RestartReport restart(RestartRequest request) {
    try (Turn.Held _ = turn.take("restart()")) {
      taking.settleTogether();
      return job.restoration().restart(request);
    }
  }

  /**
   * Gives some datasets what {@link #restart} would give them, and does nothing else: for a program
   * that has to know something of the state before it can protect the rest, how large it is for
   * example. Before {@code restart()}; on all ranks. Any number of times: what one has given stays
   * where the next one gives nothing.
   *
   * <p>{@link RestartReport#version} says which version that was, {@link
   * RestartRequest#asPeeked(VersionId)} restores the rest of it; {@link RestartReport#contents}
   * says what it has, also if no names are given.
   *
   * @param names of datasets that are protected; none to fill nothing
   * @return what was given; where there is nothing, or {@code restart()} would refuse, nothing was
   *     {@linkplain RestartReport#isRestored restored}
   */
  public RestartReport peek(RestartRequest request, String... names) {
    try (Turn.Held _ = turn.take("peek()")) {
      taking.settleTogether();
      return job.restoration().peek(request.only(names));
    }
  }

  // ---------------------------------------------------------------- checkpoint

  /**
   * Takes a checkpoint: synchronous, returning when it is durable, unless {@link
   * Options#asynchronous(boolean)} was chosen.
   *
   * @throws CheckpointFailedException if it failed; or if one in the background had, which nobody
   *     was told of: then this call took none, and says so, and the next one tries
   * @throws IllegalStateException on all ranks, if the restored version has datasets on any of them
   *     that nothing protects and nobody has given up; nothing is changed
   */
  public Checkpoint checkpoint() {
    return checkpoint(Label.none());
  }

  /**
   * Takes a checkpoint and returns as soon as the dirty blocks are copied aside. If it fails after
   * that, {@link Checkpoint#await} tells; if nobody has asked, the next call.
   */
  public Checkpoint checkpointAsync() {
    try (Turn.Held _ = turn.take("checkpointAsync()")) {
      return taking.take(true, Label.none());
    }
  }

  /**
   * Takes a checkpoint that is found again: with a label and a note, perhaps to be kept for ever.
   * It waits for the one before rather than being skipped; one that is to be kept goes to every
   * tier. Of many ranks, all call this, and what the first one says counts.
   */
  public Checkpoint checkpoint(Label label) {
    try (Turn.Held _ = turn.take("checkpoint()")) {
      return taking.take(job.options().asynchronous(), label);
    }
  }

  /**
   * Takes a checkpoint if the interval chosen in {@link Options} has passed since the last one, or
   * since the start. In a parallel program all ranks call it equally often, once a step for
   * example; most calls send no message.
   */
  public Optional<Checkpoint> checkpointIfDue() {
    try (Turn.Held _ = turn.take("checkpointIfDue()")) {
      return taking.takeIfDue();
    }
  }

  /**
   * Starts a checkpoint that is completed step by step; like {@link #checkpoint()} its {@code
   * commit} returns when it is durable, unless asynchronous checkpoints were chosen.
   */
  public CheckpointBuilder begin() {
    return begin(Label.none());
  }

  /** The same with a label, see {@link #checkpoint(Label)}. */
  public CheckpointBuilder begin(Label label) {
    try (Turn.Held _ = turn.take("begin()")) {
      return taking.beginSteps(label);
    }
  }

  /**
   * Starts a checkpoint that is completed step by step if one is due, as {@link #checkpointIfDue}
   * takes one: on all ranks or on none, if all call it equally often. Empty if none is due, or if
   * the one before is not durable yet and {@link WhenBusy#SKIP} was chosen.
   */
  public Optional<CheckpointBuilder> beginIfDue() {
    try (Turn.Held _ = turn.take("beginIfDue()")) {
      return taking.beginIfDue();
    }
  }

  // ---------------------------------------------------------------- asking, closing

  /** The retained versions, newest first. */
  public List<VersionInfo> versions() {
    return job.versions();
  }

  /** How the container uses its file, and memory for maps. */
  public Container.Usage usage() {
    return job.usage();
  }

  /**
   * Brings the newest version to a tier now, whenever its turn would be; collective. Returns when
   * all ranks have it there.
   *
   * @throws CheckpointFailedException if it did not get there; it is where it was before
   */
  public void flush(TierKind tier) {
    job.flush(tier);
  }

  /**
   * Waits for the checkpoint in the background, then lets go of everything; a checkpoint that was
   * begun step by step and not ended is aborted. Closing again does nothing.
   *
   * <p>Another thread may do it, a shutdown hook for example, between two calls of the program,
   * which is refused from then on. While a call is going on, {@code close} is refused instead and
   * nothing changes: who ends the process then loses nothing that was durable. If another thread is
   * closing, this waits for it. Over a transport that serves one thread, only the thread that
   * opened can close.
   *
   * @throws CheckpointFailedException if that checkpoint failed and nobody was told yet; everything
   *     is closed then
   * @throws IllegalStateException if another call is going on, or this is called by a function of
   *     the program that Cairn calls
   */
  @Override
  public void close() {
    job.close();
  }
}
