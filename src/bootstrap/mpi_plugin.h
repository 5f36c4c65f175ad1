// SPDX-License-Identifier: BSD-3-Clause
//
// The contract between the library and its MPI plugins. MPIs differ in mpi.h (handles are numbers
// in one and addresses in another), so a plugin is built for each family found, and the one that
// fits the MPI of the process is loaded at run time. A plugin links neither an MPI nor this
// library: its names resolve to the MPI of the process. Communicators of users are passed by the
// address of their handles; the caller compares comm_nbytes with their size.
// Threads: as the MPI was initialised; with less than MPI_THREAD_MULTIPLE the caller keeps to MPI's
// rules.
// Errors: 0 or MPI's error code, which describe() turns into text. Allocated results are freed by
// the caller.
#ifndef CW_BOOTSTRAP_MPI_PLUGIN_H
#define CW_BOOTSTRAP_MPI_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mpi/facts.h"

#define CWB_MPI_PLUGIN_VERSION 6
#define CWB_MPI_PLUGIN_SYMBOL "causeway_mpi_plugin"

typedef struct cwb_mpi_world {
    int rank, size;
    bool one_machine;  // all processes can share memory
    bool any_thread;   // MPI_THREAD_MULTIPLE
} cwb_mpi_world_t;

typedef struct cwb_mpi_plugin {
    uint32_t version, comm_nbytes;
    void (*describe)(int code, char text[CWU_MPI_TEXT_MAX]);
    int (*rank_and_size)(int *rank_p, int *size_p);
    /** Creates the library's communicator over the processes of comm, in its order; NULL: of
     *  MPI_COMM_WORLD. MPI_Finalize calls `ending` before anything else. Collective. */
    int (*open)(const void *comm, void (*ending)(void), cwb_mpi_world_t *world_p);
    /** Frees the one over a comm. Collective. */
    int (*close_part)(void);
    // On that communicator, collective:
    int (*gather)(const void *mine, void *all, int nbytes);  // to rank 0
    int (*broadcast)(void *data, int nbytes);                // from rank 0
    /** Begins an exchange of bytes; one at a time. They are copied. Returns at once. */
    int (*collect)(const void *mine, int nbytes);
    /** Is it over? Then *all_p has the bytes of all ranks, one behind the other. wait: until it
     *  is. */
    int (*collected)(bool wait, bool *over_p, void **all_p, size_t *nbytes_p);
    void (*abort)(int status);
    // Communicators of users, collective over them. MPI_COMM_NULL has no members. between may be
    // NULL.
    int (*members)(const void *comm, int mine, const cwu_mpi_between_t *between, int **members_p,
                   int *n_p, int *rank_p);
    int (*combine)(const void *comm, uint64_t *and_words, int nand, uint64_t *max_words, int nmax,
                   const cwu_mpi_between_t *between);
    /** Of ranks of MPI_COMM_WORLD, or of open's comm; collective over them. between: the library's
     *  communicator is open. */
    int (*create)(const int *ranks, int n, int tag, const cwu_mpi_between_t *between, void *comm_p);
    void (*null)(void *comm_p);
    void (*no_info)(void **info_p);  // MPI_INFO_NULL, as it passes in a register
    int (*free)(void *comm_p, const cwu_mpi_between_t *between);
} cwb_mpi_plugin_t;

#endif
