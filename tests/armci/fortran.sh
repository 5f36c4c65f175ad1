#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Operations of Fortran callers, which no NUL ends: on a node, and between nodes.
set -eu
# shellcheck disable=SC2046
gfortran -O2 -Wall -Werror "$CAUSEWAY_TEST_SOURCE/tests/armci/fortran.f90" -o fortran \
    -L"$CAUSEWAY_TEST_STAGE/lib" -Wl,-rpath,"$CAUSEWAY_TEST_STAGE/lib" -larmci
for nodes in 1 2; do
    timeout 60 oshrun -n 3 --emulate-nodes "$nodes" ./fortran
done
