// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.against;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.bench.mpi.Programs;
import org.cairn.cli.command.CommandFailedException;

/** A build of FTI that the user has, and our program compiled against it. */
public final class Fti {
  private final Path program;
  private final Map<String, String> settings;

  /**
   * Compiles the program.
   *
   * @param prefix where FTI was installed: {@code include/fti.h} and {@code lib/libfti.*}
   * @param compiler of the MPI that FTI was built with
   * @param libraries what to link
   * @param settings of the section {@code [basic]} of its configuration, in place of ours
   * @param folder the caller's to delete
   */
  public Fti(
      Path prefix,
      String compiler,
      List<String> libraries,
      Map<String, String> settings,
      Path folder)
      throws IOException, InterruptedException {
    this.program = folder.resolve("fti-program");
    this.settings = settings;
    Path include = prefix.resolve("include");
    if (!Files.isRegularFile(include.resolve("fti.h"))) {
      throw new CommandFailedException(
          "%s is missing: --fti names the folder that FTI was installed to (CMAKE_INSTALL_PREFIX)"
              .formatted(include.resolve("fti.h")));
    }
    Path source = folder.resolve("fti-program.c");
    try (InputStream text = Fti.class.getResourceAsStream("fti.c")) {
      if (text == null) {
        throw new IllegalStateException("fti.c is not in the jar");
      }
      Files.write(source, text.readAllBytes());
    }
    List<String> command = new ArrayList<>(List.of(compiler, "-O2", "-I" + include));
    command.addAll(List.of("-o", program.toString(), source.toString()));
    for (String lib : List.of("lib", "lib64")) {
      command.add("-L" + prefix.resolve(lib));
      command.add("-Wl,-rpath," + prefix.resolve(lib));
    }
    command.addAll(libraries);
    Programs.output(command);
  }

  /**
   * Writes a configuration for a job that begins from nothing. FTI notes in it that the job is to
   * be restarted.
   *
   * @param blockSize of differential checkpoints
   * @param format how files are written: 1 by POSIX calls, 3 in FTI's own format, which
   *     differential checkpoints need by its documentation
   */
  public Path configure(Path folder, int ranks, int blockSize, int format) throws IOException {
    Map<String, String> basic = new TreeMap<>();
    basic.put("head", "0");
    basic.put("node_size", "1");
    basic.put("ckpt_dir", Files.createDirectories(folder.resolve("local")).toString());
    basic.put("glbl_dir", Files.createDirectories(folder.resolve("global")).toString());
    basic.put("meta_dir", Files.createDirectories(folder.resolve("meta")).toString());
    for (int level = 1; level <= 4; level++) {
      basic.put("ckpt_l" + level, "0");
      basic.put("inline_l" + level, "1");
    }
    basic.put("keep_last_ckpt", "0");
    basic.put("keep_l4_ckpt", "0");
    basic.put("group_size", String.valueOf(ranks));
    basic.put("max_sync_intv", "0");
    basic.put("ckpt_io", String.valueOf(format));
    basic.put("enable_staging", "0");
    basic.put("enable_dcp", "1");
    basic.put("dcp_mode", "1");
    basic.put("dcp_block_size", String.valueOf(blockSize));
    basic.put("verbosity", "3");
    basic.putAll(settings);
    StringBuilder text = new StringBuilder("[basic]\n");
    basic.forEach((key, value) -> text.append(key).append(" = ").append(value).append('\n'));
    text.append("\n[restart]\nfailure = 0\nexec_id = none\n");
    text.append("\n[injection]\nrank = 0\nnumber = 0\nposition = 0\nfrequency = 0\n");
    text.append("\n[advanced]\nblock_size = 1024\ntransfer_size = 16\n");
    text.append("general_tag = 2612\nmpi_tag = 2612\nckpt_tag = 711\nstage_tag = 406\n");
    text.append("final_tag = 3107\nlocal_test = 1\n");
    return Files.writeString(folder.resolve("config.fti"), text);
  }

  /** The command of one rank. */
  public List<String> command(Path configuration, long bytes, int level) {
    return List.of(
        program.toString(), configuration.toString(), String.valueOf(bytes), String.valueOf(level));
  }
}
