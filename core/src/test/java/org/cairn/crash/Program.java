// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.Codec;
import org.cairn.HashAlgorithm;
import org.cairn.codec.BlockCodecs;

/**
 * A program that does random things to its arrays: changes bytes here and there, clears, fills,
 * grows, shrinks, moves, makes new ones and drops old ones. Its random numbers determine all.
 */
final class Program {
  private static final int[] BLOCK_SIZES = {128, 256, 777, 1024, 4096, 16 << 10, 64 << 10, 1 << 20};

  /** Only strong ones: a weak one may, rightly, take a changed block for clean. */
  private static final List<HashAlgorithm> ALGORITHMS =
      List.of(
          HashAlgorithm.XXH3_128,
          HashAlgorithm.XXH3_128,
          HashAlgorithm.XXH3_128,
          HashAlgorithm.MD5,
          HashAlgorithm.SHA_256);

  private static final List<Codec> CODECS =
      Stream.of(Codec.values()).filter(codec -> BlockCodecs.unavailable(codec).isEmpty()).toList();

  private static final int MOST_VARIABLES = 7;

  private final Random random;
  private final int mostBytes;

  /** Of ten arrays, how many more are outside of the Java heap than there would be. */
  private final int offHeap;

  private final Map<String, Variable> variables = new TreeMap<>();

  /**
   * A program without state.
   *
   * @param mostBytes how long an array may become, apart from rare larger ones
   */
  Program(Random random, int mostBytes) {
    this(random, mostBytes, 0);
  }

  /** The same, with some more arrays of ten outside of the Java heap. */
  Program(Random random, int mostBytes, int offHeap) {
    this.random = random;
    this.mostBytes = mostBytes;
    this.offHeap = offHeap;
  }

  Snapshot snapshot() {
    Map<String, Snapshot.Content> contents = new TreeMap<>();
    variables.forEach((name, variable) -> contents.put(name, variable.content()));
    return new Snapshot(contents);
  }

  Set<String> names() {
    return variables.keySet();
  }

  /** Protects arrays to be filled by a restart, cut and hashed as before, coded as it likes. */
  void expect(Map<String, Snapshot.Content> contents, Checkpointer cairn) {
    contents.forEach(
        (name, content) -> {
          Variable.Settings settings =
              new Variable.Settings(content.blockSize(), content.algorithm(), codec());
          Variable variable = new Variable(name, content.kind(), settings);
          variables.put(name, variable);
          variable.protectSupplied(cairn);
        });
  }

  /** Protects an array late, which gives it the content that a restart has left. */
  Variable claim(String name, Snapshot.Content content, Checkpointer cairn) {
    Variable variable =
        new Variable(
            name,
            content.kind(),
            new Variable.Settings(content.blockSize(), content.algorithm(), codec()));
    variables.put(name, variable);
    if (random.nextBoolean()) {
      variable.protectSupplied(cairn);
    } else {
      variable.replace(new byte[content.bytes().length], cairn);
      variable.protectFixed(cairn);
    }
    return variable;
  }

  /** Protects all arrays again, with another process's checkpointer. */
  void moveTo(Checkpointer cairn) {
    variables.values().forEach(variable -> variable.protectSupplied(cairn));
  }

  /** Lets a dataset go that a restart did not find. */
  void drop(String name, Checkpointer cairn) {
    cairn.unprotect(name);
    variables.remove(name);
  }

  /** Does some random things. */
  void work(Checkpointer cairn) {
    int things = random.nextInt(5);
    for (int i = 0; i < things || variables.isEmpty(); i++) {
      doSomething(cairn);
    }
  }

  private void doSomething(Checkpointer cairn) {
    if (variables.size() < 2 || (variables.size() < MOST_VARIABLES && random.nextInt(6) == 0)) {
      appear(cairn);
      return;
    }
    Variable variable = any();
    switch (random.nextInt(12)) {
      case 0 -> drop(variable.name(), cairn);
      case 1, 2 -> resize(variable, newLength(), cairn);
      case 3 -> resize(variable, variable.bytes().length + random.nextInt(2048), cairn);
      case 4 -> resize(variable, random.nextInt(variable.bytes().length + 1), cairn);
      case 5 -> variable.replace(variable.bytes(), cairn);
      case 6 -> changeSettings(variable, cairn);
      case 7 -> clear(variable);
      default -> scatter(variable);
    }
  }

  Variable variable(String name) {
    Variable variable = variables.get(name);
    if (variable == null) {
      throw new AssertionError("no " + name);
    }
    return variable;
  }

  Variable any() {
    List<Variable> all = new ArrayList<>(variables.values());
    return all.get(random.nextInt(all.size()));
  }

  private void appear(Checkpointer cairn) {
    Variable.Kind[] kinds = Variable.Kind.values();
    Variable.Kind any = kinds[random.nextInt(kinds.length)];
    Variable.Kind kind = offHeap > 0 && random.nextInt(10) < offHeap ? Variable.Kind.OFF_HEAP : any;
    String name = kind + "-" + random.nextInt(1_000_000_000);
    Variable variable = new Variable(name, kind, settings());
    variables.put(name, variable);
    if (random.nextBoolean()) {
      variable.protectFixed(cairn);
    } else {
      variable.protectSupplied(cairn);
    }
    resize(variable, newLength(), cairn);
  }

  private Variable.Settings settings() {
    return new Variable.Settings(
        BLOCK_SIZES[random.nextInt(BLOCK_SIZES.length)],
        ALGORITHMS.get(random.nextInt(ALGORITHMS.size())),
        codec());
  }

  private Codec codec() {
    return random.nextBoolean() ? Codec.NONE : CODECS.get(random.nextInt(CODECS.size()));
  }

  private void changeSettings(Variable variable, Checkpointer cairn) {
    if (random.nextInt(3) == 0) {
      variable.change(settings(), cairn);
    }
  }

  private int newLength() {
    return switch (random.nextInt(10)) {
      case 0 -> 0;
      case 1 -> 1 + random.nextInt(200);
      case 2, 3 -> 1 + random.nextInt(mostBytes);
      default -> 1 + random.nextInt(mostBytes / 4);
    };
  }

  private void resize(Variable variable, int bytes, Checkpointer cairn) {
    byte[] before = variable.bytes();
    byte[] after = Arrays.copyOf(before, variable.wholeElements(bytes));
    for (int from = before.length; from < after.length; ) {
      int length = Math.min(1 + random.nextInt(8192), after.length - from);
      fill(after, from, length);
      from += length;
    }
    variable.replace(after, cairn);
  }

  /** Zeros, noise, or something that compresses. */
  private void fill(byte[] bytes, int from, int length) {
    int style = random.nextInt(4);
    byte[] noise = new byte[style == 0 ? 0 : style == 1 ? 16 : length];
    random.nextBytes(noise);
    for (int i = 0; i < length; i++) {
      bytes[from + i] = noise.length == 0 ? 0 : noise[i % noise.length];
    }
  }

  private void clear(Variable variable) {
    byte[] bytes = variable.bytes();
    int from = random.nextInt(bytes.length + 1);
    int to = from + random.nextInt(bytes.length - from + 1);
    Arrays.fill(bytes, from, to, (byte) 0);
    variable.overwrite(bytes);
  }

  private void scatter(Variable variable) {
    byte[] bytes = variable.bytes();
    if (bytes.length == 0) {
      return;
    }
    int changes = 1 + random.nextInt(20);
    for (int i = 0; i < changes; i++) {
      int from = random.nextInt(bytes.length);
      if (random.nextInt(8) == 0) {
        fill(bytes, from, Math.min(1 + random.nextInt(8192), bytes.length - from));
      } else {
        bytes[from] ^= 1;
      }
    }
    variable.overwrite(bytes);
  }

  /** Changes one byte of one array, if any array has one. */
  void touch() {
    for (Variable variable : variables.values()) {
      byte[] bytes = variable.bytes();
      if (bytes.length > 0) {
        bytes[random.nextInt(bytes.length)] ^= 1;
        variable.overwrite(bytes);
        return;
      }
    }
  }

  /** Puts the bytes of a snapshot back into the arrays, which must be as long. */
  void overwrite(Snapshot state) {
    variables.forEach((name, variable) -> variable.overwrite(state.content(name).bytes()));
  }

  /** Spoils everything, to prove that what was saved is what was there before. */
  void scribble() {
    for (Variable variable : variables.values()) {
      byte[] bytes = variable.bytes();
      Arrays.fill(bytes, (byte) 1);
      variable.overwrite(bytes);
    }
  }
}
