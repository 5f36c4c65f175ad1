// SPDX-License-Identifier: BSD-3-Clause
//
// Locks that processes of several nodes try in loops: of OpenSHMEM, ARMCI and DART. Each process
// may pass a turn on, in the far memory that the lock guards, only with the lock; the others take
// it in vain. Those of the lock's own node are nearer to it, but keep it from no other node.
#include <armci.h>
#include <armcix.h>
#include <dash/dart/if/dart.h>
#include <shmem.h>

#include "frame/check.h"

enum { TURNS = 2, VAIN = 8000 };  // in vain, in a process: 50 to 500; 10,000 to 100,000 before

static int me, npes, keeper;
static long lock, turn, vain;
static armcix_mutex_hdl_t mutex;
static dart_lock_t dart_lock;

static bool try_shmem(void)
{
    return shmem_test_lock(&lock) == 0;
}

static void clear_shmem(void)
{
    shmem_clear_lock(&lock);
}

static bool try_armci(void)
{
    return ARMCIX_Trylock_hdl(mutex, 0, 0) == 0;
}

static void clear_armci(void)
{
    ARMCIX_Unlock_hdl(mutex, 0, 0);
}

static bool try_dart(void)
{
    int32_t got;
    CHECK(dart_lock_try_acquire(dart_lock, &got) == DART_OK);
    return got;
}

static void clear_dart(void)
{
    CHECK(dart_lock_release(dart_lock) == DART_OK);
}

static void take_turns(const char *what, bool (*try)(void), void (*clear)(void))
{
    turn = vain = 0;
    shmem_barrier_all();
    for (int done = 0; done < TURNS;) {
        if (!try())
            continue;
        long now = shmem_long_g(&turn, keeper);
        if (now % npes == me) {
            shmem_long_p(&turn, now + 1, keeper);
            done++;
        } else {
            vain++;
        }
        clear();
    }
    shmem_barrier_all();
    CHECK(vain < VAIN, "%s: had the lock %ld times in vain", what, vain);
    CHECK(me != keeper || turn == (long)TURNS * npes, "%s: %ld turns", what, turn);
}

int main(int argc, char **argv)
{
    shmem_init();
    ARMCI_Init();
    dart_init(&argc, &argv);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    keeper = npes - 1;
    check_as("PE", me, npes);
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    mutex = ARMCIX_Create_mutexes_hdl(1, &world);
    CHECK(dart_team_lock_init(DART_TEAM_ALL, &dart_lock) == DART_OK);
    take_turns("shmem_test_lock", try_shmem, clear_shmem);
    take_turns("ARMCIX_Trylock_hdl", try_armci, clear_armci);
    take_turns("dart_lock_try_acquire", try_dart, clear_dart);
    CHECK(dart_team_lock_destroy(&dart_lock) == DART_OK);
    ARMCIX_Destroy_mutexes_hdl(mutex);
    dart_exit();
    ARMCI_Finalize();
    shmem_finalize();
    return check_result();
}
