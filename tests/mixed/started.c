// SPDX-License-Identifier: BSD-3-Clause
//
// A program that leaves MPI_Init and MPI_Finalize to DART, as some of DASH do. Arguments: "relies",
// "threads" (with threads), "oshrun" (under oshrun, which no MPI knows); "nodes": units belong to
// two nodes in turn.
#include <mpi.h>
//
#include <dash/dart/if/dart.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dart_talk.h"
#include "frame/check.h"

static bool says(int (*ask)(int *))
{
    int flag = 0;
    ask(&flag);
    return flag != 0;
}

/** Registered before the library's own handler, so it runs after that. */
static void at_the_end(void)
{
    if (says(MPI_Finalized))
        puts("MPI is finalised");
    fflush(stdout);
}

static void use_both(long turn, bool with_mpi)
{
    int npes, me = dart_talk_number(&npes), rank = me, size = npes, sum = 1;
    check_as("unit", me, npes);
    dart_talk(turn, me, npes);
    if (with_mpi) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else {
        sum = npes;
    }
    CHECK(rank == me && size == npes && sum == npes, "rank %d of %d", rank, size);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "relies";
    const char *number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    bool threads = strcmp(how, "threads") == 0, with_mpi = strcmp(how, "oshrun") != 0;
    if (argc > 2 && strcmp(argv[2], "nodes") == 0 && number)
        setenv("CAUSEWAY_NODE", atoi(number) % 2 ? "odd" : "even", 1);
    atexit(at_the_end);
    for (long turn = 1; turn < 4; turn++) {  // MPI can be initialised once only, DART again
        if (threads)
            dart_talk_init(true);
        else
            REQUIRE(dart_init(&argc, &argv) == DART_OK);
        CHECK(says(MPI_Initialized) == with_mpi && !says(MPI_Finalized));
        int level = -1;
        if (threads)
            CHECK(MPI_Query_thread(&level) == 0 && level == MPI_THREAD_MULTIPLE, "level %d", level);
        use_both(turn, with_mpi);
        CHECK(dart_exit() == DART_OK);
    }
    if (checks_failed == 0)
        puts("started");
    return checks_failed != 0;
}
