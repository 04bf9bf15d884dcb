// SPDX-License-Identifier: Apache-2.0
#include "fti.h"

#include <stdio.h>
#include <unistd.h>

FTIT_type FTI_DBLE = 8;
MPI_Comm FTI_COMM_WORLD;

static char path[4096];
static void *state;
static long bytes;

// The one setting that is looked at: where files of the first level go.
int FTI_Init(const char *config, MPI_Comm world) {
  char line[4096], folder[2048] = "";
  int rank;
  MPI_Comm_dup(world, &FTI_COMM_WORLD);
  MPI_Comm_rank(world, &rank);
  FILE *file = fopen(config, "r");
  while (file && fgets(line, sizeof line, file)) {
    sscanf(line, "ckpt_dir = %2047s", folder);
  }
  if (!file || !folder[0]) {
    return FTI_NSCS;
  }
  fclose(file);
  snprintf(path, sizeof path, "%s/rank%d", folder, rank);
  printf("[ FTI stand-in ] rank %d is here\n", rank);
  return FTI_SCES;
}

int FTI_Status(void) { return access(path, R_OK) == 0; }

int FTI_Protect(int id, void *memory, long count, FTIT_type type) {
  (void)id;
  state = memory;
  bytes = count * type;
  return FTI_SCES;
}

static int all(const char *how) {
  FILE *file = fopen(path, how);
  if (!file) {
    return FTI_NSCS;
  }
  long done = how[0] == 'w' ? (long)fwrite(state, 1, (size_t)bytes, file)
                            : (long)fread(state, 1, (size_t)bytes, file);
  fflush(file);
  fsync(fileno(file));
  fclose(file);
  return done == bytes ? FTI_SCES : FTI_NSCS;
}

int FTI_Checkpoint(int id, int level) {
  (void)id;
  (void)level;
  return all("w") == FTI_SCES ? FTI_DONE : FTI_NSCS;
}

int FTI_Recover(void) { return all("r"); }
