// SPDX-License-Identifier: BSD-3-Clause
//
// The test of GASNet's atomic operations, compiled as C++.
#include "atomics.c"
