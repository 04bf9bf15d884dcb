// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.cairn.cli.Cli;
import org.cairn.pack.Pack;
import org.cairn.pack.PackName;
import org.cairn.testkit.random.Seeds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class PackCommandTest {
  private static final int ELEMENTS = 20_000;

  @TempDir Path temp;
  private Path data;
  private Path pack;

  /** A smooth field for each of four ranks, as .npy, and something of no known format. */
  @BeforeEach
  void makeFiles() throws IOException {
    data = Files.createDirectories(temp.resolve("run/chk"));
    pack = temp.resolve("step.cairnpack");
    for (int rank = 0; rank < 4; rank++) {
      Files.write(data.resolve("rho_%d.npy".formatted(rank)), npy(rank));
    }
    byte[] noise = new byte[70_001];
    Random content = Seeds.content(11);
    content.nextBytes(noise);
    Files.write(data.resolve("noise.bin"), noise);
    Files.createFile(data.resolve("empty"));
  }

  private static byte[] npy(int rank) {
    String head = "{'descr': '<f8', 'fortran_order': False, 'shape': (100, 200), }";
    String padded = head + " ".repeat(127 - 10 - head.length()) + "\n";
    ByteBuffer bytes =
        ByteBuffer.allocate(128 + 8 * ELEMENTS)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put((byte) 0x93)
            .put("NUMPY".getBytes(UTF_8))
            .put((byte) 1)
            .put((byte) 0)
            .putShort((short) 118)
            .put(padded.getBytes(UTF_8));
    for (int i = 0; i < ELEMENTS; i++) {
      bytes.putDouble(300 + Math.sin(i % 200 / 40.0 + rank) * Math.cos(i / 200 / 20.0));
    }
    return bytes.array();
  }

  private Cli.Result pack(Object... more) {
    List<Object> words = new ArrayList<>(List.of("pack", "-r", data, "-o", pack));
    words.addAll(List.of(more));
    Cli.Result result = Cli.run(words.toArray());
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result;
  }

  private static List<String> tree(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  @Test
  void filesComeBackAsTheyWere() throws IOException {
    Path first = data.resolve("rho_0.npy");
    Files.setPosixFilePermissions(first, PosixFilePermissions.fromString("r-xr-----"));
    Instant time = Instant.parse("2020-02-03T04:05:06.123456789Z");
    Files.setLastModifiedTime(first, FileTime.from(time));

    assertThat(pack().out()).contains("6 files").contains("times smaller");
    Path out = temp.resolve("out");
    Cli.Result result = Cli.run("unpack", pack, "-C", out);

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(tree(out)).isEqualTo(tree(data.getParent()));
    for (String name : tree(out)) {
      assertThat(out.resolve(name)).hasSameBinaryContentAs(data.resolveSibling(name));
    }
    Path back = out.resolve("chk/rho_0.npy");
    assertThat(Files.getLastModifiedTime(back).toInstant()).isEqualTo(time);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(back)))
        .isEqualTo("r-xr-----");
    assertThat(tree(temp)).noneMatch(name -> name.contains(".cairn-"));
  }

  @Test
  void namesWithLineEndsAreNamesToo() throws IOException {
    Path odd = Files.createDirectories(temp.resolve("odd"));
    Files.writeString(odd.resolve("a\nb"), "1");
    Files.writeString(odd.resolve("c\rd"), "2");
    Path pack = temp.resolve("odd.cairnpack");
    assertThat(Cli.run("pack", "-r", odd, "-o", pack).exitCode()).isZero();
    assertThat(Cli.run("ls", "--sha256", pack).out())
        .contains("  odd/a\\nb", "  odd/c\\rd")
        .doesNotContain("\r");
    Path out = temp.resolve("odd-out");
    assertThat(Cli.run("unpack", pack, "--only", "odd/**", "-C", out).out()).contains("2 files");
  }

  @Test
  void someFilesOnly() throws IOException {
    pack();
    Path out = temp.resolve("out");

    assertThat(Cli.run("unpack", pack, "-C", out, "--only", "rho_[13]*").exitCode()).isZero();

    assertThat(tree(out)).containsExactly("chk/rho_1.npy", "chk/rho_3.npy");
    assertThat(Cli.run("unpack", pack, "-C", out, "--only", "none*").err())
        .contains("no file of")
        .contains("none*");
    Path none = temp.resolve("none");
    Cli.Result second = Cli.run("unpack", pack, "-C", none, "--only", "rho_1*", "--only", "none*");
    assertThat(second.exitCode()).isEqualTo(1);
    assertThat(second.err()).contains("is like none*");
    assertThat(none).doesNotExist();
    assertThat(Cli.run("unpack", pack, "-C", out, "--only", "[").exitCode()).isEqualTo(2);
  }

  @Test
  void sumsOfWhatIsNotThere() {
    Cli.Result result = Cli.run("ls", "--sha256", temp.resolve("none.cairnpack"));

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("none.cairnpack does not exist");
  }

  /** A frame that is damaged has parts of many variables. */
  @Test
  void ofEachDamagedFileAFewPartsAreTold() {
    List<Pack.Damage> damages = new ArrayList<>();
    for (int i = 0; i < 52; i++) {
      damages.add(new Pack.Damage(new PackName("a.h5"), "a frame, in /" + i));
      damages.add(new Pack.Damage(new PackName("b.h5"), "a frame, in /x"));
    }

    assertThat(UnpackCommand.fewOfEachFile(damages))
        .containsExactly(
            "a.h5: a frame, in /0",
            "a.h5: a frame, in /1",
            "a.h5: a frame, in /2",
            "a.h5: so are 49 more parts of it; --json lists all",
            "b.h5: a frame, in /x");
  }

  @Test
  void nothingIsReplaced() throws IOException {
    pack();
    Cli.Result again = Cli.run("pack", "-r", data, "-o", pack);
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err()).contains("exists already", "name another");

    Path out = temp.resolve("out");
    Path mine = Files.createDirectories(out.resolve("chk")).resolve("rho_2.npy");
    Files.writeString(mine, "precious");
    Cli.Result result = Cli.run("unpack", pack, "-C", out);
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("rho_2.npy", "exists already");
    assertThat(mine).hasContent("precious");
  }

  /** Linux has files that say that they have bytes, and fail when these are read. */
  @Test
  void aFileThatCannotBeReadIsNamed() throws IOException {
    Path unreadable = Path.of("/sys/class/net/lo/speed");
    assumeTrue(Files.isRegularFile(unreadable), "no file whose reads fail");
    Cli.Result result = Cli.run("pack", data.resolve("rho_1.npy"), unreadable, "-o", pack);
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains(unreadable + ": reading at 0: ", "pack without it");
    assertThat(tree(temp)).allMatch(name -> name.startsWith("run/chk/"));
  }

  @Test
  void lsTellsWhatIsThere() {
    pack();
    assertThat(Cli.run("ls", pack).out())
        .contains("6 files")
        .containsPattern("chk/rho_3.npy +156 KiB +0... .*NPY|chk/rho_3.npy.*")
        .contains("noise.bin");
    JsonNode listed = Cli.run("ls", "--json", pack).json().get(0);
    assertThat(listed.get("files")).hasSize(6);
    assertThat(listed.get("packedBytes").asLong()).isLessThan(listed.get("bytes").asLong());
    Cli.Result wrong = Cli.run("ls", "--sha256", data);
    assertThat(wrong.exitCode()).isEqualTo(2);
  }

  @Test
  void sha256sumReadsWhatLsPrints() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/sha256sum")), "no sha256sum");
    Files.copy(data.resolve("noise.bin"), data.resolve("a name\nof two lines"));
    // Latin-1, which is no UTF-8.
    Files.copy(data.resolve("noise.bin"), Path.of(URI.create(data.toUri() + "caf%E9")));
    pack();
    Path sums = temp.resolve("sums");
    Files.write(sums, Cli.run("ls", "--sha256", pack).outBytes());

    Process check =
        new ProcessBuilder("/usr/bin/sha256sum", "--strict", "-c", sums.toString())
            .directory(data.getParent().toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(check.getInputStream().readAllBytes(), UTF_8);

    assertThat(check.waitFor()).as(said).isZero();
    assertThat(said.lines()).hasSize(8);
  }

  @Test
  void zerosThatNobodyWaitsForAreNotHashed() throws IOException {
    try (RandomAccessFile hole = new RandomAccessFile(data.resolve("hole").toFile(), "rw")) {
      hole.setLength(2L << 40);
    } catch (IOException e) {
      assumeTrue(false, "no file of 2 TiB here: " + e.getMessage());
    }
    pack();
    Cli.Result sums = Cli.run("ls", "--sha256", pack);
    assertThat(sums.exitCode()).isEqualTo(1);
    assertThat(sums.out().lines()).hasSize(6).noneMatch(line -> line.endsWith("hole"));
    assertThat(sums.err()).contains("chk/hole: 2.00 TiB of its 2.00 TiB are zeros", "--force");
    assertThat(Cli.run("ls", "--force", pack).exitCode()).isEqualTo(2);
  }

  @Test
  void namesThatAreNoTextCanBeToldApart() throws IOException {
    Files.writeString(Path.of(URI.create(data.toUri() + "%FF")), "f".repeat(200));
    Files.writeString(Path.of(URI.create(data.toUri() + "%FE")), "e".repeat(200));
    Files.writeString(data.resolve("a\nb"), "n".repeat(200));
    pack();

    JsonNode files = Cli.run("ls", "--sha256", "--json", pack).json().get(0).get("files");
    List<String> names = new ArrayList<>();
    for (JsonNode file : files) {
      names.add(file.get("name").asString());
      assertThat(file.get("sha256").asString()).matches("[0-9a-f]{64}");
    }
    assertThat(names).contains("chk/%FE", "chk/%FF", "chk/a\nb");

    for (String name : List.of("%FE", "%FF", "a\nb")) {
      Path file = temp.resolve("raw" + name.length() + name.charAt(name.length() - 1));
      Cli.Result result =
          Cli.run(
              "export",
              pack,
              "--member",
              "chk/" + name,
              "--dataset",
              "(rest)",
              "--format",
              "raw",
              "--file",
              file);
      assertThat(result.exitCode()).as(result.err()).isZero();
      char last = Character.toLowerCase(name.charAt(name.length() - 1));
      assertThat(Files.readString(file)).startsWith(last == 'b' ? "n" : String.valueOf(last));
    }
    Path out = temp.resolve("out");
    assertThat(Cli.run("unpack", pack, "-C", out, "--only", "%FF").exitCode()).isZero();
    assertThat(Path.of(URI.create(out.toUri() + "/chk/%FF"))).exists();
    assertThat(tree(out)).hasSize(1);
    Cli.Result vague =
        Cli.run("export", pack, "--member", "chk/\uFFFD", "--dataset", "x", "--file", "y");
    assertThat(vague.err()).contains("has no file");
  }

  @Test
  void aNameThatIsNoTextCannotBeAnArgument() {
    assertThat(Cli.run("pack", data.resolve("caf\uFFFD"), "-o", pack).err())
        .contains("does not exist")
        .contains("name its folder");
  }

  @Test
  void damageIsFoundAndCostsNoOtherFile() throws IOException {
    pack("--order", "agnostic", "--compression", "none");
    byte[] bytes = Files.readAllBytes(pack);
    bytes[bytes.length / 4] ^= 16; // in the data of one frame
    Files.write(pack, bytes);

    for (String how : List.of("--fast", "--progress")) {
      Cli.Result verified = Cli.run("verify", how, pack);
      assertThat(verified.exitCode()).isEqualTo(1);
      assertThat(verified.out() + verified.err()).contains("checksum");
    }
    Path out = temp.resolve("out");
    Cli.Result result = Cli.run("unpack", pack, "-C", out);
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("checksum");
    for (String name : tree(out)) {
      assertThat(out.resolve(name)).hasSameBinaryContentAs(data.resolveSibling(name));
    }
  }

  /** A file whose index is damaged is lost with its name; every command says so. */
  @Test
  void aPackWithoutItsEndOrItsBeginningGivesItsFiles() throws IOException {
    pack();
    byte[] whole = Files.readAllBytes(pack);
    byte[] headless = whole.clone();
    Arrays.fill(headless, 0, 96, (byte) 0);
    int folder = 0;
    for (byte[] damaged : List.of(Arrays.copyOf(whole, whole.length - 30), headless)) {
      Files.write(pack, damaged);
      Path out = Files.createDirectory(temp.resolve("rescued" + folder++));
      Cli.Result unpacked = Cli.run("unpack", pack, "-C", out);
      assertThat(unpacked.exitCode()).isEqualTo(1);
      assertThat(unpacked.err()).contains("the pack itself", "6 of 6 files");
      assertThat(unpacked.out()).startsWith("6 files from ");
      assertThat(tree(out)).hasSameSizeAs(tree(data));
      Cli.Result verified = Cli.run("verify", pack);
      assertThat(verified.exitCode()).isEqualTo(1);
      assertThat(verified.out()).contains("blocks sound, but damaged");
      assertThat(Cli.run("ls", pack).exitCode()).isEqualTo(1);
    }
  }

  @Test
  void aLostFileIsNeitherSoundNorRemovedNorCounted() throws IOException {
    pack("--compression", "none");
    Path flipped = temp.resolve("flipped.cairnpack");
    flipAnIndex(flipped);

    for (String how : List.of("--fast", "--progress")) {
      Cli.Result verified = Cli.run("verify", how, flipped);
      assertThat(verified.exitCode()).as(verified.out()).isEqualTo(1);
      assertThat(verified.err()).contains("(file ");
    }
    for (List<Path> both : List.of(List.of(pack, flipped), List.of(flipped, pack))) {
      Cli.Result compared = Cli.run("diff", both.getFirst(), both.getLast());
      assertThat(compared.exitCode()).isEqualTo(1);
      assertThat(compared.out()).contains(both.getFirst() == pack ? "removed or lost" : "added or");
      assertThat(compared.err()).contains("(file ", "flipped.cairnpack");
    }
    Cli.Result same = Cli.run("diff", flipped, flipped);
    assertThat(same.exitCode()).isEqualTo(1);
    assertThat(same.out()).contains("that can be read");
    Cli.Result all = Cli.run("unpack", flipped, "-C", temp.resolve("all"));
    assertThat(all.exitCode()).isEqualTo(1);
    assertThat(all.out()).contains("5 files", "1 could not be brought back");
    assertThat(tree(temp.resolve("all"))).hasSize(5);
    String one = tree(temp.resolve("all")).getFirst();
    Cli.Result some = Cli.run("unpack", flipped, "-C", temp.resolve("one"), "--only", one);
    assertThat(some.out()).contains("1 file from", "names of 1 file of the pack are lost");
    JsonNode json = Cli.run("unpack", "--json", flipped, "-C", temp.resolve("json")).json();
    assertThat(json.get("files").asInt()).isEqualTo(5);
    assertThat(json.get("bytes").asLong()).isEqualTo(size(temp.resolve("json")));
  }

  private static long size(Path folder) throws IOException {
    long size = 0;
    for (String file : tree(folder)) {
      size += Files.size(folder.resolve(file));
    }
    return size;
  }

  /** From the end on, until all but one file is there. */
  private void flipAnIndex(Path target) throws IOException {
    byte[] intact = Files.readAllBytes(pack);
    for (int at = intact.length - 1; at > 0; at -= 16) {
      byte[] bytes = intact.clone();
      bytes[at] ^= 1;
      Files.write(target, bytes);
      Cli.Result listed = Cli.run("ls", "--json", target);
      if (listed.exitCode() == 1 && listed.json().get(0).get("files").size() == 5) {
        return;
      }
    }
    throw new AssertionError("no index was found");
  }

  /** A damaged frame of several: the files in it are named, and the others are as they were. */
  @Test
  void damagedFramesNameTheirFiles() throws IOException {
    pack("--order", "agnostic", "--compression", "none");
    byte[] bytes = Files.readAllBytes(pack);
    int noise = indexOf(bytes, Files.readAllBytes(data.resolve("noise.bin")));
    bytes[noise + 500] ^= 16;
    Files.write(pack, bytes);
    assertThat(Cli.run("unpack", pack, "-C", temp.resolve("out")).exitCode()).isEqualTo(1);
    List<String> whole = tree(temp.resolve("out"));
    assertThat(whole).isNotEmpty().doesNotContain("chk/noise.bin");

    assertThat(Cli.run("verify", "--fast", pack).err()).contains("chk/noise.bin: ");
    Cli.Result sums = Cli.run("ls", "--sha256", pack);
    assertThat(sums.exitCode()).isEqualTo(1);
    assertThat(sums.err()).contains("chk/noise.bin: ", "checksum");
    assertThat(sums.out().lines().map(line -> line.substring(66)))
        .containsExactlyInAnyOrderElementsOf(whole);
  }

  /** Where the first bytes of something lie. */
  private static int indexOf(byte[] all, byte[] some) {
    String start = new String(some, 0, 64, ISO_8859_1);
    int at = new String(all, ISO_8859_1).indexOf(start);
    assertThat(at).isPositive();
    return at;
  }

  @Test
  void aVariableIsExportedWithoutTheRest() throws IOException {
    pack();
    Path file = temp.resolve("rho.npy");

    Cli.Result result =
        Cli.run("export", pack, "--member", "chk/rho_2.npy", "--dataset", "/rho_#", "--file", file);

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(Files.readAllBytes(file)).endsWith(tail(npy(2)));
    Cli.Result missing =
        Cli.run("export", temp.resolve("gone"), "--member", "m", "--dataset", "u", "--file", "x");
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.err()).contains("gone does not exist");
    Cli.Result unknown =
        Cli.run("export", pack, "--member", "chk/rho_2.npy", "--dataset", "u", "--file", "x");
    assertThat(unknown.exitCode()).isEqualTo(1);
    assertThat(unknown.err()).contains("no variable u", "/rho_#");
  }

  /** Integers without a sign, truths, times and complex numbers are what they were. */
  @Test
  void typesAreExportedAsTheyWere() throws IOException {
    Files.writeString(
        temp.resolve("it.toml"),
        """
        [[file]]
        match = "plain.bin"
        [[file.array]]
        name = "u"
        type = "u16be"
        shape = [200]
        """);
    Files.write(data.resolve("plain.bin"), new byte[400]);
    List<String> types = List.of("<u8", "|u1", "|b1", "<M8[ns]", "<c16");
    for (int i = 0; i < types.size(); i++) {
      String head = "'descr': '%s', 'fortran_order': False,".formatted(types.get(i));
      byte[] npy = new String(npy(0), 0, 128, ISO_8859_1).getBytes(ISO_8859_1);
      String text = "{" + head + " 'shape': (1000,), }";
      byte[] padded = (text + " ".repeat(117 - text.length()) + "\n").getBytes(ISO_8859_1);
      ByteBuffer file = ByteBuffer.allocate(128 + 16_000).put(npy, 0, 10).put(padded);
      Files.write(data.resolve("t_%c.npy".formatted('a' + i)), file.array());
    }
    pack("--describe", temp.resolve("it.toml"));

    for (int i = 0; i < types.size(); i++) {
      char letter = (char) ('a' + i);
      assertThat(exportedHead("chk/t_%c.npy".formatted(letter), "/t_" + letter))
          .contains("'%s'".formatted(types.get(i)));
    }
    assertThat(exportedHead("chk/plain.bin", "/u")).contains("'>u2'", "(200,)");
  }

  private String exportedHead(String member, String variable) throws IOException {
    Path file = temp.resolve("exported.npy");
    Cli.Result result =
        Cli.run(
            "export", pack, "--member", member, "--dataset", variable, "--file", file, "--force");
    assertThat(result.exitCode()).as(result.err()).isZero();
    return new String(Files.readAllBytes(file), 0, 128, ISO_8859_1);
  }

  @Test
  void whatIsRepeatedEmptyOrCutIsExportedOrExplained() throws IOException {
    Path toml = temp.resolve("d.toml");
    Files.writeString(
        toml,
        """
        [[file]]
        match = "flow.bin"
        [[file.array]]
        name = "u"
        type = "i8"
        shape = [200]
        repeat = "end"
        every = 210
        """);
    byte[] flow = new byte[630];
    for (int i = 0; i < flow.length; i++) {
      flow[i] = (byte) (i % 210 < 200 ? i / 210 : -1);
    }
    Files.write(data.resolve("flow.bin"), flow);
    Files.write(data.resolve("cut.npy"), Arrays.copyOf(npy(1), 1000));
    byte[] empty = Arrays.copyOf(npy(1), 128);
    String head = new String(empty, ISO_8859_1).replaceFirst("\\(\\d+", "(0");
    Files.write(
        data.resolve("empty.npy"),
        (head.substring(0, head.length() - 1).stripTrailing() + " ".repeat(128))
            .substring(0, 127)
            .concat("\n")
            .getBytes(ISO_8859_1));
    pack("--describe", toml);

    Path file = temp.resolve("u.npy");
    assertThat(export("flow.bin", "/u", file).err()).contains("--describe");
    Cli.Result result = export("flow.bin", "/u", file, "--describe", toml);
    assertThat(result.exitCode()).as(result.err()).isZero();
    byte[] exported = tail(Files.readAllBytes(file));
    assertThat(exported).hasSize(600);
    for (int i = 0; i < 600; i++) {
      assertThat(exported[i]).isEqualTo((byte) (i / 200));
    }
    assertThat(export("cut.npy", "/cut", temp.resolve("c")).err()).contains("the file ends before");
    Cli.Result none = export("empty.npy", "/empty", temp.resolve("e"));
    assertThat(none.exitCode()).as(none.err()).isZero();
    assertThat(temp.resolve("e")).hasSize(128);
  }

  private Cli.Result export(String member, String variable, Path file, Object... more) {
    List<Object> words =
        new ArrayList<>(
            List.of("export", pack, "--member", "chk/" + member, "--dataset", variable));
    words.addAll(List.of("--file", file));
    words.addAll(List.of(more));
    return Cli.run(words.toArray());
  }

  private static byte[] tail(byte[] npy) {
    return Arrays.copyOfRange(npy, 128, npy.length);
  }

  /** Records of netCDF-3: those of one variable lie between those of another. */
  @Test
  void aVariableInPiecesIsExportedInTheOrderOfItsElements() throws IOException {
    ByteBuffer bytes = records();
    Files.write(data.resolve("run.nc"), bytes.array());
    pack();
    Path file = temp.resolve("u.npy");

    Cli.Result result =
        Cli.run("export", pack, "--member", "chk/run.nc", "--dataset", "/u", "--file", file);

    assertThat(result.exitCode()).as(result.err()).isZero();
    byte[] exported = Files.readAllBytes(file);
    assertThat(new String(exported, 0, 128, ISO_8859_1)).contains("'>f8'", "(3, 40)");
    ByteBuffer numbers = ByteBuffer.wrap(exported, exported.length - 8 * 120, 8 * 120);
    for (int i = 0; i < 120; i++) {
      assertThat(numbers.getDouble()).isEqualTo(i);
    }
  }

  /** Three records of 40 doubles, called u, and 40 integers, called v. */
  private static ByteBuffer records() {
    int header = 136;
    ByteBuffer bytes = ByteBuffer.allocate(header + 3 * 480);
    bytes.put("CDF\1".getBytes(ISO_8859_1)).putInt(3);
    bytes.putInt(10).putInt(2).putInt(1).putInt('t' << 24).putInt(0);
    bytes.putInt(1).putInt('x' << 24).putInt(40);
    bytes.putInt(0).putInt(0).putInt(11).putInt(2);
    bytes.putInt(1).putInt('u' << 24).putInt(2).putInt(0).putInt(1).putInt(0).putInt(0);
    bytes.putInt(6).putInt(320).putInt(header);
    bytes.putInt(1).putInt('v' << 24).putInt(2).putInt(0).putInt(1).putInt(0).putInt(0);
    bytes.putInt(4).putInt(160).putInt(header + 320);
    assertThat(bytes.position()).isEqualTo(header);
    for (int i = 0; i < 120; i++) {
      bytes.putDouble(header + i / 40 * 480 + i % 40 * 8, i);
      bytes.putInt(header + i / 40 * 480 + 320 + i % 40 * 4, -i);
    }
    return bytes;
  }

  @Test
  void adviceIsAboutTheStore() {
    Cli.Result slow = Cli.run("advise", "-r", data, "--bandwidth", 1, "--classes");
    assertThat(slow.exitCode()).as(slow.err()).isZero();
    assertThat(slow.out())
        .contains("rho_#_F64LE_2D", "pays below", "chosen")
        // All levels above the first make these data about as small.
        .containsPattern(
            "store of 1 MB/s: (--compression small|--level [39]), order aware; classes by"
                + " transform: [a-z+0-9]+ \\d");
    JsonNode fast = Cli.run("advise", "-r", data, "--bandwidth", 1e9, "--json").json();
    assertThat(fast.get("best").asString()).isEqualTo("--compression none");
    assertThat(fast.get("order").asString()).isEqualTo("aware");
    assertThat(fast.get("transforms").get("none").asInt()).isPositive();
    assertThat(fast.get("tried")).hasSize(5);
    assertThat(fast.get("tried").get(3).get("ratio").asDouble()).isGreaterThan(1.5);
    assertThat(temp.resolve("step.cairnpack")).doesNotExist();
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    assertRefused(2, "Unknown compression", "--compression", "tiny");
    assertRefused(2, "Unknown order", "--order", "random");
    assertRefused(2, "REGEX=TEXT", "--map", "a");
    assertRefused(2, "--map (=x", "--map", "(=x");
    assertRefused(2, "--bandwidth wants", "--bandwidth", "0");
    assertRefused(2, "--bandwidth wants", "--bandwidth", "-3");
    assertRefused(2, "--threads wants", "--threads", "0");
    assertRefused(2, "--settle is for --watch", "--settle", "3");
    assertRefused(2, "leave one of them out", "--compression", "none", "--level", "3");
    Path nowhere = temp.resolve("nodir/x");
    assertThat(Cli.run("pack", "-r", data, "-o", nowhere).err())
        .contains("nodir: is no folder")
        .doesNotContain(".cairn-pack");
    assertThat(Cli.run("pack", data, "-o", pack).err()).contains("is a folder; -r packs folders");
    assertThat(Cli.run("pack", data.resolve("gone"), "-o", pack).err()).contains("does not exist");
    assertThat(Cli.run("verify", "--fast", data).err()).contains("--fast is for packs");
    assertThat(Cli.run("unpack", data.resolve("noise.bin")).err()).contains("is not a Cairn pack");
    for (String command : List.of("verify", "show", "ls")) {
      Cli.Result stranger = Cli.run(command, data.resolve("noise.bin"));
      assertThat(stranger.exitCode()).isEqualTo(1);
      assertThat(stranger.out()).doesNotContain("damage");
      assertThat(stranger.err()).contains("noise.bin is not a file of Cairn's", "cairn pack");
    }
  }

  @Test
  void otherCommandsSayThatItIsAPack() {
    pack();
    for (String command : List.of("scrub", "prune")) {
      Cli.Result result = Cli.run(command, pack);
      assertThat(result.exitCode()).as(command).isEqualTo(1);
      assertThat(result.out() + result.err()).contains("is a pack of files; cairn ls");
    }
    assertThat(Cli.run("show", pack).out()).contains("chk/noise.bin", "from 1 file");
    assertThat(Cli.run("diff", pack, pack).out()).contains("The files are the same.");
  }

  @Test
  void showTellsWhatWasDoneToEachClass() {
    pack();
    assertThat(Cli.run("show", pack).out())
        .containsPattern("rho_#_F64LE_2D +4 +625 KiB .* (delta|lorenzo2|shuffle8|xor).* 6\n")
        .containsPattern("rest +5 +68.9 KiB .* none +6\n")
        .containsPattern(
            "Compression: level 6 \\(small: what is smallest at this level\\), \\d+ frames?\n");
    JsonNode shown = Cli.run("show", "--json", pack).json();
    assertThat(shown.get("efforts").get(0).get("level").asInt()).isEqualTo(6);
    assertThat(shown.get("efforts").get(0).get("why").asString()).startsWith("small: ");
    JsonNode classes = shown.get("classes");
    assertThat(classes).hasSize(2);
    JsonNode rho = classes.get(0);
    assertThat(rho.get("name").asString()).isEqualTo("rho_#_F64LE_2D");
    assertThat(rho.get("bytes").asLong()).isEqualTo(4L * 8 * ELEMENTS);
    assertThat(rho.get("storedBytes").asLong()).isPositive().isLessThan(4L * 8 * ELEMENTS);
    assertThat(rho.get("transforms")).isNotEmpty();
  }

  private void assertRefused(int code, String why, Object... options) {
    List<Object> words = new ArrayList<>(List.of("pack", "-r", data, "-o", pack));
    words.addAll(List.of(options));
    Cli.Result result = Cli.run(words.toArray());
    assertThat(result.exitCode()).as(result.err()).isEqualTo(code);
    assertThat(result.err()).contains(why);
    assertThat(pack).doesNotExist();
  }
}
