// SPDX-License-Identifier: BSD-3-Clause
//
// generic.c as C++: the type-generic names are overloads.
#include "generic.c"
