// SPDX-License-Identifier: BSD-3-Clause
//
// Faults that a run has, one at most, where the scene permits it (sim.h, faults; fault.c).
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include "world.h"

/** By the seed, at sim_begin. */
void sim_fault_draw(uint64_t seed);
/** One use of memory or descriptors by this thread's process. True: it is the one that fails. */
bool sim_fault_hits(sim_fault_t kind);
/** At a decision: is a process to end now, in which there is a thread? */
bool sim_fault_is_due(void);
/** In that process. */
void sim_fault_carry_out(void) __attribute__((noreturn));
/** The kernel's part where a thread ends: its robust futexes are marked. */
void sim_fault_robust(int thread);
/** " (PE 1: allocation 17 fails)", or nothing. */
const char *sim_fault_text(void);

#endif
