// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a program, lets reads of one byte of one file fail with EIO. The file that
// $FAILING_READS names says which: "skip offset path", after so many reads of this byte that succeed.
// Without that file nothing fails.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char last[4096];
static int seen;

static int fails(int fd, long long from, size_t count) {
  char order[4096] = "", link[64], path[4096] = "";
  const char *name = getenv("FAILING_READS");
  int control = name ? syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC) : -1;
  if (control < 0) return 0;
  long length = syscall(SYS_read, control, order, sizeof order - 1);
  syscall(SYS_close, control);
  int skip, at;
  long long offset;
  if (length <= 0 || sscanf(order, "%d %lld %n", &skip, &offset, &at) != 2) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (readlink(link, path, sizeof path - 1) < 0 || strcmp(path, order + at) != 0) return 0;
  if (offset < from || offset - from >= (long long)count) return 0;
  if (strcmp(order, last) != 0) {
    strcpy(last, order);
    seen = 0;
  }
  return seen++ >= skip;
}

ssize_t read(int fd, void *target, size_t count) {
  if (fails(fd, lseek(fd, 0, SEEK_CUR), count)) {
    errno = EIO;
    return -1;
  }
  return syscall(SYS_read, fd, target, count);
}

ssize_t pread64(int fd, void *target, size_t count, off64_t from) {
  if (fails(fd, from, count)) {
    errno = EIO;
    return -1;
  }
  return syscall(SYS_pread64, fd, target, count, from);
}

ssize_t pread(int fd, void *target, size_t count, off_t from) {
  return pread64(fd, target, count, from);
}
