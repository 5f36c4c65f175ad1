// SPDX-License-Identifier: BSD-3-Clause
//
// What a node server executes comes from the network. Requests of every kind, valid ones and random
// ones, against an object between guard pages: nothing outside of static data, heap and inbox may
// change, whatever the bytes are.
#include <shmem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/am/private.h"
#include "core/am/wire.h"
#include "core/bulk/accumulate.h"
#include "core/bulk/stage.h"
#include "core/mem/segment.h"
#include "core/progress/block_lock.h"
#include "core/rma/amo.h"
#include "core/route/request.h"
#include "core/server/server.h"
#include "core/sync/area.h"
#include "frame/check.h"
#include "frame/random.h"

enum {
    PAGE = 4096,
    CONTROL = 6 * PAGE,  // with the locks
    DATA = 3000,
    HEAP_AT = 4 * PAGE,
    HEAP = 5 * PAGE + 40,
    CELLS = 3,
    ROUNDS = 100000
};
static const uint64_t AM_AT = 65536;
static char *object, *cells;
static size_t object_nbytes;

static struct {
    int n;
    size_t nbytes;
    unsigned char bytes[CW_MESSAGE_MAX];
} reply;

static cwt_from_t *some_client(void)
{
    static char client;
    return (cwt_from_t *)(void *)&client;  // replies go to take_reply
}

static int take_reply(cwt_from_t *from, const void *payload, size_t nbytes)
{
    (void)from;
    CHECK(nbytes <= sizeof reply.bytes);
    if (nbytes)
        memcpy(reply.bytes, payload, nbytes < sizeof reply.bytes ? nbytes : sizeof reply.bytes);
    reply.nbytes = nbytes;
    reply.n++;
    return 0;
}

/** An object of one slot, at the end of its pages: one byte too far is a fault. */
static void make_object(void)
{
    object_nbytes = CONTROL + AM_AT + cw_am_inbox_nbytes();
    size_t pages = (object_nbytes + PAGE - 1) / PAGE * PAGE;
    char *all =
        mmap(NULL, pages + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(all != MAP_FAILED && mprotect(all + PAGE, pages, PROT_READ | PROT_WRITE) == 0);
    object = all + PAGE;
    cw_segment.base = object;
    cw_segment.nbytes = object_nbytes;
    cw_am_section.offset = AM_AT;
    cw_block_section.offset = PAGE;
    CHECK(PAGE + cw_block_section.nbytes() <= CONTROL);
    cw_segment.layout = (cwt_layout_t){.control_nbytes = CONTROL,
                                       .slice_offset = CONTROL,
                                       .slice_stride = object_nbytes - CONTROL,
                                       .data_nbytes = DATA,
                                       .heap_offset = HEAP_AT,
                                       .heap_nbytes = HEAP,
                                       .nslots = 1};
}

/** The cells, between guard pages too. */
static void make_cells(void)
{
    size_t nbytes = (size_t)CELLS * CW_CELL_NBYTES;
    char *all = mmap(NULL, nbytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED && mprotect(all + PAGE, nbytes, PROT_READ | PROT_WRITE) == 0);
    cells = all + PAGE;
    cw_stage_section.offset = (uint64_t)(uintptr_t)cells - (uint64_t)(uintptr_t)object;
    cwu_env.staging = CELLS;
    cw_server_stage_reset();
}

/** The memory where nothing may be written. */
static const struct {
    size_t at, end;
} holes[] = {
    {0, CONTROL}, {CONTROL + DATA, CONTROL + HEAP_AT}, {CONTROL + HEAP_AT + HEAP, CONTROL + 65536}};

static bool holes_are_whole(void)
{
    for (size_t h = 0; h < sizeof holes / sizeof *holes; h++)
        for (size_t i = holes[h].at; i < holes[h].end; i++)
            if (object[i])
                return false;
    return true;
}

static void execute(const void *msg, size_t nbytes)
{
    // The message ends at the end of its page: reading behind it is a fault too.
    static char *end;
    if (!end) {
        char *at = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(at != MAP_FAILED && mprotect(at + 2 * PAGE, PAGE, PROT_NONE) == 0);
        end = at + 2 * PAGE;
    }
    size_t room = (nbytes + 7) / 8 * 8;  // buffers are aligned
    memset(end - room, 0, room);
    memcpy(end - room, msg, nbytes);
    reply.n = 0;
    cw_request_execute(NULL, some_client(), (const cwt_header_t *)(const void *)(end - room),
                       nbytes);
}

// ------------------------------------------------------ right requests, and the nearest wrong ones

typedef struct list {
    cwt_header_t header;
    uint64_t word[511];
} list_t;

/** A get of n pieces of nbytes from `at`, a word apart. */
static void get_pieces(uint64_t at, size_t nbytes, size_t n)
{
    list_t list = {.header = {.op = CW_REQ_GET_PIECES, .reply_id = 1}};
    for (size_t i = 0; i < n; i++)
        list.word[i] = CW_PIECE_WORD(at + i * (nbytes + 8), nbytes);
    execute(&list, sizeof list.header + n * sizeof *list.word);
}

static void test_pieces(void)
{
    const uint64_t heap = CONTROL + HEAP_AT;
    for (size_t i = 0; i < HEAP; i++)
        object[heap + i] = (char)(i * 7 + 1);
    get_pieces(heap + 16, 24, 3);
    CHECK(reply.n == 1 && reply.nbytes == 72);
    for (size_t i = 0; i < 72; i++)
        CHECK(reply.bytes[i] == (unsigned char)object[heap + 16 + i / 24 * 32 + i % 24]);
    get_pieces(heap + HEAP - 5, 5, 1);
    CHECK(reply.n == 1 && memcmp(reply.bytes, object + heap + HEAP - 5, 5) == 0);
    get_pieces(heap + HEAP - 5, 6, 1);
    CHECK(reply.n == 0);
    get_pieces(heap - 1, 1, 1);
    CHECK(reply.n == 0);
    get_pieces(CONTROL + DATA - 1, 2, 1);
    CHECK(reply.n == 0);
    get_pieces(CONTROL - 8, 8, 1);
    CHECK(reply.n == 0);
    get_pieces(heap, 0, 1);
    CHECK(reply.n == 0);
    get_pieces(heap, 1016, 4);
    CHECK(reply.n == 1 && reply.nbytes == 4064);
    get_pieces(heap, 1019, 4);  // more than a reply holds
    CHECK(reply.n == 0);
    get_pieces(heap, 8, 0);
    CHECK(reply.n == 0);
    list_t list = {.header = {.op = CW_REQ_GET_PIECES, .reply_id = 1},
                   .word = {CW_PIECE_WORD(heap, 8)}};
    execute(&list, sizeof list.header + 13);  // not a number of words
    CHECK(reply.n == 0);
    list.header.reply_id = 0;  // no reply is possible
    execute(&list, sizeof list.header + 8);
    CHECK(reply.n == 0);
}

/** A batch of one message, with an argument. */
static void execute_message(uint64_t field, uint32_t head, uint32_t token, size_t nbytes)
{
    list_t list = {.header = {.op = CW_REQ_BATCH},
                   .word = {CW_BATCH_RECORD(field, CW_BATCH_MESSAGE, nbytes),
                            head | (uint64_t)token << 32, 77}};
    execute(&list, sizeof list.header + (1 + (nbytes + 7) / 8) * sizeof *list.word);
}

static void test_messages(void)
{
    const uint64_t field = CW_RECORD_AM_FIELD(0, 0);
    const uint32_t head = CW_AM_HEAD(1, 200, 1);
    const size_t nbytes = CW_RECORD_AM_NBYTES(1);
    cw_am_inbox_t *inbox = cw_am_inbox(0);
    execute_message(CW_RECORD_AM_FIELD(1, 0), head, 5, nbytes);   // no such source
    execute_message(CW_RECORD_AM_FIELD(-1, 0), head, 5, nbytes);
    execute_message(CW_RECORD_AM_FIELD(0, 1), head, 5, nbytes);   // no such slot
    execute_message(field, head, CW_AM_TOKENS, nbytes);
    execute_message(field, head, 5, nbytes - 4);                  // not as long as the head says
    execute_message(field, head, 5, nbytes + 1);
    execute_message(field, head, 5, 4);
    execute_message(field, CW_AM_HEAD(1, 200, 17), 5, CW_RECORD_AM_NBYTES(17));
    CHECK(inbox->request_tail == 0 && inbox->reply_tail == 0);
    execute_message(field, head, 5, nbytes);
    const cw_am_cell_t *cell = &inbox->request[0];
    CHECK(inbox->request_tail == 1 && inbox->reply_tail == 0 && cell->turn == 1);
    CHECK(cell->head == head && cell->source == 0 && cell->token == 5 && cell->args[0] == 77);
    CHECK(cell->flags == (CW_AM_SHORT | CW_AM_C_COLLECTED));
    execute_message(field | CW_RECORD_AM_REPLY, head, 6, nbytes);
    cell = &inbox->reply[0];
    CHECK(inbox->request_tail == 1 && inbox->reply_tail == 1 && cell->turn == 1);
    CHECK(cell->token == 6 && (cell->flags & CW_AM_C_REPLY));
    memset((char *)inbox, 0, cw_am_inbox_nbytes());
}

/** Tokens whose requests were handled without a reply. */
static void test_done(void)
{
    cw_am_inbox_t *inbox = cw_am_inbox(0);
    union {
        cw_req_am_done_t req;
        uint64_t word[sizeof(cw_req_am_done_t) / sizeof(uint64_t) + 4];
    } done = {.req = {.header = {.op = CW_REQ_AM_DONE}, .words = 0x8002}};
    const size_t nbytes = sizeof done.req;
    done.req.bits[0] = 3;
    done.req.bits[1] = 5;
    execute(&done, nbytes + 8);  // a word is missing
    execute(&done, nbytes + 24);
    done.req.words = 0x10001;  // of tokens that do not exist
    execute(&done, nbytes + 16);
    done.req.words = 0x8002;
    done.req.target = 1;
    execute(&done, nbytes + 16);
    for (uint32_t w = 0; w < CW_AM_TOKENS / 64; w++)
        CHECK(inbox->done[w] == 0);
    done.req.target = 0;
    execute(&done, nbytes + 16);
    CHECK(inbox->done[1] == 3 && inbox->done[15] == 5 && inbox->done[0] == 0);
    memset((char *)inbox, 0, cw_am_inbox_nbytes());
}

static void test_batch(void)
{
    const uint64_t heap = CONTROL + HEAP_AT;
    list_t list = {.header = {.op = CW_REQ_BATCH},
                   .word = {CW_BATCH_RECORD(heap + 3, CW_BATCH_PUT, 5), 0x1122334455,
                            CW_BATCH_RECORD(heap + HEAP - 4, CW_BATCH_PUT, 5), 1}};
    object[heap + HEAP - 4] = 99;
    execute(&list, sizeof list.header + 4 * sizeof *list.word);
    CHECK(object[heap + 3] == 0x55 && object[heap + 7] == 0x11);
    CHECK(object[heap + HEAP - 4] == 99);  // the second ends outside
}

/** Records that ask for values, up to the first malformed one. */
static void test_values(void)
{
    const uint64_t heap = CONTROL + HEAP_AT, fetch = CW_BATCH_FETCHING(CW_AMO_ADD, 8),
                   swap = CW_BATCH_FETCHING(CW_AMO_CSWAP, 4);
    list_t list = {.header = {.op = CW_REQ_BATCH, .reply_id = 1},
                   .word = {CW_BATCH_RECORD(heap + 1, CW_BATCH_GET, 3),
                            CW_BATCH_RECORD(heap + 8, CW_BATCH_FETCH, fetch), 5,
                            CW_BATCH_RECORD(heap + 16, CW_BATCH_FETCH, swap), 9, 7,
                            CW_BATCH_RECORD(heap + 8, CW_BATCH_GET, 8),
                            CW_BATCH_RECORD(heap + HEAP - 2, CW_BATCH_GET, 3)}};
    uint64_t words[3] = {0x44332211, 100, 7}, got[4] = {0};
    memcpy(object + heap, words, sizeof words);
    execute(&list, sizeof list.header + 7 * sizeof *list.word);
    CHECK(reply.n == 1 && reply.nbytes == sizeof got);
    memcpy(got, reply.bytes, sizeof got);
    CHECK(got[0] == 0x443322 && got[1] == 100 && got[2] == 7 && got[3] == 105);
    CHECK(object[heap + 16] == 9);
    execute(&list, sizeof list.header + 8 * sizeof *list.word);  // the last one ends outside
    CHECK(reply.n == 1 && reply.nbytes == sizeof got);
    execute(&list, sizeof list.header + 5 * sizeof *list.word);  // half an atomic
    CHECK(reply.n == 1 && reply.nbytes == 16);
    list.header.reply_id = 0;  // no reply is possible, so nothing is fetched
    memcpy(words, object + heap, sizeof words);
    execute(&list, sizeof list.header + 7 * sizeof *list.word);
    CHECK(reply.n == 0 && memcmp(words, object + heap, sizeof words) == 0);
    list.header.reply_id = 1;
    for (size_t i = 0; i < 2; i++)
        list.word[i] = CW_BATCH_RECORD(heap, CW_BATCH_GET, 2033);  // more than a reply holds
    execute(&list, sizeof list.header + 2 * sizeof *list.word);
    CHECK(reply.n == 1 && reply.nbytes == 2040);
    memset(object + heap, 0, sizeof words);
}

/** Two records of two doubles each, of which the second may be wrong. */
static void accumulate(unsigned part, uint64_t second, size_t nbytes, size_t message)
{
    const uint64_t heap = CONTROL + HEAP_AT;
    double ones[2] = {1, 1};
    list_t list = {.header = {.op = CW_REQ_ACCUMULATE}, .word = {part}};
    list.word[1] = CW_ACCUMULATE_RECORD(heap + 8, sizeof ones);
    list.word[4] = CW_ACCUMULATE_RECORD(second, nbytes);
    memcpy(list.word + 2, ones, sizeof ones);
    memcpy(list.word + 5, ones, sizeof ones);
    execute(&list, message);
}

static double double_at(uint64_t offset)
{
    double value;
    memcpy(&value, object + offset, sizeof value);
    return value;
}

static void test_accumulates(void)
{
    const uint64_t heap = CONTROL + HEAP_AT;
    const size_t whole = sizeof(cw_req_accumulate_t) + 6 * sizeof(uint64_t);
    memset(object + CONTROL, 0, AM_AT);
    accumulate(CW_DOUBLE, heap + HEAP - 16, 16, whole);
    CHECK(double_at(heap) == 0 && double_at(heap + 8) == 1 && double_at(heap + 16) == 1);
    CHECK(double_at(heap + HEAP - 16) == 1 && double_at(heap + HEAP - 8) == 1);
    accumulate(CW_DOUBLE, heap + HEAP - 8, 16, whole);  // ends outside
    accumulate(CW_DOUBLE, heap - 8, 16, whole);
    accumulate(CW_DOUBLE, CONTROL + DATA - 8, 16, whole);
    accumulate(CW_DOUBLE, PAGE, 16, whole);          // the locks themselves
    accumulate(CW_DOUBLE, heap + 36, 8, whole - 8);  // not aligned
    accumulate(CW_DOUBLE, heap + 32, 12, whole);     // no whole number
    accumulate(CW_DOUBLE, heap + 32, 0, whole);
    accumulate(CW_DOUBLE, heap + 32, 16, whole - 8);  // longer than the message
    accumulate(CW_DOUBLE, heap + 32, 65528, whole);
    CHECK(double_at(heap + 8) == 10 && double_at(heap + 16) == 10);
    CHECK(double_at(heap + 32) == 0 && double_at(heap + HEAP - 8) == 1);
    accumulate(CW_DOUBLE, heap + 32, 16, whole - 4);  // not a number of words: none is executed
    accumulate(CW_PARTS, heap + 32, 16, whole);
    accumulate(UINT32_MAX, heap + 32, 16, whole);
    accumulate(CW_DOUBLE, heap + 32, 16, sizeof(cw_req_accumulate_t));
    accumulate(CW_DOUBLE, heap + 32, 16, sizeof(cwt_header_t));
    CHECK(double_at(heap + 8) == 10 && double_at(heap + 32) == 0);
    memset(object + CONTROL, 0, AM_AT);
}

/** Strides of which one step leaves the address space: valid for one block, invalid for two. */
static void test_huge_strides(void)
{
    static const int64_t strides[] = {INT64_MIN, INT64_MIN + 8, -(INT64_C(1) << 62), INT64_MAX};
    const uint64_t at = CONTROL + HEAP_AT + 64;
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        struct {
            cw_req_strided_t req;
            uint64_t payload[2];
        } put = {.req = {.header = {.op = CW_REQ_PUT_STRIDED},
                         .offset = at,
                         .stride = strides[i],
                         .block_nbytes = 8,
                         .nblocks = 1},
                 .payload = {i + 1, 99}};
        cw_req_strided_t get = put.req;
        get.header = (cwt_header_t){.op = CW_REQ_GET_STRIDED, .reply_id = 1};
        execute(&put, sizeof put.req + 8);
        CHECK(memcmp(object + at, put.payload, 8) == 0);
        execute(&get, sizeof get);
        CHECK(reply.n == 1 && reply.nbytes == 8 && memcmp(reply.bytes, put.payload, 8) == 0);
        put.req.nblocks = get.nblocks = 2;
        put.payload[0] = 77;
        execute(&put, sizeof put);
        CHECK(object[at] == (char)(i + 1));
        execute(&get, sizeof get);
        CHECK(reply.n == 0);
    }
}

/** Puts of two records, of which the second may be wrong. */
static void test_put_pieces(void)
{
    const uint64_t heap = CONTROL + HEAP_AT;
    list_t list = {.header = {.op = CW_REQ_PUT_PIECES},
                   .word = {CW_PIECE_WORD(heap + 3, 5), 0x1122334455,
                            CW_PIECE_WORD(heap + HEAP - 9, 9), 0x0706050403020100, 0x99}};
    execute(&list, sizeof list.header + 5 * sizeof *list.word);
    CHECK(memcmp(object + heap + 3, "\x55\x44\x33\x22\x11", 6) == 0);
    CHECK(object[heap + HEAP - 2] == 7 && object[heap + HEAP - 1] == (char)0x99);
    static const uint64_t wrong[] = {CW_PIECE_WORD(CONTROL + HEAP_AT + HEAP - 9, 10),
                                     CW_PIECE_WORD(CONTROL + HEAP_AT - 1, 4),
                                     CW_PIECE_WORD(PAGE, 4), CW_PIECE_WORD(CONTROL + HEAP_AT, 0),
                                     CW_PIECE_WORD(CONTROL + HEAP_AT, 17)};  // ends behind it
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        list.word[2] = wrong[i];
        list.word[3] = UINT64_MAX;
        execute(&list, sizeof list.header + 5 * sizeof *list.word);
        CHECK(object[heap + HEAP - 1] == (char)0x99 && object[heap] == 0 && object[PAGE] == 0);
    }
    memset(object + CONTROL, 0, AM_AT);
}

enum { MARKS_AT = 2 * PAGE + 64, MARKS = 64 };  // stand for the control area of collectives
static uint64_t marks_nbytes;

static uint64_t marks(void)
{
    return marks_nbytes;
}

/** Bytes at `at`, then the word: of nbytes of payload. */
static void put_marked(uint64_t at, size_t nbytes, uint64_t word_at)
{
    list_t list = {.header = {.op = CW_REQ_MARKED}, .word = {at, word_at, 77}};
    memset(&list.word[3], 9, nbytes);
    execute(&list, sizeof list.header + 3 * sizeof *list.word + nbytes);
}

static void test_marked(void)
{
    const uint64_t heap = CONTROL + HEAP_AT;
    uint64_t *in_heap = (uint64_t *)(void *)(object + heap + 64),
             *in_marks = (uint64_t *)(void *)(object + MARKS_AT + MARKS - 8);
    put_marked(heap + 3, 5, heap + 64);
    CHECK(memcmp(object + heap + 2, "\0\x9\x9\x9\x9\x9", 7) == 0 && *in_heap == 77);
    put_marked(0, 0, MARKS_AT);  // there are none of these
    CHECK(holes_are_whole());
    marks_nbytes = MARKS;
    put_marked(MARKS_AT, 8, MARKS_AT + MARKS - 8);
    CHECK(object[MARKS_AT] == 9 && *in_marks == 77);
    put_marked(0, 0, MARKS_AT + 8);
    CHECK(object[MARKS_AT + 8] == 77);
    memset(object + MARKS_AT, 0, MARKS);
    *in_heap = 0;
    static const struct {
        uint64_t at, nbytes, word_at;
    } wrong[] = {
        {CONTROL + HEAP_AT + HEAP - 4, 5, CONTROL + HEAP_AT + 64},
        {CONTROL + HEAP_AT - 1, 4, CONTROL + HEAP_AT + 64},
        {MARKS_AT - 1, 4, CONTROL + HEAP_AT + 64},
        {MARKS_AT + MARKS - 3, 4, CONTROL + HEAP_AT + 64},
        {UINT64_MAX - 2, 4, CONTROL + HEAP_AT + 64},
        {CONTROL + HEAP_AT + 8, 4, CONTROL + HEAP_AT + 68},
        {CONTROL + HEAP_AT + 8, 4, MARKS_AT + MARKS},
        {CONTROL + HEAP_AT + 8, 4, MARKS_AT - 8},
        {CONTROL + HEAP_AT + 8, 4, 0},
        {CONTROL + HEAP_AT + 8, 4, UINT64_MAX - 7},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put_marked(wrong[i].at, wrong[i].nbytes, wrong[i].word_at);
        CHECK(holes_are_whole() && *in_heap == 0 && object[heap + 8] == 0);
    }
    list_t cut = {.header = {.op = CW_REQ_MARKED}, .word = {heap, heap + 64}};
    execute(&cut, sizeof cut.header + 2 * sizeof *cut.word);
    CHECK(*in_heap == 0);
    marks_nbytes = 0;
    memset(object + CONTROL, 0, AM_AT);
}

static cw_cells_t borrow(uint32_t want)
{
    cw_cells_t got = {0};
    cw_req_cells_t req = {.header = {.op = CW_REQ_CELLS, .reply_id = 1}, .want = want};
    execute(&req, sizeof req);
    CHECK(reply.n == (want <= CW_CELLS_MOST));
    if (reply.n == 1)
        memcpy(&got, reply.bytes, sizeof got);
    return got;
}

static void give_back(cw_lease_t lease, uint32_t n)
{
    cw_req_cells_t req = {.header = {.op = CW_REQ_CELLS}, .n = n, .lease = {lease}};
    execute(&req, sizeof req);
}

/** How many replies came: one says that the cell is free. */
static int run_cell(cw_lease_t lease, uint32_t nbytes)
{
    cw_req_in_cell_t req = {
        .header = {.op = CW_REQ_IN_CELL, .reply_id = 1}, .lease = lease, .nbytes = nbytes};
    execute(&req, sizeof req);
    return reply.n;
}

static void test_loans(void)
{
    cw_cells_t one = borrow(1), two = borrow(CW_CELLS_MOST), none = borrow(1);
    CHECK(one.n == 1 && one.keep && one.lease[0].cell == 0);
    CHECK(two.n == 2 && !two.keep && two.lease[0].cell == 1 && two.lease[1].cell == 2);
    CHECK(none.n == 0);
    borrow(CW_CELLS_MOST + 1);
    give_back((cw_lease_t){1, two.lease[0].number + 1}, 1);  // none of these
    give_back((cw_lease_t){CELLS, 1}, 1);
    give_back((cw_lease_t){UINT32_MAX, 1}, 1);
    give_back(one.lease[0], UINT32_MAX);
    CHECK(borrow(1).n == 0);
    give_back(two.lease[0], 1);
    give_back(two.lease[0], 1);  // it is no longer lent
    none = borrow(CW_CELLS_MOST);
    CHECK(none.n == 1 && none.lease[0].cell == 1 && none.lease[0].number != two.lease[0].number);
    CHECK(borrow(1).n == 0);
    cw_server_stage_reset();
}

static void test_cells(void)
{
    const uint64_t heap = CONTROL + HEAP_AT;
    cw_lease_t lease = borrow(1).lease[0], old = lease;
    list_t *body = (list_t *)(void *)cells;
    *body =
        (list_t){.header = {.op = CW_REQ_PUT_PIECES}, .word = {CW_PIECE_WORD(heap, 8), UINT64_MAX}};
    const uint32_t whole = sizeof body->header + 2 * sizeof *body->word;
    CHECK(run_cell(lease, whole) == 1 && object[heap + 7] == -1);
    object[heap] = 0;
    lease.number++;
    CHECK(run_cell(lease, whole) == 1 && object[heap] == 0);
    CHECK(run_cell((cw_lease_t){1, 0}, whole) == 1 && run_cell((cw_lease_t){CELLS, 0}, whole) == 1);
    CHECK(run_cell(old, CW_CELL_NBYTES + 1) == 1 && object[heap] == 0);
    CHECK(run_cell(old, sizeof body->header - 1) == 1 && object[heap] == 0);
    body->header.op = CW_REQ_IN_CELL;  // itself, and again
    memcpy(body->word, &old, sizeof old);
    CHECK(run_cell(old, sizeof(cw_req_in_cell_t)) == 1);
    body->header.op = UINT16_MAX;
    CHECK(run_cell(old, whole) == 1 && object[heap] == 0);
    body->header.op = CW_REQ_ACCUMULATE;
    CHECK(run_cell(old, sizeof body->header) == 1);
    body->header.op = CW_REQ_PUT_STRIDED;
    CHECK(run_cell(old, sizeof body->header) == 1);
    give_back(old, 1);
    body->header.op = CW_REQ_PUT_PIECES;
    body->word[0] = CW_PIECE_WORD(heap, 8);
    CHECK(run_cell(old, whole) == 1 && object[heap] == 0);  // no longer lent
    cw_server_stage_reset();
    memset(object + CONTROL, 0, AM_AT);
}

/** Has a cell filled; how many bytes the reply says: 0, it was refused. request: in the message. */
static uint64_t fill_from(cw_lease_t lease, uint32_t in_cell, uint32_t at, const void *request,
                          size_t nbytes)
{
    uint64_t word[64], got = 0;
    cw_req_to_cell_t *req = (cw_req_to_cell_t *)(void *)word;
    *req = (cw_req_to_cell_t){.header = {.op = CW_REQ_TO_CELL, .reply_id = 1},
                              .lease = lease,
                              .nbytes = in_cell,
                              .at = at};
    if (nbytes)
        memcpy(req + 1, request, nbytes);
    execute(word, sizeof *req + nbytes);
    CHECK(reply.n == 1 && reply.nbytes == sizeof got);
    memcpy(&got, reply.bytes, sizeof got);
    return got;
}

static void test_gathers(void)
{
    const uint64_t heap = CONTROL + HEAP_AT;
    cw_lease_t lease = borrow(1).lease[0], other = {1, 0}, old = {lease.cell, lease.number + 1};
    const list_t pieces = {.header = {.op = CW_REQ_GET_PIECES},
                           .word = {CW_PIECE_WORD(heap + 1, 3), CW_PIECE_WORD(heap, 1)}};
    const size_t whole = sizeof pieces.header + 2 * sizeof *pieces.word;
    memcpy(object + heap, "abcd", 4);
    CHECK(fill_from(lease, 0, 64, &pieces, whole) == 4 && !memcmp(cells + 64, "bcda", 4));
    CHECK(fill_from(lease, 0, CW_CELL_NBYTES - 4, &pieces, whole) == 4);
    CHECK(fill_from(lease, 0, CW_CELL_NBYTES - 3, &pieces, whole) == 0);
    CHECK(fill_from(lease, 0, CW_CELL_NBYTES + 1, &pieces, whole) == 0);
    CHECK(fill_from(lease, 0, UINT32_MAX, &pieces, whole) == 0);
    CHECK(fill_from(other, 0, 0, &pieces, whole) == 0 && fill_from(old, 0, 0, &pieces, whole) == 0);
    CHECK(fill_from(lease, 0, 0, &pieces, sizeof pieces.header - 1) == 0);
    CHECK(fill_from(lease, 0, 0, &pieces, whole - 1) == 0);
    CHECK(fill_from(lease, 0, 0, NULL, 0) == 0);
    memcpy(cells, &pieces, whole);  // the same in the cell
    CHECK(fill_from(lease, (uint32_t)whole, 128, NULL, 0) == 4 && !memcmp(cells + 128, "bcda", 4));
    CHECK(fill_from(lease, (uint32_t)whole, (uint32_t)whole - 1, NULL, 0) == 0);
    CHECK(fill_from(lease, (uint32_t)whole, 128, &pieces, whole) == 0);
    CHECK(fill_from(lease, CW_CELL_NBYTES + 8, CW_CELL_NBYTES, NULL, 0) == 0);
    cw_req_strided_t rows = {.header = {.op = CW_REQ_GET_STRIDED},
                             .offset = heap,
                             .stride = 2,
                             .block_nbytes = 1,
                             .nblocks = 2};
    CHECK(fill_from(lease, 0, 0, &rows, sizeof rows) == 2 && !memcmp(cells, "ac", 2));
    rows.nblocks = UINT32_MAX;
    CHECK(fill_from(lease, 0, 0, &rows, sizeof rows) == 0);
    rows.nblocks = 2;
    rows.header.op = CW_REQ_PUT_STRIDED;
    CHECK(fill_from(lease, 0, 0, &rows, sizeof rows) == 0);
    give_back(lease, 1);
    CHECK(fill_from(lease, 0, 0, &pieces, whole) == 0);
    cw_server_stage_reset();
    memset(object + CONTROL, 0, AM_AT);
}

// ---------------------------------------------------------------- random ones

/** Often at an edge of some area. */
static uint64_t some_offset(void)
{
    static const uint64_t edges[] = {
        0, CONTROL, CONTROL + DATA, CONTROL + HEAP_AT, CONTROL + HEAP_AT + HEAP, CONTROL + 65536};
    switch (draw(12)) {
    case 0:
        return edges[draw(6)] + draw(64) - 32;
    case 1:
        return draw(object_nbytes);
    case 2:
        return draw(UINT64_MAX) >> draw(64);
    case 3:
        return CONTROL + draw(DATA);
    default:
        return CONTROL + HEAP_AT + draw(HEAP);
    }
}

static size_t some_request(uint64_t *word, size_t nwords);

/** A request of any kind lies in it. */
static void fill_cell(char *cell)
{
    static bool inside;
    if (!inside) {
        inside = true;
        some_request((uint64_t *)(void *)cell, CWT_MESSAGE_MAX / sizeof(uint64_t));
        inside = false;
    }
}

static size_t some_request(uint64_t *word, size_t nwords)
{
    cwt_header_t *header = (cwt_header_t *)(void *)word;
    for (size_t i = 0; i < nwords; i++)
        word[i] = draw(3) ? draw(300) : some_offset();
    header->op = (uint16_t)draw(CW_REQ_TO_CELL + 2);
    header->reply_id = draw(4);
    size_t most = draw(8) ? 24 + draw(200) : CW_MESSAGE_MAX;
    switch (header->op) {
    case CW_REQ_AMO:
        ((cw_req_amo_t *)(void *)word)->offset = some_offset() & ~UINT64_C(3);
        ((cw_req_amo_t *)(void *)word)->op = (uint16_t)draw(CW_AMO_OPS + 1);
        ((cw_req_amo_t *)(void *)word)->nbytes = draw(5) ? 8 : (uint16_t)draw(9);
        return draw(4) ? sizeof(cw_req_amo_t) : most;
    case CW_REQ_PUT_STRIDED:
    case CW_REQ_GET_STRIDED:
        ((cw_req_strided_t *)(void *)word)->offset = some_offset();
        ((cw_req_strided_t *)(void *)word)->stride =
            draw(20) ? (int64_t)draw(9000) - 4000 : (int64_t)draw(UINT64_MAX);
        ((cw_req_strided_t *)(void *)word)->block_nbytes = (uint32_t)draw(70);
        ((cw_req_strided_t *)(void *)word)->nblocks =
            (uint32_t)(draw(9) ? draw(40) : draw(UINT32_MAX));
        return header->op == CW_REQ_GET_STRIDED && draw(4) ? sizeof(cw_req_strided_t)
                                                           : CW_MESSAGE_MAX - draw(300);
    case CW_REQ_FILL:
        ((cw_req_fill_t *)(void *)word)->offset = some_offset();
        ((cw_req_fill_t *)(void *)word)->nbytes = draw(3) ? draw(3000) : some_offset();
        return draw(4) ? sizeof(cw_req_fill_t) : most;
    case CW_REQ_BATCH:
        for (size_t at = 3, n; at < nwords; at += n) {
            size_t nbytes = draw(20), kind = draw(12), op = draw(CW_AMO_OPS + 1);
            n = 1 + (nbytes + 7) / 8;
            if (kind == CW_BATCH_GET)
                n = 1;
            if (kind == CW_BATCH_FETCH) {
                nbytes = CW_BATCH_FETCHING(op, draw(5) ? 8 : draw(9));
                n = op == CW_AMO_CSWAP ? 3 : 2;
            }
            word[at] = CW_BATCH_RECORD(some_offset() & CW_BATCH_OFFSET_MAX, kind, nbytes);
            if (kind == CW_BATCH_MESSAGE && at + 1 < nwords) {
                word[at] = CW_BATCH_RECORD(CW_RECORD_AM_FIELD(draw(2), draw(2)), kind, nbytes);
                word[at + 1] = CW_AM_HEAD(draw(4), draw(256), draw(4)) | draw(CW_AM_TOKENS + 10)
                                                                             << 32;
            }
        }
        return most;
    case CW_REQ_ACCUMULATE:
        word[3] = draw(CW_PARTS + 1);
        for (size_t at = 4, n; at < nwords; at += n) {
            size_t nbytes = draw(6) ? 8 * draw(6) : draw(70);
            n = 1 + (nbytes + 7) / 8;
            uint64_t offset = some_offset() & CW_BATCH_OFFSET_MAX;
            word[at] = CW_ACCUMULATE_RECORD(draw(4) ? offset & ~UINT64_C(7) : offset, nbytes);
        }
        return draw(8) ? most / 8 * 8 : most;
    case CW_REQ_CELLS:
        word[3] = draw(5) | draw(5) << 32;
        for (size_t i = 0; i < CW_CELLS_MOST; i++)
            word[4 + i] = draw(CELLS + 1) | draw(300) << 32;
        return draw(8) ? sizeof(cw_req_cells_t) : most;
    case CW_REQ_IN_CELL: {
        cw_req_in_cell_t in = {.lease = {(uint32_t)draw(CELLS + 1), (uint32_t)draw(300)},
                               .nbytes = (uint32_t)(draw(5) ? draw(3000) : draw(UINT32_MAX))};
        memcpy(word + 3, &in.lease, sizeof in - sizeof in.header);
        if (in.lease.cell < CELLS)
            fill_cell(cells + (size_t)in.lease.cell * CW_CELL_NBYTES);
        return draw(8) ? sizeof in : most;
    }
    case CW_REQ_TO_CELL: {
        cw_req_to_cell_t to = {.lease = {(uint32_t)draw(CELLS + 1), (uint32_t)draw(300)},
                               .nbytes = (uint32_t)(draw(2)   ? 0
                                                    : draw(5) ? draw(3000)
                                                              : draw(UINT32_MAX)),
                               .at = (uint32_t)(draw(5) ? draw(CW_CELL_NBYTES) : draw(UINT32_MAX))};
        if (to.lease.cell < CELLS)
            fill_cell(cells + (size_t)to.lease.cell * CW_CELL_NBYTES);
        size_t behind = nwords > 100 && to.nbytes == 0 && draw(4) ? 48 : 0;
        if (behind)
            some_request(word + sizeof to / sizeof *word, behind / sizeof *word);
        memcpy(word + 3, &to.lease, sizeof to - sizeof to.header);
        return draw(8) ? sizeof to + behind : most;
    }
    case CW_REQ_PUT_PIECES:
        for (size_t at = 3, n; at < nwords; at += n) {
            size_t nbytes = draw(20);
            n = 1 + (nbytes + 7) / 8;
            word[at] = CW_PIECE_WORD(some_offset() & CW_BATCH_OFFSET_MAX, nbytes);
        }
        return most;
    case CW_REQ_GET_PIECES:
        for (size_t at = 3; at < nwords; at++)
            word[at] = CW_PIECE_WORD(some_offset() & CW_BATCH_OFFSET_MAX, draw(40));
        return draw(8) ? 24 + 8 * draw(6) : most;
    case CW_REQ_AM: {
        cw_req_am_t *am = (cw_req_am_t *)(void *)word;
        am->head = CW_AM_HEAD(draw(4), draw(256), draw(18));
        am->source = (int32_t)draw(3) - 1;
        am->target = draw(5) ? 0 : (int32_t)draw(4) - 1;
        am->token = (uint32_t)draw(CW_AM_TOKENS + 10);
        am->nbytes = (uint32_t)(draw(5) ? draw(300) : draw(UINT32_MAX));
        am->flags = (uint32_t)(draw(3) ? draw(3) | (draw(2) ? CW_AM_C_HERE : 0) : draw(256));
        am->dest = some_offset();
        return draw(3) ? CW_REQ_AM_NBYTES(CW_AM_HEAD_NARGS(am->head) % 17) +
                             (draw(2) ? am->nbytes % 3000 : 0)
                       : most;
    }
    case CW_REQ_AM_SHORT:
    case CW_REQ_AM_REPLY: {
        cw_req_am_short_t *am = (cw_req_am_short_t *)(void *)word;
        am->head = CW_AM_HEAD(draw(4), draw(256), draw(18));
        am->source = (int32_t)draw(3) - 1;
        am->target = draw(5) ? 0 : (int32_t)draw(4) - 1;
        am->token = (uint32_t)draw(CW_AM_TOKENS + 10);
        return draw(3) ? sizeof *am + 4 * (CW_AM_HEAD_NARGS(am->head) % 17) : most;
    }
    default:
        return most;
    }
}

static void test_random(void)
{
    static uint64_t word[CW_MESSAGE_MAX / sizeof(uint64_t)];
    uint64_t replies = 0, changes = 0;
    memset(object, 0, CONTROL + AM_AT);
    for (int round = 0; round < ROUNDS; round++) {
        size_t nbytes = some_request(word, sizeof word / sizeof *word);
        execute(word, nbytes < sizeof(cwt_header_t) ? sizeof(cwt_header_t) : nbytes);
        replies += (uint64_t)reply.n;
        if (round % 500)
            continue;
        CHECK(holes_are_whole());
        changes += memchr(object + CONTROL + HEAP_AT, 1, HEAP) != NULL;
        cw_am_server_fini();  // drops the messages that found no room
        memset((char *)cw_am_inbox(0), 0, cw_am_inbox_nbytes());
    }
    CHECK(replies > ROUNDS / 50);  // many were accepted
    CHECK(changes > 0);
    printf("%llu of %d requests with a reply\n", (unsigned long long)replies, ROUNDS);
}

int main(void)
{
    shmem_init();  // this process is a job of one PE; only its object is replaced
    cw_segment_t own = cw_segment;
    const cwt_ops_t *transport = cw_transport;
    static const cwt_ops_t fake = {.server_reply = take_reply};
    cw_transport = &fake;
    make_object();
    make_cells();
    cw_am_server_init();
    cw_section_t areas = cw_coll_section, steps = cw_steps_section;
    cw_coll_section = cw_steps_section = (cw_section_t){.nbytes = marks, .offset = MARKS_AT};
    test_pieces();
    test_batch();
    test_messages();
    test_done();
    test_values();
    test_accumulates();
    test_huge_strides();
    test_put_pieces();
    test_marked();
    test_loans();
    test_cells();
    test_gathers();
    test_random();
    cw_transport = transport;
    cw_segment = own;
    cw_coll_section = areas;
    cw_steps_section = steps;
    shmem_finalize();
    return check_result();
}
