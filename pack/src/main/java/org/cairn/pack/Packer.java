// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.cairn.HashAlgorithm;
import org.cairn.clock.Clock;
import org.cairn.frame.Chooser;
import org.cairn.frame.EncodingLine;
import org.cairn.frame.FrameOrder;
import org.cairn.frame.FramePlan;
import org.cairn.frame.TypedBytes;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.Hashers;
import org.cairn.pack.locate.Hints;
import org.cairn.store.DirectoryStore;
import org.cairn.tier.shared.SegmentWriter;
import org.cairn.tier.shared.SharedNames;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;

/**
 * Packs files: their variables, side by side with those of the same class in other files, fill
 * frames; each file is read once, and what is stored is what was hashed.
 *
 * <p>A pack appears under its name when all of it is durable, or not at all.
 */
public final class Packer implements AutoCloseable {
  private static final int ATTEMPTS = 3;

  private final PackSettings settings;
  private final LongConsumer progress;
  private final Chooser chooser;
  private final BlockHasher hasher = Hashers.of(HashAlgorithm.XXH3_128);
  private final SecureRandom random = new SecureRandom();

  /**
   * A file to be packed.
   *
   * @param name that it has in the pack
   */
  public record Input(Path path, PackName name) {}

  /**
   * A packer, for one thread at a time.
   *
   * @param progress is told how many bytes were read
   */
  public Packer(PackSettings settings, LongConsumer progress) {
    this.settings = settings;
    this.progress = progress;
    this.chooser = new Chooser(settings.compression());
    chooser.store(settings.bandwidth(), settings.threads());
  }

  /**
   * Packs files. If one of them changes meanwhile all is tried again, a few times.
   *
   * @param target the pack, which must not exist
   * @throws ChangedFileException if a file does not come to rest
   */
  public PackReport pack(List<Input> inputs, Path target) throws IOException {
    requireDifferentNames(inputs);
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw Aside.exists(target);
    }
    for (int attempt = 1; ; attempt++) {
      try {
        return attempt(inputs, target);
      } catch (ChangedFileException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static void requireDifferentNames(List<Input> inputs) throws IOException {
    Set<PackName> names = new HashSet<>();
    for (Input input : inputs) {
      if (!names.add(input.name)) {
        throw new IOException("two files would be called " + input.name + " in the pack");
      }
    }
    for (Input input : inputs) {
      for (PackName folder : input.name.folders()) {
        if (names.contains(folder)) {
          throw new IOException(
              "%s would be a file in the pack, and the folder of %s".formatted(folder, input.name));
        }
      }
    }
    if (inputs.isEmpty()) {
      throw new IOException("no files to pack");
    }
  }

  private PackReport attempt(List<Input> inputs, Path target) throws IOException {
    try (OpenFiles open = new OpenFiles(StandardOpenOption.READ)) {
      List<SourceFile> files = new ArrayList<>();
      for (Input input : inputs) {
        files.add(SourceFile.of(input.path, input.name, open, settings));
      }
      Path folder = Objects.requireNonNull(target.toAbsolutePath().getParent(), "a folder");
      try (Aside aside = Aside.in(folder)) {
        PackReport report = write(files, aside, target);
        aside.force();
        return report;
      }
    }
  }

  private PackReport write(List<SourceFile> files, Aside aside, Path target) throws IOException {
    chooser.beginSet();
    Instant now = Clock.system().now();
    JobId job = new JobId(random.nextLong(), random.nextLong());
    RunId run = new RunId(random.nextLong());
    VersionId version = new VersionId(job, run, 1, 1, files.size());
    RunInfo first =
        RunInfo.of(run, now, files.size(), Optional.empty(), false, List.of(), Optional.empty());
    Lineage lineage = Lineage.beginning(job, "", first);
    SharedNames.Segment identity = new SharedNames.Segment(version, random.nextInt(), 0);
    DirectoryStore store = DirectoryStore.open(aside.folder(), false);
    List<MemberWriter> members = new ArrayList<>();
    files.forEach(one -> members.add(new MemberWriter(one, version)));
    try (SegmentWriter writer =
        SegmentWriter.createFramed(store, Clock.system(), identity, lineage)) {
      int frames = writeFrames(files, members, writer);
      for (int i = 0; i < files.size(); i++) {
        files.get(i).requireUnchanged();
        writer.addMember(
            members.get(i).index(i, writer.name(), now),
            Map.of(writer.name(), members.get(i).stored()));
      }
      writer.finish();
      Path made = aside.folder().resolve(writer.name());
      aside.publish(made, target);
      return report(files, Files.size(target), frames);
    }
  }

  private int writeFrames(List<SourceFile> files, List<MemberWriter> members, SegmentWriter writer)
      throws IOException {
    Iterator<List<FrameOrder.Part>> order = FrameReading.order(files, settings);
    long largest = FrameReading.largest(settings);
    int frames = 0;
    long address = 0;
    long read = 0;
    try (EncodingLine line = new EncodingLine(settings.threads(), settings.budget(), largest)) {
      while (order.hasNext()) {
        List<FrameOrder.Part> parts = order.next();
        List<TypedBytes> pieces = fill(files, members, parts, line.memory(), address);
        FramePlan plan = chooser.plan(pieces);
        line.encode(
            plan.pieces(),
            plan.level(),
            (info, stored) -> {
              writer.append(info, stored);
              chooser.stored(plan, info);
              share(members, parts, info.storedLength());
            });
        frames++;
        for (FrameOrder.Part part : parts) {
          address += part.length();
          read += part.length();
        }
        progress.accept(read);
      }
      line.finish();
    }
    return frames;
  }

  /** Reads what a frame has, and hashes it where it lies. */
  private List<TypedBytes> fill(
      List<SourceFile> files,
      List<MemberWriter> members,
      List<FrameOrder.Part> parts,
      MemorySegment memory,
      long address)
      throws IOException {
    List<TypedBytes> pieces = FrameReading.fill(files, parts, memory);
    long at = address;
    for (int i = 0; i < parts.size(); i++) {
      FrameOrder.Part part = parts.get(i);
      members.get(part.member()).hash(part, pieces.get(i).bytes(), at, hasher);
      at += part.length();
    }
    return pieces;
  }

  /** What is stored of a frame is everybody's, by how much of it he has. */
  private static void share(List<MemberWriter> members, List<FrameOrder.Part> parts, long stored) {
    long plain = parts.stream().mapToLong(FrameOrder.Part::length).sum();
    for (FrameOrder.Part part : parts) {
      members.get(part.member()).addStored((double) stored * part.length() / plain);
    }
  }

  private PackReport report(List<SourceFile> files, long stored, int frames) {
    List<PackReport.FileNote> notes = new ArrayList<>();
    long bytes = 0;
    for (SourceFile file : files) {
      bytes += file.stamp().size();
      for (Hints.Note note : file.notes()) {
        notes.add(new PackReport.FileNote(file.name(), note));
      }
    }
    return new PackReport(files.size(), bytes, stored, frames, chooser.choices(), notes);
  }

  @Override
  public void close() {
    chooser.close();
  }
}
