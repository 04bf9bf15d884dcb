// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the files in the directory of a rank are called.
 *
 * <pre>
 * rank3.cairn           the state of rank 3
 * rank2.partner.cairn   a copy of the state of rank 2
 * rank3.parity.cairn    what rank 3 holds of the parity of its group
 * rank3.rebuilt.cairn   a state being rebuilt; becomes rank3.cairn when all ranks have theirs
 * </pre>
 */
public final class FileNames {
  private static final Pattern CONTAINER =
      Pattern.compile("rank(\\d{1,9})(\\.partner|\\.parity)?\\.cairn");

  private FileNames() {}

  /** The container of a rank. */
  public static String local(int rank) {
    return "rank" + rank + ".cairn";
  }

  /** A copy of the container of {@code owner}. */
  public static String partner(int owner) {
    return "rank" + owner + ".partner.cairn";
  }

  /** The parity that {@code holder} keeps. */
  public static String parity(int holder) {
    return "rank" + holder + ".parity.cairn";
  }

  /** A container on its way to become that of {@code rank}. */
  public static String rebuilt(int rank) {
    return "rank" + rank + ".rebuilt.cairn";
  }

  /** Whether a file holds a container, finished or not. */
  public static boolean isContainer(String name) {
    return name.endsWith(".cairn") || name.endsWith(".cairn.new");
  }

  /** What a file of this name is. */
  public record Meaning(TierKind kind, int rank) {}

  /** What a file is, if it is one of these. */
  public static Optional<Meaning> meaning(String name) {
    Matcher matcher = CONTAINER.matcher(name);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String role = matcher.group(2);
    TierKind kind =
        role == null
            ? TierKind.LOCAL
            : role.equals(".partner") ? TierKind.PARTNER : TierKind.ERASURE;
    return Optional.of(new Meaning(kind, Integer.parseInt(matcher.group(1))));
  }
}
