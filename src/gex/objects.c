// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: handles of objects. Clients and endpoints lie in the library's own tables; what else
// calls make is registered in checking mode (core/observe/known.h), and stays known when it is
// destroyed, until another object has its place.
#include "base/symbol.h"
#include "gex/gex.h"

uintptr_t gex_doubtful = UINTPTR_MAX;

static const struct {
    const char *name, *word;
    int64_t space;  // 0: it needs none
} kinds[] = {
    [GEX_CLIENT] = {"client", "CLIENT", 0},
    [GEX_ENDPOINT] = {"endpoint", "EP", 0},
    [GEX_TEAM] = {"team", "TM", CW_KNOWN_TEAMS},
    [GEX_SEGMENT] = {"segment", "SEGMENT", CW_KNOWN_PARTS},
    [GEX_DOMAIN] = {"domain", "AD", CW_KNOWN_DOMAINS},
    [GEX_MEMORY] = {"kind of memory", "MK", CW_KNOWN_KINDS},
};

void gex_object_add(gex_kind_t kind, const void *object, const char *call, const void *place)
{
    if (gas.check)
        cw_known_add(&(cw_known_t){.space = kinds[kind].space,
                                   .base = (uintptr_t)object,
                                   .nbytes = 1,
                                   .call = call,
                                   .place = place});
}

void gex_object_free(gex_kind_t kind, const void *object)
{
    if (gas.check)
        cw_known_free(kinds[kind].space, (uintptr_t)object);
}

static bool is_endpoint(const void *object)
{
    uintptr_t at = (uintptr_t)object - (uintptr_t)gex.ep;
    pthread_mutex_lock(&gex.lock);
    unsigned neps = gex.neps;
    pthread_mutex_unlock(&gex.lock);
    return at % sizeof gex.ep[0] == 0 && at / sizeof gex.ep[0] < neps;
}

/** Of gex_TM_Pair. */
static bool is_pair(const void *object)
{
    bool found = false;
    pthread_mutex_lock(&gex.lock);
    for (unsigned i = 0; i < GASNET_MAXEPS && !found; i++) {
        uintptr_t at = (uintptr_t)object - (uintptr_t)gex.pair[i];
        found = gex.pair[i] && at % sizeof gex.world == 0 && at / sizeof gex.world < GASNET_MAXEPS;
    }
    pthread_mutex_unlock(&gex.lock);
    return found;
}

/** Is it the library's own? */
static bool is_own(gex_kind_t kind, const void *object)
{
    return kind == GEX_CLIENT     ? object == &gex.client
           : kind == GEX_ENDPOINT ? is_endpoint(object)
           : kind == GEX_TEAM     ? object == &gex.world || is_pair(object)
           : kind == GEX_SEGMENT  ? object == &gex.segment
                                  : kind == GEX_MEMORY && object == GEX_MK_HOST;
}

static CW_COLD void check_made(const char *call, gex_kind_t kind, const void *object)
{
    char place[160];
    cw_known_t known;
    const char *name = kinds[kind].name;
    bool given = kinds[kind].space && cw_known_find(kinds[kind].space, (uintptr_t)object, &known) &&
                 known.base == (uintptr_t)object;
    if (!given)
        gas_fail(call, "%p is no %s that a call has given; was it never initialised?", object,
                 name);
    if (!known.freed)
        return;
    cwu_symbol_describe(known.place, place, sizeof place);
    gas_fail(call, "the %s %p was destroyed before; %s gave it at %s", name, object, known.call,
             place);
}

void gex_check_object(const char *call, gex_kind_t kind, const void *object)
{
    if (!gex.begun)
        gas_fail(call, "called before gex_Client_Init");
    if (!object)
        gas_fail(call, "the %s is GEX_%s_INVALID", kinds[kind].name, kinds[kind].word);
    if (gas.check && !is_own(kind, object))
        check_made(call, kind, object);
}
