// SPDX-License-Identifier: Apache-2.0
// A stand-in for FTI in tests of "cairn bench against": the few functions that our program calls,
// by plain writes to a file. It is not FTI, and what it takes says nothing of FTI.
#ifndef STAND_IN_FTI_H
#define STAND_IN_FTI_H
#include <mpi.h>

#define FTI_SCES 0
#define FTI_DONE 1
#define FTI_NSCS (-1)

typedef int FTIT_type;
extern FTIT_type FTI_DBLE;
extern MPI_Comm FTI_COMM_WORLD;

int FTI_Init(const char *config, MPI_Comm world);
int FTI_Status(void);
int FTI_Protect(int id, void *memory, long count, FTIT_type type);
int FTI_Checkpoint(int id, int level);
int FTI_Recover(void);
#endif
