// SPDX-License-Identifier: BSD-3-Clause
//
// Extensions of ARMCI, by the names that ARMCI-MPI gave them: groups by colour, and sets of mutexes
// that belong to a library. See armci(7).
#ifndef ARMCIX_H
#define ARMCIX_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Groups of the members that give one colour, ranked by key, then by their rank in the parent; a
 *  negative colour: in no group. Collective over the parent. 0. */
int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group);
/** Another group of the same members. Collective over the parent. 0. */
int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group);

#ifdef __cplusplus
}
#endif

#endif
