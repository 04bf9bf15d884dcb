// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.List;
import org.cairn.CorruptContainerException;
import org.cairn.record.FirstFew;
import org.cairn.store.Store;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/** Verifies a version in a shared directory: every block of every rank, or all frames. */
public final class SharedCheck {
  private final Progress progress;
  private final boolean decodes;
  private final FirstFew<Damage> damages = new FirstFew<>();
  private long blocks;
  private long bytes;

  /** Is told how far it is. */
  public interface Progress {
    /**
     * So much has been verified.
     *
     * @param rank whose state is being read
     * @param ranks how many there are
     * @param blocks how many blocks have been looked at so far, of all ranks
     * @param bytes how many bytes have been read for that
     */
    void at(int rank, int ranks, long blocks, long bytes);
  }

  /**
   * Something that is not as it was written.
   *
   * @param rank whose state it is
   * @param file where it lies; empty if no file can be named
   * @param offset the first damaged byte there, or -1
   * @param what what is wrong, for people
   */
  public record Damage(int rank, String file, long offset, String what) {}

  /**
   * What was found.
   *
   * @param blocks how many blocks were looked at
   * @param bytes how many bytes were read
   * @param damaged how many places are not as they were written
   * @param damages the first {@value FirstFew#MOST} of them
   */
  public record Result(long blocks, long bytes, long damaged, List<Damage> damages) {}

  private SharedCheck(Progress progress, boolean decodes) {
    this.progress = progress;
    this.decodes = decodes;
  }

  /**
   * Verifies a version.
   *
   * @throws IOException if it is not there, or not all of its segments are
   */
  public static Result verify(Store shared, VersionId version, Progress progress)
      throws IOException {
    return new SharedCheck(progress, true).run(shared, version);
  }

  /**
   * Verifies a version without decoding frames: each that is needed is read once and compared with
   * its checksum. Blocks that lie in none are read and compared with their digests.
   *
   * @throws IOException if it is not there, or not all of its segments are
   */
  public static Result verifyStored(Store shared, VersionId version, Progress progress)
      throws IOException {
    return new SharedCheck(progress, false).run(shared, version);
  }

  private Result run(Store shared, VersionId version) throws IOException {
    Manifest manifest = new SharedDirectory(shared).find(version);
    try (OpenSegments segments = new OpenSegments(shared, manifest.references());
        BlockVerifier verifier = new BlockVerifier();
        FrameChecks frames = new FrameChecks()) {
      for (int rank = 0; rank < version.ranks(); rank++) {
        verify(manifest, rank, segments, verifier, frames);
      }
    }
    return new Result(blocks, bytes, damages.count(), damages.first());
  }

  private void verify(
      Manifest manifest,
      int rank,
      OpenSegments segments,
      BlockVerifier verifier,
      FrameChecks frames) {
    try {
      MemberState state =
          MemberChain.read(segments, manifest.groupOf(rank).segment(), rank, manifest.rootOf(rank))
              .state();
      state.forEach(
          new Verifying(manifest, rank, state.index().segments(), segments, verifier, frames));
    } catch (IOException e) {
      damages.add(damage(rank, e));
    }
    progress.at(rank, manifest.version().ranks(), blocks, bytes);
  }

  /** Verifies the blocks of a rank, and tells how far it is. */
  private final class Verifying implements MemberState.Visitor {
    private final Manifest manifest;
    private final int rank;
    private final List<String> names;
    private final OpenSegments segments;
    private final BlockVerifier verifier;
    private final FrameChecks frames;
    private @Nullable Damage last;

    Verifying(
        Manifest manifest,
        int rank,
        List<String> names,
        OpenSegments segments,
        BlockVerifier verifier,
        FrameChecks frames) {
      this.manifest = manifest;
      this.rank = rank;
      this.names = names;
      this.segments = segments;
      this.verifier = verifier;
      this.frames = frames;
    }

    @Override
    public void block(DatasetEntry dataset, int block, BlockEntry entry) {
      blocks++;
      try {
        SegmentReader segment = segments.open(names.get(entry.segment()));
        bytes += verified(segment, dataset, block, entry);
      } catch (IOException e) {
        add(damage(rank, e));
      }
      if (Verification.isStretchEnd(block)) {
        progress.at(rank, manifest.version().ranks(), blocks, bytes);
      }
    }

    /** How many bytes were read for it. */
    private long verified(SegmentReader segment, DatasetEntry dataset, int block, BlockEntry entry)
        throws IOException {
      if (entry.isFramed() && !decodes) {
        return frames.verify(segment, entry);
      }
      verifier.read(segment, dataset, block, entry);
      return entry.storedLength();
    }

    /** A frame that is damaged is one damage, however many blocks are in it. */
    private void add(Damage damage) {
      if (!damage.equals(last)) {
        damages.add(damage);
      }
      last = damage;
    }

    @Override
    public void zeros(DatasetEntry dataset, int first, int count) {
      blocks += count;
      progress.at(rank, manifest.version().ranks(), blocks, bytes);
    }
  }

  private static Damage damage(int rank, IOException e) {
    return e instanceof CorruptContainerException corrupt
        ? new Damage(rank, corrupt.file(), corrupt.offset(), String.valueOf(e.getMessage()))
        : new Damage(rank, "", -1, String.valueOf(e));
  }
}
