// SPDX-License-Identifier: BSD-3-Clause
//
// The test of GASNet's locks, compiled as C++.
#include "locks.c"
