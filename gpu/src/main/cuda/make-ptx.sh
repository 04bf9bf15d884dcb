#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes cairn.ptx, which is committed, from cairn.cu: needs nvcc 13.0. KernelTextTest compares.
#   make-ptx.sh [TARGET]
# The instructions are those of the oldest devices that nvcc 13 knows (7.5) and of no newer PTX than
# 6.4, so drivers since CUDA 10.1 can load it; the driver compiles it for the device that it finds.
set -e
cd "$(dirname "$0")"
target=${1:-../resources/org/cairn/gpu/cairn.ptx}
{
  echo '// SPDX-License-Identifier: Apache-2.0'
  echo '// Made from cairn.cu by make-ptx.sh: nvcc -arch=compute_75 -std=c++17 -O3 --ptx cairn.cu; not to be edited.'
  nvcc -arch=compute_75 -std=c++17 -O3 --ptx -o /dev/stdout cairn.cu | sed -e 's/^\.version .*/.version 6.4/' -e '/^\/\/ Compiler Build ID/d'
} > "$target"
