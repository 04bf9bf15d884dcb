// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.cairn.CodecUnavailableException;
import org.cairn.CorruptContainerException;
import org.cairn.frame.Effort;
import org.cairn.frame.FrameDecoder;
import org.cairn.pack.locate.PieceNames;
import org.cairn.pack.locate.Variable;
import org.cairn.tier.shared.StoredFrame;
import org.cairn.transform.Transform;
import org.cairn.version.DatasetEntry;

/**
 * What files of a pack have of each class of variables, and what was done to it. Frames say which
 * transforms they have, but only when they are expanded: so a few are looked at for each class, and
 * not all. Rules that mapped names are not told anywhere, so names are as they are in the files.
 */
final class StoredClasses {
  /** No more frames are expanded. */
  private static final int MOST_FRAMES = 64;

  private static final int FRAMES_EACH = 2;

  private final NeededFrames frames;
  private final Map<String, Found> classes = new LinkedHashMap<>();

  /** A class, as it is found. */
  private static final class Found {
    private final Map<NeededFrames.Needed, Long> firstIn = new LinkedHashMap<>();
    private final Map<NeededFrames.Needed, Set<Long>> addresses = new HashMap<>();
    private final Map<String, Integer> transforms = new TreeMap<>();
    private int variables;
    private long bytes;
    private double stored;

    /** Blocks that several files have count once. */
    private void add(NeededFrames.Needed frame, long address, int length) {
      firstIn.putIfAbsent(frame, address);
      if (addresses.computeIfAbsent(frame, _ -> new HashSet<>()).add(address)) {
        stored += frame.share(length);
      }
    }

    private Pack.StoredClass toStored(String name) {
      List<String> most =
          transforms.entrySet().stream()
              .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
              .map(Map.Entry::getKey)
              .toList();
      List<Integer> levels =
          firstIn.keySet().stream()
              .flatMap(one -> one.frame().effort().stream())
              .map(Effort::level)
              .distinct()
              .sorted()
              .toList();
      return new Pack.StoredClass(name, variables, bytes, Math.round(stored), most, levels);
    }
  }

  private StoredClasses(NeededFrames frames) {
    this.frames = frames;
  }

  /** The classes of some files, the largest first. */
  static List<Pack.StoredClass> of(Collection<Pack.Member> members) throws IOException {
    StoredClasses all = new StoredClasses(NeededFrames.of(members));
    for (Pack.Member member : members) {
      all.find(member);
    }
    all.look();
    List<Pack.StoredClass> stored = new ArrayList<>();
    all.classes.forEach((name, found) -> stored.add(found.toStored(name)));
    stored.sort(Comparator.comparingLong(Pack.StoredClass::bytes).reversed());
    return stored;
  }

  private void find(Pack.Member member) throws IOException {
    Map<DatasetEntry, Found> streams = new IdentityHashMap<>();
    for (DatasetEntry stream : member.streams()) {
      Found found = classes.computeIfAbsent(classOf(member, stream), _ -> new Found());
      found.variables++;
      found.bytes += stream.spec().byteLength();
      streams.put(stream, found);
    }
    member
        .source()
        .forEachStored(
            (stream, _, segment, entry) ->
                Objects.requireNonNull(streams.get(stream))
                    .add(frames.of(segment, entry), entry.offset(), entry.blockLength()));
  }

  private static String classOf(Pack.Member member, DatasetEntry stream) throws IOException {
    Optional<ArrayType> type = member.type(stream);
    if (type.isEmpty() || stream.name().equals(SourceFile.REST)) {
      return PieceNames.REST;
    }
    Variable variable = new Variable(stream.name(), type.get().elements(), type.get().shape());
    return type.get().coded()
        ? PieceNames.USUAL.codedClassOf(variable)
        : PieceNames.USUAL.classOf(variable);
  }

  /** Expands frames of each class, as far as that is worth it. */
  private void look() throws IOException {
    Set<NeededFrames.Needed> chosen = new LinkedHashSet<>();
    for (int each = 0; each < FRAMES_EACH; each++) {
      for (Found found : classes.values()) {
        found.firstIn.keySet().stream().skip(each).limit(1).forEach(chosen::add);
      }
    }
    try (FrameDecoder decoder = new FrameDecoder();
        StoredFrame memory = new StoredFrame()) {
      for (NeededFrames.Needed frame : chosen.stream().limit(MOST_FRAMES).toList()) {
        look(frame, decoder, memory);
      }
    }
  }

  /** What is damaged, or cannot be expanded here, says nothing. */
  private void look(NeededFrames.Needed frame, FrameDecoder decoder, StoredFrame memory)
      throws IOException {
    try {
      memory.open(frame.segment(), frame.frame(), decoder);
    } catch (CorruptContainerException | CodecUnavailableException e) {
      return;
    }
    for (Found found : classes.values()) {
      Long first = found.firstIn.get(frame);
      if (first != null) {
        Transform transform = decoder.transformAt(first - frame.frame().address());
        found.transforms.merge(transform.toString(), 1, Integer::sum);
      }
    }
  }
}
