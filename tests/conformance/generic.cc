// SPDX-License-Identifier: BSD-3-Clause
//
// generic.c as C++: the names are overloads.
#include "generic.c"
