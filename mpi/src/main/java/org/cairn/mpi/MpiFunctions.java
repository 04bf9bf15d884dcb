// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.NoSuchElementException;

/**
 * The functions of MPI that {@link MpiCommunicator} uses. All return an error code. Handles and
 * addresses are {@code long}: a message then costs no object, and one descriptor serves both binary
 * interfaces (see {@link MpiConstants}).
 *
 * <p>No function is linked as critical: nearly all of them may wait or copy much, and a collection
 * of garbage would wait with them.
 */
record MpiFunctions(
    MpiConstants constants,
    MethodHandle initThreadHandle,
    MethodHandle initializedHandle,
    MethodHandle queryThreadHandle,
    MethodHandle finishHandle,
    MethodHandle abortHandle,
    MethodHandle libraryVersionHandle,
    MethodHandle processorNameHandle,
    MethodHandle errorStringHandle,
    MethodHandle setErrorHandlerHandle,
    MethodHandle rankHandle,
    MethodHandle sizeHandle,
    MethodHandle splitHandle,
    MethodHandle duplicateHandle,
    MethodHandle freeHandle,
    MethodHandle allGatherHandle,
    MethodHandle startBarrierHandle,
    MethodHandle startSendHandle,
    MethodHandle startMatchedHandle,
    MethodHandle takeHandle,
    MethodHandle testHandle,
    MethodHandle probeHandle,
    MethodHandle elementsHandle,
    MethodHandle blockTypeHandle,
    MethodHandle commitTypeHandle,
    MethodHandle freeTypeHandle) {

  static MpiFunctions bind(SymbolLookup library) {
    Binder binder = new Binder(library);
    return new MpiFunctions(
        MpiConstants.of(library),
        binder.function("MPI_Init_thread", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG),
        binder.function("MPI_Initialized", JAVA_LONG),
        binder.function("MPI_Query_thread", JAVA_LONG),
        binder.function("MPI_Finalize"),
        binder.function("MPI_Abort", JAVA_LONG, JAVA_INT),
        binder.function("MPI_Get_library_version", JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Get_processor_name", JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Error_string", JAVA_INT, JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Comm_set_errhandler", JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Comm_rank", JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Comm_size", JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Comm_split", JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG),
        binder.function("MPI_Comm_dup", JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Comm_free", JAVA_LONG),
        binder.function(
            "MPI_Allgather",
            JAVA_LONG,
            JAVA_INT,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_INT,
            JAVA_LONG,
            JAVA_LONG),
        binder.function("MPI_Ibarrier", JAVA_LONG, JAVA_LONG),
        binder.function(
            "MPI_Isend", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Imrecv", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG),
        binder.function(
            "MPI_Improbe", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Test", JAVA_LONG, JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Iprobe", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Get_elements_x", JAVA_LONG, JAVA_LONG, JAVA_LONG),
        binder.function(
            "MPI_Type_create_hindexed", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
        binder.function("MPI_Type_commit", JAVA_LONG),
        binder.function("MPI_Type_free", JAVA_LONG));
  }

  /** Starts MPI. */
  int initThread(long argc, long argv, int required, long provided) {
    try {
      return (int) initThreadHandle.invokeExact(argc, argv, required, provided);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Whether somebody else in this process has started MPI. */
  int initialized(long flag) {
    try {
      return (int) initializedHandle.invokeExact(flag);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** What threads may do. */
  int queryThread(long provided) {
    try {
      return (int) queryThreadHandle.invokeExact(provided);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Ends MPI; waits for the other ranks. */
  int finish() {
    try {
      return (int) finishHandle.invokeExact();
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Ends this process and all other ranks. Does not return. */
  int abort(long comm, int status) {
    try {
      return (int) abortHandle.invokeExact(comm, status);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Which library it is, in words. */
  int libraryVersion(long text, long length) {
    try {
      return (int) libraryVersionHandle.invokeExact(text, length);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** The name of this host. */
  int processorName(long name, long length) {
    try {
      return (int) processorNameHandle.invokeExact(name, length);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** What an error code means. */
  int errorString(int code, long text, long length) {
    try {
      return (int) errorStringHandle.invokeExact(code, text, length);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** What happens on errors. */
  int setErrorHandler(long comm, long handler) {
    try {
      return (int) setErrorHandlerHandle.invokeExact(comm, handler);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Which of the ranks this is. */
  int rank(long comm, long rank) {
    try {
      return (int) rankHandle.invokeExact(comm, rank);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** How many ranks there are. */
  int size(long comm, long size) {
    try {
      return (int) sizeHandle.invokeExact(comm, size);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Divides the ranks. */
  int split(long comm, int color, int key, long result) {
    try {
      return (int) splitHandle.invokeExact(comm, color, key, result);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** The same ranks once more. */
  int duplicate(long comm, long result) {
    try {
      return (int) duplicateHandle.invokeExact(comm, result);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Lets go of a communicator. */
  int free(long comm) {
    try {
      return (int) freeHandle.invokeExact(comm);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Blocks: everybody's data for everybody. */
  int allGather(
      long data, int count, long type, long target, int targetCount, long targetType, long comm) {
    try {
      return (int)
          allGatherHandle.invokeExact(data, count, type, target, targetCount, targetType, comm);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Starts to wait for all ranks. */
  int startBarrier(long comm, long request) {
    try {
      return (int) startBarrierHandle.invokeExact(comm, request);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Starts to send. */
  int startSend(long data, int count, long type, int to, int tag, long comm, long request) {
    try {
      return (int) startSendHandle.invokeExact(data, count, type, to, tag, comm, request);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Starts to receive a message that was taken. */
  int startMatched(long target, int count, long type, long message, long request) {
    try {
      return (int) startMatchedHandle.invokeExact(target, count, type, message, request);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Looks for a message, and takes it away from all others who look. */
  int take(int from, int tag, long comm, long flag, long message, long status) {
    try {
      return (int) takeHandle.invokeExact(from, tag, comm, flag, message, status);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Whether a request is complete; drives all of them forward. */
  int test(long request, long flag, long status) {
    try {
      return (int) testHandle.invokeExact(request, flag, status);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Looks for a message. */
  int probe(int from, int tag, long comm, long flag, long status) {
    try {
      return (int) probeHandle.invokeExact(from, tag, comm, flag, status);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** How long a message is, beyond 2 GiB too. */
  int elements(long status, long type, long count) {
    try {
      return (int) elementsHandle.invokeExact(status, type, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** A datatype of several blocks. */
  int blockType(int count, long lengths, long offsets, long type, long result) {
    try {
      return (int) blockTypeHandle.invokeExact(count, lengths, offsets, type, result);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Makes a datatype ready for use. */
  int commitType(long type) {
    try {
      return (int) commitTypeHandle.invokeExact(type);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Lets go of a datatype; messages under way keep it. */
  int freeType(long type) {
    try {
      return (int) freeTypeHandle.invokeExact(type);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Finds functions by name. */
  private record Binder(SymbolLookup library, Linker linker) {
    Binder(SymbolLookup library) {
      this(library, Linker.nativeLinker());
    }

    MethodHandle function(String name, MemoryLayout... parameters) {
      return linker.downcallHandle(find(name), FunctionDescriptor.of(JAVA_INT, parameters));
    }

    private MemorySegment find(String name) {
      try {
        return library.findOrThrow(name);
      } catch (NoSuchElementException e) {
        throw new IllegalArgumentException("it lacks " + name + "; MPI 3.0 is needed", e);
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
