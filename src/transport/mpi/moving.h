// SPDX-License-Identifier: BSD-3-Clause
//
// Large transfers that a node server carries out: MPI receives into the node object, or sends from
// it. One list a server, used under its lock; `count` alone is read by other threads.
#ifndef CWT_MPI_MOVING_H
#define CWT_MPI_MOVING_H

#include "transport/mpi/track.h"
#include "transport/mpi/world.h"

typedef struct mpw_moving {
    struct mpw_moving *next;
    mpw_bytes_t bytes;
    mpw_answer_t answer;  // kind 0: none is due
    int rank;
    uint16_t tag;  // of the answer
} mpw_moving_t;

typedef struct mpw_movings {
    mpw_moving_t *first, *spare;
    _Atomic uint32_t count;
} mpw_movings_t;

/** Begins what the move asks for; `answer` is sent when it is over (kind 0: nothing is sent).
 *  CW_ENOMEM, or CW_ELOST, reported. */
int mpw_moving_begin(mpw_movings_t *movings, int rank, uint16_t tag, const mpw_move_t *move,
                     void *memory, const mpw_answer_t *answer);
/** *over_p: one that is over, which is the caller's until it is given back, or NULL. */
int mpw_moving_take(mpw_movings_t *movings, mpw_moving_t **over_p);
void mpw_moving_give(mpw_movings_t *movings, mpw_moving_t *moving);
void mpw_moving_close(mpw_movings_t *movings);

#endif
