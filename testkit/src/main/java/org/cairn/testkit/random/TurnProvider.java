// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.AnnotationBasedArgumentsProvider;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Gives a test the values of an enum whose {@link Turn} it is. */
final class TurnProvider extends AnnotationBasedArgumentsProvider<Turn> {

  @Override
  protected Stream<? extends Arguments> provideArguments(
      ParameterDeclarations parameters, ExtensionContext context, Turn turn) {
    Class<?> type = parameters.getFirst().orElseThrow().getParameterType();
    boolean thorough = Boolean.getBoolean(Thorough.PROPERTY);
    return values(type.getEnumConstants(), turn.value(), thorough).map(Arguments::of);
  }

  static <T> Stream<T> values(T[] all, int turn, boolean thorough) {
    return thorough ? Stream.of(all) : Stream.of(all[turn % all.length]);
  }
}
