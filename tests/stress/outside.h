// SPDX-License-Identifier: BSD-3-Clause
//
// A page that the PEs of one machine share *outside* the library: the witness for tests of
// completion and progress. PE 0 makes a memfd; the others open it through /proc. All tests here run
// their "nodes" on one machine.
#define _GNU_SOURCE
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <fcntl.h>
#include <sched.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "frame/usage.h"

static long outside_where[2];  // pid and descriptor of PE 0's memfd

static inline _Atomic uint64_t *outside_page(void)
{
    int fd = -1;
    if (shmem_my_pe() == 0) {
        fd = memfd_create("outside", 0);
        if (fd < 0 || ftruncate(fd, 4096))
            exit(2);
        outside_where[0] = getpid();
        outside_where[1] = fd;
    }
    shmem_barrier_all();
    if (shmem_my_pe() != 0) {
        long where[2];
        char path[64];
        shmem_long_get(where, outside_where, 2, 0);
        snprintf(path, sizeof path, "/proc/%ld/fd/%ld", where[0], where[1]);
        fd = open(path, O_RDWR);
    }
    void *page = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        perror("outside page");
        exit(2);
    }
    shmem_barrier_all();
    return page;
}

static inline void outside_wait(_Atomic uint64_t *word, uint64_t value)
{
    while (atomic_load_explicit(word, memory_order_acquire) != value)
        sched_yield();
}

static inline long env_long(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

#endif
