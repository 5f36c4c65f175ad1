// SPDX-License-Identifier: BSD-3-Clause
//
// Where the segments are. Each process publishes two words (core/sync/published.h): where its slice
// begins in its own view, when it attaches, and how large its segment is, when it has one. A
// process waits for them when it needs them: a put for the first of its target, checks for both,
// gasnet_getSegmentInfo for all. The segment's address follows from the first.
#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem/large.h"
#include "core/sync/published.h"
#include "gasnet_job/gas.h"

#define SMALLEST_PAGE 4096  // what the area is aligned to on every machine

GAS_API void (*gasnet_client_attach_hook)(void *, uintptr_t);
// A client may define them: what GASNET_MAX_SEGSIZE is by default. The text goes before the number.
GAS_API uint64_t gasnet_max_segsize CW_WEAK;
GAS_API const char *gasnet_max_segsize_str CW_WEAK;

// ---------------------------------------------------------------- GASNET_MAX_SEGSIZE
/** A number between 0 and 1 without a unit, in 2^-40. */
static bool is_fraction(const char *number, size_t *nth_p)
{
    char tera[80];
    size_t len = strlen(number);
    if (len == 0 || !(isdigit((unsigned char)number[len - 1]) || number[len - 1] == '.'))
        return false;
    snprintf(tera, sizeof tera, "%sT", number);
    return cwu_parse_size(tera, nth_p) == CW_OK && *nth_p > 0 && *nth_p < (size_t)1 << 40;
}

/** Cuts a letter of GASNet off, with the slash and the blanks before it. */
static void cut(char *text, const char *letters)
{
    size_t len = strlen(text);
    if (len > 0 && strchr(letters, text[len - 1]))
        text[--len] = '\0';
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        text[--len] = '\0';
    if (len > 0 && text[len - 1] == '/')
        text[--len] = '\0';
}

/** By the user, or by the client. NULL: not at all. */
static const char *segment_setting(void)
{
    static char number[32];
    if (cwu_env.max_segsize || gasnet_max_segsize_str)
        return cwu_env.max_segsize ? cwu_env.max_segsize : gasnet_max_segsize_str;
    snprintf(number, sizeof number, "%" PRIu64, gasnet_max_segsize);
    return gasnet_max_segsize ? number : NULL;
}

bool gas_segment_size(uint64_t machine_nbytes, uint64_t *nbytes_p)
{
    const char *setting = segment_setting();
    char number[64];
    if (!setting)
        return false;
    size_t len = strlen(setting), nth, nbytes;
    while (len > 0 && isspace((unsigned char)setting[len - 1]))
        len--;
    bool of_host = len > 0 && (setting[len - 1] == 'h' || setting[len - 1] == 'H');
    snprintf(number, sizeof number, "%.*s", (int)len, setting);
    cut(number, "hHpP");
    if (is_fraction(number, &nth)) {
        if (machine_nbytes == 0)
            cwu_fatal("GASNET_MAX_SEGSIZE=\"%s\": the memory of this machine is not known; give a "
                      "number of bytes",
                      setting);
        nbytes = (size_t)((long double)machine_nbytes * (long double)nth / 0x1p40L);
    } else if (len >= sizeof number || strchr(number, '/') || cwu_parse_size(number, &nbytes)) {
        cwu_fatal("GASNET_MAX_SEGSIZE=\"%s\" is not a size: give bytes such as 1048576, 512MB or "
                  "1.5G, or a part of the machine's memory such as 0.85; behind it /P (of each "
                  "process) or /H (of all processes of the machine)",
                  setting);
    }
    *nbytes_p = of_host ? nbytes / cw_machine_sharers() : nbytes;
    return true;
}

// ---------------------------------------------------------------- the area
/** The first place for a segment at or above an address. */
static uintptr_t aligned(uintptr_t addr)
{
    return (addr + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
}

void *gas_area(uintptr_t *nbytes_p)
{
    size_t nbytes;
    uintptr_t unit = GASNET_PAGESIZE, margin = unit - SMALLEST_PAGE,
              area = (uintptr_t)cw_area(&gas_area_request, &nbytes);
    *nbytes_p = nbytes > margin ? (nbytes - margin) / unit * unit : 0;
    return (void *)aligned(area);
}

uintptr_t gas_max_segment(void)
{
    uintptr_t nbytes;
    if (gas.segments == GAS_EVERYTHING)
        return UINTPTR_MAX;
    gas_area(&nbytes);
    return nbytes;
}

/** Of a process whose slice begins there. */
static uintptr_t area_of(uintptr_t origin)
{
    size_t nbytes;
    return aligned((uintptr_t)cw_area(&gas_area_request, &nbytes) - cw_area_origin() + origin);
}

/** Each part has its own place, so it does not depend on which interfaces a process uses. */
void *gas_own(gas_own_t part, size_t nbytes)
{
    size_t most, at = (size_t)part;
    char *own = cw_area_own(&gas_area_request, &most);
    if (own)
        return at + nbytes <= most ? own + at : NULL;
    void *heap = cw_heap_malloc(64, nbytes);  // this code was loaded too late for an area
    if (heap)
        memset(heap, 0, nbytes);
    gas.used_memory = true;
    return heap;
}

// ---------------------------------------------------------------- publishing
void gas_segments_open(void)
{
    gas.segment = calloc(gas.nodes, sizeof *gas.segment);
    if (!gas.segment)
        cwu_fatal("gasnet_attach: out of memory for the segments of %u nodes", gas.nodes);
    bool everything = gas.segments == GAS_EVERYTHING;
    gas_set_segment(gas.me, everything ? 0 : area_of(cw_area_origin()),
                    everything ? UINTPTR_MAX : 0);
}

void gas_set_segment(gasnet_node_t node, uintptr_t addr, uintptr_t size)
{
    gas_segment_t *s = &gas.segment[node];
    s->addr = addr;
    s->size = size;
    __atomic_store_n(&s->known, 1, __ATOMIC_RELEASE);  // pairs with gas_segment
}

#define PUBLISHED 1u  // sizes are multiples of pages: the bit marks a size of 0 as published

void gas_segment_attach(const char *call, const void *place, uintptr_t size)
{
    uintptr_t nbytes, addr = size ? (uintptr_t)gas_area(&nbytes) : 0;
    gas_set_segment(gas.me, addr, size);
    if (size > 0)
        gas_share_segment((void *)addr, size);
    cw_large_reserved((void *)addr, size);
    if (size > 0 && gas.check)
        cw_known_add(&(cw_known_t){
            .space = gas.me, .base = addr, .nbytes = size, .call = call, .place = place});
    if (size > 0 && gasnet_client_attach_hook)
        gasnet_client_attach_hook((void *)addr, size);
    gas.sized = true;
    cw_publish_word(CW_PUBLISHED_EXTENT, size | PUBLISHED);
}

// ---------------------------------------------------------------- asking
/** Threads may ask at the same time, without a lock since asking polls: the first one publishes. */
static void publish_reply(gasnet_node_t node, uintptr_t addr, uintptr_t size, bool known)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    gas_segment_t *s = &gas.segment[node];
    pthread_mutex_lock(&lock);
    if (known && !s->known)
        gas_set_segment(node, addr, size);
    else if (!known && s->addr != addr)
        s->addr = addr;
    pthread_mutex_unlock(&lock);
}

void gas_ask_segment(gasnet_node_t node)
{
    if (gas.segments == GAS_EVERYTHING) {
        publish_reply(node, 0, UINTPTR_MAX, true);
        return;
    }
    uintptr_t addr = area_of(cw_owner_origin(&gas_owner, node));
    if (!gas.sized) {  // GASNet-EX before gex_Segment_Attach: no process has one
        publish_reply(node, addr, 0, false);
        return;
    }
    uintptr_t size = cw_owner_ask(&gas_owner, node, CW_PUBLISHED_EXTENT) & ~(uintptr_t)PUBLISHED;
    publish_reply(node, size ? addr : 0, size, true);
}
