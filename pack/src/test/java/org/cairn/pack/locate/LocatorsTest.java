// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.transform.Elements;
import org.junit.jupiter.api.Test;

/** Nothing that a locator does keeps a file from being stored, except that it cannot be read. */
class LocatorsTest {
  private static final ByteSource FILE = Probe.file("any", new byte[1000]);

  /** Does something with a file. */
  private interface Looking {
    void locate(ByteSource file, Hints hints) throws IOException;
  }

  private static Locator locator(String format, Looking looking) {
    return new Locator() {
      @Override
      public String format() {
        return format;
      }

      @Override
      public boolean recognises(ByteSource file) {
        return true;
      }

      @Override
      public void locate(ByteSource file, Hints hints) throws IOException {
        looking.locate(file, hints);
      }
    };
  }

  private static Extent extent(long offset) {
    return Extent.whole(new Variable("/a", Elements.BYTES, List.of(100L)), offset, 100);
  }

  private static Locators.Located locate(Looking looking) throws IOException {
    return Locators.of(List.of(locator("test", looking)))
        .within(new Locators.Limits(1000, 3))
        .locate(FILE);
  }

  @Test
  void formatsOfThisModuleComeFirstAndThoseOfOthersAreFound() throws IOException {
    assertThat(Locators.installed().formats())
        .containsSubsequence("netCDF-3", "AMReX FAB", "NumPy", "of another module");
    Locators.Located located = Locators.installed().locate(Probe.file("a.foreign", new byte[10]));
    assertThat(located.format()).contains("of another module");
    assertThat(Locators.installed().after(locator("mine", (_, _) -> {})).formats())
        .startsWith("mine");
  }

  /** Modules find locators by one of these, programs without modules by the other. */
  @Test
  void theModuleProvidesWhatTheListOfServicesHas() throws IOException {
    Path main = Path.of("../pack/src/main");
    Matcher provides =
        Pattern.compile("provides org.cairn.pack.locate.Locator with([^;]*);")
            .matcher(Files.readString(main.resolve("java/module-info.java")));
    assertThat(provides.find()).isTrue();
    assertThat(provides.group(1).strip().split("\\s*,\\s*"))
        .containsExactlyElementsOf(
            Files.readAllLines(
                main.resolve("resources/META-INF/services").resolve(Locator.class.getName())));
  }

  @Test
  void whatNobodyRecognisesHasNoHints() throws IOException {
    Locators.Located located = Locators.installed().locate(FILE);
    assertThat(located.format()).isEmpty();
    assertThat(located.hints().extents()).isEmpty();
    assertThat(located.hints().notes()).isEmpty();
  }

  @Test
  void theFirstThatRecognisesAFileLooksIntoIt() throws IOException {
    Locators both =
        Locators.of(
            List.of(
                locator("one", (_, hints) -> hints.extent(extent(0))),
                locator("two", (_, _) -> {})));
    assertThat(both.locate(FILE).format()).isEqualTo(Optional.of("one"));
    assertThat(both.locate(FILE).hints().extents()).containsExactly(extent(0));
  }

  @Test
  void whatWasFoundBeforeALimitCounts() throws IOException {
    Hints tooMany =
        locate(
                (_, hints) -> {
                  for (int i = 0; ; i += 100) {
                    hints.extent(extent(i));
                  }
                })
            .hints();
    assertThat(tooMany.extents()).hasSize(3);
    assertThat(tooMany.notes()).singleElement().asString().contains("more than 3 extents");
    Hints tooLong =
        locate(
                (_, hints) -> {
                  while (true) {
                    hints.step();
                  }
                })
            .hints();
    assertThat(tooLong.notes()).singleElement().asString().contains("more than 1,000 objects");
  }

  @Test
  void aDefectOfALocatorCostsItsHintsOnly() throws IOException {
    Hints hints =
        locate(
                (_, found) -> {
                  found.extent(extent(0));
                  throw new IllegalStateException("oh");
                })
            .hints();
    assertThat(hints.extents()).hasSize(1);
    assertThat(hints.notes())
        .singleElement()
        .asString()
        .contains("the locator of test failed")
        .contains("oh");
  }

  @Test
  void aFileThatCannotBeReadIsAnError() {
    assertThatThrownBy(
            () ->
                locate(
                    (_, _) -> {
                      throw new IOException("no disk");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("no disk");
  }
}
