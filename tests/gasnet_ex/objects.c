// SPDX-License-Identifier: BSD-3-Clause
//
// Endpoints, their segments of every origin, pairs of endpoints, gex_TM_Create, kinds of memory;
// transfers of all ways by pairs. With GASNET_1 the program begins with gasnet_init and finds the
// objects by gasnet_QueryGexObjects.
#include "ex.h"

#include <gasnet_mk.h>

enum { WORDS = 2000 };
enum { EPS = 4 };  // endpoints: attached, carved, of the client, more than the area has

static gex_EP_t eps[EPS];
static gex_Segment_t segments[EPS];
static uint64_t own[2 * WORDS];  // the client's memory

static gex_AM_Index_t old_handler = 200;
static int old_handled;
static void on_old(gasnet_token_t token, gasnet_handlerarg_t a0)
{
    gex_Token_Info_t info;
    gex_Token_Info(token, &info, GEX_TI_ALL);
    CHECK(a0 == 31 && info.gex_entry->gex_index == old_handler && info.gex_ep == eps[0]);
    old_handled++;
}

static void start(int *argc, char ***argv)
{
#ifdef GASNET_1
    gasnet_handlerentry_t table[] = {{200, (gasnet_causeway_fnptr_t)on_old}};
    CHECK(gasnet_init(argc, argv) == GASNET_OK && gasnet_attach(table, 1, 65536, 0) == GASNET_OK);
    gasnet_QueryGexObjects(&client, &ep, &tm, &segment);
    me = gex_TM_QueryRank(tm);
    n = gex_TM_QuerySize(tm);
    CHECK(me == gasnet_mynode() && n == gasnet_nodes());
#else
    begin(argc, argv, 65536);
    gex_AM_Entry_t entry = {
        200, (gex_AM_Fn_t)on_old, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "on_old"};
    CHECK(gex_EP_RegisterHandlers(ep, &entry, 1) == GASNET_OK);
#endif
    eps[0] = ep;
    segments[0] = segment;
    CHECK(gex_EP_QuerySegment(ep) == segment && gex_Segment_QuerySize(segment) == 65536);
    barrier(tm);
    // Handlers of either interface are reached by both.
    CHECK(gex_AM_RequestShort1(tm, (me + 1) % n, old_handler, 0, 31) == 0);
    CHECK(gasnet_AMRequestShort1((me + 1) % n, old_handler, 31) == GASNET_OK);
    GASNET_BLOCKUNTIL(old_handled == 2);
}

// ---------------------------------------------------------------- endpoints and segments
static void test_creation(void)
{
    uintptr_t large = gasnet_getMaxLocalSegmentSize();
    for (int i = 1; i < EPS; i++) {
        CHECK(gex_EP_Create(&eps[i], client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
        CHECK(gex_EP_QueryIndex(eps[i]) == (gex_EP_Index_t)i &&
              gex_EP_QuerySegment(eps[i]) == GEX_SEGMENT_INVALID);
        CHECK(gex_EP_QueryClient(eps[i]) == client && gex_EP_QueryCData(eps[i]) == NULL);
    }
    CHECK(gex_Segment_Create(&segments[1], client, NULL, 40000, GEX_MK_HOST, 0) == GASNET_OK);
    CHECK(gex_Segment_Create(&segments[2], client, own, sizeof own, GEX_MK_HOST, 0) == GASNET_OK);
    CHECK(gex_Segment_Create(&segments[3], client, NULL, large, GEX_MK_HOST, 0) == GASNET_OK);
    CHECK(gex_Segment_QueryAddr(segments[2]) == own &&
          gex_Segment_QuerySize(segments[2]) == sizeof own);
    CHECK(gex_Segment_QuerySize(segments[1]) >= 40000 &&
          gex_Segment_QuerySize(segments[3]) >= large);
    CHECK(gex_Segment_QueryClient(segments[1]) == client);
    // Places in the area are reused.
    gex_Segment_t a, b, c;
    CHECK(gex_Segment_Create(&a, client, NULL, 20000, GEX_MK_HOST, 0) == GASNET_OK);
    CHECK(gex_Segment_Create(&b, client, NULL, 20000, GEX_MK_HOST, 0) == GASNET_OK);
    void *addr = gex_Segment_QueryAddr(a);
    CHECK(gex_Segment_QueryAddr(b) != addr);
    gex_Segment_Destroy(a, 0);
    CHECK(gex_Segment_Create(&c, client, NULL, 20480, GEX_MK_HOST, 0) == GASNET_OK &&
          gex_Segment_QueryAddr(c) == addr);
    memset(addr, 1, 20480);
    gex_Segment_Destroy(b, 0);
    gex_Segment_Destroy(c, 0);
    for (int i = 1; i < EPS; i++) {
        CHECK(gex_EP_BindSegment(eps[i], segments[i], 0) == GASNET_OK);
        CHECK(gex_EP_QuerySegment(eps[i]) == segments[i]);
    }
    // Each names a different number of endpoints; then every rank those of all.
    CHECK(gex_EP_PublishBoundSegment(tm, eps, me % EPS, 0) == GASNET_OK);
    CHECK(gex_EP_PublishBoundSegment(tm, eps, EPS, 0) == GASNET_OK);
}

static void test_errors(void)
{
    gex_EP_t more;
    gex_Segment_t other;
    gex_System_SetVerboseErrors(0);
    CHECK(gex_EP_Create(&more, client, GEX_EP_CAPABILITY_AM, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gex_EP_Create(&more, client, GEX_EP_CAPABILITY_ALL, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gex_EP_Create(NULL, client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gex_Segment_Create(&other, client, NULL, 0, GEX_MK_HOST, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gex_Segment_Create(&other, client, NULL, 4096, GEX_MK_INVALID, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gex_EP_BindSegment(eps[0], segments[2], 0) == GASNET_ERR_BAD_ARG);
    CHECK(gex_EP_BindSegment(eps[1], segments[2], 0) == GASNET_ERR_BAD_ARG);
    CHECK(gex_Segment_Attach(&other, tm, 4096) == GASNET_ERR_BAD_ARG);
    gex_MK_t kind = GEX_MK_INVALID;
    gex_MK_Create_args_t args;
    memset(&args, 0, sizeof args);
    args.gex_class = GEX_MK_CLASS_CUDA_UVA;
    int device = gex_MK_Create(&kind, client, &args, 0);  // where is one?
#if GASNET_HAVE_MK_CLASS_CUDA_UVA
    CHECK(device == GASNET_OK ? kind != GEX_MK_INVALID
                              : device == GASNET_ERR_RESOURCE && kind == GEX_MK_INVALID);
#else
    CHECK(device == GASNET_ERR_BAD_ARG && kind == GEX_MK_INVALID);
#endif
    args.gex_class = GEX_MK_CLASS_HIP;
    CHECK(gex_MK_Create(&kind, client, &args, 0) == GASNET_ERR_BAD_ARG);
    args.gex_class = GEX_MK_CLASS_HOST;
    CHECK(gex_MK_Create(&kind, client, &args, 0) == GASNET_OK && kind == GEX_MK_HOST);
    CHECK(gex_MK_QueryClass(kind) == GEX_MK_CLASS_HOST && gex_MK_QueryClient(kind) == client);
    CHECK(gex_MK_QueryFlags(kind) == 0 && gex_MK_QueryCData(kind) == NULL);
    gex_MK_SetCData(kind, &args);
    CHECK(gex_MK_QueryCData(GEX_MK_HOST) == &args);
    gex_MK_SetCData(kind, NULL);
    gex_MK_Destroy(kind, 0);
    int made = 0, error = GASNET_OK;
    while (made < 2 * GASNET_MAXEPS &&
           (error = gex_EP_Create(&more, client, GEX_EP_CAPABILITY_RMA, 0)) == GASNET_OK)
        made++;
    CHECK(made == GASNET_MAXEPS - EPS && error == GASNET_ERR_RESOURCE);
    gex_System_SetVerboseErrors(1);
}

static void test_questions(uint32_t to)
{
    for (unsigned i = 0; i < EPS; i++) {
        gex_TM_t pair = gex_TM_Pair(eps[0], i);
        void *owner = NULL, *local = &local, *again;
        uintptr_t nbytes = 0;
        CHECK(pair != tm && pair == gex_TM_Pair(ep, i) && pair != gex_TM_Pair(eps[1], i));
        CHECK(gex_EP_QueryBoundSegmentNB(pair, me, &owner, &local, &nbytes, GEX_FLAG_IMMEDIATE) ==
              GEX_EVENT_INVALID);
        CHECK(owner == gex_Segment_QueryAddr(segments[i]) && local == owner);
        CHECK(nbytes == gex_Segment_QuerySize(segments[i]));
        gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, to, &owner, &local, &nbytes, 0));
        CHECK(owner != NULL && nbytes >= (i == 1 ? 40000 : sizeof own));
        CHECK(gex_Segment_QueryBound(pair, to, &again, NULL, NULL) == 0 && again == owner);
        CHECK(to == me || i < 2 || local == NULL);  // no other process maps these
        gex_EP_Location_t far = gex_TM_TranslateRankToEP(pair, to, 0),
                          world = gex_TM_TranslateRankToEP(tm, to, 0);
        CHECK(far.gex_rank == to && far.gex_ep_index == i);
        CHECK(world.gex_rank == to && world.gex_ep_index == 0);
        CHECK(gex_TM_QueryRank(pair) == me && gex_TM_QuerySize(pair) == n);
        CHECK(gex_TM_QueryEP(pair) == eps[0] && gex_TM_TranslateJobrankToRank(pair, to) == to);
    }
    uintptr_t nbytes = 1;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(gex_TM_Pair(ep, EPS), to, NULL, NULL, &nbytes, 0));
    CHECK(nbytes == 0 && gex_Segment_QueryBound(gex_TM_Pair(ep, EPS), to, NULL, NULL, NULL) != 0);
    CHECK(gex_AM_MaxRequestMedium(gex_TM_Pair(ep, 0), to, NULL, 0, 4) >= 512);
}

// ---------------------------------------------------------------- transfers by pairs
static uint64_t src[WORDS], back[WORDS];

static void put(gex_TM_t pair, uint32_t to, uint64_t *theirs, int how)
{
    gex_Event_t event = GEX_EVENT_INVALID, local = GEX_EVENT_NO_OP;
    const size_t count[] = {WORDS / 2};
    const ptrdiff_t strides[] = {16};
    switch (how) {
    case 0:
        gex_RMA_PutBlocking(pair, to, theirs, src, sizeof src, 0);
        break;
    case 1:
        event = gex_RMA_PutNB(pair, to, theirs, src, sizeof src, &local, 0);
        gex_Event_Wait(local);
        break;
    case 2:
        event = gex_RMA_PutNB(pair, to, theirs, src, sizeof src, GEX_EVENT_DEFER, 0);
        break;
    case 3:
        gex_RMA_PutNBI(pair, to, theirs, src, sizeof src, GEX_EVENT_DEFER, 0);
        break;
    case 4:
        event = gex_VIS_StridedPutNB(pair, to, theirs, strides, src, strides, 8, count, 1, 0);
        gex_VIS_StridedPutNBI(pair, to, theirs + 1, strides, src + 1, strides, 8, count, 1, 0);
        break;
    default:
        for (int i = 0; i < WORDS; i += 100)
            gex_RMA_PutNBI(pair, to, theirs + i, src + i, 97 * sizeof *src, GEX_EVENT_GROUP, 0);
        for (int i = 97; i < WORDS; i += 100)
            gex_RMA_PutBlockingVal(pair, to, theirs + i, src[i], 8, 0);
        for (int i = 98; i < WORDS; i += 100)
            gex_Event_Wait(gex_RMA_PutNBVal(pair, to, theirs + i, src[i], 8, 0));
        for (int i = 99; i < WORDS; i += 100)
            gex_RMA_PutNBIVal(pair, to, theirs + i, src[i], 8, 0);
    }
    CHECK(gex_NBI_Test(GEX_EC_LC | GEX_EC_AM, 0) == GASNET_OK);
    gex_Event_Wait(event);
    gex_NBI_Wait(GEX_EC_PUT, 0);
}

static void get(gex_TM_t pair, uint32_t to, uint64_t *theirs, int how)
{
    gex_Memvec_t far[] = {{theirs, 4000}, {theirs + 500, sizeof back - 4000}},
                 near = {back, sizeof back};
    memset(back, 0, sizeof back);
    switch (how) {
    case 0:
        gex_RMA_GetBlocking(pair, back, to, theirs, sizeof back, 0);
        break;
    case 1:
        gex_Event_Wait(gex_RMA_GetNB(pair, back, to, theirs, sizeof back, 0));
        break;
    case 2:
        gex_RMA_GetNBI(pair, back, to, theirs, sizeof back, 0);
        gex_NBI_Wait(GEX_EC_GET, 0);
        break;
    case 3:
        gex_VIS_VectorGetBlocking(pair, 1, &near, to, 2, far, 0);
        break;
    case 4:
        gex_Event_Wait(gex_VIS_VectorGetNB(pair, 1, &near, to, 2, far, 0));
        break;
    default:
        for (int i = 0; i < WORDS; i++)
            back[i] = i < 100 ? gex_RMA_GetBlockingVal(pair, to, theirs + i, 8, 0) : src[i];
    }
    CHECK(memcmp(back, src, sizeof src) == 0);
}

static void test_pairs(uint32_t to)
{
    for (unsigned i = 0; i < EPS; i++) {
        gex_TM_t pair = gex_TM_Pair(eps[i], i);
        const uint64_t *mine = gex_Segment_QueryAddr(segments[i]);
        void *theirs = NULL;
        gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, to, &theirs, NULL, NULL, 0));
        for (int how = 0; how < 6; how++) {
            for (int k = 0; k < WORDS; k++)
                src[k] = (uint64_t)me << 40 | (uint64_t)(i * 8 + (unsigned)how) << 20 | (uint64_t)k;
            barrier(tm);
            put(pair, to, theirs, how);
            barrier(tm);
            for (int k = 0; k < WORDS; k++)
                if (mine[k] != ((uint64_t)((me + n - 1) % n) << 40 |
                                (uint64_t)(i * 8 + (unsigned)how) << 20 | (uint64_t)k)) {
                    CHECK(!"a put by a pair arrived");
                    break;
                }
            get(pair, to, theirs, how);
        }
    }
    barrier(tm);
}

// ---------------------------------------------------------------- gex_TM_Create
static void test_create(void)
{
    gex_EP_Location_t args[64];
    gex_TM_t team = GEX_TM_INVALID;
    gex_Addr_t scratch_addr = gex_Segment_QueryAddr(segment);
    gex_Memvec_t scratch = {NULL, 0};
    uint32_t count = 0;
    // Ranks of the same parity, the last first.
    for (uint32_t r = n; r-- > 0;)
        if (r % 2 == me % 2)
            args[count++] = (gex_EP_Location_t){r, 0};
    size_t nbytes =
        gex_TM_Create(NULL, 1, tm, args, count, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
    CHECK(nbytes > 0);
    gex_TM_Create(&team, 1, tm, args, count, &scratch_addr, nbytes, GEX_FLAG_TM_LOCAL_SCRATCH);
    CHECK(gex_TM_QuerySize(team) == count && gex_TM_QueryRank(team) == count - 1 - me / 2);
    CHECK(gex_TM_TranslateRankToJobrank(team, 0) == args[0].gex_rank && gex_TM_QueryEP(team) == ep);
    CHECK(gex_TM_QueryFlags(team) == GEX_FLAG_TM_LOCAL_SCRATCH &&
          gex_TM_QueryClient(team) == client);
    uint32_t sum = 0;
    gex_Event_Wait(
        gex_Coll_ReduceToAllNB(team, &sum, &count, GEX_DT_U32, 4, 1, GEX_OP_ADD, NULL, NULL, 0));
    CHECK(sum == count * count);
    // Of that team, by rank of the job: all but its last; a rank that is not named takes part and
    // gets nothing.
    gex_TM_t inner = team;
    int named = gex_TM_QueryRank(team) + 1 < count;
    gex_TM_Create(&inner, (size_t)named, team, args, named ? count - 1 : 0, NULL, 0,
                  GEX_FLAG_TM_NO_SCRATCH | GEX_FLAG_RANK_IS_JOBRANK);
    CHECK(named == (inner != team));
    if (named) {
        CHECK(gex_TM_QuerySize(inner) == count - 1 &&
              gex_TM_QueryRank(inner) == gex_TM_QueryRank(team));
        gex_Coll_BarrierBlocking(inner, 0);
        CHECK(gex_TM_Destroy(inner, &scratch, 0) == 0 && scratch.gex_len == 0);
    }
    CHECK(gex_TM_Destroy(team, &scratch, GEX_FLAG_GLOBALLY_QUIESCED) != 0);
    CHECK(scratch.gex_addr == scratch_addr && scratch.gex_len == nbytes);
}

/** More teams at a time than before, created and destroyed often. */
static void test_many_teams(void)
{
    enum { MANY = 25 };
    gex_TM_t teams[MANY];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++)
            gex_TM_Split(&teams[i], i ? teams[i - 1] : tm, 0, i % 2 ? (int)me : -(int)me, NULL, 0,
                         GEX_FLAG_TM_NO_SCRATCH);
        for (int i = 0; i < MANY; i++) {
            uint32_t rank = gex_TM_QueryRank(teams[i]), most = 0;
            CHECK(rank == (i % 2 ? me : n - 1 - me));
            gex_Event_Wait(gex_Coll_ReduceToAllNB(teams[i], &most, &rank, GEX_DT_U32, 4, 1,
                                                  GEX_OP_MAX, NULL, NULL, 0));
            CHECK(most == n - 1);
        }
        for (int i = MANY; i-- > 0;)
            gex_TM_Destroy(teams[i], NULL, 0);
    }
}

// ---------------------------------------------------- elements larger than a piece of a collective
typedef struct large {
    uint32_t words[3000];
} large_t;

static void add_large(const void *arg1, void *arg2_and_out, size_t count, const void *cdata)
{
    const large_t *in = arg1;
    large_t *out = arg2_and_out;
    CHECK(cdata == own);
    for (size_t i = 0; i < count; i++)
        for (int w = 0; w < 3000; w++)
            out[i].words[w] = in[i].words[w] * 3 + out[i].words[w];  // does not commute
}

static void test_large_elements(void)
{
    static large_t in[2], out[2];
    uint32_t want = 0;  // of word 0
    for (int i = 0; i < 2; i++)
        for (int w = 0; w < 3000; w++)
            in[i].words[w] = me + 1 + (uint32_t)w;
    for (uint32_t r = n; r-- > 0;)
        want = r + 1 == n ? n : (r + 1) * 3 + want;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, out, in, GEX_DT_USER, sizeof *in, 2, GEX_OP_USER_NC,
                                          add_large, own, 0));
    CHECK(out[0].words[0] == want && out[1].words[0] == want);
    CHECK(out[1].words[2999] == want + 2999 * (3 * (n - 1) + 1));
    gex_Event_Wait(gex_Coll_ReduceToOneNB(tm, n - 1, in, in, GEX_DT_USER, sizeof *in, 2,
                                          GEX_OP_USER_NC, add_large, own, 0));
    CHECK(me + 1 < n ? in[0].words[0] == me + 1 : memcmp(in, out, sizeof in) == 0);
}

static void keep_larger(const void *arg1, void *arg2_and_out, size_t count, const void *cdata)
{
    const int64_t *in = arg1;
    int64_t *out = arg2_and_out;
    (void)cdata;
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] > out[i] ? in[i] : out[i];
}

/** A function of the client for a type of the library. */
static void test_commuting(void)
{
    int64_t in[] = {me, -(int64_t)me, 5}, out[3];
    gex_Event_Wait(
        gex_Coll_ReduceToAllNB(tm, out, in, GEX_DT_I64, 8, 3, GEX_OP_USER, keep_larger, NULL, 0));
    CHECK(out[0] == n - 1 && out[1] == 0 && out[2] == 5);
}

/** True if text is what fn writes about the set, in the room that it asks for. */
static int reads(size_t (*fn)(char *, uint32_t), uint32_t set, const char *text)
{
    char buf[1200];
    memset(buf, '#', sizeof buf);
    size_t nbytes = fn(NULL, set);
    return nbytes < sizeof buf && fn(buf, set) == nbytes && strcmp(buf, text) == 0 &&
           nbytes == strlen(text) + 1 && buf[nbytes] == '#';
}

static void test_texts(void)
{
    CHECK(reads(gasnett_format_dt, GEX_DT_U64, "GEX_DT_U64"));
    CHECK(reads(gasnett_format_dt, GEX_DT_I32 | GEX_DT_USER, "GEX_DT_I32|GEX_DT_USER"));
    CHECK(reads(gasnett_format_dt, 0, ""));
    CHECK(reads(gasnett_format_dt, GEX_DT_DBL | 1u << 31, "GEX_DT_DBL|0x80000000"));
    CHECK(reads(gasnett_format_op, GEX_OP_FCAS, "GEX_OP_FCAS"));
    CHECK(reads(gasnett_format_op, GEX_OP_XOR | GEX_OP_SWAP | GEX_OP_GET | GEX_OP_USER_NC,
                "GEX_OP_XOR|GEX_OP_SWAP|GEX_OP_GET|GEX_OP_USER_NC"));
    CHECK(reads(gasnett_format_ti, GEX_TI_ALL,
                "GEX_TI_SRCRANK|GEX_TI_ENTRY|GEX_TI_IS_REQ|GEX_TI_IS_LONG|GEX_TI_EP"));
    CHECK(gasnett_format_op(NULL, UINT32_MAX) < 600);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    test_texts();
    uint32_t to = (me + 1) % n;
    test_creation();
    test_errors();
    test_questions(to);
    test_pairs(to);
    test_create();
    test_many_teams();
    test_large_elements();
    test_commuting();
    // Endpoints change their segments.
    barrier(tm);
    CHECK(gex_EP_BindSegment(eps[2], GEX_SEGMENT_INVALID, 0) == GASNET_OK);
    CHECK(gex_EP_PublishBoundSegment(tm, &eps[2], 1, 0) == GASNET_OK);
    CHECK(gex_Segment_QueryBound(gex_TM_Pair(ep, 2), to, NULL, NULL, NULL) != 0);
    gex_Segment_Destroy(segments[2], 0);
    end();
    return 1;
}
