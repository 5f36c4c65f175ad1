// SPDX-License-Identifier: BSD-3-Clause
//
// Sources of puts that change before a flush or their wait, and puts and gets that are never
// flushed; with an argument none of it.
#include <dash/dart/if/dart.h>
#include <stdio.h>

static long words[4][8];

static void change(void *what)
{
    *(char *)what ^= 1;
}

static void put(dart_gptr_t to, const void *from, size_t n)
{
    dart_put(to, from, n, DART_TYPE_LONG, DART_TYPE_LONG);
}

int main(int argc, char **argv)
{
    dart_gptr_t all, other, own;
    dart_global_unit_t me;
    dart_handle_t handle;
    int32_t over = 0;
    dart_init(&argc, &argv);
    dart_myid(&me);
    int right = argc > 1;
    dart_team_memalloc_aligned(DART_TEAM_ALL, 8, DART_TYPE_LONG, &all);
    dart_team_memalloc_aligned(DART_TEAM_ALL, 8, DART_TYPE_LONG, &other);
    dart_memalloc(8, DART_TYPE_LONG, &own);
    all.unitid = other.unitid = 1;
    for (int turn = 0; me.id == 0 && turn < 3; turn++) {
        dart_put(all, words[0], 8, DART_TYPE_LONG, DART_TYPE_LONG);  // line A
        if (!right)
            change(words[0]);
        dart_flush(all);
        change(words[0]);
        dart_put_handle(all, words[1], 1, DART_TYPE_LONG, DART_TYPE_LONG, &handle);  // line B
        if (!right)
            change(words[1]);
        dart_wait(&handle);
        change(words[1]);
        dart_put_handle(all, words[2], 8, DART_TYPE_LONG, DART_TYPE_LONG, &handle);  // line C
        if (!right)
            change(words[2]);
        while (!over)
            dart_test(&handle, &over);
        over = 0;
        change(words[2]);
        dart_put_blocking(all, words[3], 8, DART_TYPE_LONG, DART_TYPE_LONG);
        change(words[3]);
    }
    if (me.id == 0) {
        dart_put(all, words[0], 1, DART_TYPE_LONG, DART_TYPE_LONG);  // line D
        put(all, words[1], 8);
        if (right)
            dart_flush_all(all);
    }
    dart_barrier(DART_TEAM_ALL);
    if (me.id == 0) {
        dart_get(words[3], all, 8, DART_TYPE_LONG, DART_TYPE_LONG);  // line H
        if (right)
            dart_flush_local(all);
        dart_get_blocking(words[2], all, 8, DART_TYPE_LONG, DART_TYPE_LONG);
    }
    dart_barrier(DART_TEAM_ALL);
    all.unitid = other.unitid = 0;
    if (me.id == 0)
        dart_put(other, words[0], 1, DART_TYPE_LONG, DART_TYPE_LONG);  // line E
    if (me.id == 0 && right)
        dart_flush(other);
    dart_team_memfree(other);
    dart_team_memalloc_aligned(DART_TEAM_ALL, 8, DART_TYPE_LONG, &other);
    if (me.id == 0)
        dart_put(other, words[0], 1, DART_TYPE_LONG, DART_TYPE_LONG);  // line F
    if (me.id == 0 && right)
        dart_flush_local(other);
    dart_barrier(DART_TEAM_ALL);
    dart_team_memfree(all);
    dart_team_memfree(other);
    if (me.id == 0)
        dart_put(own, words[0], 1, DART_TYPE_LONG, DART_TYPE_LONG);  // line G
    if (me.id == 0 && right)
        dart_flush_all(own);
    dart_memfree(own);
    printf("sources_dart done\n");
    dart_exit();
    return 0;
}
