// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.cairn.codec.BlockCodecs;
import org.cairn.dataset.ArrayMemory;
import org.cairn.dataset.Binding;
import org.cairn.dataset.DeviceBinding;
import org.cairn.dataset.MemoryBinding;
import org.cairn.dataset.OpaqueBinding;
import org.cairn.dataset.RowsBinding;
import org.cairn.device.Device;
import org.cairn.device.DeviceException;
import org.cairn.device.DeviceMemory;
import org.cairn.device.Devices;
import org.cairn.division.Division;
import org.cairn.hash.DefaultHash;
import org.cairn.hash.WeakHash;
import org.cairn.supply.Workspace;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * A named, typed array of the program, as protected.
 *
 * <p>Settings are made with the fluent methods, best right after {@code protect}: {@code
 * cairn.protect("u", u).shape(rows, columns).codec(Codec.ZSTD)}. A changed block size or hash
 * algorithm takes effect with the next checkpoint, which then writes the dataset anew.
 */
public final class Dataset {
  private final String name;
  private final Binding binding;
  private @Nullable List<Long> shape;
  private int blockSize;
  private HashAlgorithm algorithm;

  /** Whether it takes the algorithm with which a restart finds it saved. */
  private boolean keepsHash;

  private Codec codec = Codec.NONE;
  private Division division = Division.alone();

  /** What a restart put here before the program could say of what shape it is. */
  private @Nullable DatasetSpec filledLate;

  /** The version whose bytes it has, until somebody has asked. */
  private @Nullable VersionInfo origin;

  /**
   * What a dataset has if nothing else is said.
   *
   * @param blockSize the size of blocks
   * @param algorithm the hash algorithm
   * @param keepsHash whether a dataset that is restored keeps the one it was saved with: nobody
   *     chose this one
   */
  public record Defaults(int blockSize, HashAlgorithm algorithm, boolean keepsHash) {
    /** What somebody chose. */
    public Defaults(int blockSize, HashAlgorithm algorithm) {
      this(blockSize, algorithm, false);
    }

    /** The same of memory of a device, which computes XXH3 and not all that a processor does. */
    Defaults onDevice() {
      return keepsHash ? new Defaults(blockSize, HashAlgorithm.XXH3_128) : this;
    }
  }

  private Dataset(String name, Binding binding, Defaults defaults) {
    checkName(name);
    this.name = name;
    this.binding = binding;
    this.blockSize = defaults.blockSize;
    this.algorithm = defaults.algorithm;
    this.keepsHash = defaults.keepsHash;
  }

  private static void checkName(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a dataset needs a name");
    }
    // Files hold names as UTF-8, which has no form for half a character: two names could become
    // one.
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException(
          "dataset name \"" + name + "\" is not valid Unicode (an unpaired surrogate)");
    }
  }

  /** A dataset over an array, segment or direct buffer that stays where it is. */
  public static Dataset fixed(String name, Object memory, Defaults defaults) {
    return fixed(name, memory, ArrayMemory.typeOf(memory), defaults);
  }

  /** A dataset over memory whose elements are of the given type. */
  public static Dataset fixed(String name, Object memory, ElementType type, Defaults defaults) {
    if (memory instanceof MemorySegment segment && segment.byteSize() % type.bytes() != 0) {
      throw new IllegalArgumentException(
          "\"%s\": %d bytes are no whole number of %s elements"
              .formatted(name, segment.byteSize(), type.label()));
    }
    return new Dataset(name, MemoryBinding.fixed(memory, type), defaults);
  }

  /** A dataset that the program may put elsewhere, or give another size, at any time. */
  public static Dataset supplied(
      String name,
      Class<?> type,
      Supplier<?> current,
      LongFunction<?> allocator,
      Defaults defaults) {
    return new Dataset(
        name, MemoryBinding.supplied(ArrayMemory.typeOf(type), current, allocator), defaults);
  }

  /** A dataset over the rows of a {@code double[][]} or {@code float[][]}, all of one length. */
  public static Dataset rows(String name, Object[] rows, Defaults defaults) {
    try {
      return new Dataset(name, RowsBinding.fixed(rows), defaults);
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw new IllegalArgumentException("\"%s\": %s".formatted(name, e.getMessage()), e);
    }
  }

  /** A dataset over rows that the program may replace by others, more or fewer, at any time. */
  public static Dataset suppliedRows(
      String name,
      Class<?> type,
      Supplier<?> current,
      RowsAllocator<?> allocator,
      Defaults defaults) {
    return new Dataset(name, RowsBinding.supplied(type, current, allocator), defaults);
  }

  /**
   * A dataset over memory of a device.
   *
   * @throws IllegalArgumentException if it is no memory of a device, or not so much
   */
  static Dataset onDevice(
      String name,
      long pointer,
      long bytes,
      ElementType type,
      OptionalLong stream,
      Defaults defaults) {
    if (bytes < 0 || bytes % type.bytes() != 0) {
      throw new IllegalArgumentException(
          "\"%s\": %d bytes are no whole number of %s elements"
              .formatted(name, bytes, type.label()));
    }
    if (bytes == 0) {
      // No device has nothing: there may be no address, and no device either.
      return fixed(name, MemorySegment.ofArray(new byte[0]), type, defaults);
    }
    try {
      Device device = Devices.of(pointer, bytes);
      DeviceMemory memory = new DeviceMemory(device, pointer, bytes, stream);
      return new Dataset(name, new DeviceBinding(type, memory), defaults.onDevice());
    } catch (DeviceException e) {
      throw new IllegalArgumentException("\"%s\": %s".formatted(name, e.getMessage()), e);
    }
  }

  /** Where it is, if that is memory of a device. */
  public Optional<DeviceMemory> device() {
    return binding.device();
  }

  static Dataset of(String name, Binding binding, Defaults defaults) {
    return new Dataset(name, binding, defaults);
  }

  /** State that only a pair of functions understands. */
  public static Dataset opaque(
      String name, Supplier<byte[]> save, Consumer<byte[]> load, Defaults defaults) {
    return new Dataset(name, new OpaqueBinding(save, load), defaults);
  }

  /** The name under which it is saved. */
  public String name() {
    return name;
  }

  /** What the elements are. */
  public ElementType elementType() {
    return binding.type();
  }

  /** How many bytes it has now. */
  public long byteSize() {
    try {
      return binding.byteSize();
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw unusable(e);
    }
  }

  private IllegalStateException unusable(RuntimeException e) {
    return new IllegalStateException("dataset \"" + name + "\": " + e.getMessage(), e);
  }

  /** The number of elements along each axis, slowest first; one axis unless said otherwise. */
  public List<Long> shape() {
    return shapeOf(byteSize());
  }

  private List<Long> shapeOf(long bytes) {
    return shape != null
        ? shape
        : binding.shape().orElseGet(() -> arranged(bytes / elementType().bytes()));
  }

  /** A single part has the shape of its brick; whether that fits is checked where it is saved. */
  private List<Long> arranged(long elements) {
    return division instanceof Division.Parts parts
            && parts.parts().size() == 1
            && parts.first().localElements() == elements
        ? parts.first().localShape()
        : List.of(elements);
  }

  /**
   * Says how the elements are arranged; the product must be their number at each checkpoint.
   *
   * @throws DatasetMismatchException if it was protected after a restart, which gave it elements
   *     that were saved in another shape
   */
  public Dataset shape(long... extents) {
    List<Long> wanted = Arrays.stream(extents).boxed().toList();
    DatasetSpec stored = filledLate;
    shape = stored != null && holdsAll(stored) ? shapeOf(stored, wanted) : wanted;
    return this;
  }

  private boolean holdsAll(DatasetSpec stored) {
    return byteSize() == stored.byteLength();
  }

  /** As if the shape had been known to the restart: what can have any shape has the saved one. */
  private List<Long> shapeOf(DatasetSpec stored, List<Long> wanted) {
    if (!binding.resizable() && !wanted.equals(stored.shape())) {
      throw new DatasetMismatchException(
          name,
          describe(stored.type(), stored.shape()),
          describe(elementType(), wanted),
          "the shapes differ");
    }
    return stored.shape();
  }

  // ---------------------------------------------------------------- what other ranks have

  /**
   * Says that this is a part of an array that is divided among ranks, under the same name on all of
   * them; or several parts, one behind the other in memory. Every rank calls it.
   *
   * <p>No two ranks may have the same element, and together they must have all, unless {@link
   * Part#holes} says otherwise: a checkpoint looks at that whenever a rank says something new.
   */
  public Dataset part(Part... parts) {
    return partOf(name, parts);
  }

  /**
   * The same for a part that has memory of its own, where a rank has several of the same array:
   * each is protected under a name of its own.
   *
   * @param array the name of the array
   */
  public Dataset partOf(String array, Part... parts) {
    checkName(array);
    for (Part part : parts) {
      Objects.requireNonNull(part, () -> "a part of \"" + name + "\" is null");
      part.fill().ifPresent(this::checkFill);
    }
    return divide(new Division.Parts(array, List.of(parts)));
  }

  /** What is read where nobody has anything is to be what the program said, and nothing like it. */
  private void checkFill(double value) {
    boolean holds =
        switch (elementType()) {
          case DOUBLE -> true;
          case FLOAT -> !Double.isFinite(value) || Float.isFinite((float) value);
          case LONG -> value == Math.rint(value) && value >= -0x1p63 && value < 0x1p63;
          case INT -> value == (int) value;
          case SHORT -> value == (short) value;
          case CHAR -> value == (char) value;
          case BYTE, OPAQUE -> value == (byte) value;
          case BOOLEAN -> value == 0 || value == 1;
        };
    if (!holds) {
      throw new IllegalArgumentException(
          "Part.holes(%s) of \"%s\": no %s has that value"
              .formatted(value, name, elementType().label()));
    }
  }

  /**
   * Says that any rank may hold any of the items here; those of all ranks, one after the other, are
   * one sequence.
   *
   * @param width elements of an item
   */
  public Dataset bag(int width) {
    return bag(name, width);
  }

  /**
   * The same for items whose elements are in several datasets: those of one bag have equally many
   * items, and stay together.
   *
   * @param bag the name of the bag
   */
  public Dataset bag(String bag, int width) {
    checkName(bag);
    return divide(new Division.Bag(bag, width));
  }

  /**
   * Says that all ranks have the same, bit for bit. A checkpoint looks whether that is true, and
   * fails on all ranks if it is not.
   */
  public Dataset everywhere() {
    return divide(Division.everywhere());
  }

  private Dataset divide(Division wanted) {
    if (elementType() == ElementType.OPAQUE && !(wanted instanceof Division.Everywhere)) {
      throw new IllegalArgumentException(
          "\"%s\" has no elements that could be divided: only its functions understand it"
              .formatted(name));
    }
    DatasetSpec stored = filledLate;
    if (stored != null) {
      refuseOtherParts(stored, wanted);
    }
    division = wanted;
    return this;
  }

  /** What it is of what all ranks have. */
  public Division division() {
    return division;
  }

  // ---------------------------------------------------------------- how it is saved

  /** Sets the size of blocks: 128 bytes to 1 MiB. */
  public Dataset blockSize(int bytes) {
    // Checked by the record that goes into the file, so that there is one place to know the limits.
    DatasetSpec ignored =
        new DatasetSpec(name, elementType(), List.of(0L), 0, bytes, algorithm, codec);
    blockSize = ignored.blockSize();
    return this;
  }

  /** Sets the hash algorithm. */
  public Dataset hash(HashAlgorithm chosen) {
    WeakHash.warnIfWeak(chosen, "dataset \"" + name + "\"");
    algorithm = chosen;
    keepsHash = false;
    return this;
  }

  /** Sets how blocks are compressed. */
  public Dataset codec(Codec chosen) {
    BlockCodecs.unavailable(chosen)
        .ifPresent(
            reason -> {
              throw new IllegalArgumentException("codec " + chosen.label() + ": " + reason);
            });
    codec = chosen;
    return this;
  }

  /** Puts another array (of any length, but the same type) in the place of the one protected. */
  public Dataset replace(Object memory) {
    binding.replace(memory);
    shape = null;
    filledLate = null;
    return this;
  }

  /** What it is now, without a look at its bytes. */
  public DatasetSpec spec() {
    return new DatasetSpec(
        name, elementType(), shape(), byteSize(), blockSize, algorithm, codec, division);
  }

  /** Whether it is made of rows. */
  public boolean isRows() {
    return binding.isRows();
  }

  /**
   * How so many elements would be arranged that come from many ranks: as they are now if they stay
   * where they are, in rows if they are rows, else as is said.
   *
   * @param wanted of as many elements
   */
  public List<Long> arrangementOf(List<Long> wanted) {
    if (!binding.resizable()) {
      return shape();
    }
    if (!binding.isRows() || wanted.size() == 2) {
      return wanted;
    }
    long columns = wanted.getLast();
    long elements = DatasetSpec.elements(wanted);
    return List.of(columns == 0 ? 0 : elements / columns, columns);
  }

  /** What it would be with elements of another shape. */
  public DatasetSpec specOf(List<Long> other) {
    long bytes = Math.multiplyExact(DatasetSpec.elements(other), elementType().bytes());
    return new DatasetSpec(
        name, elementType(), other, bytes, blockSize, algorithm, codec, division);
  }

  /** The bytes as they are now, see {@link Image}. */
  public Image image() {
    filledLate = null;
    try {
      Optional<DeviceMemory> device = binding.device();
      MemorySegment bytes = device.isPresent() ? MemorySegment.NULL : binding.view();
      long size = device.map(DeviceMemory::bytes).orElseGet(bytes::byteSize);
      DatasetSpec spec =
          new DatasetSpec(
              name, elementType(), shapeOf(size), size, blockSize, algorithm, codec, division);
      return new Image(this, spec, bytes);
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw unusable(e);
    }
  }

  /**
   * What a checkpoint sees of a dataset.
   *
   * @param bytes none if they are on a device
   */
  public record Image(Dataset dataset, DatasetSpec spec, MemorySegment bytes) {}

  /** Memory of the program outside of the Java heap, if that is what is saved. */
  public Optional<MemorySegment> lastingMemory() {
    return binding.lastingMemory();
  }

  /**
   * Memory for a restart to fill with what was saved.
   *
   * @throws DatasetMismatchException if what was saved does not fit what is protected
   */
  public MemorySegment target(DatasetSpec stored) {
    refuseOtherType(stored);
    refuseOtherParts(stored, division);
    if (shape != null && !binding.resizable() && !shape.equals(stored.shape())) {
      throw mismatch(stored, "the shapes differ");
    }
    try {
      return binding.target(stored.shape());
    } catch (IllegalStateException | IllegalArgumentException | ArithmeticException e) {
      throw mismatch(stored, String.valueOf(e.getMessage()));
    } catch (OutOfMemoryError e) {
      // The size comes from a file, which may claim anything.
      throw mismatch(stored, "there is no memory for it: " + e.getMessage());
    }
  }

  /**
   * The same of what other ranks have too: what is not filled, ghosts beyond the end of an array
   * for example, stays what it is, also where an allocator puts other memory in its place.
   */
  public MemorySegment targetOfParts(DatasetSpec stored) {
    if (!(division instanceof Division.Parts parts)
        || parts.parts().stream().noneMatch(Part::hasGhosts)) {
      return target(stored);
    }
    try (Workspace aside = new Workspace()) {
      Optional<MemorySegment> before = held(stored.byteLength(), aside);
      MemorySegment target = target(stored);
      before
          .filter(now -> !isSame(now, target))
          .ifPresent(now -> MemorySegment.copy(now, 0, target, 0, now.byteSize()));
      return target;
    }
  }

  /** The bytes as they are now, if there are so many; what an allocator might free is copied. */
  private Optional<MemorySegment> held(long bytes, Workspace aside) {
    MemorySegment now;
    try {
      if (binding.byteSize() != bytes) {
        return Optional.empty();
      }
      now = binding.view();
    } catch (IllegalStateException | IllegalArgumentException e) {
      return Optional.empty(); // a program need not have any before an allocator made it
    }
    return Optional.of(
        binding.resizable() && now.isNative() ? aside.allocate(bytes).copyFrom(now) : now);
  }

  private static boolean isSame(MemorySegment one, MemorySegment other) {
    return one.heapBase().equals(other.heapBase()) && one.address() == other.address();
  }

  /** Whether what was saved fits, without allocating anything; throws if it does not. */
  public void check(DatasetSpec stored) {
    refuseOtherType(stored);
    refuseOtherParts(stored, division);
    if (binding.resizable()) {
      return;
    }
    List<Long> offered = shape();
    boolean same =
        countsOnly(stored)
            ? DatasetSpec.elements(offered) == DatasetSpec.elements(stored.shape())
            : offered.equals(stored.shape());
    if (!same) {
      throw mismatch(stored, "the shapes differ; protect it with an allocator if its size varies");
    }
  }

  private void refuseOtherType(DatasetSpec stored) {
    if (stored.type() != elementType()) {
      throw mismatch(stored, differenceTo(stored.type()));
    }
  }

  /** Why elements of another type do not fit, and what helps. */
  public String differenceTo(ElementType stored) {
    Set<ElementType> both = EnumSet.of(stored, elementType());
    String remedy =
        both.equals(EnumSet.of(ElementType.FLOAT, ElementType.DOUBLE))
            ? "; RestartRequest.converting(\"" + name + "\") converts them"
            : "";
    return "the element types differ" + remedy;
  }

  /** Elements would come to other places of the array than they were saved from. */
  private void refuseOtherParts(DatasetSpec stored, Division wanted) {
    if (stored.division() instanceof Division.Parts then
        && wanted instanceof Division.Parts now
        && !isSame(then, now)) {
      throw mismatch(
          stored,
          "it was saved as %s and is %s now; protect the part that was saved".formatted(then, now));
    }
  }

  /**
   * Whether what was saved of it by this rank is not what it gets from a restart, even on as many
   * ranks: ghosts come from who has the elements, and so does a part that somebody else had.
   */
  public boolean needsOthers(DatasetSpec stored) {
    return stored.division() instanceof Division.Parts then
        && division instanceof Division.Parts now
        && (now.parts().stream().anyMatch(Part::hasGhosts) || !isSame(then, now));
  }

  private static boolean isSame(Division.Parts then, Division.Parts now) {
    return then.array().equals(now.array())
        && then.first().shape().equals(now.first().shape())
        && places(then).equals(places(now));
  }

  private static List<List<List<Long>>> places(Division.Parts parts) {
    return parts.parts().stream()
        .map(part -> List.of(part.offset(), part.extent(), part.before(), part.after()))
        .toList();
  }

  /** Whether all that matters is the number of elements: one side knows no arrangement. */
  private boolean countsOnly(DatasetSpec stored) {
    boolean rows = binding.shape().isPresent();
    return shape == null && (!rows || stored.shape().size() == 1);
  }

  private DatasetMismatchException mismatch(DatasetSpec stored, String why) {
    return new DatasetMismatchException(
        name, describe(stored.type(), stored.shape()), offered(), why);
  }

  private String offered() {
    try {
      return describe(elementType(), shape());
    } catch (IllegalStateException e) {
      return elementType().label() + "[], none so far";
    }
  }

  private static String describe(ElementType type, List<Long> extents) {
    StringBuilder text = new StringBuilder(type.label());
    extents.forEach(extent -> text.append('[').append(extent).append(']'));
    return text.toString();
  }

  /** A restart has filled the memory it was given. */
  public void filled(DatasetSpec stored) {
    binding.filled();
    filledLate = null;
    if (keepsHash && DefaultHash.names(stored.algorithm())) {
      algorithm = stored.algorithm();
    }
    boolean arranged = stored.shape().size() > 1 && binding.shape().isEmpty();
    if (shape != null || arranged) {
      shape = stored.shape();
    }
  }

  /** A restart has given it all bytes of a version, as they were saved. */
  public void filledFrom(VersionInfo version) {
    origin = version;
  }

  /** The version whose bytes it has, if a restart has just filled it; told once. */
  public Optional<VersionInfo> takeOrigin() {
    Optional<VersionInfo> told = Optional.ofNullable(origin);
    origin = null;
    return told;
  }

  /** As {@link #filled}, of a dataset that was protected after the restart. */
  public void filledLate(DatasetSpec stored) {
    filled(stored);
    filledLate = stored;
  }

  @Override
  public String toString() {
    return name + ": " + offered();
  }
}
