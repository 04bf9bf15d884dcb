// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

/**
 * The coefficients of one pass in the forms that kernels want.
 *
 * @param products for each target with coefficients, for each source: the 256 products
 * @param nibbles the same as pairs of tables of 16 products: of the low four bits of a byte and of
 *     the high four; each is repeated to fill {@value #TABLE} bytes, the widest vector
 */
@SuppressWarnings("ArrayRecordComponent") // kernels read them, nobody compares them
record Coefficients(byte[][] products, byte[] nibbles) {

  /** Bytes of one table of products of nibbles. */
  static final int TABLE = 64;

  /** Coefficients as rows of targets and columns of sources. */
  static Coefficients of(int[][] rows) {
    int columns = rows.length == 0 ? 0 : rows[0].length;
    byte[][] products = new byte[rows.length * columns][];
    byte[] nibbles = new byte[rows.length * columns * 2 * TABLE];
    for (int i = 0; i < products.length; i++) {
      products[i] = GaloisField.products(rows[i / columns][i % columns]);
      for (int n = 0; n < TABLE; n++) {
        nibbles[2 * TABLE * i + n] = products[i][n & 15];
        nibbles[2 * TABLE * i + TABLE + n] = products[i][(n & 15) << 4];
      }
    }
    return new Coefficients(products, nibbles);
  }
}
