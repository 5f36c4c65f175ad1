// SPDX-License-Identifier: BSD-3-Clause
//
// For the programs every_*.c, which call each function of the interface by itself. A check prepares
// its data, calls one function by its shmem_ name and everything else by pshmem_ names, and returns
// whether the result is right. So a tool that replaces one shmem_ name changes that call alone:
//
//   every_x             runs each check; all must pass
//   every_x --sabotage  runs each check while tests/api/coverage.py spoils its function; each check
//                       must fail on some PE, or it proves nothing
#ifndef CONFORMANCE_EVERY_H
#define CONFORMANCE_EVERY_H

#include <dlfcn.h>
#include <pshmem.h>
#include <stdbool.h>
#include <unistd.h>

#include "check.h"

typedef struct check {
    const char *name;
    bool (*run)(void);
    bool unseen;  // a spoilt call cannot be detected reliably from outside (ordering, hints)
} check_t;

#define ROOM 8192
#define GUARD 64
#define COUNT 5

static _Alignas(64) unsigned char dest_room[ROOM], source_room[ROOM];
static unsigned char *const dest = dest_room + GUARD, *const source = source_room + GUARD;
static shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
static long turn;  // number of the check, the same on all PEs: data of another turn is wrong data
static bool sabotage;                      // true while a function is spoilt
static void *const D = dest_room + GUARD;  // usable as an argument of any pointer type
static const void *const S = source_room + GUARD;

static inline unsigned char pattern(int pe, size_t i)
{
    return (unsigned char)(pe * 89 + (long)i * 7 + turn * 31 + 1);
}

/** Writes new data to source, clears dest, and synchronises all PEs. */
static inline void prepare(void)
{
    for (size_t i = 0; i < ROOM; i++)
        source_room[i] = pattern(me, i);
    memset(dest_room, 0xEE, ROOM);
    pshmem_barrier_all();
}

/** Waits until everything sent on either context has arrived. */
static inline void settle(void)
{
    if (ctx != SHMEM_CTX_DEFAULT)
        pshmem_ctx_quiet(ctx);
    pshmem_barrier_all();
}

/** Sleeps long enough for a peer that does not wait to overtake; only while a function is
 *  spoilt. */
static inline void nap(void)
{
    if (sabotage)
        usleep(5000);
}

/** Checks that nothing was written in front of dest, nor behind its first nbytes bytes. */
static inline bool guarded(size_t nbytes)
{
    for (size_t i = 0; i < GUARD; i++)
        if (dest_room[i] != 0xEE || dest[nbytes + i] != 0xEE)
            return false;
    return true;
}

/** Checks that dest holds nbytes of the source of PE from, and that nothing else changed. */
static inline bool shows(int from, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        if (dest[i] != pattern(from, GUARD + i))
            return false;
    return guarded(nbytes);
}

typedef void spoil_fn(const char *name);

/** Returns whether the check fails on some PE while its function is spoilt. Three attempts, for
 *  checks that race with a nap. */
static bool notices(const check_t *c, spoil_fn *spoil)
{
    static int seen, anywhere;
    for (int attempt = 0; attempt < 3; attempt++) {
        turn++;
        pshmem_barrier_all();
        spoil(c->name);
        seen = !c->run();
        spoil("");
        pshmem_barrier_all();
        pshmem_int_max_reduce(SHMEM_TEAM_WORLD, &anywhere, &seen, 1);
        if (anywhere)
            return true;
    }
    return false;
}

static int every_main(int argc, char **argv, const check_t *checks, size_t nchecks)
{
    sabotage = argc > 1 && !strcmp(argv[1], "--sabotage");
    spoil_fn *spoil = NULL;
    void *found = dlsym(RTLD_DEFAULT, "tool_spoil");
    memcpy(&spoil, &found, sizeof(found));
    check_begin();
    if (sabotage && !spoil) {
        printf("FAIL --sabotage needs the tool that spoils functions\n");
        return 1;
    }
    if (pshmem_ctx_create(0, &ctx))
        ctx = SHMEM_CTX_DEFAULT;
    size_t unseen = 0;
    for (size_t i = 0; i < nchecks; i++) {
        turn++;
        pshmem_barrier_all();  // the previous check has ended on all PEs
        if (!sabotage)
            CHECK(checks[i].run(), "%s", checks[i].name);
        else if (checks[i].unseen)
            unseen++;
        else
            CHECK(notices(&checks[i], spoil), "%s: its check passes without it", checks[i].name);
    }
    if (ctx != SHMEM_CTX_DEFAULT)
        pshmem_ctx_destroy(ctx);
    if (me == 0)
        printf("%zu functions, %zu of them %s\n", nchecks, nchecks - unseen,
               sabotage ? "spoilt and noticed" : "right");
    return check_end();
}

// A list of checks is written once, as LIST(K), and used twice: K is DEFINE for the functions,
// ENTRY for the table.
#define ENTRY_IN_TABLE(FN) {#FN, check_##FN, false},
#define ENTRY_UNSEEN(FN) {#FN, check_##FN, true},

#endif
