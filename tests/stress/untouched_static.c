// SPDX-License-Identifier: BSD-3-Clause
//
// A large .bss that is never touched costs nothing either, and is not read to find that out; data
// written before shmem_init is kept, and reaches the other PE. So in each of two initialisations.
#include "outside.h"

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

static char big[512u << 20];
static long before[1024] = {17};

static long faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt : -1;
}

static int once(bool known)
{
    long init_faults = faults();
    shmem_init();
    init_faults = faults() - init_faults;
    int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
    long kib = resident_kib();
    int kept = before[0] == 17 && before[1023] == 18 && big[300u << 20] == 'x' && big[0] == 0;
    int seen =
        shmem_char_g(&big[300u << 20], next) == 'x' && shmem_long_g(&before[1023], next) == 18;
    shmem_char_p(&big[sizeof big - 1], (char)('a' + me), next);
    shmem_barrier_all();
    int got = big[sizeof big - 1] == 'a' + (me + shmem_n_pes() - 1) % shmem_n_pes();
    printf("PE %d: %ld KiB resident, %ld faults, kept %d, seen %d, got %d\n", me, kib, init_faults,
           kept, seen, got);
    int bad = kib < 0 || kib > 16 * 1024 || (known && init_faults > 4096) || !kept || !seen || !got;
    if (bad)
        printf("FAIL: static data\n");
    shmem_finalize();
    return bad;
}

int main(void)
{
    big[300u << 20] = 'x';
    before[1023] = 18;
    bool known = access("/proc/self/pagemap", R_OK) == 0;
    return once(known) || once(known);
}
