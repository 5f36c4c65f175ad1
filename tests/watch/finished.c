// SPDX-License-Identifier: BSD-3-Clause
//
// PE 1 ends properly while the others wait for what only it could do: finished CASE, in the
// interface that INTERFACE names (1 OpenSHMEM, 2 ARMCI, 3 DART, 4 GASNet). An alarm ends a job that
// would wait for ever.
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if INTERFACE == 2
#include <armci.h>
#define INIT() ARMCI_Init()
#define ME() armci_msg_me()
#define BARRIER() ARMCI_Barrier()
#define FINALIZE() ARMCI_Finalize()
#elif INTERFACE == 3
#include <dash/dart/if/dart.h>
static int unit(void)
{
    dart_global_unit_t me;
    dart_myid(&me);
    return me.id;
}
#define INIT() dart_init(NULL, NULL)
#define ME() unit()
#define BARRIER() dart_barrier(DART_TEAM_ALL)
#define FINALIZE() dart_exit()
#elif INTERFACE == 4
#include <gasnet.h>
static volatile int arrived;
static void arrive(gasnet_token_t token)
{
    (void)token;
    arrived++;
}
/** A handler has run in the wait before it never ends. */
static void barrier(void)
{
    gasnet_handlerentry_t table[] = {{128, (void (*)(void))arrive}};
    gasnet_attach(table, 1, GASNET_PAGESIZE, 0);
    if (gasnet_mynode() == 0) {
        usleep(300000);
        gasnet_AMRequestShort0(1, 128);
    }
    GASNET_BLOCKUNTIL(arrived == 2);
}
#define INIT() gasnet_init(NULL, NULL)
#define ME() ((int)gasnet_mynode() + 2)
#define BARRIER() barrier()
#define FINALIZE() gasnet_exit(0)
#else
#include <shmem.h>
static int flag;
#define INIT() shmem_init()
#define ME() shmem_my_pe()
#define BARRIER() shmem_barrier_all()
#define FINALIZE() shmem_finalize()
#endif

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "barrier";
    INIT();
    alarm(60);
#if INTERFACE == 1
    if (shmem_my_pe() != 1 && !strcmp(how, "word"))
        shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
    if (shmem_my_pe() == 2 && !strcmp(how, "busy"))
        sleep(30);
    if (shmem_my_pe() == 0 && !strcmp(how, "polls"))
        for (time_t end = time(NULL) + 15; time(NULL) < end;)
            shmem_int_test(&flag, SHMEM_CMP_EQ, 1);
#endif
    if (ME() != 1 && strcmp(how, "polls"))
        BARRIER();
    FINALIZE();
    return 0;
}
