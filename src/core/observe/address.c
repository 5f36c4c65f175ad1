// SPDX-License-Identifier: BSD-3-Clause
//
// What lies at an address, by this library's tables, the program's files and the kernel.
#include "core/observe/address.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/symbol.h"
#include "core/mem/area.h"
#include "core/mem/memory.h"
#include "core/mem/segment.h"
#include "core/observe/known.h"
#include "core/world/world.h"

enum { SIZE_TEXT = 24, WHAT = 270, TEXT = 314 };
// of a message, and of other threads' messages meanwhile
enum { TEXTS = 16 };
#define NOWHERE "no memory of this process"

static char *next_text(void)
{
    static char texts[TEXTS][TEXT] CW_LARGE;
    static _Atomic unsigned turn;
    return texts[atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) % TEXTS];
}

static void put_size(char text[SIZE_TEXT], size_t nbytes)
{
    static const char units[] = "KMGT";
    int unit = -1;
    size_t value = nbytes, part = 1;
    while ((value >= 4096 || (unit < 0 && value >= 1024 && value % 1024 == 0)) && unit < 3) {
        part *= 1024;
        value = nbytes / part + (nbytes % part >= part / 2);
        unit++;
    }
    if (unit < 0)
        snprintf(text, SIZE_TEXT, "%zu bytes", nbytes);
    else
        snprintf(text, SIZE_TEXT, "%zu %ciB", value, units[unit]);
}

/** Describes bytes at `distance` from an object's start. */
static void put_object(char *text, size_t room, const char *object, size_t object_nbytes,
                       size_t distance, size_t nbytes)
{
    char size[SIZE_TEXT], beyond[SIZE_TEXT], offset[SIZE_TEXT] = "";
    put_size(size, object_nbytes);
    if (distance >= object_nbytes) {
        put_size(beyond, distance - object_nbytes);
        snprintf(text, room, "%s beyond the end of %s, %s", beyond, object, size);
    } else if (nbytes > object_nbytes - distance) {
        put_size(beyond, nbytes - (object_nbytes - distance));
        snprintf(text, room, "reaches %s beyond the end of %s, %s", beyond, object, size);
    } else {
        if (distance)
            snprintf(offset, sizeof offset, "+%#zx", distance);
        snprintf(text, room, "%s%s, %s", object, offset, size);
    }
}

static void put_variable(char *text, size_t room, const cwu_variable_t *v, size_t nbytes)
{
    char object[160];
    snprintf(object, sizeof object, "static `%.100s`", v->name);
    put_object(text, room, object, v->nbytes, v->distance, nbytes);
}

// ---------------------------------------------------------------- what is symmetric

/** A block of another interface, in checking mode. */
static bool put_known(char *text, size_t room, const char *at, size_t nbytes)
{
    cw_known_t block;
    char place[80], freed_at[90], object[240];
    if (!cw_known_find(cw_world.pe, (uintptr_t)at, &block) ||
        (uintptr_t)at - block.base >= block.nbytes)
        return false;
    cwu_symbol_describe(block.place, place, sizeof place);
    snprintf(object, sizeof object, "a block of %.40s, %s%s%s", block.call, place,
             block.freed ? ", freed" : "", cw_known_freed_at(&block, freed_at, sizeof freed_at));
    put_object(text, room, object, block.nbytes, (uintptr_t)at - block.base, nbytes);
    return true;
}

static bool put_heap(char *text, size_t room, const char *at, size_t nbytes)
{
    const char *heap = cw_segment.heap;
    cw_heap_span_t block;
    if (!heap || at < heap || at >= heap + cw_segment.layout.heap_nbytes)
        return false;
    const bool after = cw_heap_before(at, &block);
    if (!(after && (size_t)(at - block.start) < block.nbytes) && put_known(text, room, at, nbytes))
        return true;
    if (at >= heap + cw_segment.layout.heap_nbytes - cw_area_nbytes())
        snprintf(text, room, "in shared memory of this process");
    else if (after)
        put_object(text, room, "a block of the symmetric heap", block.nbytes,
                   (size_t)(at - block.start), nbytes);
    else
        snprintf(text, room, "in the symmetric heap, before its first block");
    return true;
}

/** Memory of another PE of the node, as mapped here. */
static bool put_window(char *text, size_t room, const void *address)
{
    uint64_t at = (uintptr_t)address - (uintptr_t)cw_segment.base;
    if (!cw_segment.base || at >= cw_segment.nbytes)
        return false;
    uint64_t in_slices = at - cw_segment.layout.slice_offset;
    uint64_t slot = at < cw_segment.layout.slice_offset
                        ? UINT64_MAX
                        : in_slices / cw_segment.layout.slice_stride;
    if (slot < (uint64_t)cw_world.nslots)
        snprintf(text, room, "symmetric memory of PE %d, mapped here", cw_world.pes_of_node[slot]);
    else
        snprintf(text, room, "memory of the library");
    return true;
}

// ---------------------------------------------------------------- what the kernel knows

/** Of /proc/self/maps: "start-end perms offset device inode    name". */
typedef struct line {
    char text[320];
    size_t used;
} line_t;

typedef struct mapping {
    uintptr_t start, end;
    char name[160];
} mapping_t;

/** False: no mapping, or one without access. */
static bool read_mapping(const line_t *line, mapping_t *mapping_p)
{
    unsigned long start, end;
    char may[8] = "";
    mapping_t m = {.name = ""};
    if (sscanf(line->text, "%lx-%lx %7s %*s %*s %*s %159[^\n]", &start, &end, may, m.name) < 3 ||
        strncmp(may, "---", 3) == 0)
        return false;
    m.start = start;
    m.end = end;
    *mapping_p = m;
    return true;
}

/** True: the mapping is at or after the address. */
static bool take_line(const line_t *line, uintptr_t address, mapping_t *at, mapping_t *before)
{
    if (!read_mapping(line, at))
        return false;
    if (address >= at->end)
        *before = *at;
    return address < at->end;
}

/** False: none; *before_p is the last one below, if any. */
static bool find_mapping(uintptr_t address, mapping_t *mapping_p, mapping_t *before_p)
{
    char bytes[1024];
    line_t line = {.used = 0};
    mapping_t at = {0};
    bool over = false;
    ssize_t n;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    *before_p = (mapping_t){0};
    while (fd >= 0 && !over && (n = read(fd, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n && !over; i++) {
            if (bytes[i] != '\n') {
                if (line.used < sizeof line.text - 1)
                    line.text[line.used++] = bytes[i];
                continue;
            }
            line.text[line.used] = '\0';
            line.used = 0;
            over = take_line(&line, address, &at, before_p);
        }
    if (fd >= 0)
        close(fd);
    *mapping_p = at;
    return over && address >= at.start;
}

static void put_mapping(char *text, size_t room, const mapping_t *m)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (here >= m->start && here < m->end)
        snprintf(text, room, "on the stack of this thread");
    else if (strcmp(m->name, "[stack]") == 0)
        snprintf(text, room, "on the stack of the first thread");
    else if (m->name[0] == '/')
        snprintf(text, room, "of the file %.100s", strrchr(m->name, '/') + 1);
    else
        snprintf(text, room, "private memory of this process, as from malloc");
}

/** Where no memory is: a variable that ends before, with nothing between but malloc's additions to
 *  the program's data. */
static bool put_overrun(char *text, size_t room, const void *address, const mapping_t *before)
{
    cwu_variable_t v;
    if (!cwu_symbol_variable(address, &v) || v.distance < v.nbytes)
        return false;
    uintptr_t last = (uintptr_t)address - v.distance + v.nbytes - 1;
    if (strcmp(before->name, "[heap]") != 0 && (last < before->start || last >= before->end))
        return false;
    put_variable(text, room, &v, 1);
    return true;
}

// ---------------------------------------------------------------- in messages

/** The end of a sentence that begins with the address. */
static void describe(char *text, size_t room, const void *address, size_t nbytes)
{
    mapping_t at, before;
    cwu_variable_t v;
    if ((uintptr_t)address < CW_KNOWN_LOWEST)
        snprintf(text, room, "next to NULL");
    else if (put_heap(text, room, address, nbytes))
        ;
    else if (cwu_symbol_variable(address, &v) && v.distance < v.nbytes)
        put_variable(text, room, &v, nbytes);
    else if (put_window(text, room, address))
        ;
    else if (find_mapping((uintptr_t)address, &at, &before))
        put_mapping(text, room, &at);
    else if (!put_overrun(text, room, address, &before))
        snprintf(text, room, NOWHERE);
}

const char *cw_at(const void *address, size_t nbytes)
{
    char *text = next_text(), what[WHAT];
    if (!address)
        return "NULL";
    describe(what, sizeof what, address, nbytes);
    snprintf(text, TEXT, "%p (%s)", address, what);
    return text;
}

const char *cw_at_of(int pe, const void *address, size_t nbytes)
{
    char *text = next_text(), what[WHAT];
    if (pe == cw_world.pe || !address)
        return cw_at(address, nbytes);
    describe(what, sizeof what, address, nbytes);
    if (strcmp(what, NOWHERE) == 0)
        snprintf(text, TEXT, "%p", address);
    else
        snprintf(text, TEXT, "%p (here: %s)", address, what);
    return text;
}

const char *cw_at_overrun(const void *address)
{
    char *text = next_text(), what[WHAT];
    mapping_t at, before;
    text[0] = '\0';
    if (!find_mapping((uintptr_t)address, &at, &before) &&
        put_overrun(what, sizeof what, address, &before))
        snprintf(text, TEXT, " (%s)", what);
    return text;
}
