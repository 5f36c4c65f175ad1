// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls of MPI inside the library, in a program without MPI threads: the node server of
// a process works only while that process waits in the library, so a process that has come to such
// a call serves the others until all have come. PE 1 is the late one: the program puts itself
// between the library and MPI, and holds it for a moment where it needs PE 0's server. argv[1] is a
// file that all processes map.
#include <armci.h>
#include <fcntl.h>
#include <message.h>
#include <mpi.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "frame/check.h"

enum { MOMENT_MS = 100, LONG_MS = 10000, TRIES = 10 };
enum { SAID = 2 };  // puts: a value, and the word that says that it is there

static struct {
    atomic_bool come;    // PE 1 enters the call
    atomic_bool held;    // and needs PE 0's server now
    atomic_bool inside;  // PE 0 is in a call of MPI that blocks
} * both;

static bool late;      // this is PE 1, before the call or in it
static int puts_sent;  // in the call
static bool slowly;    // the next flush takes long

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/** Keeps MPI going, and not the library. */
static bool await(atomic_bool *what, int ms)
{
    int there;
    for (int i = 0; i < ms && !*what; i++) {
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE);
        nap();
    }
    return *what;
}

// ---------------------------------------------------------------- between the library and MPI

int MPI_Win_flush(int rank, MPI_Win window)
{
    if (slowly)
        nap();
    slowly = false;
    return PMPI_Win_flush(rank, window);
}

int MPI_Put(const void *src, int n, MPI_Datatype type, int rank, MPI_Aint at, int nthere,
            MPI_Datatype there, MPI_Win window)
{
    puts_sent++;
    return PMPI_Put(src, n, type, rank, at, nthere, there, window);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    puts_sent = SAID;
    return PMPI_Ibarrier(comm, request);
}

int MPI_Isend(const void *buf, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (late && puts_sent >= SAID) {
        late = false;
        both->held = true;
        await(&both->inside, MOMENT_MS);
    }
    return PMPI_Isend(buf, n, type, rank, tag, comm, request);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    both->inside = true;
    return PMPI_Comm_create_group(comm, group, tag, made);
}

int MPI_Allgather(const void *mine, int n, MPI_Datatype type, void *all, int nall,
                  MPI_Datatype of_all, MPI_Comm comm)
{
    both->inside = true;
    return PMPI_Allgather(mine, n, type, all, nall, of_all, comm);
}

// ---------------------------------------------------------------- the calls

/** PE 1 owes PE 0 an acknowledgement, which goes out while it waits in the call, after a put that
 *  PE 0's server has to execute first. PE 2, of PE 0's node, comes last: then PE 0 has all that it
 *  waits for. */
static void come(int me, void *block)
{
    static long word = 7;
    int nbytes = 0;
    if (me == 1) {
        both->come = both->held = both->inside = false;
        slowly = true;
        ARMCI_Put(&word, block, sizeof word, 0);
        ARMCI_Fence(0);
    }
    ARMCI_Barrier();
    if (me == 0) {
        armci_msg_rcv(2, &word, sizeof word, &nbytes, 1);
        armci_msg_snd(3, &word, sizeof word, 1);
    }
    if (me == 1) {
        armci_msg_snd(2, &word, sizeof word, 0);
        armci_msg_rcv(3, &word, sizeof word, &nbytes, 0);
        shmem_long_p(&word, word, 0);
        puts_sent = 0;
        both->come = late = true;
    }
    if (me == 2) {
        CHECK(await(&both->come, LONG_MS));
        await(&both->held, MOMENT_MS);
    }
}

/** The job has been joined already: PE 1 comes to the call behind an atomic at PE 0. */
static void join(int me)
{
    static long counter;
    if (me == 1) {
        CHECK(await(&both->come, LONG_MS));
        for (int i = 0; i < MOMENT_MS / 2; i++)
            nap();
        CHECK(shmem_long_atomic_fetch_add(&counter, 1, 0) == 0);
    }
    if (me == 0)
        both->come = true;
    REQUIRE(ARMCI_Init_mpi_comm(MPI_COMM_WORLD) == 1);
}

static void use(MPI_Comm comm, int me)
{
    int n = 1, rank = -1;
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, comm);
    CHECK(rank == me && n == 3);
}

int main(int argc, char **argv)
{
    void *blocks[3];
    int list[] = {0, 1, 2}, file = open(argc > 1 ? argv[1] : "", O_RDWR);
    REQUIRE(file >= 0 && ftruncate(file, sizeof *both) == 0);
    both = mmap(NULL, sizeof *both, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    REQUIRE(both != MAP_FAILED);
    MPI_Init(&argc, &argv);
    shmem_init();
    int me = shmem_my_pe();
    check_as("PE", me, shmem_n_pes());
    REQUIRE(shmem_n_pes() == 3);
    join(me);
    REQUIRE(ARMCI_Malloc(blocks, 64) == 0);

    bool was_held = false;
    for (int i = 0; i < TRIES && !was_held; i++) {
        ARMCI_Group group;
        ARMCI_Group_create(3, list, &group);
        come(me, blocks[0]);
        use(armci_group_comm(&group), me);
        late = false;
        was_held = both->held;
        ARMCI_Group_free(&group);
    }
    CHECK(was_held, "PE 1 needed nothing of PE 0");

    shmem_team_t team;
    come(me, blocks[0]);
    CHECK(shmemx_team_from_mpi_comm(MPI_COMM_WORLD, &team) == 0);
    late = false;
    CHECK(shmem_team_n_pes(team) == 3);
    shmem_team_destroy(team);

    ARMCI_Barrier();
    ARMCI_Free(blocks[me]);
    ARMCI_Finalize();
    shmem_finalize();
    MPI_Finalize();
    return check_result();
}
