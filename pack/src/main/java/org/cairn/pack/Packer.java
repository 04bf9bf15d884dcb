// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.cairn.Label;
import org.cairn.clock.Clock;
import org.cairn.frame.Chooser;
import org.cairn.pack.locate.Hints;
import org.cairn.record.Digest;
import org.cairn.store.DirectoryStore;
import org.cairn.tier.shared.MemberIndex;
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
    requireFolder(target);
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw Aside.exists(target);
    }
    return attempts(inputs, files -> write(files, target));
  }

  /**
   * Packs files as the next version of a directory; what the version before has is not stored
   * again. When this returns, the version is durable. If a file changes meanwhile all is tried
   * again, a few times.
   *
   * @param label what is said of the version
   * @throws ChangedFileException if a file does not come to rest
   */
  public PackReport pack(List<Input> inputs, PackDirectoryWriter target, Label label)
      throws IOException {
    return attempts(inputs, files -> write(files, target, label, false)).orElseThrow();
  }

  /**
   * Packs files as the next version, unless the newest version has this label and these very files,
   * byte for byte.
   *
   * @return empty if it has
   */
  public Optional<PackReport> packUnlessSame(
      List<Input> inputs, PackDirectoryWriter target, Label label) throws IOException {
    return attempts(inputs, files -> write(files, target, label, true));
  }

  private Optional<PackReport> write(
      List<SourceFile> files, PackDirectoryWriter target, Label label, boolean unlessSame)
      throws IOException {
    try (PackDirectoryWriter.Addition addition = target.begin(files.size(), label)) {
      Written written =
          write(files, addition.segment(), addition.version(), label, addition.base());
      if (unlessSame && addition.isSame(files, written.roots)) {
        return Optional.empty();
      }
      PackDirectory.Version version = addition.publish();
      PackReport report = report(files, addition.size(), written);
      return Optional.of(report.of(version));
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

  /** Before files are read, and by the name that was given. */
  private static void requireFolder(Path target) throws IOException {
    Path folder = target.getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      throw new NoSuchFileException(
          folder.toString(), null, "is no folder: make it, or name another pack");
    }
  }

  /** What is done with files that were looked into. */
  private interface Writing<T> {
    T write(List<SourceFile> files) throws IOException;
  }

  private <T> T attempts(List<Input> inputs, Writing<T> writing) throws IOException {
    requireDifferentNames(inputs);
    for (int attempt = 1; ; attempt++) {
      try {
        return attempt(inputs, writing);
      } catch (ChangedFileException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private <T> T attempt(List<Input> inputs, Writing<T> writing) throws IOException {
    try (OpenFiles open = new OpenFiles(StandardOpenOption.READ)) {
      List<SourceFile> files = new ArrayList<>();
      for (Input input : inputs) {
        files.add(SourceFile.of(input.path, input.name, open, settings));
      }
      chooser.beginSet();
      return writing.write(files);
    }
  }

  private PackReport write(List<SourceFile> files, Path target) throws IOException {
    Path folder = Objects.requireNonNull(target.toAbsolutePath().getParent(), "a folder");
    try (Aside aside = Aside.in(folder)) {
      PackReport report = write(files, aside, target);
      aside.force();
      return report;
    }
  }

  private PackReport write(List<SourceFile> files, Aside aside, Path target) throws IOException {
    Instant now = Clock.system().now();
    JobId job = new JobId(random.nextLong(), random.nextLong());
    RunId run = new RunId(random.nextLong());
    VersionId version = new VersionId(job, run, 1, 1, files.size());
    RunInfo first =
        RunInfo.of(run, now, files.size(), Optional.empty(), false, List.of(), Optional.empty());
    Lineage lineage = Lineage.beginning(job, "", first);
    SharedNames.Segment identity = new SharedNames.Segment(version, random.nextInt(), 0);
    DirectoryStore store = DirectoryStore.open(aside.folder(), false);
    try (SegmentWriter writer =
        SegmentWriter.createFramed(store, Clock.system(), identity, lineage)) {
      Written written = write(files, writer, version, Label.none(), Optional.empty());
      writer.finish();
      Path made = aside.folder().resolve(writer.name());
      aside.publish(made, target);
      return report(files, Files.size(target), written);
    }
  }

  /**
   * What came into a segment.
   *
   * @param shared bytes of files that were not stored, because they are stored elsewhere
   * @param roots the root digests of the files
   */
  record Written(int frames, long shared, List<Digest> roots) {}

  /** Writes everything but the end of a segment. */
  private Written write(
      List<SourceFile> files,
      SegmentWriter writer,
      VersionId version,
      Label label,
      Optional<BaseVersion> base)
      throws IOException {
    List<MemberWriter> members = new ArrayList<>();
    files.forEach(one -> members.add(new MemberWriter(one, version, label, writer.name())));
    try (FrameWriter frames =
        new FrameWriter(files, members, writer, settings, chooser, base, progress)) {
      frames.write();
      Instant now = Clock.system().now();
      List<Digest> roots = new ArrayList<>();
      for (int i = 0; i < files.size(); i++) {
        files.get(i).requireUnchanged();
        MemberIndex index = members.get(i).index(i, now);
        roots.add(index.root());
        writer.addMember(index, members.get(i).stored());
      }
      return new Written(frames.frames(), frames.sharedBytes(), roots);
    }
  }

  private PackReport report(List<SourceFile> files, long stored, Written written) {
    List<PackReport.FileNote> notes = new ArrayList<>();
    long bytes = 0;
    for (SourceFile file : files) {
      bytes += file.stamp().size();
      for (Hints.Note note : file.notes()) {
        notes.add(new PackReport.FileNote(file.name(), note));
      }
    }
    return new PackReport(
        files.size(),
        bytes,
        stored,
        written.frames,
        written.shared,
        Optional.empty(),
        chooser.choices(),
        notes);
  }

  @Override
  public void close() {
    chooser.close();
  }
}
