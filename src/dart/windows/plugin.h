// SPDX-License-Identifier: BSD-3-Clause
//
// The part of an MPI's plugin (base/mpi/find.h) that DART's memory in MPI's windows uses
// (CAUSEWAY_DART_MEMORY=windows): one dynamic window, in which an access epoch to all units is open
// from open to close, and for each segment a window of shared memory over the members of a node,
// whose parts are attached to the dynamic one. Handles of MPI stay inside.
// Threads: any, where MPI granted MPI_THREAD_MULTIPLE; else the one that initialised MPI.
// Errors: 0 or MPI's error code, which describe() turns into text; its handlers return.
#ifndef DRT_WINDOWS_PLUGIN_H
#define DRT_WINDOWS_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mpi/facts.h"

#define DRT_MPI_PLUGIN_VERSION 1
#define DRT_MPI_PLUGIN_SYMBOL "causeway_mpi_dart_memory"

enum { DRT_MPI_COUNT_MAX = 1 << 30, DRT_MPI_ALL = -1 };

typedef struct drt_mpi_node drt_mpi_node_t;      // members of a team on one node
typedef struct drt_mpi_memory drt_mpi_memory_t;  // of a segment, this member's part

/** What an atomic is: numbers of DART (dash/dart/if/dart_types.h). */
typedef struct drt_mpi_kind {
    intptr_t type;
    int op;
} drt_mpi_kind_t;

typedef struct drt_mpi_plugin {
    uint32_t version;
    void (*describe)(int code, char text[CWU_MPI_TEXT_MAX]);
    /** Collective over all processes. MPI_Finalize calls `ending` before anything else.
     *  *unified_p: loads and stores of the processor and RMA see the same memory. */
    int (*open)(void (*ending)(void), cwu_mpi_facts_t *facts_p, bool *unified_p);
    int (*close)(void);
    /** Collective over the members of a team on this node, ranks of MPI_COMM_WORLD. tag: tells
     *  teams that are made at the same time apart. */
    int (*node_open)(const int *ranks, int n, int tag, drt_mpi_node_t **node_p);
    int (*node_close)(drt_mpi_node_t *node);
    /** Collective over them. *base_p: this member's part, *at_p: what names its first byte to the
     *  transfers below. */
    int (*allocate)(drt_mpi_node_t *node, size_t nbytes, drt_mpi_memory_t **memory_p, void **base_p,
                    uint64_t *at_p);
    /** Where the part of the member with that rank in the node is mapped here. */
    int (*mapped)(drt_mpi_memory_t *memory, int rank, void **base_p);
    int (*release)(drt_mpi_memory_t *memory);
    // To a rank of MPI_COMM_WORLD, at most DRT_MPI_COUNT_MAX bytes; complete after a flush:
    int (*put)(int rank, uint64_t at, const void *src, size_t nbytes);
    int (*get)(int rank, uint64_t at, void *dest, size_t nbytes);
    int (*accumulate)(int rank, uint64_t at, const void *values, int n, drt_mpi_kind_t kind);
    int (*fetch)(int rank, uint64_t at, const void *value, void *result, drt_mpi_kind_t kind);
    int (*exchange)(int rank, uint64_t at, const void *value, const void *compare, void *result,
                    intptr_t type);
    /** rank: or DRT_MPI_ALL. local: buffers of this process are free, and results have come. */
    int (*flush)(int rank, bool local);
    /** Some of MPI's work for other processes. */
    int (*progress)(void);
} drt_mpi_plugin_t;

#endif
