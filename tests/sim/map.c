// SPDX-License-Identifier: BSD-3-Clause
//
// Names of memory that hold for the whole job: PEs of a node map the node object at different
// addresses, a PE maps its slice twice, and all that is one piece of memory. Shared files are
// numbered in the order in which they are first mapped; other memory is its process's own.
#include "world.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <pthread.h>

enum { MOST_MAPS = 256 };
typedef struct map {
    uintptr_t from, to;
    int object;
    uint64_t offset;
} map_t;

static map_t maps[MOST_MAPS];
static int nmaps;

static int object_of(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -1;
    for (int i = 0; i < sim->nobjects; i++)
        if (sim->objects[i].dev == st.st_dev && sim->objects[i].ino == st.st_ino)
            return i;
    if (sim->nobjects == SIM_OBJECTS)
        sim_stop(SIM_STUCK, "more than %d shared files", SIM_OBJECTS);
    sim->objects[sim->nobjects].dev = st.st_dev;
    sim->objects[sim->nobjects].ino = st.st_ino;
    return sim->nobjects++;
}

static void add(map_t m)
{
    if (nmaps == MOST_MAPS)
        sim_stop(SIM_STUCK, "more than %d shared mappings in one process", MOST_MAPS);
    if (m.from < m.to)
        maps[nmaps++] = m;
}

void sim_unmapped(void *at, size_t nbytes)
{
    uintptr_t from = (uintptr_t)at, to = from + nbytes;
    for (int i = nmaps; i-- > 0;) {
        map_t m = maps[i];
        if (m.to <= from || m.from >= to)
            continue;
        maps[i] = maps[--nmaps];
        add((map_t){m.from, from < m.from ? m.from : from, m.object, m.offset});
        add((map_t){to > m.to ? m.to : to, m.to, m.object, m.offset + (to - m.from)});
    }
}

void sim_mapped(void *at, size_t nbytes, int flags, int fd, off_t offset)
{
    sim_unmapped(at, nbytes);
    if (!(flags & MAP_SHARED) || (flags & MAP_ANONYMOUS) || fd < 0)
        return;
    int object = object_of(fd);
    if (object >= 0)
        add((map_t){(uintptr_t)at, (uintptr_t)at + nbytes, object, (uint64_t)offset});
}

void sim_remapped(void *from, size_t from_nbytes, void *to, size_t nbytes)
{
    map_t m = {0};
    for (int i = 0; i < nmaps; i++)
        if ((uintptr_t)from - maps[i].from < maps[i].to - maps[i].from)
            m = maps[i];
    sim_unmapped(from, from_nbytes);
    sim_unmapped(to, nbytes);
    if (m.to)
        add((map_t){(uintptr_t)to, (uintptr_t)to + nbytes, m.object,
                    m.offset + ((uintptr_t)from - m.from)});
}

sim_key_t sim_key(const void *at)
{
    uintptr_t address = (uintptr_t)at;
    for (int i = nmaps; i-- > 0;)
        if (address - maps[i].from < maps[i].to - maps[i].from)
            return (sim_key_t)1 << 63 | (sim_key_t)maps[i].object << 48 |
                   (address - maps[i].from + maps[i].offset);
    return (sim_key_t)(SIM_ME->pe + 1) << 48 | address;
}

bool sim_on_stack(const void *at)
{
    static _Thread_local uintptr_t low, high;
    if (high == 0) {
        pthread_attr_t attr;
        void *base;
        size_t nbytes;
        if (pthread_getattr_np(pthread_self(), &attr) != 0)
            return false;
        pthread_attr_getstack(&attr, &base, &nbytes);
        pthread_attr_destroy(&attr);
        low = (uintptr_t)base;
        high = low + nbytes;
    }
    return (uintptr_t)at - low < high - low;
}
