// SPDX-License-Identifier: Apache-2.0
//
// Arrays that grow: primes are found, and nobody knows how many there will be.
//
//   ./cairn run examples/Growing.java --crash-at 33000
//   ./cairn run examples/Growing.java

import org.cairn.*;

/** Replaced by longer ones; Cairn asks for the one of the moment, and makes one of the size that was saved. */
int[] primes = new int[16];

void main(String[] arguments) throws IOException {
  int crashAt = arguments.length == 2 && arguments[0].equals("--crash-at") ? Integer.parseInt(arguments[1]) : -1;
  try (Checkpointer cairn = Checkpointer.open(Path.of("checkpoints/growing"))) {
    IntCell count = cairn.protect("count", 0);
    IntCell candidate = cairn.protect("candidate", 2);
    cairn.protect("primes", int[].class, () -> primes, length -> primes = new int[(int) length]);

    IO.println(cairn.restart());
    while (candidate.get() < 60_000) {
      if (isPrime(candidate.get(), count.get())) {
        if (count.get() == primes.length) {
          primes = Arrays.copyOf(primes, 2 * primes.length);
        }
        primes[count.get()] = candidate.get();
        count.increment();
      }
      if (candidate.increment() % 10_000 == 0) {
        IO.println(count + " primes below " + candidate + ": " + cairn.checkpoint());
      }
      if (candidate.get() == crashAt) {
        Runtime.getRuntime().halt(1);
      }
    }
    Files.writeString(Path.of("primes.txt"), Arrays.toString(Arrays.copyOf(primes, count.get())));
  }
}

boolean isPrime(int candidate, int known) {
  for (int i = 0; i < known && primes[i] * primes[i] <= candidate; i++) {
    if (candidate % primes[i] == 0) {
      return false;
    }
  }
  return true;
}
