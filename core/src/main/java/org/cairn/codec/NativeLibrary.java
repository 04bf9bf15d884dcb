// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import io.airlift.compress.v3.Compressor;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Function;
import org.cairn.CodecUnavailableException;
import org.cairn.supply.NativeAccess;
import org.jspecify.annotations.Nullable;

/**
 * The functions of a native library out of aircompressor's jar, or the reason why there are none.
 *
 * <p>We take the libraries from there, but bind them ourselves, because aircompressor's own classes
 *
 * <ul>
 *   <li>let libzstd decode frames of its versions before 1.0 (see {@link ZstdBlockCodec});
 *   <li>make and free a Zstandard context per call, where ours lives as long as its block codec;
 *   <li>link their functions as {@code critical}, so that a block of 1 MiB holds up every garbage
 *       collection for milliseconds;
 *   <li>leave the unpacked library in the temporary directory if the process is killed, which is
 *       what happens to the processes that Cairn is made for. Here the file is gone once loaded.
 * </ul>
 *
 * @param functions what was bound; null if and only if there is a problem
 * @param problem why not, and what to do
 */
record NativeLibrary<F>(@Nullable F functions, Optional<String> problem) {

  /** Loads a library for the rest of the process. Never throws: absence is a value. */
  static <F> NativeLibrary<F> load(String name, Function<Binder, F> functions) {
    try {
      return new NativeLibrary<>(functions.apply(new Binder(open(name))), Optional.empty());
    } catch (CodecUnavailableException e) {
      return new NativeLibrary<>(null, Optional.of(String.valueOf(e.getMessage())));
    } catch (IllegalCallerException e) {
      return new NativeLibrary<>(
          null,
          Optional.of(
              "Codec "
                  + name
                  + " may not call its native library; start java with "
                  + NativeAccess.flag(NativeLibrary.class)));
    }
  }

  /**
   * The functions.
   *
   * @throws CodecUnavailableException if there are none
   */
  F get() {
    if (functions == null) {
      throw new CodecUnavailableException(problem.orElseThrow());
    }
    return functions;
  }

  private static SymbolLookup open(String name) {
    String file = System.mapLibraryName(name);
    String resource = "/aircompressor/" + platform() + "/" + file;
    // Asked through one of its own classes: a class of ours would look in our own module only.
    try (InputStream packed = Compressor.class.getResourceAsStream(resource)) {
      if (packed == null) {
        throw new CodecUnavailableException(
            ("Codec %s has no native library for %s; use deflate or none here,"
                    + " and read what %s wrote on Linux or macOS (aarch64, amd64)")
                .formatted(name, platform(), name));
      }
      return openUnpacked(name, file, packed);
    } catch (IOException e) {
      throw new CodecUnavailableException(
          ("Codec %s cannot unpack its native library: %s;"
                  + " set -Djava.io.tmpdir to a writable directory")
              .formatted(name, e));
    } catch (NoClassDefFoundError e) {
      throw new CodecUnavailableException(
          "Codec %s is in aircompressor's jar, which is not there; add it, or use deflate or none"
              .formatted(name));
    }
  }

  private static SymbolLookup openUnpacked(String name, String file, InputStream packed)
      throws IOException {
    Path unpacked = Files.createTempFile("cairn-", "-" + file);
    try {
      Files.copy(packed, unpacked, StandardCopyOption.REPLACE_EXISTING);
      return SymbolLookup.libraryLookup(unpacked, Arena.global());
    } catch (IllegalArgumentException e) {
      throw new CodecUnavailableException(
          ("Codec %s cannot load its native library (%s); if that directory is mounted noexec,"
                  + " set -Djava.io.tmpdir to another, else use deflate or none")
              .formatted(name, e.getMessage()));
    } finally {
      // The mapping outlives the name.
      Files.deleteIfExists(unpacked);
    }
  }

  private static String platform() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String processor = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    return (system.startsWith("mac") ? "macos" : system.replace(' ', '_'))
        + "-"
        + (processor.equals("x86_64") ? "amd64" : processor);
  }

  /** Finds functions by name. */
  static final class Binder {
    private final SymbolLookup symbols;
    private final Linker linker = Linker.nativeLinker();

    private Binder(SymbolLookup symbols) {
      this.symbols = symbols;
    }

    MethodHandle function(String name, FunctionDescriptor descriptor) {
      try {
        return linker.downcallHandle(symbols.findOrThrow(name), descriptor);
      } catch (NoSuchElementException e) {
        throw new CodecUnavailableException(
            "Native library lacks " + name + "; is there another aircompressor on the class path?");
      }
    }
  }

  /** Gives back what a call may throw unchecked; checked exceptions there are none. */
  static RuntimeException unexpected(Throwable thrown) {
    return switch (thrown) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      default -> throw new AssertionError("Native calls throw no checked exceptions", thrown);
    };
  }
}
