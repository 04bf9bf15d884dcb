// SPDX-License-Identifier: Apache-2.0
//
// What MPI does without Java: messages between two ranks, there and back. PingPong.java does the
// same; "cairn bench mpi" compares them. Prints a line "BYTES SECONDS" per repetition, the seconds
// of one message one way.
//
// Usage: pingpong REPETITIONS BYTES ROUNDS [BYTES ROUNDS]...
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void exchange(char *memory, int bytes, int rank, int rounds) {
  for (int i = 0; i < rounds; i++) {
    if (rank == 0) {
      MPI_Send(memory, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
      MPI_Recv(memory, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(memory, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(memory, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
    }
  }
}

// As many rounds as rank 0 finds to take a tenth of a second, not more than asked for: a busy
// machine may need a thousand times as long as a quiet one.
static int affordable(char *memory, int bytes, int rank, int rounds) {
  double start = MPI_Wtime();
  exchange(memory, bytes, rank, 10);
  double fitting = 10 * 0.1 / (MPI_Wtime() - start);
  int count = fitting < 1 ? 1 : fitting < rounds ? (int)fitting : rounds;
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return count;
}

int main(int argc, char **argv) {
  int rank, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int repetitions = atoi(argv[1]);
  for (int a = 2; a + 1 < argc; a += 2) {
    int bytes = atoi(argv[a]), rounds = atoi(argv[a + 1]);
    char *memory = malloc(bytes);
    memset(memory, rank, bytes);
    exchange(memory, bytes, rank, affordable(memory, bytes, rank, 2 * rounds)); // to get warm
    rounds = affordable(memory, bytes, rank, rounds);
    for (int i = 0; i < repetitions; i++) {
      double start = MPI_Wtime();
      exchange(memory, bytes, rank, rounds);
      double seconds = MPI_Wtime() - start;
      if (rank == 0) printf("%d %.12f\n", bytes, seconds / rounds / 2);
    }
    free(memory);
  }
  MPI_Finalize();
  return 0;
}
