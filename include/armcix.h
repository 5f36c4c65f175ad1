/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Extensions of ARMCI, by the names that ARMCI-MPI gave them: groups by colour, and sets of mutexes
 * that belong to a library. See armci(7). */
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

/** A set of mutexes: as many as are wanted exist at the same time. */
typedef struct armcix_mutex_set *armcix_mutex_hdl_t;

/** Each member offers `count` mutexes, numbered from 0. Collective over the group. */
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *pgroup);
/** Collective over the group. 0. */
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);
/* proc: a member, by its number among all processes */
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
/** 0: it is this process's now; another value: another one has it, or waits for it. Never waits for
 *  the mutex. */
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);

/** Makes progress for this process and for others; nothing needs it. */
void ARMCIX_Progress(void);

#ifdef __cplusplus
}
#endif

#endif
