// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: vector, indexed and strided transfers of memory of devices: between each endpoint here
// and each in the next rank and in this one, put and got, with every kind of completion, beside a
// model in host memory; and the message that follows a put.
#include "gpu/kinds.h"

enum { EPS = 3 };  // host attached, device of the client, device of the library
enum { REGION = 400000, SOURCE = 0, TARGET = REGION, RESULT = 2 * REGION, NBYTES = 3 * REGION };
enum { PIECES = 400, LEVELS = 2 };
enum { WAYS = 3, HANDLER = 200 };  // blocking, NB, NBI

static gex_EP_t eps[EPS];
static gex_Segment_t segments[EPS];
static gex_MK_t kinds[EPS];
static char *at[EPS], *block;
static int device_of[EPS] = {-1};
static char *host, *seen, *model;
static volatile int notified;

static void on_put(gex_Token_t token, void *payload, size_t nbytes)
{
    (void)token;
    notified += nbytes == 4 && memcmp(payload, "done", 4) == 0;
}

/** One side of a transfer: its pieces, in the order in which their bytes pair off, by offsets. */
typedef struct side {
    enum { VECTOR, INDEXED, STRIDED } kind;
    size_t n, offset[PIECES], len[PIECES];
    size_t base, elemsz, count[LEVELS], levels;  // of strided ones
    ptrdiff_t strides[LEVELS];
} side;

static void make_list(side *s, int kind, size_t n, size_t len, size_t step)
{
    s->kind = kind;
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        s->offset[i] = 64 + (i % 2 ? n - i : i) * step;  // not in order
        s->len[i] = len;
    }
}

static void make_strided(side *s, size_t base, size_t elemsz, const size_t *count, size_t levels,
                         ptrdiff_t inner, ptrdiff_t outer)
{
    *s = (side){.kind = STRIDED, .base = base, .elemsz = elemsz, .levels = levels};
    s->strides[0] = inner;
    s->strides[1] = outer;
    s->count[0] = count[0];
    s->count[1] = levels > 1 ? count[1] : 1;
    for (size_t k = 0; k < s->count[1]; k++)
        for (size_t i = 0; i < s->count[0]; i++) {
            s->offset[s->n] = base + (size_t)((ptrdiff_t)i * inner + (ptrdiff_t)k * outer);
            s->len[s->n++] = elemsz;
        }
}

/** What the calls take. */
typedef struct lists {
    gex_Memvec_t regions[PIECES];
    void *addresses[PIECES];
} lists;

static void fill_lists(lists *l, const side *s, char *base)
{
    for (size_t i = 0; i < s->n; i++) {
        l->regions[i] = (gex_Memvec_t){base + s->offset[i], s->len[i]};
        l->addresses[i] = base + s->offset[i];
    }
}

/** What a copy of all pieces makes of empty memory. */
static void apply(char *dest, const side *to, const char *src, const side *from)
{
    memset(dest, 0xee, REGION);
    for (size_t i = 0, k = 0, a = 0, b = 0; i < to->n;) {
        dest[to->offset[i] + a] = src[from->offset[k] + b];
        if (++a == to->len[i])
            a = 0, i++;
        if (++b == from->len[k])
            b = 0, k++;
    }
}

#define FINISH(how, call)                       \
    do {                                        \
        if (how == 0)                           \
            call##Blocking ARGUMENTS;           \
        else if (how == 1)                      \
            gex_Event_Wait(call##NB ARGUMENTS); \
        else                                    \
            CHECK(call##NBI ARGUMENTS == 0);    \
    } while (0)

static void put(gex_TM_t pair, uint32_t peer, char *there, const side *to, char *here,
                const side *from, int how)
{
    static lists r, l;
    fill_lists(&r, to, there);
    fill_lists(&l, from, here);
    if (to->kind == VECTOR) {
#define ARGUMENTS (pair, peer, to->n, r.regions, from->n, l.regions, 0)
        FINISH(how, gex_VIS_VectorPut);
#undef ARGUMENTS
    } else if (to->kind == INDEXED) {
#define ARGUMENTS \
    (pair, peer, to->n, r.addresses, to->len[0], from->n, l.addresses, from->len[0], 0)
        FINISH(how, gex_VIS_IndexedPut);
#undef ARGUMENTS
    } else {
#define ARGUMENTS                                                                             \
    (pair, peer, there + to->base, to->strides, here + from->base, from->strides, to->elemsz, \
     to->count, to->levels, 0)
        FINISH(how, gex_VIS_StridedPut);
#undef ARGUMENTS
    }
    gex_NBI_Wait(GEX_EC_PUT, 0);
}

static void get(gex_TM_t pair, char *here, const side *to, uint32_t peer, char *there,
                const side *from, int how)
{
    static lists r, l;
    fill_lists(&r, from, there);
    fill_lists(&l, to, here);
    if (to->kind == VECTOR) {
#define ARGUMENTS (pair, to->n, l.regions, peer, from->n, r.regions, 0)
        FINISH(how, gex_VIS_VectorGet);
#undef ARGUMENTS
    } else if (to->kind == INDEXED) {
#define ARGUMENTS \
    (pair, to->n, l.addresses, to->len[0], peer, from->n, r.addresses, from->len[0], 0)
        FINISH(how, gex_VIS_IndexedGet);
#undef ARGUMENTS
    } else {
#define ARGUMENTS                                                                             \
    (pair, here + to->base, to->strides, peer, there + from->base, from->strides, to->elemsz, \
     to->count, to->levels, 0)
        FINISH(how, gex_VIS_StridedGet);
#undef ARGUMENTS
    }
    gex_NBI_Wait(GEX_EC_GET, 0);
}

// ---------------------------------------------------------------- shapes
enum { SHAPES = 6 };
static side one[SHAPES], other[SHAPES];

static void make_shapes(void)
{
    make_list(&one[0], VECTOR, 100, 60, 80);
    make_list(&other[0], VECTOR, 1, 6000, 1);
    make_list(&one[1], INDEXED, 100, 60, 200);
    make_list(&other[1], INDEXED, 50, 120, 130);
    make_list(&one[2], VECTOR, 30, 9000, 10000);
    make_list(&other[2], VECTOR, 60, 4500, 5000);
    make_strided(&one[3], 128, 40, (size_t[]){300}, 1, 64, 0);
    make_strided(&other[3], 64, 40, (size_t[]){300}, 1, 100, 0);
    make_strided(&one[4], 4000, 8, (size_t[]){10, 20}, 2, 24, 400);
    make_strided(&other[4], 2000, 8, (size_t[]){10, 20}, 2, -16, 480);
    make_strided(&one[5], 0, 5000, (size_t[]){40}, 1, 6000, 0);
    make_strided(&other[5], 80, 5000, (size_t[]){40}, 1, 5000, 0);
}

static void pattern_of(uint32_t rank, int step)
{
    fill_pattern(host, REGION, (int)rank * 1000 + step);
}

static void look(const char *what, int shape, int ep, size_t offset)
{
    size_t i = 0;
    read_here(device_of[ep], seen, at[ep] + offset, REGION);
    while (i < REGION && seen[i] == model[i])
        i++;
    CHECK(i == REGION, "%s, shape %d, endpoint %d: wrong at %zu", what, shape, ep, i);
}

static char *theirs(uint32_t peer, int i)
{
    void *owner = NULL;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(gex_TM_Pair(eps[0], (gex_EP_Index_t)i), peer, &owner,
                                              NULL, NULL, 0));
    return owner;
}

static void transfer(uint32_t to, uint32_t from, int mine, int far, int shape, int step)
{
    gex_TM_t pair = gex_TM_Pair(eps[mine], (gex_EP_Index_t)far);
    char *there = theirs(to, far) + TARGET;
    memset(seen, 0xee, REGION);
    write_here(device_of[far], at[far] + TARGET, seen, REGION);
    write_here(device_of[mine], at[mine] + RESULT, seen, REGION);
    pattern_of(me, step);
    write_here(device_of[mine], at[mine] + SOURCE, host, REGION);
    barrier();
    if (shape == 3 && step % 2) {
        gex_VIS_SetPeerCompletionHandler(HANDLER, "done", 4, 0);
        notified = 0;
        barrier();
        put(pair, to, there, &one[shape], at[mine] + SOURCE, &other[shape], step % WAYS);
        GASNET_BLOCKUNTIL(notified == 1);
    } else {
        put(pair, to, there, &one[shape], at[mine] + SOURCE, &other[shape], step % WAYS);
    }
    barrier();
    pattern_of(from, step);
    apply(model, &one[shape], host, &other[shape]);
    look("put to", shape, far, TARGET);
    get(pair, at[mine] + RESULT, &other[shape], to, there, &one[shape], (step + 1) % WAYS);
    pattern_of(me, step);
    apply(model, &other[shape], host, &other[shape]);
    look("get to", shape, mine, RESULT);
    barrier();
}

static void transfers(uint32_t to, uint32_t from)
{
    static int step;
    for (int mine = 0; mine < EPS; mine++)
        for (int far = to == me ? mine : 0; far < (to == me ? mine + 1 : EPS); far++)
            for (int shape = 0; shape < SHAPES; shape++)
                transfer(to, from, mine, far, shape, step++);
}

int main(int argc, char **argv)
{
    int devices = 0;
    gex_AM_Entry_t entry = {
        HANDLER, (gex_AM_Fn_t)on_put, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQREP, 0, NULL, "on_put"};
    begin(&argc, &argv, (NBYTES + 4095) / 4096 * 4096);
    REQUIRE(gex_EP_RegisterHandlers(first, &entry, 1) == GASNET_OK);
    REQUIRE(CUDA(cuDeviceGetCount, &devices) == 0);
    host = malloc(REGION);
    seen = malloc(REGION);
    model = malloc(REGION);
    eps[0] = first;
    at[0] = gex_Segment_QueryAddr(attached);
    for (int i = 1; i < EPS; i++) {
        device_of[i] = (int)(me + (unsigned)i) % devices;
        kinds[i] = make_kind(device_of[i]);
        if (i == 1)
            block = device_alloc(device_of[i], NBYTES);
        REQUIRE(gex_EP_Create(&eps[i], client, GEX_EP_CAPABILITY_RMA | GEX_EP_CAPABILITY_VIS, 0) ==
                GASNET_OK);
        REQUIRE(gex_Segment_Create(&segments[i], client, i == 1 ? block : NULL, NBYTES, kinds[i],
                                   0) == GASNET_OK);
        REQUIRE(gex_EP_BindSegment(eps[i], segments[i], 0) == GASNET_OK);
        at[i] = gex_Segment_QueryAddr(segments[i]);
    }
    CHECK(gex_EP_PublishBoundSegment(all, eps + 1, EPS - 1, 0) == GASNET_OK);
    make_shapes();
    transfers((me + 1) % n, (me + n - 1) % n);
    transfers(me, me);
    for (int i = 1; i < EPS; i++)
        CHECK(gex_EP_BindSegment(eps[i], GEX_SEGMENT_INVALID, 0) == GASNET_OK);
    CHECK(gex_EP_PublishBoundSegment(all, eps + 1, EPS - 1, 0) == GASNET_OK);
    for (int i = 1; i < EPS; i++) {
        gex_Segment_Destroy(segments[i], 0);
        gex_MK_Destroy(kinds[i], 0);
    }
    device_free(device_of[1], block);
    end();
    return 1;
}
