// SPDX-License-Identifier: BSD-3-Clause
//
// Locks: updates of data on random PEs by gets and unordered puts, under a lock: no update may be
// lost, since clear_lock includes a quiet and the next holder sees all of them. The number of times
// that each PE got the lock while they raced is printed: first come, first served makes that even.
// (conformance/lock checks that the order is kept.)
#include "litmus.h"

enum { UPDATES, SERVED_IN_TURN };
enum { LOCKS = 2 };

static long lock[LOCKS], count[LOCKS], pair[LOCKS][2];
static long turn_of[LOCKS];  // on PE 0: how often the lock was taken
static long times[256];

static void update(int l, int home)
{
    long seen = shmem_long_g(&count[l], home), both[2];
    shmem_long_get(both, pair[l], 2, home);
    if (both[0] != both[1] || both[0] != seen)
        forbidden("lock %d: half an update at PE %d: %ld, %ld and %ld", l, home, seen, both[0],
                  both[1]);
    both[0] = both[1] = seen + 1;
    jitter();
    shmem_long_put_nbi(pair[l], both, 2, home);
    shmem_long_p(&count[l], seen + 1, home);
    shmem_clear_lock(&lock[l]);  // both are complete after it
}

static void take(int l, int home)
{
    bool tried = own_draw(4) == 0 && shmem_test_lock(&lock[l]) == 0;
    long came = 0, now = 0;
    if (!tried) {
        came = shmem_long_atomic_fetch(&turn_of[l], 0);
        shmem_set_lock(&lock[l]);
    }
    now = shmem_long_atomic_fetch_inc(&turn_of[l], 0);
    // Between this PE's read of the count and its place in the queue other PEs may come any number
    // of times; after that each comes at most once. So this is only counted.
    if (!tried && now - came <= npes)
        saw(SERVED_IN_TURN, litmus_node[me] != litmus_node[0]);
    saw(UPDATES, litmus_node[me] != litmus_node[home]);
    update(l, home);
}

static void fairness(long rounds)
{
    long least = LONG_MAX, most = 0;
    shmem_long_p(&times[me % 256], rounds, 0);
    shmem_barrier_all();
    for (int pe = 0; me == 0 && pe < npes; pe++) {
        least = times[pe % 256] < least ? times[pe % 256] : least;
        most = times[pe % 256] > most ? times[pe % 256] : most;
    }
    if (me == 0)
        printf("lock: while the first PE took its share, PEs took the lock %ld to %ld times\n",
               least, most);
}

int main(int argc, char **argv)
{
    static long over;
    outcome_name[UPDATES] = "updates under the lock";
    outcome_name[SERVED_IN_TURN] = "served after at most every other PE once";
    litmus_begin("lock", argc, argv, 1500);
    long mine = 0, share = litmus_rounds / npes;
    int home[LOCKS];
    for (int l = 0; l < LOCKS; l++)
        home[l] = (int)draw((uint32_t)npes);
    shmem_barrier_all();
    for (; mine < share && !*(volatile long *)&over; mine++, litmus_round++) {
        int l = own_draw(4) == 0;
        take(l, home[l]);
    }
    for (int pe = 0; pe < npes && mine == share; pe++)
        shmem_long_p(&over, 1, pe);  // the first PE that is done ends the race
    shmem_barrier_all();
    fairness(mine);
    long sum = 0;
    for (int l = 0; l < LOCKS; l++) {
        long n = shmem_long_g(&count[l], home[l]), turns = shmem_long_g(&turn_of[l], 0);
        if (n != turns)
            forbidden("lock %d was held %ld times, but %ld updates are there", l, turns, n);
        sum += n;
    }
    shmem_barrier_all();
    if (sum == 0)
        forbidden("no PE ever got a lock");
    return litmus_end();
}
