// SPDX-License-Identifier: BSD-3-Clause
//
// Crashes, one a run: crash CASE. The last PE crashes, the others wait for the end of the job.
#include <shmem.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/small_stack.h"

static int word, array[1000];
static uint64_t signal_word;
static int *own;
static void *volatile block;
static int *volatile nowhere;
static void (*volatile no_function)(void);
static int other;

static void handler(int signal_number)
{
    (void)signal_number;
    static const char text[] = "the program's own handler\n";
    if (write(STDOUT_FILENO, text, sizeof text - 1) > 0)
        _exit(3);
}

__attribute__((noinline)) static int deeper(int n)
{
    volatile char room[4096];
    room[0] = (char)n;
    return n == INT32_MAX ? 0 : deeper(n + 1) + room[0];
}

static void crash(const char *what)
{
    int here[200] = {0};
    if (!strcmp(what, "null_p"))
        shmem_int_p(nowhere, 1, other);
    else if (!strcmp(what, "null_put"))
        shmem_int_put(nowhere, array, 100, other);
    else if (!strcmp(what, "null_source"))
        shmem_putmem(array, nowhere, 1000, other);
    else if (!strcmp(what, "null_small"))
        shmem_putmem(array, nowhere, 100, other);
    else if (!strcmp(what, "null_get"))
        shmem_getmem(nowhere, array, 100, other);
    else if (!strcmp(what, "null_iget"))
        shmem_int_iget(nowhere, array, 1, 2, 50, other);
    else if (!strcmp(what, "null_nbi")) {
        shmem_getmem_nbi(nowhere, array, 100, other);
        shmem_quiet();
    } else if (!strcmp(what, "null_call"))
        no_function();
    else if (!strcmp(what, "negative_put"))
        shmem_putmem(array, here, (size_t)-8, other);
    else if (!strcmp(what, "negative_get"))
        shmem_int_get(here, array, (size_t)-8, other);
    else if (!strcmp(what, "negative_put_nbi"))
        shmem_putmem_nbi(array, here, (size_t)-8, other);
    else if (!strcmp(what, "negative_get_nbi"))
        shmem_getmem_nbi(here, array, (size_t)-8, other);
    else if (!strcmp(what, "negative_signal"))
        shmem_putmem_signal(array, here, (size_t)-8, &signal_word, 1, SHMEM_SIGNAL_SET, other);
    else if (!strcmp(what, "negative_broadcast"))
        shmem_broadcastmem(SHMEM_TEAM_WORLD, array, array, (size_t)-8, 0);
    else if (!strcmp(what, "negative_collect"))
        shmem_collectmem(SHMEM_TEAM_WORLD, array, array, (size_t)-8);
    else if (!strcmp(what, "null_wait"))
        shmem_int_wait_until(nowhere, SHMEM_CMP_EQ, 1);
    else if (!strcmp(what, "function_p"))
        shmem_int_p((int *)(uintptr_t)&crash, 1, other);
    else if (!strcmp(what, "malloc_p"))
        shmem_int_p(own, 1, other);
    else if (!strcmp(what, "malloc_put"))
        shmem_int_put(own, array, 100, other);
    else if (!strcmp(what, "library_p"))
        shmem_int_p((int *)(void *)stdout, 1, other);
    else if (!strcmp(what, "mapped_put"))
        shmem_int_put(block = malloc(64 << 20), array, 100, other);
    else if (!strcmp(what, "malloc_add"))
        shmem_int_atomic_add(own, 1, other);
    else if (!strcmp(what, "overrun_put"))
        shmem_int_put(array + ((size_t)shmem_n_pes() << 25), here, 100, other);
    else if (!strcmp(what, "overrun"))
        array[(size_t)shmem_n_pes() << 25] = 1;
    else if (!strcmp(what, "stack_get"))
        shmem_int_get(array, here, 200, other);
    else if (!strcmp(what, "wild_context"))
        shmem_ctx_int_p((shmem_ctx_t)0x5a5a5a5a5a5a5a58, array, 1, other);
    else if (!strcmp(what, "plain"))
        *nowhere = 1;
    else if (!strcmp(what, "overflow"))
        word = deeper(0);
    else if (!strcmp(what, "free"))
        free(block);
    else if (!strcmp(what, "abort"))
        abort();
    else if (!strcmp(what, "sent"))
        kill(getpid(), SIGSEGV);
    else if (!strcmp(what, "handled"))
        *nowhere = 1;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool early = argc > 2 && !strcmp(argv[2], "early"), late = argc > 2 && !strcmp(argv[2], "late");
    if (early)
        signal(SIGSEGV, handler);
    if (argc > 2 && !strcmp(argv[2], "small"))
        small_stack();
    shmem_init();
    if (late)
        signal(SIGSEGV, handler);
    own = malloc(1000);
    other = shmem_n_pes() - 2;
    block = shmem_malloc(64);
    shmem_barrier_all();
    if (!strcmp(what, "refused"))
        ((volatile int *)shmem_malloc((size_t)1 << 30))[5] = 1;
    if (shmem_my_pe() == shmem_n_pes() - 1)
        crash(what);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
