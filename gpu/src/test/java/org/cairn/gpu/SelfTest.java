// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import org.cairn.HashAlgorithm;
import org.cairn.device.Device;
import org.cairn.device.DeviceException;
import org.cairn.device.DeviceProvider;
import org.cairn.device.Devices;
import org.cairn.hash.Hashers;
import org.cairn.testkit.random.Seeds;

/**
 * Everything that needs a real device, for a machine that has nothing else: no Maven, no JUnit.
 * {@code DeviceTest} runs the same where both are. The first argument is a seed, "-" for another
 * one each time.
 */
final class SelfTest {
  private final Device device;
  private final Random random;

  SelfTest(Device device, Random random) {
    this.device = device;
    this.random = random;
  }

  /** Tests the first device; exit status 1 if something is wrong, 2 if there is none. */
  public static void main(String[] arguments) throws Exception {
    List<String> steps = Arrays.asList(arguments).subList(1, arguments.length);
    DeviceProvider cuda = new CudaProvider();
    if (cuda.absence().isPresent()) {
      System.out.println("no device: " + cuda.absence().get());
      System.exit(2);
    }
    long seed =
        arguments[0].equals("-")
            ? Seeds.of("SelfTest", 1).findFirst().orElseThrow()
            : Long.parseLong(arguments[0]);
    Device device = cuda.devices().getFirst();
    System.out.printf("%s, %,d bytes free, seed %d%n", device, device.freeBytes(), seed);
    System.exit(new SelfTest(device, new Random(seed)).runAll(steps) ? 0 : 1);
  }

  private interface Step {
    String run() throws Throwable;
  }

  /** Runs some steps, all if none are named; whether all is well. */
  boolean runAll(List<String> wanted) {
    boolean[] fine = {true};
    step(fine, wanted, "kernels", this::kernels);
    step(fine, wanted, "pieces", this::pieces);
    step(fine, wanted, "host", this::hostMemory);
    step(fine, wanted, "errors", this::errors);
    step(fine, wanted, "dataset", () -> DeviceDatasets.roundTrip(device, random));
    step(fine, wanted, "foreign", () -> ForeignMemory.run(device, random));
    step(fine, wanted, "processes", this::twoProcesses);
    step(fine, wanted, "costs", () -> DeviceDatasets.costs(device));
    step(fine, wanted, "rates", this::rates);
    return fine[0];
  }

  private static void step(boolean[] fine, List<String> wanted, String name, Step step) {
    if (!wanted.isEmpty() && !wanted.contains(name)) {
      return;
    }
    long start = System.nanoTime();
    String result;
    try {
      result = "ok, " + step.run();
    } catch (Throwable e) {
      fine[0] = false;
      result = "FAILED: " + e;
      e.printStackTrace(System.out);
    }
    System.out.printf("%-10s %6.2f s  %s%n", name, (System.nanoTime() - start) * 1e-9, result);
  }

  private String kernels() {
    try (Arena arena = Arena.ofShared()) {
      KernelChecks checks = new KernelChecks(arena, random);
      try (OnDevice subject = new OnDevice(device, checks.bytes())) {
        checks.everyLength(subject, 4096, 1);
        checks.everyBlockSize(subject, 8);
        checks.gathers(subject, 4);
      }
      return "%,d blocks compared".formatted(checks.compared());
    }
  }

  /** More blocks than one launch has, of both kinds of memory. */
  private String pieces() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment host = filled(arena, (300L << 20) + 77);
      int blocks = Math.toIntExact(Math.ceilDiv(host.byteSize(), 1024));
      long[] expected = new long[2 * blocks];
      Hashers.of(HashAlgorithm.XXH3_128).hash(host, 0, host.byteSize(), 1024, expected, 0);
      long[] found = new long[2 * blocks];
      try (Device.Buffer copy = device.allocate(host.byteSize())) {
        device.copyIn(host, copy.pointer()).await();
        device.hash(copy.pointer(), host.byteSize(), 1024, HashAlgorithm.XXH3_128, found, 0);
      }
      require(Arrays.equals(expected, found), "digests of 300 MiB in pieces differ");
      return blocks + " blocks";
    }
  }

  private String hostMemory() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment host = filled(arena, (200L << 20) + 4097);
      for (int blockSize : new int[] {128, 4096, 16384, 1 << 20}) {
        int blocks = Math.toIntExact(Math.ceilDiv(host.byteSize(), blockSize));
        long[] expected = new long[2 * blocks];
        Hashers.of(HashAlgorithm.XXH3_128).hash(host, 0, host.byteSize(), blockSize, expected, 0);
        requireHostDigests(host, blockSize, expected);
        require(Devices.registered(host).isEmpty(), "registered before it was");
        require(Devices.reaching(host).isEmpty(), "reached before it was");
        try (Device.Registration _ = device.register(host)) {
          require(Devices.registered(host).isPresent(), "registered, and nobody knows");
          require(Devices.reaching(host).isPresent(), "reached, and nobody knows");
          requireHostDigests(host, blockSize, expected);
        }
      }
      try (Device.Registration _ = device.register(host.asSlice(64L << 20, 64L << 20))) {
        require(Devices.registered(host).isEmpty(), "a part was registered, not all");
        require(Devices.reaching(host).isPresent(), "a part is reached, and nobody knows");
      }
      return "pageable and registered";
    }
  }

  private void requireHostDigests(MemorySegment host, int blockSize, long[] expected) {
    long[] found = new long[expected.length];
    device.hashHost(host, blockSize, HashAlgorithm.XXH3_128, found, 0);
    require(Arrays.equals(expected, found), "digests of host memory, blocks of " + blockSize);
  }

  private MemorySegment filled(Arena arena, long bytes) {
    MemorySegment host = arena.allocate(bytes, 4096);
    SplittableRandom content = new SplittableRandom(random.nextLong());
    for (long i = 0; i + 8 <= bytes; i += 8) {
      host.set(ValueLayout.JAVA_LONG, i, content.nextLong());
    }
    return host;
  }

  private String errors() {
    Device.Buffer buffer = device.allocate(1 << 20);
    device.check(buffer.pointer() + 100, (1 << 20) - 100);
    String tooLong = expect(() -> device.check(buffer.pointer() + 1, 1L << 30));
    buffer.close();
    String freed = expect(() -> device.check(buffer.pointer(), 1));
    String huge = expect(() -> device.allocate(1L << 50).close());
    String foreign = expect(() -> Devices.of(12345, 10));
    try (Arena arena = Arena.ofShared()) {
      MemorySegment host = arena.allocate(1 << 20, 4096);
      try (Device.Registration _ = device.register(host)) {
        String twice = expect(() -> device.register(host).close());
        return String.join("\n    ", "", tooLong, freed, huge, foreign, twice);
      }
    }
  }

  private static String expect(Runnable failing) {
    try {
      failing.run();
    } catch (DeviceException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("nothing was thrown");
  }

  /** Another process on the same device, while this one has a context there. */
  private String twoProcesses() throws IOException, InterruptedException {
    Process other =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                SelfTest.class.getName(),
                "-",
                "pieces",
                "dataset")
            .redirectErrorStream(true)
            .start();
    pieces();
    String mine = pieces();
    String output = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    require(other.waitFor() == 0, "the other process failed: " + output);
    return mine + " here; there:\n    " + output.strip().replace("\n", "\n    ");
  }

  private String rates() {
    Rates rates = new Rates(device);
    List<Integer> sizes = List.of(128, 1024, 4096, 16384, 65536, 1 << 20);
    List<HashAlgorithm> xxh3 = List.of(HashAlgorithm.XXH3_128);
    List<Rates.Rate> all = new ArrayList<>();
    all.addAll(rates.resident(8L << 30, xxh3, sizes.subList(2, 6)));
    all.addAll(rates.resident(1L << 30, Rates.ALGORITHMS, sizes));
    all.addAll(rates.travelling(Rates.Memory.REGISTERED, 2L << 30, xxh3, sizes));
    all.addAll(rates.travelling(Rates.Memory.PAGEABLE, 1L << 30, xxh3, sizes));
    StringBuilder text = new StringBuilder("GB/s\n");
    for (Rates.Rate rate : all) {
      text.append(
          String.format(
              Locale.ROOT,
              "    %-10s %-14s %8d %10.1f%n",
              rate.memory(),
              rate.algorithm(),
              rate.blockSize(),
              rate.gigabytesPerSecond()));
    }
    double registered = rates.copyRate(2L << 30, true);
    double pageable = rates.copyRate(1L << 30, false);
    return text + "    copies to the device: registered " + registered + ", pageable " + pageable;
  }

  static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }
}
