// SPDX-License-Identifier: BSD-3-Clause
//
// The part of an MPI's plugin (base/mpi/find.h) that the transport uses: one window over the node
// objects, in which an access epoch to all ranks is open from expose to close, and a communicator
// for requests and replies. Handles of MPI stay inside.
// Threads: any, where MPI granted MPI_THREAD_MULTIPLE; else the one that initialised MPI.
// Errors: 0 or MPI's error code, which describe() turns into text; its handlers return.
#ifndef CWT_MPI_PLUGIN_H
#define CWT_MPI_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mpi/facts.h"

#define CWT_MPI_PLUGIN_VERSION 3
#define CWT_MPI_PLUGIN_SYMBOL "causeway_mpi_windows"

enum { CWT_MPI_COUNT_MAX = 1 << 30 };

typedef struct cwt_mpi_plugin {
    uint32_t version;
    void (*describe)(int code, char text[CWU_MPI_TEXT_MAX]);
    // Collective over all processes:
    /** MPI_Finalize calls `ending` before anything else. */
    int (*open)(void (*ending)(void), cwu_mpi_facts_t *facts_p);
    /** Exposes this memory (NULL: none). *unified_p: loads and stores of the processor and RMA see
     *  the same memory. */
    int (*expose)(void *base, size_t nbytes, bool *unified_p);
    int (*close)(void);
    // The window; ranks are those of MPI_COMM_WORLD, at most CWT_MPI_COUNT_MAX bytes:
    int (*put)(int rank, uint64_t offset, const void *src, size_t nbytes);
    int (*get)(int rank, uint64_t offset, void *dst, size_t nbytes);
    /** All operations of this process on that rank are complete, here and there. */
    int (*flush)(int rank);
    // The communicator:
    /** Starts to send; *request_p is 0 when buf is free again on return. */
    int (*send)(int rank, int tag, const void *buf, size_t nbytes, uint64_t *request_p);
    /** Starts to receive exactly nbytes; *request_p is 0 when they are in buf on return. */
    int (*receive_into)(int rank, int tag, void *buf, size_t nbytes, uint64_t *request_p);
    /** *request_p becomes 0 when what it stands for is over. Makes progress. */
    int (*test)(uint64_t *request_p);
    /** Receives a message with that tag if one is there: *nbytes_p is -1 if none is. One of more
     *  than capacity bytes is an error. */
    int (*receive)(int tag, void *buf, int capacity, int *rank_p, int *nbytes_p);
    /** Is one there? Makes progress. */
    int (*peek)(int tag, bool *there_p);
} cwt_mpi_plugin_t;

#endif
