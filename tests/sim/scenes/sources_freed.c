// SPDX-License-Identifier: BSD-3-Clause
//
// In checking mode sources of puts are read again when the puts are complete. Some have been
// unmapped by then. A program that handles faults itself gets none of the library's, once that has
// looked who handles them: all puts are there.
#include <shmem.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "sim.h"

enum { PES = 2, PUTS = 72, TRUSTED = 64, LAST = 16 };  // the library looks with each 64th
static long there[2];

static void on_fault(int signo)
{
    (void)signo;
    SIM_CHECK(0, "the library reads what is gone, with the program's handler");
}

static void put(long value, bool may_go)
{
    const size_t nbytes = 4096;
    const bool goes = may_go && sim_draw(8) == 0;
    long *source = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    SIM_CHECK(source != MAP_FAILED, "no page");
    source[0] = source[1] = value;
    shmem_long_put_nbi(there, source, 2, 1);
    if (goes)
        munmap(source, nbytes);
    shmem_quiet();
    if (!goes)
        munmap(source, nbytes);
}

static void run(void)
{
    shmem_init();
    shmem_barrier_all();
    sim_begin();
    for (long i = 1; i <= PUTS + TRUSTED + LAST && shmem_my_pe() == 0; i++) {
        put(i, i <= PUTS || i > PUTS + TRUSTED);
        if (i == PUTS)
            signal(SIGSEGV, on_fault);
    }
    shmem_barrier_all();
    const long seen = shmem_long_g(&there[1], 1);
    SIM_CHECK(seen == PUTS + TRUSTED + LAST, "the last put has left %ld", seen);
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_CHECK=1", NULL};
const sim_scene_t sim_scene = {.name = "sources_freed",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .env = env,
                               .most_steps = 64000000};
