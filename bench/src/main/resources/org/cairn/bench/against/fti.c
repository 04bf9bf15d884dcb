// SPDX-License-Identifier: Apache-2.0
//
// A program that saves its state with FTI and does what it is told: the other side of
// "cairn bench against", which compiles it against an FTI of the user. Speaker.java does the same
// with Cairn. Rank 0 reads commands, a line each, and answers with lines that begin with "@ "; what
// else comes on standard output is FTI's. First it tells how long it took from the end of MPI_Init
// until FTI was there and, if there was something to restart from, the state was back.
//
//   change PART    changes a word in so many of the blocks of 16 KiB; answers with their bytes
//   checkpoint     answers with the seconds until all ranks have it
//   sum            answers with the sum of all words of all ranks
//
// The end of the input is a crash: nothing is finalized.
//
// Usage: fti CONFIG BYTES LEVEL
#include <fti.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 16384
#define STRIDE 7919

enum command { CRASH, CHANGE, CHECKPOINT, SUM };

struct order {
  int32_t what;
  double part;
};

static uint64_t *words;
static long count;
static long changes;

static void fill(int rank) {
  uint64_t value = (uint64_t)rank;
  for (long i = 0; i < count; i++) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    words[i] = value;
  }
}

static long change(double part) {
  long each = BLOCK / (long)sizeof(uint64_t);
  long blocks = count / each;
  long some = (long)(part * (double)blocks + 0.5);
  changes++;
  for (long i = 0; i < some; i++) {
    words[(changes + i * STRIDE) % blocks * each] += (uint64_t)(2 * changes + 1);
  }
  return some * BLOCK;
}

static uint64_t sum(MPI_Comm ranks) {
  uint64_t mine = 0;
  uint64_t all = 0;
  for (long i = 0; i < count; i++) {
    mine += words[i];
  }
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, ranks);
  return all;
}

// Ranks that wait must not take a core from the other side, which has its turn: so no MPI_Bcast.
static void wait_for(MPI_Request *request) {
  struct timespec pause = {0, 200000};
  int done = 0;
  MPI_Test(request, &done, MPI_STATUS_IGNORE);
  while (!done) {
    nanosleep(&pause, NULL);
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
  }
}

static struct order next(MPI_Comm ranks, int rank) {
  struct order order = {CRASH, 0};
  char line[256];
  if (rank == 0 && fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "change %lf", &order.part) == 1) {
      order.what = CHANGE;
    } else if (strncmp(line, "checkpoint", 10) == 0) {
      order.what = CHECKPOINT;
    } else if (strncmp(line, "sum", 3) == 0) {
      order.what = SUM;
    }
  }
  MPI_Request request;
  MPI_Ibcast(&order, sizeof order, MPI_BYTE, 0, ranks, &request);
  wait_for(&request);
  return order;
}

static void require(int succeeded, const char *what) {
  if (!succeeded) {
    fprintf(stderr, "%s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: fti CONFIG BYTES LEVEL\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  count = atol(argv[2]) / (long)sizeof(uint64_t);
  int level = atoi(argv[3]);
  words = malloc((size_t)count * sizeof(uint64_t));
  require(words != NULL, "malloc");
  fill(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  require(FTI_Init(argv[1], MPI_COMM_WORLD) == FTI_SCES, "FTI_Init");
  FTI_Protect(0, words, count, FTI_DBLE);
  if (FTI_Status() != 0) {
    require(FTI_Recover() == FTI_SCES, "FTI_Recover");
  }
  MPI_Comm ranks = FTI_COMM_WORLD;
  MPI_Barrier(ranks);
  MPI_Comm_rank(ranks, &rank);
  double seconds = MPI_Wtime() - start;
  if (rank == 0) {
    printf("\n@ %.9f\n", seconds);
    fflush(stdout);
  }
  for (int id = 1;;) {
    struct order order = next(ranks, rank);
    char answer[64] = "";
    if (order.what == CRASH) {
      _exit(0);
    } else if (order.what == CHANGE) {
      snprintf(answer, sizeof answer, "%ld", change(order.part));
    } else if (order.what == SUM) {
      snprintf(answer, sizeof answer, "%llu", (unsigned long long)sum(ranks));
    } else {
      MPI_Barrier(ranks);
      double begin = MPI_Wtime();
      int result = FTI_Checkpoint(id++, level);
      require(result == FTI_DONE || result == FTI_SCES, "FTI_Checkpoint");
      MPI_Barrier(ranks);
      snprintf(answer, sizeof answer, "%.9f", MPI_Wtime() - begin);
    }
    if (rank == 0) {
      printf("\n@ %s\n", answer);
      fflush(stdout);
    }
  }
}
