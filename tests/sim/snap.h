// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of a job at the place where its scene begins (snap.c).
#ifndef SIM_SNAP_H
#define SIM_SNAP_H

#include <pthread.h>

#include "world.h"

/** What the driver and the origins of copies tell each other; not part of the world. */
typedef struct sim_snap {
    _Atomic uint32_t go[SIM_PES];  // futex: make a copy, or be dismissed
    pid_t pids[SIM_PES];           // of the origins; 0: none
    bool ok, dismissed;
    char why[128];  // there can be no copy
} sim_snap_t;
extern sim_snap_t *sim_snap;

/** A thread that waits for the token, to be made anew in a copy. */
typedef struct sim_park {
    pthread_t self;
    void *context[5];  // __builtin_setjmp
} sim_park_t;

void sim_snap_init(void);  // before all
// by the driver
/** All stand still; descriptors of the files that they share. False: the run goes on as it is. */
bool sim_snap_take(const int *fds, int n);
bool sim_snap_copy(void);
bool sim_snap_have(void);
void sim_snap_drop(void);
// by threads
sim_park_t *sim_park(void);
void sim_snap_serve(void);

// sched.c
void sim_give(_Atomic uint32_t *word);
void sim_await(_Atomic uint32_t *word);
int sim_thread_of(int pe);

// net.c, model.c
void sim_net_used(size_t *net_nbytes_p, size_t *pool_nbytes_p);
void sim_model_save(void);
void sim_model_restore(void);

#endif
