// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import org.cairn.mesh.kernel.Point;

/** A lambda of more code than is compiled: each {@code finally} is there twice. */
final class TooLarge {
  private TooLarge() {}

  static Point kernel(double[] u) {
    return k -> {
      try {
        Thread.onSpinWait();
      } finally {
        try {
          Thread.onSpinWait();
        } finally {
          try {
            Thread.onSpinWait();
          } finally {
            try {
              Thread.onSpinWait();
            } finally {
              try {
                Thread.onSpinWait();
              } finally {
                try {
                  Thread.onSpinWait();
                } finally {
                  try {
                    Thread.onSpinWait();
                  } finally {
                    try {
                      Thread.onSpinWait();
                    } finally {
                      try {
                        Thread.onSpinWait();
                      } finally {
                        try {
                          Thread.onSpinWait();
                        } finally {
                          u[k] += 1;
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    };
  }
}
