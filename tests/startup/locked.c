// SPDX-License-Identifier: BSD-3-Clause
//
// A program that has its memory locked, with all mappings to come (mlockall before init): what
// Causeway reserves for its tables and for the memory of other PEs is neither locked nor filled nor
// counted. Its own data stays locked. Argument: "future", or "onfault".
#include <shmem.h>
#include <string.h>
#include <sys/mman.h>

#include "frame/usage.h"

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif
// libfabric, stacks of threads and tables of use take some ten; the reservations are many GiB
enum { MOST_MIB = 512 };

static long data[100000];

/** A field of /proc/self/status, in MiB. */
static long status_mib(const char *name)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    REQUIRE(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            sscanf(line + strlen(name), ": %ld", &kib);
    fclose(file);
    return kib / 1024;
}

int main(int argc, char **argv)
{
    const int flags = argc > 1 && strcmp(argv[1], "onfault") == 0 ? MCL_ONFAULT : 0;
    if (mlockall(MCL_CURRENT | MCL_FUTURE | flags) != 0) {
        printf("SKIP: this user may not lock memory\n");
        return 77;
    }
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), to = (me + 1) % npes;
    check_as("PE", me, npes);
    long *word = shmem_calloc(1, sizeof *word);
    shmem_long_p(word, me + 1, to);
    shmem_long_p(&data[7], me + 1, to);
    shmem_barrier_all();
    int from = (me + npes - 1) % npes;
    CHECK(*word == from + 1 && data[7] == from + 1);
    CHECK(msync((char *)data + 4096 - (size_t)data % 4096, 4096, MS_INVALIDATE) != 0,
          "static data is not locked any more");
    long locked = status_mib("VmLck"), resident = status_mib("VmRSS");
    CHECK(locked >= 0 && locked < MOST_MIB, "%ld MiB are locked", locked);
    CHECK(resident < MOST_MIB, "%ld MiB are resident", resident);
    shmem_barrier_all();
    shmem_finalize();
    return check_result();
}
