// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong use, one kind per run: the first argument selects it. Each must end the job with a message.
#include <gasnet.h>
#include <stdio.h>
#include <string.h>

static char big[65536];
static const char *how;
static gasnet_hsl_t lock_a = GASNET_HSL_INITIALIZER, lock_b = GASNET_HSL_INITIALIZER;
static volatile int seen;
static gasnet_token_t kept;

static int is(const char *what)
{
    return strcmp(how, what) == 0;
}

static void on_request(gasnet_token_t token)
{
    if (is("request-from-request-handler"))
        gasnet_AMRequestShort0(0, 200);
    if (is("put-from-handler"))
        gasnet_put_val(0, big, 1, 1);
    if (is("barrier-from-handler"))
        gasnet_barrier_notify(0, 0);
    if (is("reply-twice"))
        gasnet_AMReplyShort0(token, 201);
    if (is("reply-unknown")) {
        gasnet_AMReplyShort0(token, 222);
        return;
    }
    if (is("reply-reserved"))
        gasnet_AMReplyMedium0(token, 5, big, 1);
    if (is("reply-null"))
        gasnet_AMReplyMedium0(token, 201, NULL, 8);
    if (is("reply-too-long"))
        gasnet_AMReplyMedium0(token, 201, big, gasnet_AMMaxMedium() + 1);
    if (is("reply-long-outside"))
        gasnet_AMReplyLong0(token, 201, big, 100, big);
    if (is("reply-no-token"))
        gasnet_AMReplyShort0(NULL, 201);
    if (is("reply-under-lock"))
        gasnet_hsl_lock(&lock_a);
    if (is("handler-keeps-lock")) {
        gasnet_AMReplyShort0(token, 201);
        gasnet_hsl_lock(&lock_a);
        return;
    }
    if (is("poll-in-handler"))
        gasnet_AMPoll();
    if (is("reply-kept"))
        kept = token;
    gasnet_AMReplyShort0(token, 201);
}

static void on_reply(gasnet_token_t token)
{
    if (is("request-from-reply-handler"))
        gasnet_AMRequestShort0(0, 200);
    if (is("reply-from-reply-handler"))
        gasnet_AMReplyShort0(token, 201);
    seen = 1;
}

static gasnet_handlerentry_t table[] = {{200, (gasnet_causeway_fnptr_t)on_request},
                                        {201, (gasnet_causeway_fnptr_t)on_reply}};

static void locks(void)
{
    gasnet_hsl_t fresh;
    memset(&fresh, 0x77, sizeof fresh);
    if (is("lock-twice"))
        gasnet_hsl_lock(&lock_a), gasnet_hsl_lock(&lock_a);
    if (is("unlock-free"))
        gasnet_hsl_unlock(&lock_a);
    if (is("unlock-order"))
        gasnet_hsl_lock(&lock_a), gasnet_hsl_lock(&lock_b), gasnet_hsl_unlock(&lock_a);
    if (is("lock-raw"))
        gasnet_hsl_lock(&fresh);
    if (is("destroy-raw"))
        gasnet_hsl_destroy(&fresh);
    if (is("lock-destroyed"))
        gasnet_hsl_destroy(&lock_a), gasnet_hsl_lock(&lock_a);
    if (is("trylock-mine"))
        gasnet_hsl_lock(&lock_a), gasnet_hsl_trylock(&lock_a);
    if (is("request-under-lock"))
        gasnet_hsl_lock(&lock_a), gasnet_AMRequestShort0(0, 200);
    if (is("request-in-section"))
        gasnet_hold_interrupts(), gasnet_AMRequestMedium0(0, 200, big, 8);
    if (is("destroy-locked"))
        gasnet_hsl_lock(&lock_a), gasnet_hsl_destroy(&lock_a);
    if (is("poll-under-lock"))
        gasnet_hsl_lock(&lock_a), gasnet_AMPoll();
    if (is("hold-twice"))
        gasnet_hold_interrupts(), gasnet_hold_interrupts();
    if (is("resume-alone"))
        gasnet_resume_interrupts();
    if (is("get-in-section"))
        gasnet_hold_interrupts(), gasnet_get_val(0, big, 1);
}

static void messages(gasnet_seginfo_t s)
{
    if (is("handler-reserved"))
        gasnet_AMRequestShort0(0, 5);
    if (is("handler-unknown"))
        gasnet_AMRequestShort0(0, 222);
    if (is("node-unknown"))
        gasnet_AMRequestShort0(gasnet_nodes(), 200);
    if (is("medium-too-long"))
        gasnet_AMRequestMedium0(0, 200, big, gasnet_AMMaxMedium() + 1);
    if (is("long-outside"))
        gasnet_AMRequestLong0(0, 200, big, 100, (char *)s.addr + s.size - 50);
    if (is("long-into-static"))
        gasnet_AMRequestLong0(0, 200, big, 100, big);
    if (is("long-too-long"))
        gasnet_AMRequestLong0(0, 200, big, gasnet_AMMaxLongRequest() + 1, s.addr);
    if (is("long-async-node"))
        gasnet_AMRequestLongAsync0(7, 200, big, 8, s.addr);
    if (is("medium-null"))
        gasnet_AMRequestMedium0(0, 200, NULL, 8);
    gasnet_AMRequestShort0(0, 200);
    GASNET_BLOCKUNTIL(seen);
    if (is("reply-kept"))
        gasnet_AMReplyShort0(kept, 201);
    gasnet_AMPoll();
}

/** Of two nodes, behind calls that were right, which checking mode remembers. */
static void behind_right_ones(void)
{
    gasnet_node_t other = 1 - gasnet_mynode();
    gasnet_seginfo_t all[2];
    GASNET_Safe(gasnet_getSegmentInfo(all, 2));
    char *end = (char *)all[other].addr + all[other].size;
    for (int i = 0; i < 3; i++) {
        gasnet_put_bulk(other, end - 8, big, 8);
        gasnet_get_bulk(big, other, end - 8, 8);
    }
    if (is("right-then-beyond"))
        gasnet_put_bulk(other, end - 7, big, 8);
    if (is("right-then-static"))
        gasnet_get_bulk(big + sizeof big - 5, other, end - 8, 8);
    if (is("right-then-locked"))
        gasnet_hsl_lock(&lock_a), gasnet_put_bulk(other, end - 8, big, 8);
    if (is("right-then-section"))
        gasnet_hold_interrupts(), gasnet_get_bulk(big, other, end - 8, 8);
}

static void transfers(gasnet_seginfo_t s)
{
    char *end = (char *)s.addr + s.size;
    if (is("put-node"))
        gasnet_put(gasnet_nodes() + 3, s.addr, big, 8);
    if (is("get-node-minus-one"))
        gasnet_get(big, (gasnet_node_t)-1, s.addr, 8);
    if (is("put-negative"))
        gasnet_put(0, s.addr, big, (size_t)-8);
    if (is("get-negative"))
        gasnet_get_nbi(big, 0, s.addr, (size_t)-8);
    if (is("memset-negative"))
        gasnet_memset(0, s.addr, 0, (size_t)-8);
    if (is("put-outside"))
        gasnet_put_bulk(0, end - 7, big, 8);
    if (is("put-from-beyond"))
        gasnet_put_bulk(0, s.addr, end - 5, 8);
    if (is("put-from-static"))
        gasnet_put_bulk(0, s.addr, big + sizeof big - 5, 8);
    if (is("get-outside"))
        gasnet_get_nbi_bulk(big, 0, big, 100);
    if (is("memset-outside"))
        gasnet_memset(0, (char *)s.addr - 1, 0, 10);
    if (is("put-null"))
        gasnet_put_nb_bulk(0, s.addr, NULL, 10);
    if (is("value-size"))
        gasnet_put_val(0, s.addr, 1, 9);
    if (is("vector-length")) {
        gasnet_memvec_t far = {s.addr, 10}, near = {big, 11};
        gasnet_putv_bulk(0, 1, &far, 1, &near);
    }
    if (is("strided-negative") || is("strided-both-negative")) {
        size_t count[3] = {8, (size_t)-1, (size_t)-1}, stride[2] = {16, 32};
        if (is("strided-negative"))
            gasnet_puts_bulk(0, s.addr, stride, big, stride, count, 1);
        gasnet_gets_bulk(big, stride, 0, s.addr, stride, count, 2);
    }
    if (is("indexed-negative")) {
        void *far[1] = {s.addr}, *near[1] = {big};
        gasnet_puti_bulk(0, 1, far, (size_t)-8, 1, near, (size_t)-8);
    }
    if (is("vector-negative")) {
        gasnet_memvec_t far = {s.addr, 8}, near = {big, 8};
        gasnet_putv_bulk(0, (size_t)-1, &far, (size_t)-1, &near);
    }
    if (is("strided-outside")) {
        size_t count[2] = {8, 3}, stride[1] = {16};
        gasnet_puts_bulk(0, end - 39, stride, big, stride, count, 1);
    }
    if (is("indexed-outside")) {
        void *far[1] = {end - 7}, *near[1] = {big};
        gasnet_puti_bulk(0, 1, far, 8, 1, near, 8);
    }
    if (is("value-node"))
        gasnet_get_val(9, s.addr, 8);
    if (is("memset-node"))
        gasnet_memset_nbi(9, s.addr, 0, 8);
    gasnet_put(0, s.addr, s.addr, 8);  // the same place is no overlap
    if (is("put-overlap"))
        gasnet_put_bulk(0, s.addr, (char *)s.addr + 4, 8);
    if (is("handle-even"))
        gasnet_wait_syncnb((gasnet_handle_t)(void *)big);
    if (is("handle-odd"))
        gasnet_try_syncnb((gasnet_handle_t)(void *)(big + 1));
    if (is("handle-twice") || is("handle-tried")) {
        gasnet_handle_t put = gasnet_put_nb(0, s.addr, big, 8), copy = put;
        gasnet_wait_syncnb_all(&put, 1);
        if (is("handle-twice"))
            gasnet_wait_syncnb(copy);
        gasnet_try_syncnb_some(&copy, 1);
    }
    if (is("value-twice")) {
        gasnet_valget_handle_t value = gasnet_get_nb_val(0, s.addr, 8);
        gasnet_wait_syncnb_valget(value);
        gasnet_wait_syncnb_valget(value);
    }
    if (is("handle-array")) {
        gasnet_handle_t some[2] = {GASNET_INVALID_HANDLE, (gasnet_handle_t)(void *)big};
        gasnet_wait_syncnb_some(some, 2);
    }
    if (is("handles-null"))
        gasnet_wait_syncnb_all(NULL, 3);
    if (is("wait-in-region"))
        gasnet_begin_nbi_accessregion(), gasnet_wait_syncnbi_all();
    if (is("try-in-region"))
        gasnet_begin_nbi_accessregion(), gasnet_try_syncnbi_puts();
    if (is("try-alone"))
        gasnet_barrier_try(1, 0);
    if (is("region-twice"))
        gasnet_begin_nbi_accessregion(), gasnet_begin_nbi_accessregion();
    if (is("region-end"))
        gasnet_end_nbi_accessregion();
    if (is("notify-twice"))
        gasnet_barrier_notify(1, 0), gasnet_barrier_notify(1, 0);
    if (is("wait-alone"))
        gasnet_barrier_wait(1, 0);
    if (is("barrier-flags"))
        gasnet_barrier_notify(1, 64);
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "";
    if (is("before-init"))
        gasnet_barrier_notify(0, 0);
    if (is("attach-before-init"))
        GASNET_Safe(gasnet_attach(table, 2, GASNET_PAGESIZE, 0));
    if (is("poll-before-init"))
        gasnet_AMPoll();
    if (is("request-before-init"))
        gasnet_AMRequestShort0(0, 200);
    GASNET_Safe(gasnet_init(&argc, &argv));
    if (is("init-twice"))
        GASNET_Safe(gasnet_init(&argc, &argv));
    if (is("before-attach"))
        gasnet_put_val(0, big, 1, 1);
    gasnet_seginfo_t early;
    if (is("segments-before-attach"))
        GASNET_Safe(gasnet_getSegmentInfo(&early, 1));
    gasnet_handlerentry_t twice[] = {{200, (gasnet_causeway_fnptr_t)on_request},
                                     {200, (gasnet_causeway_fnptr_t)on_reply}};
    if (is("attach-index-twice"))
        GASNET_Safe(gasnet_attach(twice, 2, GASNET_PAGESIZE, 0));
    twice[1].fnptr = NULL;
    if (is("attach-no-function"))
        GASNET_Safe(gasnet_attach(twice, 2, GASNET_PAGESIZE, 0));
    if (is("attach-many"))
        GASNET_Safe(gasnet_attach(table, 129, GASNET_PAGESIZE, 0));
    gasnet_handlerentry_t bad = {100, (gasnet_causeway_fnptr_t)on_request};
    if (is("attach-index"))
        GASNET_Safe(gasnet_attach(&bad, 1, GASNET_PAGESIZE, 0));
    if (is("attach-size"))
        GASNET_Safe(gasnet_attach(table, 2, GASNET_PAGESIZE + 1, 0));
    if (is("attach-huge"))
        GASNET_Safe(gasnet_attach(table, 2, gasnet_getMaxLocalSegmentSize() + GASNET_PAGESIZE, 0));
    GASNET_Safe(gasnet_attach(table, 2, GASNET_PAGESIZE, 0));
    if (is("attach-twice"))
        GASNET_Safe(gasnet_attach(table, 2, GASNET_PAGESIZE, 0));
    gasnet_seginfo_t s;
    GASNET_Safe(gasnet_getSegmentInfo(&s, 1));
    if (gasnet_nodes() == 2)
        behind_right_ones();
    locks();
    transfers(s);
    messages(s);
    printf("%s went through\n", how);
    gasnet_exit(0);
}
