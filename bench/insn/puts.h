// SPDX-License-Identifier: BSD-3-Clause
/*
 * One interface, for checked_puts.c: each has a program of its own (puts_shmem.c and so on), since
 * one that names calls of two is a mixed one, in which puts wake sleepers.
 */
#ifndef BENCH_PUTS_H
#define BENCH_PUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "step.h"

enum { PUTS_NBYTES = 1024, PUTS_BLOCKS = 16 };

struct puts_interface {
    const char *name;
    /** Joins a job of two, makes PUTS_BLOCKS blocks in each, the first at *mine_p of this process.
     *  Returns the own number. */
    int (*join)(volatile unsigned char **mine_p);
    void (*counted)(int n);  // one put of PUTS_NBYTES from puts_source[n] to block n of process 1
    void (*put)(int n);
    void (*complete)(void);
    void (*barrier)(void);
    void (*leave)(void);
    bool many;  // all blocks in turns are measured, too
};
extern const struct puts_interface puts_interface;

extern void *puts_source[PUTS_BLOCKS];
extern int puts_blocks;  // among so many

/** The functions `counted` and `put`. */
#define PUTS_CALL(fn, ...)                 \
    STEP_CALLER static void counted(int n) \
    {                                      \
        STEP_CALL(fn, __VA_ARGS__);        \
    }                                      \
    static void put(int n)                 \
    {                                      \
        (void)fn(__VA_ARGS__);             \
    }

#endif
