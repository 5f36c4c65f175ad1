// SPDX-License-Identifier: BSD-3-Clause
//
// Memory kinds that fail, and wrong use; the first argument says what. What ends the job does so in
// the call; a failure that a program may go on from ends with "goes on".
#include "gpu/kinds.h"

enum { NBYTES = 1 << 20 };

static gex_EP_t ep;
static gex_Segment_t segment;
static gex_MK_t kind;
static char *block;

static int is(const char *what, const char *want)
{
    return strcmp(what, want) == 0;
}

static int create_kind(int class, int device)
{
    gex_MK_t made = GEX_MK_INVALID;
    gex_MK_Create_args_t args;
    memset(&args, 0, sizeof args);
    args.gex_class = (gex_MK_Class_t) class;
    args.gex_args.gex_class_cuda_uva.gex_CUdevice = device;
    int error = gex_MK_Create(&made, client, &args, 0);
    CHECK((error == GASNET_OK) == (made != GEX_MK_INVALID));
    return error;
}

static int create(void *at, size_t nbytes)
{
    gex_Segment_t made = GEX_SEGMENT_INVALID;
    int error = gex_Segment_Create(&made, client, at, nbytes, kind, 0);
    CHECK((error == GASNET_OK) == (made != GEX_SEGMENT_INVALID));
    return error;
}

/** One endpoint with memory of the library, published. */
static void make(void)
{
    kind = make_kind(0);
    REQUIRE(gex_EP_Create(&ep, client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
    REQUIRE(gex_Segment_Create(&segment, client, NULL, NBYTES, kind, 0) == GASNET_OK);
    REQUIRE(gex_EP_BindSegment(ep, segment, 0) == GASNET_OK);
    CHECK(gex_EP_PublishBoundSegment(all, &ep, 1, 0) == GASNET_OK);
}

static char *theirs(uint32_t peer)
{
    void *owner = NULL;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(gex_TM_Pair(first, 1), peer, &owner, NULL, NULL, 0));
    return owner;
}

/** Puts and gets work, from both kinds of memory. */
static void use(void)
{
    char there[1000], back[1000];
    const uint32_t to = (me + 1) % n;
    gex_TM_t pair = gex_TM_Pair(ep, 1);
    fill_pattern(there, sizeof there, (int)me);
    barrier();
    gex_RMA_PutBlocking(pair, to, theirs(to), there, sizeof there, 0);
    barrier();
    gex_RMA_GetBlocking(pair, (char *)gex_Segment_QueryAddr(segment) + 5000, to, theirs(to), 1000,
                        0);
    read_here(0, back, (char *)gex_Segment_QueryAddr(segment) + 5000, sizeof back);
    CHECK(first_wrong(back, sizeof back, (int)me) == sizeof back);
    read_here(0, back, gex_Segment_QueryAddr(segment), sizeof back);
    CHECK(first_wrong(back, sizeof back, (int)((me + n - 1) % n)) == sizeof back);
    barrier();
}

static void of_kinds(const char *what)
{
    if (is(what, "no-device"))
        CHECK(create_kind(GEX_MK_CLASS_CUDA_UVA, 9) == GASNET_ERR_BAD_ARG);
    else if (is(what, "hip"))
        CHECK(create_kind(GEX_MK_CLASS_HIP, 0) == GASNET_ERR_BAD_ARG);
    else if (is(what, "ze"))
        CHECK(create_kind(GEX_MK_CLASS_ZE, 0) == GASNET_ERR_BAD_ARG);
    else if (is(what, "no-driver"))
        CHECK(create_kind(GEX_MK_CLASS_CUDA_UVA, 0) == GASNET_ERR_RESOURCE);
    else if (is(what, "quiet")) {
        gex_System_SetVerboseErrors(0);
        CHECK(create_kind(GEX_MK_CLASS_CUDA_UVA, 0) == GASNET_ERR_RESOURCE);
        CHECK(create_kind(GEX_MK_CLASS_HIP, 0) == GASNET_ERR_BAD_ARG);
    }
}

static void of_segments(const char *what)
{
    if (is(what, "host-memory"))
        CHECK(create(&kind, sizeof kind) == GASNET_ERR_BAD_ARG);
    else if (is(what, "beyond"))
        CHECK(create(block, (size_t)3 << 20) == GASNET_ERR_BAD_ARG);
    else if (is(what, "other-device"))
        CHECK(create(device_alloc(1, 4096), 4096) == GASNET_ERR_BAD_ARG);
    else if (is(what, "too-large"))
        CHECK(create(NULL, (size_t)1 << 50) == GASNET_ERR_RESOURCE);
    else if (is(what, "empty"))
        CHECK(create(NULL, 0) == GASNET_ERR_BAD_ARG);
    else if (is(what, "many")) {
        int made = 1, error;
        while ((error = create(block, 4096)) == GASNET_OK)
            made++;
        CHECK(made == 64 && error == GASNET_ERR_RESOURCE, "%d", made);
    } else if (is(what, "first-endpoint")) {
        gex_EP_t other;
        gex_Segment_t made;
        REQUIRE(gex_EP_Create(&other, client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
        REQUIRE(gex_Segment_Create(&made, client, block, 4096, kind, 0) == GASNET_OK);
        CHECK(gex_EP_BindSegment(first, made, 0) == GASNET_ERR_BAD_ARG);
        CHECK(gex_EP_BindSegment(other, made, 0) == GASNET_OK);
        CHECK(gex_EP_BindSegment(other, segment, 0) == GASNET_ERR_BAD_ARG);
    } else if (is(what, "destroy-bound"))
        gex_Segment_Destroy(segment, 0);
    else if (is(what, "destroy-used"))
        gex_MK_Destroy(kind, 0);
}

static void of_transfers(const char *what)
{
    char bytes[64] = "";
    const uint32_t to = (me + 1) % n;
    gex_TM_t pair = gex_TM_Pair(first, 1);
    if (is(what, "put-beyond"))
        gex_RMA_PutBlocking(pair, to, theirs(to) + NBYTES - 10, bytes, 11, 0);
    else if (is(what, "get-before"))
        gex_RMA_GetNBI(pair, bytes, to, theirs(to) - 1, 2, 0);
    else if (is(what, "vector-beyond")) {
        const size_t count[] = {3};
        const ptrdiff_t there[] = {NBYTES / 2}, here[] = {8};
        gex_VIS_StridedPutBlocking(pair, to, theirs(to), there, bytes, here, 8, count, 1, 0);
    } else if (is(what, "team")) {
        void *dest = NULL;
        CHECK(gex_Segment_QueryBound(all, to, &dest, NULL, NULL) == 0);
        gex_RMA_PutBlocking(all, to, dest, gex_Segment_QueryAddr(segment), 8, 0);
    } else if (is(what, "given-up")) {
        use();
        CHECK(gex_EP_BindSegment(ep, GEX_SEGMENT_INVALID, 0) == GASNET_OK);
        gex_Segment_Destroy(segment, 0);
        barrier();
        gex_RMA_GetBlocking(gex_TM_Pair(first, 1), bytes, to, theirs(to), 8, 0);
    } else if (is(what, "kind-garbage"))
        gex_MK_QueryClass((gex_MK_t)(void *)bytes);
    else if (is(what, "kind-destroyed")) {
        gex_MK_t other = make_kind(0);
        gex_MK_Destroy(other, 0);
        gex_MK_QueryClient(other);
    } else if (is(what, "kind-invalid"))
        gex_MK_QueryFlags(GEX_MK_INVALID);
    else
        use();
}

int main(int argc, char **argv)
{
    REQUIRE(argc > 2);
    if (is(argv[1], "kinds") && (is(argv[2], "no-driver") || is(argv[2], "quiet"))) {
        REQUIRE(gex_Client_Init(&client, &first, &all, "kinds", &argc, &argv, 0) == GASNET_OK);
        me = gex_TM_QueryRank(all);
        n = gex_TM_QuerySize(all);
        REQUIRE(gex_Segment_Attach(&attached, all, 65536) == GASNET_OK);
    } else {
        begin(&argc, &argv, 65536);
    }
    if (is(argv[1], "kinds")) {
        of_kinds(argv[2]);
    } else {
        block = device_alloc(0, (size_t)2 << 20);
        make();
        if (is(argv[1], "segments"))
            of_segments(argv[2]);
        else
            of_transfers(argv[2]);
    }
    barrier();
    printf("goes on\n");
    end();
    return 1;
}
