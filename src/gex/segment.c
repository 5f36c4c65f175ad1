// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: segments. That of the first endpoint is the beginning of the area (core/mem/area.h),
// and each process can query those of all (gas_segment). Others, of any endpoint, are known where
// they were published:
//
//   carved   from the end of the area downward: others reach it as they reach the attached one
//   mapped   when the area has no room, and clients' memory: no other process can map it, so the
//            owner copies (core/owner/copy.h)
//   device   memory of a device, the client's or the library's (device.c)
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core/device/part.h"
#include "gex/device.h"
#include "gex/gex.h"

static struct gex_causeway_segment *carved;  // by falling address; under gex.lock

// ---------------------------------------------------------------- the first endpoint's
static uintptr_t area_base(void)
{
    uintptr_t nbytes;
    return (uintptr_t)gas_area(&nbytes);
}

static uintptr_t area_left(void)
{
    uintptr_t nbytes = gas_max_segment();
    for (const struct gex_causeway_segment *s = carved; s; s = s->next)
        nbytes = (uintptr_t)s->addr - area_base();  // the last one is the lowest
    return nbytes;
}

static const char *attach_wrong(const gex_Segment_t *segment_p, gex_TM_t tm, uintptr_t nbytes)
{
    if (!gex.begun)
        return "called before gex_Client_Init";
    if (!segment_p || tm != &gex.world)
        return "wants a place for the segment, and the team of gex_Client_Init";
    if (gex.ep[0].segment)
        return "the endpoint has a segment already";
    if (gas.segments != GAS_EVERYTHING &&
        (nbytes == 0 || nbytes % GASNET_PAGESIZE || nbytes > area_left()))
        return "the size must be a multiple of GASNET_PAGESIZE, not 0, and fit (GASNET_MAX_SEGSIZE "
               "sets what does)";
    return NULL;
}

GAS_API int gex_Segment_Attach(gex_Segment_t *segment_p, gex_TM_t tm, uintptr_t nbytes)
{
    const char *wrong = attach_wrong(segment_p, tm, nbytes);
    if (wrong) {
        gex_error("gex_Segment_Attach: %s (%zu bytes were asked for, %zu are possible)", wrong,
                  (size_t)nbytes, (size_t)(gex.begun ? area_left() : 0));
        return GASNET_ERR_BAD_ARG;
    }
    *segment_p = GEX_SEGMENT_INVALID;
    if (gas.segments == GAS_EVERYTHING) {  // bound since the beginning
        gas_start_barrier();
        return GASNET_OK;
    }
    gas_segment_attach(__func__, CWU_CALLER, nbytes);
    *segment_p = &gex.segment;  // handlers run in the barrier, for ranks that have left it
    gas_start_barrier();
    return GASNET_OK;
}

// ---------------------------------------------------------------- further ones
/** The highest place of the area that is free. Under gex.lock. */
static bool carve(struct gex_causeway_segment *segment)
{
    uintptr_t base = area_base(), low = base + gex.segment.nbytes;
    uintptr_t nbytes = (segment->nbytes + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
    uintptr_t end = base + gas_max_segment();
    struct gex_causeway_segment **link = &carved;
    if (gas.segments == GAS_EVERYTHING || nbytes < segment->nbytes)
        return false;
    for (;; end = (uintptr_t)(*link)->addr, link = &(*link)->next) {
        uintptr_t floor = *link ? (uintptr_t)(*link)->addr + (*link)->nbytes : low;
        if (end >= floor && end - floor >= nbytes)
            break;
        if (!*link)
            return false;
    }
    segment->addr = (void *)(end - nbytes);
    segment->nbytes = nbytes;
    segment->from = GEX_CARVED;
    segment->next = *link;
    *link = segment;
    return true;
}

static bool provide(struct gex_causeway_segment *segment)
{
    pthread_mutex_lock(&gex.lock);
    bool done = carve(segment);
    pthread_mutex_unlock(&gex.lock);
    if (done)
        return true;
    segment->from = GEX_MAPPED;
    segment->addr = mmap(NULL, segment->nbytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return segment->addr != MAP_FAILED;
}

/** Of the host. */
static int provide_host(struct gex_causeway_segment *segment)
{
    segment->from = GEX_CLIENTS;
    if (segment->addr || provide(segment))
        return GASNET_OK;
    gex_error("gex_Segment_Create: no memory for a segment of %zu bytes", (size_t)segment->nbytes);
    return GASNET_ERR_RESOURCE;
}

GAS_API int gex_Segment_Create(gex_Segment_t *segment_p, gex_Client_t client, gex_Addr_t address,
                               uintptr_t nbytes, gex_MK_t kind, gex_Flags_t flags)
{
    if (!segment_p || client != &gex.client || nbytes == 0 || !kind || flags) {
        gex_error("gex_Segment_Create: %s",
                  !kind         ? "the kind of memory is GEX_MK_INVALID"
                  : nbytes == 0 ? "a segment has at least one byte"
                                : "wants a place for the segment, the client, and flags 0");
        return GASNET_ERR_BAD_ARG;
    }
    gex_want(__func__, GEX_MEMORY, kind);
    struct gex_causeway_segment *segment = calloc(1, sizeof *segment);
    if (!segment)
        cwu_fatal("gex_Segment_Create: out of memory");
    segment->addr = address;
    segment->nbytes = nbytes;
    int error = kind == GEX_MK_HOST ? provide_host(segment) : gex_device_provide(segment, kind);
    if (error) {
        free(segment);
        return error;
    }
    gex_object_add(GEX_SEGMENT, segment, __func__, GEX_CALLER);
    *segment_p = segment;
    return GASNET_OK;
}

GAS_API void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t flags)
{
    (void)flags;
    gex_want(__func__, GEX_SEGMENT, segment);
    if (segment->from == GEX_ATTACHED)
        gas_fail(__func__, "the attached segment stays until the end");
    pthread_mutex_lock(&gex.lock);
    for (unsigned i = 0; i < gex.neps; i++)
        if (gex.ep[i].segment == segment)
            gas_fail(__func__,
                     "endpoint %u is bound to the segment at %p; bind it to none first "
                     "(gex_EP_BindSegment)",
                     i, segment->addr);
    for (struct gex_causeway_segment **link = &carved; *link; link = &(*link)->next) {
        if (*link != segment)
            continue;
        *link = segment->next;
        break;
    }
    pthread_mutex_unlock(&gex.lock);
    gex_object_free(GEX_SEGMENT, segment);
    if (segment->from == GEX_MAPPED)
        munmap(segment->addr, segment->nbytes);
    if (segment->from == GEX_ON_DEVICE)
        gex_device_end(segment);
    free(segment);
}

static const char *bind_wrong(gex_EP_t ep, gex_Segment_t segment, gex_Flags_t flags)
{
    if (!ep || flags)
        return "wants an endpoint, and flags 0";
    if (ep->segment && segment)
        return "the endpoint has a segment; bind it to GEX_SEGMENT_INVALID first";
    if (ep != &gex.ep[0])
        return segment && segment->from == GEX_ATTACHED
                   ? "the attached segment is that of endpoint 0"
                   : NULL;
    if (!segment || ep->segment)
        return "endpoint 0 keeps its segment";
    if (segment->from == GEX_ON_DEVICE)
        return "endpoint 0, which receives messages, has memory of the host";
    return NULL;
}

/** The segment of a first endpoint. Not reached directly: from here on transfers look where they
 *  lead. */
static void set_primary(uint32_t pe, uintptr_t addr, uintptr_t nbytes)
{
    if (nbytes > 0 && !cw_owner_reaches(&gas_owner, pe, (const void *)addr, nbytes)) {
        __atomic_store_n(&gex.far_primary, true, __ATOMIC_RELAXED);
        __atomic_store_n(&gasnet_causeway_near.team, NULL, __ATOMIC_RELAXED);
    }
    gas_set_segment(pe, addr, nbytes);
}

GAS_API int gex_EP_BindSegment(gex_EP_t ep, gex_Segment_t segment, gex_Flags_t flags)
{
    if (ep)
        gex_want(__func__, GEX_ENDPOINT, ep);
    if (segment)
        gex_want(__func__, GEX_SEGMENT, segment);
    const char *wrong = bind_wrong(ep, segment, flags);
    if (wrong) {
        gex_error("gex_EP_BindSegment: %s", wrong);
        return GASNET_ERR_BAD_ARG;
    }
    pthread_mutex_lock(&gex.lock);
    ep->segment = segment;
    pthread_mutex_unlock(&gex.lock);
    if (ep == &gex.ep[0])
        set_primary(gas.me, (uintptr_t)segment->addr, segment->nbytes);
    return GASNET_OK;
}

bool gex_shares(const void *addr, size_t nbytes)
{
    bool found = false;
    pthread_mutex_lock(&gex.lock);
    for (unsigned i = 0; i < gex.neps && !found; i++) {
        const struct gex_causeway_segment *s = gex.ep[i].segment;
        uintptr_t at = s ? (uintptr_t)addr - (uintptr_t)s->addr : 0;
        found = s && at < s->nbytes && nbytes <= s->nbytes - at;
    }
    pthread_mutex_unlock(&gex.lock);
    return found;
}

// ---------------------------------------------------------------- what others published
typedef struct published {
    uint64_t addr, nbytes;  // nbytes 0: no segment
    uint32_t pe, index;
    uint32_t part;  // memory of a device, by that name; 0: it is the host's
    uint32_t pad;
} published_t;
_Static_assert(sizeof(published_t) == 32, "what members publish of an endpoint");

static struct {
    pthread_mutex_t lock;
    published_t *all;
    size_t n, room;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define NOTHING UINT32_MAX  // as index: the member has no more endpoints to publish

static published_t *find(uint32_t pe, gex_EP_Index_t index)
{
    for (size_t i = 0; i < known.n; i++)
        if (known.all[i].pe == pe && known.all[i].index == index)
            return &known.all[i];
    return NULL;
}

static void remember(const published_t *news)
{
    if (news->index == NOTHING || news->pe >= gas.nodes)
        return;
    if (news->index == 0) {
        set_primary(news->pe, news->addr, news->nbytes);
        return;
    }
    pthread_mutex_lock(&known.lock);
    published_t *old = find(news->pe, news->index);
    if (!old && known.n == known.room) {
        known.room = known.room ? 2 * known.room : 16;
        if (!(known.all = realloc(known.all, known.room * sizeof *known.all)))
            cwu_fatal("gex_EP_PublishBoundSegment: out of memory for %zu segments of others",
                      known.room);
    }
    const uint32_t was = old ? old->part : 0;
    *(old ? old : &known.all[known.n++]) = *news;
    pthread_mutex_unlock(&known.lock);
    if (news->part)
        __atomic_store_n(&gex.devices, true, __ATOMIC_RELAXED);
    if (was && was != news->part)
        cw_device_forget((int)news->pe, was);
}

static published_t find_published(uint32_t pe, gex_EP_Index_t index)
{
    published_t s = {.pe = pe, .index = index};
    if (index == 0) {
        s.addr = gas_segment(pe)->addr;
        s.nbytes = gas.segment[pe].size;
    } else if (pe == gas.me) {
        const struct gex_causeway_segment *mine =
            index < GASNET_MAXEPS ? gex.ep[index].segment : NULL;
        s.addr = mine ? (uintptr_t)mine->addr : 0;
        s.nbytes = mine ? mine->nbytes : 0;
        s.part = mine ? mine->part : 0;
    } else {
        pthread_mutex_lock(&known.lock);
        const published_t *old = find(pe, index);
        s = old ? *old : s;
        pthread_mutex_unlock(&known.lock);
    }
    return s;
}

uint32_t gex_find_part(uint32_t pe, gex_EP_Index_t index)
{
    return index ? find_published(pe, index).part : 0;
}

bool gex_find_segment(uint32_t pe, gex_EP_Index_t index, uintptr_t *addr_p, uintptr_t *nbytes_p)
{
    const published_t s = find_published(pe, index);
    if (addr_p)
        *addr_p = s.addr;
    if (nbytes_p)
        *nbytes_p = s.nbytes;
    return s.nbytes != 0;
}

static bool is_endpoint(const gex_EP_t *eps, size_t i)
{
    return eps && eps[i] && eps[i] >= gex.ep && eps[i] < gex.ep + GASNET_MAXEPS;
}

/** As many gathers as the member with the most endpoints has. */
GAS_API int gex_EP_PublishBoundSegment(gex_TM_t tm, gex_EP_t *eps, size_t num_eps,
                                       gex_Flags_t flags)
{
    (void)flags;
    gex_check_team(__func__, tm);
    for (size_t i = 0; i < num_eps; i++)
        if (!is_endpoint(eps, i))
            gas_fail(__func__, "entry %zu of %zu is no endpoint", i, num_eps);
    gex_agree_call(__func__, tm);
    uint64_t mine = num_eps, rounds = 0;
    published_t *all = calloc(tm->size, sizeof *all);
    if (!all)
        cwu_fatal("gex_EP_PublishBoundSegment: out of memory for %u members", tm->size);
    gex_Event_Wait(
        gex_Coll_ReduceToAllNB(tm, &rounds, &mine, GEX_DT_U64, 8, 1, GEX_OP_MAX, NULL, NULL, 0));
    for (uint64_t i = 0; i < rounds; i++) {
        published_t one = {.pe = gas.me, .index = NOTHING};
        if (i < num_eps) {
            const struct gex_causeway_segment *s = eps[i]->segment;
            one = (published_t){.addr = s ? (uintptr_t)s->addr : 0,
                                .nbytes = s ? s->nbytes : 0,
                                .pe = gas.me,
                                .index = eps[i]->index,
                                .part = s ? s->part : 0};
            if (gas.segments == GAS_EVERYTHING && one.index == 0)
                one.index = NOTHING;  // all memory was published from the start
        }
        gex_coll_gather(tm, all, &one, sizeof one);
        for (uint32_t rank = 0; rank < tm->size; rank++)
            remember(&all[rank]);
    }
    free(all);
    gex_coll_barrier(tm);
    return GASNET_OK;
}

// ---------------------------------------------------------------- questions
void gex_check_remote(const char *call, gex_TM_t tm, gex_Rank_t rank, uint32_t pe,
                      const void *remote, size_t nbytes)
{
    char whose[48];
    uintptr_t addr, size;
    if (nbytes > (size_t)PTRDIFF_MAX)
        gas_fail(call, "nbytes is %zu, a negative count?", nbytes);
    if (gas.segments == GAS_EVERYTHING || nbytes == 0)
        return;
    gex_find_segment(pe, tm->remote, &addr, &size);
    uintptr_t at = (uintptr_t)remote - addr;
    if (at < size && nbytes <= size - at)
        return;
    if (gas.mixed && tm->remote == 0 && gas_reaches(pe, remote, nbytes))
        return;  // memory of OpenSHMEM
    snprintf(whose, sizeof whose, "rank %u (endpoint %u)", rank, tm->remote);
    gas_refuse_outside(call, "the remote address", whose, addr, size, remote, nbytes);
}

static bool query(uint32_t pe, gex_EP_Index_t index, void **owneraddr_p, void **localaddr_p,
                  uintptr_t *nbytes_p)
{
    uintptr_t owner, nbytes;
    if (!gex_find_segment(pe, index, &owner, &nbytes))
        return false;
    uintptr_t word = cw_owner_find_word(&gas_owner, pe);
    bool mapped = cw_owner_is_mapped(word) && !gex_find_part(pe, index) &&
                  (gas.segments != GAS_EVERYTHING || pe == gas.me) &&
                  (pe == gas.me || cw_owner_reaches(&gas_owner, pe, (void *)owner, nbytes));
    if (owneraddr_p)
        *owneraddr_p = (void *)owner;
    if (localaddr_p)
        *localaddr_p = mapped ? cw_owner_local(word, (void *)owner) : NULL;
    if (nbytes_p)
        *nbytes_p = nbytes;
    return true;
}

GAS_API int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void **owneraddr_p,
                                   void **localaddr_p, uintptr_t *nbytes_p)
{
    uint32_t pe = gex_peer(__func__, tm, rank);
    return !query(pe, tm->remote, owneraddr_p, localaddr_p, nbytes_p);
}

/** No communication: the event is complete, whatever the flags. */
GAS_API gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void **owneraddr_p,
                                               void **localaddr_p, uintptr_t *nbytes_p,
                                               gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = gex_peer(__func__, tm, rank);
    if (!query(pe, tm->remote, owneraddr_p, localaddr_p, nbytes_p)) {
        if (owneraddr_p)
            *owneraddr_p = NULL;
        if (localaddr_p)
            *localaddr_p = NULL;
        if (nbytes_p)
            *nbytes_p = 0;
    }
    return GEX_EVENT_INVALID;
}

GAS_API gex_Client_t gex_Segment_QueryClient(gex_Segment_t segment)
{
    gex_want(__func__, GEX_SEGMENT, segment);
    return &gex.client;
}

GAS_API gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t segment)
{
    gex_want(__func__, GEX_SEGMENT, segment);
    return 0;
}

GAS_API void *gex_Segment_QueryAddr(gex_Segment_t segment)
{
    gex_want(__func__, GEX_SEGMENT, segment);
    return segment->addr;
}

GAS_API uintptr_t gex_Segment_QuerySize(gex_Segment_t segment)
{
    gex_want(__func__, GEX_SEGMENT, segment);
    return segment->nbytes;
}

GAS_API void *gex_Segment_QueryCData(gex_Segment_t segment)
{
    gex_want(__func__, GEX_SEGMENT, segment);
    return segment->cdata;
}

GAS_API void gex_Segment_SetCData(gex_Segment_t segment, const void *cdata)
{
    gex_want(__func__, GEX_SEGMENT, segment);
    segment->cdata = (void *)(uintptr_t)cdata;
}
