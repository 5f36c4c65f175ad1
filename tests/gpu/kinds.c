// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX's memory kinds as UPC++ and Realm use them: kinds, endpoints of devices with segments
// of the client's and of the library's memory, pairs of each endpoint here with each in the next
// rank and in this one; puts and gets of every kind of completion. Every byte is checked, and those
// around. Of more than two ranks the last one has no device, and uses those of others.
#include "gpu/kinds.h"

enum { MOST = 1200000, EDGE = 64, REGION = MOST + 2 * EDGE };
enum { EPS = 4 };  // host attached, device of the client, device of the library, host of the client
static const size_t sizes[] = {1, 8, 100, 4000, 20000, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };
enum { SOURCE, TARGET, RESULT, REGIONS };  // of each segment

static gex_EP_t eps[EPS];
static gex_Segment_t segments[EPS];
static gex_MK_t kinds[EPS];
static char *at[EPS];       // this rank's
static int device_of[EPS];  // -1: of the host
static char *block;         // of the client
static char *host, *seen;
static char own[REGIONS * REGION];

static int has_device(uint32_t rank)
{
    return n < 3 || rank + 1 < n;
}

static int endpoints(uint32_t rank)
{
    return has_device(rank) ? EPS : 1;
}

// ---------------------------------------------------------------- objects
static void bind(int i)
{
    REQUIRE(gex_EP_BindSegment(eps[i], segments[i], 0) == GASNET_OK);
    CHECK(gex_EP_QuerySegment(eps[i]) == segments[i] && gex_EP_QueryIndex(eps[i]) == (unsigned)i);
    at[i] = gex_Segment_QueryAddr(segments[i]);
}

static void make_segment(int i)
{
    const size_t nbytes = sizeof own;
    if (i == 1)
        block = device_alloc(device_of[i], nbytes + 4096);
    char *memory = i == 1 ? block + 4096 : i == 3 ? own : NULL;
    REQUIRE(gex_Segment_Create(&segments[i], client, memory, nbytes, kinds[i], 0) == GASNET_OK);
    CHECK(!memory || gex_Segment_QueryAddr(segments[i]) == memory);
    CHECK(gex_Segment_QueryAddr(segments[i]) && gex_Segment_QuerySize(segments[i]) == nbytes);
    CHECK(gex_Segment_QueryClient(segments[i]) == client);
    bind(i);
}

static void make_objects(void)
{
    int devices = 0;
    void *before = &before, *after = NULL;
    REQUIRE(CUDA(cuDeviceGetCount, &devices) == 0);
    enter(devices - 1);
    REQUIRE(CUDA(cuCtxGetCurrent, &before) == 0);
    for (int i = 1; i < EPS; i++) {
        device_of[i] = i == 3 ? -1 : (int)(me + (unsigned)i) % devices;
        kinds[i] = i == 3 ? GEX_MK_HOST : make_kind(device_of[i]);
        REQUIRE(gex_EP_Create(&eps[i], client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
        make_segment(i);
        CHECK(gex_MK_QueryClass(kinds[i]) == (i == 3 ? GEX_MK_CLASS_HOST : GEX_MK_CLASS_CUDA_UVA));
        CHECK(gex_MK_QueryClient(kinds[i]) == client && gex_MK_QueryFlags(kinds[i]) == 0);
        gex_MK_SetCData(kinds[i], &at[i]);
        CHECK(gex_MK_QueryCData(kinds[i]) == &at[i]);
    }
    CHECK(CUDA(cuCtxGetCurrent, &after) == 0 && after == before);
    leave();
}

static void query_objects(uint32_t peer)
{
    for (int i = 0; i < endpoints(peer); i++) {
        void *owner = NULL, *local = &local;
        uintptr_t nbytes = 0;
        gex_TM_t pair = gex_TM_Pair(first, (gex_EP_Index_t)i);
        gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, peer, &owner, &local, &nbytes, 0));
        CHECK(owner && nbytes >= sizeof own && (peer != me || owner == at[i]));
        CHECK(i == 0 || i == 3 || local == NULL, "endpoint %d is mapped at %p", i, local);
    }
    for (int i = endpoints(peer); i < EPS; i++)
        CHECK(gex_Segment_QueryBound(gex_TM_Pair(first, (gex_EP_Index_t)i), peer, NULL, NULL,
                                     NULL) != 0);
}

// ---------------------------------------------------------------- transfers
static char *region(char *base, int which)
{
    return base + (size_t)which * REGION + EDGE;
}

static char *theirs(uint32_t peer, int i, int which)
{
    void *owner = NULL;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(gex_TM_Pair(first, (gex_EP_Index_t)i), peer, &owner,
                                              NULL, NULL, 0));
    return region(owner, which);
}

/** Empty, with its edges. */
static void clear(int i, int which, size_t nbytes)
{
    memset(host, 0xee, nbytes + 2 * EDGE);
    write_here(device_of[i], region(at[i], which) - EDGE, host, nbytes + 2 * EDGE);
}

static void look(const char *what, int i, int which, size_t nbytes, int seed)
{
    read_here(device_of[i], seen, region(at[i], which) - EDGE, nbytes + 2 * EDGE);
    size_t wrong = first_wrong(seen + EDGE, nbytes, seed);
    int edges = 0;
    for (int k = 0; k < EDGE; k++)
        edges += seen[k] != (char)0xee || seen[(size_t)EDGE + nbytes + (size_t)k] != (char)0xee;
    CHECK(wrong == nbytes && edges == 0, "%s endpoint %d, %zu bytes: wrong at %zu, %d of the edges",
          what, i, nbytes, wrong, edges);
}

static uint64_t value_of(const void *p, size_t nbytes)
{
    uint64_t value = 0;
    memcpy(&value, p, nbytes);  // of a machine that stores the low bytes first
    return value;
}

static void put(gex_TM_t pair, uint32_t peer, char *dest, char *src, size_t nbytes, int how)
{
    gex_Event_t event = GEX_EVENT_INVALID, local = GEX_EVENT_NO_OP;
    switch (how) {
    case 0:
        CHECK(gex_RMA_PutBlocking(pair, peer, dest, src, nbytes, 0) == 0);
        break;
    case 1:
        event = gex_RMA_PutNB(pair, peer, dest, src, nbytes, &local, 0);
        gex_Event_Wait(local);
        break;
    case 2:
        event = gex_RMA_PutNB(pair, peer, dest, src, nbytes, GEX_EVENT_DEFER, 0);
        if (event != GEX_EVENT_INVALID)
            gex_Event_Wait(gex_Event_QueryLeaf(event, GEX_EC_LC));
        break;
    case 3:
        CHECK(gex_RMA_PutNBI(pair, peer, dest, src, nbytes, GEX_EVENT_DEFER, 0) == 0);
        break;
    default:
        gex_NBI_BeginAccessRegion(0);
        CHECK(gex_RMA_PutNBI(pair, peer, dest, src, nbytes / 2, GEX_EVENT_GROUP, 0) == 0);
        CHECK(gex_RMA_PutNBI(pair, peer, dest + nbytes / 2, src + nbytes / 2, nbytes - nbytes / 2,
                             GEX_EVENT_NOW, 0) == 0);
        event = gex_NBI_EndAccessRegion(0);
    }
    gex_Event_Wait(event);
    gex_NBI_Wait(GEX_EC_PUT, 0);
}

static void get(gex_TM_t pair, char *dest, uint32_t peer, char *src, size_t nbytes, int how)
{
    if (how == 0)
        CHECK(gex_RMA_GetBlocking(pair, dest, peer, src, nbytes, 0) == 0);
    else if (how == 1)
        gex_Event_Wait(gex_RMA_GetNB(pair, dest, peer, src, nbytes, 0));
    else
        CHECK(gex_RMA_GetNBI(pair, dest, peer, src, nbytes, 0) == 0);
    gex_NBI_Wait(GEX_EC_GET, 0);
}

static void values(gex_TM_t pair, uint32_t peer, char *dest, const void *bytes, size_t nbytes)
{
    const uint64_t value = value_of(bytes, nbytes);
    CHECK(gex_RMA_PutBlockingVal(pair, peer, dest, ~value, nbytes, 0) == 0);
    gex_Event_Wait(gex_RMA_PutNBVal(pair, peer, dest, value + 1, nbytes, 0));
    CHECK(gex_RMA_PutNBIVal(pair, peer, dest, value, nbytes, 0) == 0);
    gex_NBI_Wait(GEX_EC_PUT, 0);
    CHECK(gex_RMA_GetBlockingVal(pair, peer, dest, nbytes, 0) == value);
}

/** From endpoint `mine` here to endpoint `far` of `to`, whose mirror is `from`. Ranks without that
 *  endpoint only meet. */
static void transfer(uint32_t to, uint32_t from, int mine, int far, size_t nbytes, int step)
{
    const int puts = mine < endpoints(me) && far < endpoints(to), takes = far < endpoints(me),
              comes = takes && mine < endpoints(from), seed = (int)me * 1000 + step;
    gex_TM_t pair = puts ? gex_TM_Pair(eps[mine], (gex_EP_Index_t)far) : GEX_TM_INVALID;
    if (takes)
        clear(far, TARGET, nbytes);
    if (puts) {
        fill_pattern(host, nbytes, seed);
        write_here(device_of[mine], region(at[mine], SOURCE), host, nbytes);
    }
    barrier();
    if (puts && nbytes <= 8 && step % 2)
        values(pair, to, theirs(to, far, TARGET), host, nbytes);
    else if (puts)
        put(pair, to, theirs(to, far, TARGET), region(at[mine], SOURCE), nbytes, step % 5);
    barrier();
    if (comes)
        look("put to", far, TARGET, nbytes, (int)from * 1000 + step);
    if (puts) {
        clear(mine, RESULT, nbytes);
        get(pair, region(at[mine], RESULT), to, theirs(to, far, TARGET), nbytes, step % 3);
        look("get to", mine, RESULT, nbytes, seed);
    }
    barrier();
}

static void transfers(uint32_t to, uint32_t from, int step)
{
    for (int mine = 0; mine < EPS; mine++)
        for (int far = 0; far < EPS; far++)
            for (int s = 0; s < SIZES; s++)
                transfer(to, from, mine, far, sizes[s], step++);
}

// ---------------------------------------------------------------- ends
/** Others unmap it with the news that the endpoint has none. */
static void end_segments(void)
{
    const int devices = endpoints(me) - 1;
    for (int i = 1; i <= devices; i++)
        CHECK(gex_EP_BindSegment(eps[i], GEX_SEGMENT_INVALID, 0) == GASNET_OK);
    CHECK(gex_EP_PublishBoundSegment(all, eps + 1, (size_t)devices, 0) == GASNET_OK);
    for (int i = 1; i <= devices; i++)
        gex_Segment_Destroy(segments[i], 0);
    if (devices)
        device_free(device_of[1], block);
}

static void publish(void)
{
    const int devices = endpoints(me) - 1;
    CHECK(gex_EP_PublishBoundSegment(all, eps + 1, (size_t)devices, 0) == GASNET_OK);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, (sizeof own + 4095) / 4096 * 4096);
    host = malloc(REGION);
    seen = malloc(REGION);
    eps[0] = first;
    at[0] = gex_Segment_QueryAddr(attached);
    device_of[0] = -1;
    const uint32_t to = (me + 1) % n, from = (me + n - 1) % n;
    if (has_device(me))
        make_objects();
    publish();
    query_objects(to);
    query_objects(me);
    transfers(to, from, 0);
    transfers(me, me, 200);
    end_segments();
    CHECK(gex_Segment_QueryBound(gex_TM_Pair(first, 1), to, NULL, NULL, NULL) != 0);
    // The endpoints get others.
    for (int i = 1; i < endpoints(me); i++)
        make_segment(i);
    publish();
    for (int far = 0; far < EPS; far++)
        transfer(to, from, far, far, 20000, 400 + far);
    end_segments();
    for (int i = 1; i < endpoints(me); i++)
        gex_MK_Destroy(kinds[i], 0);
    end();
    return 1;
}
