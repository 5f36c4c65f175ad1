// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a large transfer by messages, on either side. MPI sends what is short at once, and
// agrees with the receiver before what is long, so the shorter transfers travel in pieces that need
// no agreement. All messages of a transfer have one tag, and MPI keeps their order.
#ifndef CWT_MPI_TRACK_H
#define CWT_MPI_TRACK_H

#include "transport/mpi/world.h"

enum {
    MPW_PIECE = 1 << 14,
    MPW_PIECES = 4,  // a longer transfer is one message
};

/** Requests of MPI; 0: that piece has left, or is there. All zero: nothing is under way. */
typedef struct mpw_bytes {
    uint64_t requests[MPW_PIECES];
} mpw_bytes_t;

// 0 or MPI's error.
int mpw_track_send(mpw_bytes_t *bytes, int rank, int tag, const void *buf, size_t nbytes);
int mpw_track_receive(mpw_bytes_t *bytes, int rank, int tag, void *buf, size_t nbytes);
/** *over_p: has all left, or come? */
int mpw_track_test(mpw_bytes_t *bytes, bool *over_p);

#endif
