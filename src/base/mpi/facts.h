// SPDX-License-Identifier: BSD-3-Clause
//
// What plugins tell of their MPI.
#ifndef CW_BASE_MPI_FACTS_H
#define CW_BASE_MPI_FACTS_H

#include <stdbool.h>

enum { CWU_MPI_TEXT_MAX = 512 };  // bytes of the text of an error

typedef struct cwu_mpi_facts {
    int rank, size;   // in the job's communicator
    bool any_thread;  // MPI_THREAD_MULTIPLE
    const char *library;
} cwu_mpi_facts_t;

#endif
