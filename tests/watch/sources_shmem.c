// SPDX-License-Identifier: BSD-3-Clause
//
// Sources of nonblocking puts that change before a quiet; with an argument behind it.
// HANDLER=before or after: a handler of SIGSEGV of its own, installed before or after the start.
#include <shmem.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE = 1 << 18 };
// Far from where mappings without a wish go: one could come to its place when `gone` is unmapped.
#define FAR_AWAY ((uintptr_t)0x300000000000)
static long words[4], there[4], again[4];
static char large[LARGE], far[LARGE];

static void change(void *what)
{
    *(char *)what ^= 1;
}

static void on_fault(int number)
{
    (void)number;
    _exit(3);
}

static void handle(const char *when)
{
    const char *wanted = getenv("HANDLER");
    if (wanted && strcmp(wanted, when) == 0)
        signal(SIGSEGV, on_fault);
}

int main(int argc, char **argv)
{
    shmem_ctx_t ctx;
    handle("before");
    shmem_init();
    handle("after");
    int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes(), right = argc > 1;
    (void)argv;
    if (shmem_ctx_create(0, &ctx))
        return 1;
    char *gone = mmap((void *)FAR_AWAY, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                      -1, 0),
         *kept = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int turn = 0; me == 0 && turn < 100; turn++) {
        shmem_long_put_nbi(there, again, 4, next);  // line F: in the last turns
        if (!right && turn >= 97)
            change(&again[2]);
        shmem_quiet();
        change(&again[1]);
    }
    for (int turn = 0; me == 0 && turn < 3; turn++) {  // the second of a place finds a pair
        shmem_long_put_nbi(there, words, 4, next);     // line A
        if (!right)
            change(&words[3]);
        shmem_quiet();
        change(&words[0]);
        shmem_ctx_putmem_nbi(ctx, far, large, LARGE, next);  // line B
        if (!right)
            change(&large[LARGE - 1]);
        shmem_ctx_quiet(ctx);
        change(large);
        shmem_putmem_nbi(there, words, 8, next);  // line C: never changed
        shmem_ctx_quiet(ctx);
        shmem_fence();
    }
    shmem_barrier_all();
    change(words);
    if (me == 0) {
        shmem_putmem_nbi(far, gone, LARGE, next);           // line D
        shmem_putmem_nbi(far, kept + LARGE / 2, 64, next);  // line E: a small part of what goes
        if (right)
            shmem_quiet();
        munmap(gone, LARGE);
        mprotect(kept, LARGE, PROT_NONE);  // no other mapping comes to its place
        // beyond what is kept: nothing is said, and nothing is lost
        for (int i = 0; i < 5000; i++)
            shmem_long_put_nbi(there, words, 1, next);
    }
    shmem_barrier_all();
    change(words);
    shmem_ctx_destroy(ctx);
    printf("sources_shmem done\n");
    shmem_finalize();
    return 0;
}
