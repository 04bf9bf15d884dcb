// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.live.Boxes;
import org.cairn.mesh.live.FieldAccess;
import org.cairn.mesh.live.LoopAccess;
import org.cairn.mesh.live.Mode;
import org.cairn.mesh.live.Offset;
import org.cairn.mesh.live.Written;
import org.cairn.mesh.ranks.Layout;
import org.cairn.mesh.weave.Loop;
import org.cairn.mesh.weave.Purpose;
import org.cairn.mesh.weave.Span;
import org.jspecify.annotations.Nullable;

/**
 * A loop that was met: a class of kernels, with fields and a range. All that follows from these is
 * worked out when it is met for the first time.
 */
final class KnownLoop {
  private static final int LONGEST = 8_000;

  private final int id;
  private final LoopKey key;
  private final String description;
  private final LoopAccess access;
  private final List<Need> needs;
  private final Data[] changed;
  private final boolean isSequential;
  private final Box mine;
  private final long body;
  private final Span span;
  private final Box inner;
  private final List<Box> edges;

  /** The loop that came after it the last time: most often it does so again. */
  private @Nullable KnownLoop follower;

  private @Nullable Loop driver;
  private @Nullable Written notedIn;

  /** A field that is read beyond the points of ranks, and how far on any of them. */
  record Need(Data field, int depth) {}

  /**
   * A loop with a kernel.
   *
   * @param kernel its name
   * @param body what it does, in a number; 0 if that is not known
   */
  KnownLoop(int id, LoopKey key, String kernel, long body, Fields fields) {
    this.id = id;
    this.key = key;
    this.body = body;
    Names.require("loop", key.name());
    for (Access.Item item : key.items()) {
      requireOwn(item, fields);
      requireUsable(item);
    }
    this.description =
        bounded(
            "\"%s\" over %s, %s, %s"
                .formatted(
                    key.name(), key.range(), String.join(", ", key.itemWords()), stable(kernel)));
    this.access = LoopAccess.of(key.name(), accesses(), fields.shapes());
    this.needs = findNeeds();
    this.changed = findChanged();
    this.isSequential = readsWhatItWrites();
    Domain domain = key.range().domain();
    this.mine = key.range().box().intersect(domain.owned());
    this.span = span(mine);
    this.inner = findInner();
    this.edges = Boxes.of(mine).minus(inner).list();
  }

  /** A loop without a kernel: points of one range become points of another. */
  KnownLoop(int id, Range from, Range to, int[] axes, List<Data> pairs, Fields fields) {
    this.id = id;
    this.body = ~Arrays.hashCode(axes); // as a kernel that was changed is found; never 0
    this.key = new LoopKey(Join.class, Purpose.EACH, "join", to, Access.reads(), null, null, null);
    this.description = bounded("join of %s to %s, %s".formatted(from, to, pairs));
    List<FieldAccess> accesses = new ArrayList<>();
    List<Data> written = new ArrayList<>();
    for (Data field : pairs) {
      if (!fields.has(field)) {
        throw new IllegalArgumentException(
            "the join of %s to %s copies \"%s\", which is a field of another mesh"
                .formatted(from, to, field.name()));
      }
    }
    for (int n = 0; n < pairs.size(); n += 2) {
      accesses.add(new FieldAccess(pairs.get(n).index(), Mode.READ, from.box()));
      accesses.add(new FieldAccess(pairs.get(n + 1).index(), Mode.WRITE, to.box()));
      written.add(pairs.get(n + 1));
    }
    this.access = LoopAccess.of(description, accesses, fields.shapes());
    this.needs = List.of();
    this.changed = written.toArray(Data[]::new);
    this.isSequential = true;
    this.mine = Box.EMPTY;
    this.span = span(mine);
    this.inner = mine;
    this.edges = List.of();
  }

  /** As much of it as is stored; of the rest a number, by which another one is known. */
  private static String bounded(String words) {
    return words.length() <= LONGEST
        ? words
        : "%s… (%08x)".formatted(words.substring(0, LONGEST), words.hashCode());
  }

  /** Without the number that a compiler gave a lambda, which changes with every other lambda. */
  private static String stable(String kernel) {
    return kernel.replaceFirst("\\$\\d+$", "");
  }

  // ---------------------------------------------------------------- checks

  private void requireOwn(Access.Item item, Fields fields) {
    if (!fields.has(item.field())) {
      throw refusal(
          "%s \"%s\", which is a field of another mesh"
              .formatted(Access.word(item.mode()), item.field().name()));
    }
  }

  private void requireUsable(Access.Item item) {
    Domain range = key.range().domain();
    Domain field = item.field().domain();
    boolean isLineOfGrid = field.isLine() && field.name().equals(range.name());
    if (!range.isSame(field) && !(isLineOfGrid && item.mode() == Mode.READ)) {
      throw refusal(
          "runs over \"%s\" and %s \"%s\", which belongs to \"%s\"%s"
              .formatted(
                  range.name(),
                  Access.word(item.mode()),
                  item.field().name(),
                  field.name(),
                  isLineOfGrid ? " as a line: write it in a loop over its own points" : ""));
    }
    Box points = box(item);
    for (Offset offset : offsets(item)) {
      if (!field.whole().contains(points.shift(offset))) {
        throw refusal(
            "reads \"%s\" at offset (%d, %d, %d) from %s, beyond the halo of %d; make it deeper with halo(…), or the range smaller"
                .formatted(
                    item.field().name(),
                    offset.i(),
                    offset.j(),
                    offset.l(),
                    key.range(),
                    field.halo()));
      }
    }
  }

  private IllegalArgumentException refusal(String what) {
    return new IllegalArgumentException("loop \"%s\" %s".formatted(key.name(), what));
  }

  // ---------------------------------------------------------------- what it does

  /** The points of the range, as the field counts them. */
  private Box box(Access.Item item) {
    Box box = key.range().box();
    if (!(item.field() instanceof Line line) || key.range().domain().isLine()) {
      return box;
    }
    return switch (line.axis()) {
      case X -> Box.of(box.i0(), box.i1());
      case Y -> Box.of(box.j0(), box.j1());
      case Z -> Box.of(box.l0(), box.l1());
    };
  }

  List<Offset> offsets(Access.Item item) {
    int axes = key.range().domain().axes();
    List<Offset> all = item.stencil().in(Math.max(axes, 1));
    if (!(item.field() instanceof Line line)) {
      return all;
    }
    boolean alongRow = all.stream().allMatch(one -> one.j() == 0 && one.l() == 0);
    return all.stream()
        .map(one -> new Offset(alongRow ? one.i() : along(one, line.axis()), 0, 0))
        .distinct()
        .toList();
  }

  private static int along(Offset offset, Axis axis) {
    return switch (axis) {
      case X -> offset.i();
      case Y -> offset.j();
      case Z -> offset.l();
    };
  }

  private List<FieldAccess> accesses() {
    List<FieldAccess> all = new ArrayList<>();
    for (Access.Item item : key.items()) {
      all.add(new FieldAccess(item.field().index(), item.mode(), box(item), offsets(item)));
    }
    return all;
  }

  /** The same on all ranks: each knows what the others compute. */
  private List<Need> findNeeds() {
    Map<Data, Integer> depths = new LinkedHashMap<>();
    for (Access.Item item : key.items()) {
      if (item.mode().needs() && item.field().domain().isDivided()) {
        int depth = depth(item);
        if (depth > item.field().domain().halo()) {
          throw refusal(
              "reads \"%s\" %d points beyond those of a rank, and the halo is %d; make it deeper with halo(…), or use fewer ranks"
                  .formatted(item.field().name(), depth, item.field().domain().halo()));
        }
        if (depth > 0) {
          depths.merge(item.field(), depth, Math::max);
        }
      }
    }
    return depths.entrySet().stream().map(e -> new Need(e.getKey(), e.getValue())).toList();
  }

  private int depth(Access.Item item) {
    Domain domain = item.field().domain();
    int most = 0;
    for (int rank = 0; rank < domain.bricks().ranks(); rank++) {
      Box owned = domain.bricks().owned(rank);
      Box computed = key.range().box().intersect(owned);
      for (Offset offset : computed.isEmpty() ? List.<Offset>of() : offsets(item)) {
        most = Math.max(most, beyond(computed.shift(offset), owned));
      }
    }
    return most;
  }

  private static int beyond(Box read, Box owned) {
    int i = Math.max(owned.i0() - read.i0(), read.i1() - owned.i1());
    int j = Math.max(owned.j0() - read.j0(), read.j1() - owned.j1());
    int l = Math.max(owned.l0() - read.l0(), read.l1() - owned.l1());
    return Math.max(i, Math.max(j, l));
  }

  private Data[] findChanged() {
    List<Data> all = new ArrayList<>();
    for (Access.Item item : key.items()) {
      if (item.mode().changes() && !all.contains(item.field())) {
        all.add(item.field());
      }
    }
    return all.toArray(Data[]::new);
  }

  /**
   * Whether it reads points that it writes itself: then it matters which comes first, and one
   * thread visits them in order. A boundary that reads what lies inside of a strip does not.
   */
  private boolean readsWhatItWrites() {
    Box written = key.range().box();
    for (Access.Item item : key.items()) {
      if (List.of(changed).contains(item.field())) {
        for (Offset offset : offsets(item)) {
          if (!offset.equals(Offset.HERE) && written.shift(offset).meets(written)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Points that need nothing of other ranks. */
  private Box findInner() {
    int depth = needs.stream().mapToInt(Need::depth).max().orElse(0);
    if (depth == 0) {
      return mine;
    }
    Domain domain = key.range().domain();
    Box owned = domain.owned();
    Box whole = domain.whole();
    Box free =
        new Box(
            owned.i0() + (owned.i0() > whole.i0() ? depth : 0),
            owned.i1() - (owned.i1() < whole.i1() ? depth : 0),
            owned.j0() + (owned.j0() > whole.j0() ? depth : 0),
            owned.j1() - (owned.j1() < whole.j1() ? depth : 0),
            owned.l0() + (owned.l0() > whole.l0() ? depth : 0),
            owned.l1() - (owned.l1() < whole.l1() ? depth : 0));
    return mine.intersect(free);
  }

  // ---------------------------------------------------------------- asked

  int id() {
    return id;
  }

  LoopKey key() {
    return key;
  }

  String name() {
    return key.name();
  }

  Purpose purpose() {
    return key.purpose();
  }

  Range range() {
    return key.range();
  }

  /** What is stored of it, to recognise it in another life of the program. */
  String description() {
    return description;
  }

  LoopAccess access() {
    return access;
  }

  List<Need> needs() {
    return needs;
  }

  /** The fields that it changes; not to be written to. */
  Data[] changed() {
    return changed;
  }

  /** Whether what it gives depends on the order of points. */
  boolean isSequential() {
    return isSequential;
  }

  Box mine() {
    return mine;
  }

  /** What its kernel does, in a number; 0 if that is not known. */
  long body() {
    return body;
  }

  Span span() {
    return span;
  }

  Box inner() {
    return inner;
  }

  List<Box> edges() {
    return edges;
  }

  Span span(Box box) {
    Layout layout = key.range().domain().layout();
    return new Span(
        box.i0(),
        box.i1(),
        box.j0(),
        box.j1(),
        box.l0(),
        box.l1(),
        layout.base(),
        layout.pitch(),
        layout.plane());
  }

  /** What runs it; empty until it ran. */
  @Nullable Loop driver() {
    return driver;
  }

  void driver(Loop made) {
    driver = made;
  }

  /** Where it is known already which points it writes. */
  @Nullable Written notedIn() {
    return notedIn;
  }

  void notedIn(Written written) {
    notedIn = written;
  }

  @Nullable KnownLoop follower() {
    return follower;
  }

  void followedBy(KnownLoop next) {
    follower = next;
  }

  @Override
  public String toString() {
    return description;
  }
}
