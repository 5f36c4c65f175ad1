// SPDX-License-Identifier: BSD-3-Clause
//
// Are static data and heap at one address on all PEs? PE 0 prints what it finds. Programs that send
// symmetric addresses in messages of their own rely on it. Argument "align": also tries alignments
// of up to 1 GiB, for which the default heap has room.
#include <inttypes.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 16  // PEs

static struct {
    uintptr_t data, heap;
} found[MOST];
static int *sent;  // by the left neighbour, for its own variable
static int cell, constructed;

__attribute__((constructor)) static void before_main(void)
{
    constructed++;
}

static void compare(int npes)
{
    bool one = true;
    for (int pe = 1; pe < npes; pe++)
        one = one && found[pe].data == found[0].data && found[pe].heap == found[0].heap;
    const char *mark = getenv("CAUSEWAY_RESTARTED");
    printf("%d PEs: %s, %s, constructed %d\n", npes, one ? "one address" : "addresses differ",
           mark && atol(mark) == getpid() ? "restarted" : "not restarted", constructed);
    if (!one)
        return;
    for (int pe = 0; pe < npes; pe++)  // the address of my variable is that of theirs
        shmem_int_p(sent, pe + 1, pe);
}

static bool align_all(void)
{
    bool good = true;
    for (size_t n = 4096; n <= (size_t)1 << 30; n *= 2) {
        void *p = shmem_align(n, 400);
        if (!p || (uintptr_t)p % n) {
            printf("PE %d: shmem_align(%zu): %p\n", shmem_my_pe(), n, p);
            good = false;
        }
        shmem_free(p);
    }
    return good;
}

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), wrong = 0;
    long *heap = shmem_malloc(sizeof *heap);
    uintptr_t here[2] = {(uintptr_t)found, (uintptr_t)heap};
    shmem_putmem(&found[me], here, sizeof here, 0);
    if (argc > 1 && strcmp(argv[1], "align") == 0)
        wrong = !align_all();
    sent = &cell;
    shmem_barrier_all();
    if (me == 0)
        compare(npes);
    shmem_barrier_all();
    wrong |= cell != 0 && cell != me + 1;
    shmem_finalize();
    return wrong;
}
