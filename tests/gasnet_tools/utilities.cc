// SPDX-License-Identifier: BSD-3-Clause
//
// The test of GASNet's utilities, compiled as C++.
#include "utilities.c"
