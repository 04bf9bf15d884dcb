// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class ExplanationsTest {

  @Test
  void barePathsBecomeSentences() {
    assertThat(Explanations.of(new NoSuchFileException("a/b"))).isEqualTo("a/b does not exist");
    assertThat(Explanations.of(new UncheckedIOException(new AccessDeniedException("x"))))
        .isEqualTo("x may not be read or written by this user");
  }

  @Test
  void reasonsAreKept() {
    assertThat(Explanations.of(new FileSystemException("x", null, "No space left on device")))
        .isEqualTo("x: No space left on device");
  }

  @Test
  void messagesThatSayTooLittleComeWithTheirKind() {
    assertThat(Explanations.of(new ArrayIndexOutOfBoundsException("12")))
        .isEqualTo("ArrayIndexOutOfBoundsException: 12");
    assertThat(Explanations.of(new NullPointerException())).contains("NullPointerException");
  }

  @Test
  void messagesStayOnOneLine() {
    assertThat(Explanations.of(new IOException("not\n\u001b[31m good")))
        .isEqualTo("not\\n\\u001b[31m good");
  }
}
