// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.progress;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test in which nothing happens for a while, and lets one that is merely slow take its
 * time:
 *
 * <pre>{@code
 * @RegisterExtension final Progress progress = new Progress(Duration.ofMinutes(1));
 * …
 * progress.made();
 * }</pre>
 */
public final class Progress implements BeforeEachCallback, AfterEachCallback {
  private static final Duration LOOK = Duration.ofMillis(500);

  private final Duration quiet;
  private final AtomicLong last = new AtomicLong();
  private volatile boolean over;
  private volatile boolean stoodStill;

  /** Interrupts a test that makes no progress for so long. */
  public Progress(Duration quiet) {
    this.quiet = quiet;
  }

  /** Something happened; from any thread. */
  public void made() {
    last.set(System.nanoTime());
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    over = false;
    stoodStill = false;
    made();
    Thread test = Thread.currentThread();
    Thread.ofPlatform().daemon().name("progress").start(() -> watch(test));
  }

  private void watch(Thread test) {
    try {
      while (!over && !stoodStill) {
        Thread.sleep(LOOK);
        if (!over && System.nanoTime() - last.get() > quiet.toNanos()) {
          stoodStill = true;
          test.interrupt();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    over = true;
    if (stoodStill) {
      throw new AssertionError("nothing happened for " + quiet);
    }
  }
}
