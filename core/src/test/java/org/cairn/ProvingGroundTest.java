// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.cairn.store.DirectoryStore;
import org.cairn.store.FileDirectories;
import org.cairn.store.MemoryStore;
import org.cairn.store.SingleDirectory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That a program opens nothing outside, {@code cairn prove} tests with a real one. */
class ProvingGroundTest {
  @TempDir Path temp;
  private Path inside;
  private Path outside;
  private ProvingGround ground;

  @BeforeEach
  void prepare() throws IOException {
    inside = Files.createDirectory(temp.resolve("run"));
    outside = Files.createDirectory(temp.resolve("run2"));
    Path shared = temp.resolve("shared");
    ground = ProvingGround.of("", Map.of("CAIRN_PROVE", inside + File.pathSeparator + shared));
  }

  @Test
  void withoutProveEverythingIsAllowed() {
    ProvingGround open = ProvingGround.of("", Map.of());

    assertThat(open.isWatched()).isFalse();
    assertThatCode(() -> open.check(outside)).doesNotThrowAnyException();
    assertThatCode(() -> open.check(new MemoryStore())).doesNotThrowAnyException();
  }

  @Test
  void whatIsInsideIsAllowed() throws IOException {
    Path made = inside.resolve("a/b");
    ground.check(made);
    ground.check(DirectoryStore.open(made, true));
    ground.check(new FileDirectories(made));
    ground.check(new SingleDirectory("rank0", DirectoryStore.open(made, true)));
    ground.check(Tiers.none().shared(DirectoryStore.shared(temp.resolve("shared")), 1));
    assertThat(ground.isWatched()).isTrue();
  }

  @Test
  void whatIsOutsideIsRefusedByItsName() {
    assertThatThrownBy(() -> ground.check(outside.resolve("new")))
        .isInstanceOf(CheckpointDirectoryException.class)
        .hasMessageContaining(outside.resolve("new").toString())
        .hasMessageContaining("cairn prove")
        .hasMessageContaining("--shared");
    assertRefused(() -> ground.check(inside.resolve("../run2")));
    assertRefused(() -> ground.check(DirectoryStore.open(outside, true)));
    assertRefused(() -> ground.check(new FileDirectories(outside)));
    assertRefused(() -> ground.check(Tiers.none().shared(DirectoryStore.shared(outside), 1)));
  }

  @Test
  void aLinkLeadsOutside() throws IOException {
    Path link = Files.createSymbolicLink(inside.resolve("link"), outside);

    assertRefused(() -> ground.check(link));
    assertRefused(() -> ground.check(link.resolve("new")));
  }

  @Test
  void whatCouldBeAnywhereIsRefused() {
    assertRefused(() -> ground.check(new MemoryStore()));
    assertRefused(() -> ground.check(new SingleDirectory("rank0", new MemoryStore())));
    assertRefused(() -> ground.check(Tiers.none().shared(new MemoryStore(), 1)));
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(CheckpointDirectoryException.class);
  }
}
