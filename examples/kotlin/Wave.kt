// SPDX-License-Identifier: Apache-2.0
//
// The wave of Wave.java in Kotlin. Let it crash, and run it again, after ./cairn install:
//
//   mvn -q -f examples/kotlin package
//   ./cairn run examples/kotlin/target/wave.jar --crash-at 650
//   ./cairn run examples/kotlin/target/wave.jar
//
// The second one goes on with step 600, and leaves the wave.txt of a run that never crashed.

import java.nio.file.Files
import java.nio.file.Path
import kotlin.math.PI
import kotlin.math.sin
import org.cairn.Checkpointer

fun main(arguments: Array<String>) {
  val crashAt = if (arguments.size == 2 && arguments[0] == "--crash-at") arguments[1].toInt() else -1
  val now = DoubleArray(1000) { i -> if (i in 400..<600) sin(PI * (i - 400) / 200) else 0.0 }
  val before = now.copyOf()
  Checkpointer.open(Path.of("checkpoints/wave-kotlin")).use { cairn ->
    val step = cairn.protect("step", 0)
    cairn.protect("now", now)
    cairn.protect("before", before)

    println(cairn.restart())
    while (step.get() < 1000) {
      advance(now, before)
      if (step.increment() % 100 == 0) {
        println("step $step: ${cairn.checkpoint()}")
      }
      if (step.get() == crashAt) {
        Runtime.getRuntime().halt(1) // as if somebody had pulled the plug
      }
    }
  }
  Files.writeString(Path.of("wave.txt"), now.joinToString("\n", "[", "]"))
}

fun advance(now: DoubleArray, before: DoubleArray) {
  for (i in 1..<now.size - 1) {
    before[i] = 2 * now[i] - before[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1])
  }
  for (i in now.indices) { // what was computed is now, and now was before
    val next = before[i]
    before[i] = now[i]
    now[i] = next
  }
}
