// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1's collectives, which were a prototype, on the engine of coll.c. All of them are one
// thing: members spread contributions, and each takes what it wants. What differs is how a
// contribution is laid out:
//
//   broadcast            block                    of the root's process
//   scatter              block of each image      of the root's process
//   gather, gather_all   block of each image of this process (reduce: a block is an array)
//   exchange             for each image of this process, a block for each image of the job
//
// Images of one process are threads. Each call of an image is the n-th of that image, and the n-th
// calls of all images of the process are one meeting, which begins when the last of them comes.
//
// Threads: any; `lock` guards what is said to be under it. A meeting that has begun belongs to the
// engine, under the lock of the team.
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "gex/legacy.h"

typedef enum op { BROADCAST, SCATTER, GATHER, GATHER_ALL, EXCHANGE, REDUCE } op_t;

/** A call's arguments. src, dst: of the image, or NULL where it has none. */
typedef struct call {
    const char *name;
    op_t op;
    gasnet_image_t root;
    void *dst;
    const void *src;
    size_t nbytes;  // of a block
    int flags;
    size_t elem_size, elem_count;  // of reduce
    gasnet_coll_fn_handle_t fn;
    int fn_arg;
} call_t;

typedef struct meeting {
    struct meeting *next;
    uint64_t number;
    uint32_t came, nlocal;
    const gex_layout_t *layout;
    call_t call;  // of the first to come
    gex_coll_t *coll;
    char *all;  // reduce: contributions of all images
    struct {
        void *dst;
        const void *src;
    } image[];  // [nlocal]
} meeting_t;

static cwu_lock_t lock;
static gex_layout_t processes, images;         // images.first NULL: as processes
static meeting_t *waiting;                 // under lock: images of this process have yet to come
static gasnet_coll_fn_entry_t *functions;  // [nfunctions]
static size_t nfunctions;
/** Of the thread: which image of this process, + 1; calls that it made. */
static _Thread_local uint32_t my_local;
static _Thread_local uint64_t my_calls;

// ---------------------------------------------------------------- layouts
void gex_lay_out(gex_layout_t *layout, gex_TM_t tm, const gasnet_image_t *counts)
{
    layout->tm = tm;
    layout->first = calloc((size_t)tm->size + 1, sizeof *layout->first);
    if (!layout->first)
        cwu_fatal("gasnet_coll_init: out of memory for the images of %u processes", tm->size);
    layout->most = 1;
    layout->single = true;
    for (uint32_t pe = 0; pe < tm->size; pe++) {
        uint32_t n = counts ? counts[pe] : 1;
        if (n == 0)
            gas_fail("gasnet_coll_init", "images[%u] is 0; a process has one at least", pe);
        layout->first[pe + 1] = layout->first[pe] + n;
        layout->most = n > layout->most ? n : layout->most;
        layout->single &= n == 1;
    }
    layout->nimages = layout->first[tm->size];
}

static const gex_layout_t *layout_of(gasnet_team_handle_t team, int flags)
{
    if (team != GASNET_TEAM_ALL)
        return &team->layout;
    cwu_lock(&lock);
    if (!processes.first)
        gex_lay_out(&processes, &gex.world, NULL);
    cwu_unlock(&lock);
    return images.first && !(flags & GASNET_COLL_NO_IMAGES) ? &images : &processes;
}

static uint32_t images_of(const gex_layout_t *layout, uint32_t pe)
{
    return layout->first[pe + 1] - layout->first[pe];
}

static uint32_t first_here(const gex_layout_t *layout)
{
    return layout->first[layout->tm->rank];
}

static uint32_t process_of(const gex_layout_t *layout, gasnet_image_t image)
{
    if (layout->single)
        return image;
    uint32_t pe = 0;
    while (layout->first[pe + 1] <= image)
        pe++;
    return pe;
}

static void set_functions(const gasnet_coll_fn_entry_t *table, size_t n)
{
    gasnet_coll_fn_entry_t *copy = n ? malloc(n * sizeof *copy) : NULL;
    if (n && !copy)
        cwu_fatal("gasnet_coll_init: out of memory for %zu functions", n);
    if (n)
        memcpy(copy, table, n * sizeof *copy);
    free(functions);
    functions = copy;
    nfunctions = n;
}

GAS_API void gasnet_coll_init(const gasnet_image_t counts[], gasnet_image_t my_image,
                              gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count, int init_flags)
{
    gas_enter(__func__);
    if (init_flags || (fn_count && !fn_tbl))
        gas_fail(__func__, "init_flags is %d, fn_tbl %p with %zu functions; give 0 and a table",
                 init_flags, (void *)fn_tbl, fn_count);
    cwu_lock(&lock);
    if (!nfunctions)
        set_functions(fn_tbl, fn_count);
    if (counts && !images.first) {
        gex_lay_out(&images, &gex.world, counts);
        gas.images = images_of(&images, gas.me);
    }
    cwu_unlock(&lock);
    if (!counts)
        return;
    my_local = my_image - images.first[gas.me] + 1;
    my_calls = 0;
    if (my_local - 1 >= images_of(&images, gas.me))
        gas_fail(__func__, "my_image is %u; those of this process are %u to %u", my_image,
                 images.first[gas.me], images.first[gas.me + 1] - 1);
}

// ---------------------------------------------------------------- contributions
/** Bytes of the contribution of a process with that many images. */
static size_t contribution(const meeting_t *m, uint32_t nimages)
{
    size_t row = (size_t)m->layout->nimages * m->call.nbytes;
    switch (m->call.op) {
    case BROADCAST:
        return m->call.nbytes;
    case SCATTER:
        return row;
    case EXCHANGE:
        return row * nimages;
    default:
        return m->call.nbytes * nimages;
    }
}

/** Bytes that lie side by side in an image's memory. */
static size_t run_of(const meeting_t *m)
{
    return contribution(m, 1);
}

static bool is_root(const meeting_t *m)
{
    return process_of(m->layout, m->call.root) == m->layout->tm->rank;
}

static const char *give(void *data, size_t at, size_t *nbytes_p, char *room)
{
    const meeting_t *m = data;
    bool rooted = m->call.op == BROADCAST || m->call.op == SCATTER;
    size_t run = run_of(m), most = rooted ? run : contribution(m, m->nlocal);
    if (at >= most || (rooted && !is_root(m)))
        return NULL;
    size_t nbytes = *nbytes_p = *nbytes_p < most - at ? *nbytes_p : most - at;
    if (rooted)
        return (const char *)m->image[m->call.root - first_here(m->layout)].src + at;
    if (at / run == (at + nbytes - 1) / run)
        return (const char *)m->image[at / run].src + at % run;
    for (size_t done = 0; done < nbytes;) {
        size_t offset = (at + done) % run, left = nbytes - done;
        size_t n = left < run - offset ? left : run - offset;
        memcpy(room + done, (const char *)m->image[(at + done) / run].src + offset, n);
        done += n;
    }
    return room;
}

// ---------------------------------------------------------------- results
/** Of the bytes [at, +nbytes) of a contribution, which are at `from`, those of the block that
 *  begins at `block`: to where the whole block goes. */
static void cut(char *dst, size_t block, size_t length, size_t at, size_t nbytes, const char *from)
{
    size_t low = at > block ? at : block;
    size_t high = at + nbytes < block + length ? at + nbytes : block + length;
    if (low < high)
        memcpy(dst + (low - block), from + (low - at), high - low);
}

/** Blocks of all images side by side. */
static void take_rows(const meeting_t *m, char *dst, size_t at, size_t nbytes, const char *all,
                      size_t stride)
{
    for (uint32_t pe = 0; pe < m->layout->tm->size; pe++)
        cut(dst + m->layout->first[pe] * m->call.nbytes, 0,
            images_of(m->layout, pe) * m->call.nbytes, at, nbytes, all + pe * stride);
}

/** Column `image` of the blocks that all images have for all. */
static void take_column(const meeting_t *m, uint32_t image, char *dst, size_t at, size_t nbytes,
                        const char *all, size_t stride)
{
    size_t length = m->call.nbytes, run = run_of(m);
    for (uint32_t pe = 0; pe < m->layout->tm->size; pe++)
        for (size_t row = at / run; row < images_of(m->layout, pe) && row * run < at + nbytes;
             row++)
            cut(dst + (m->layout->first[pe] + row) * length, row * run + image * length, length, at,
                nbytes, all + pe * stride);
}

static void take(void *data, size_t at, size_t nbytes, const char *all, size_t stride)
{
    meeting_t *m = data;
    uint32_t first = first_here(m->layout);
    if (m->call.op == REDUCE) {
        take_rows(m, m->all, at, nbytes, all, stride);
        return;
    }
    if (m->call.op == GATHER) {
        take_rows(m, m->image[m->call.root - first].dst, at, nbytes, all, stride);
        return;
    }
    for (uint32_t local = 0; local < m->nlocal; local++) {
        char *dst = m->image[local].dst;
        if (m->call.op == BROADCAST)
            memcpy(dst + at, all, nbytes);
        else if (m->call.op == SCATTER)
            cut(dst, (first + local) * m->call.nbytes, m->call.nbytes, at, nbytes, all);
        else if (m->call.op == GATHER_ALL)
            take_rows(m, dst, at, nbytes, all, stride);
        else
            take_column(m, first + local, dst, at, nbytes, all, stride);
    }
}

static void combine(const meeting_t *m)
{
    const call_t *call = &m->call;
    char *sum = m->image[call->root - first_here(m->layout)].dst;
    char *left = m->all;  // what is summed up so far takes the place of what went into it
    int flags = (int)functions[call->fn].flags & GASNET_COLL_NONCOMM;
    for (uint32_t image = 1; image < m->layout->nimages; image++) {
        char *right = m->all + image * call->nbytes;
        functions[call->fn].fnptr(sum, call->elem_count, left, call->elem_count, right,
                                  call->elem_size, flags, call->fn_arg);
        memcpy(right, sum, call->nbytes);
        left = right;
    }
    memcpy(sum, left, call->nbytes);
}

static void finish(void *data)
{
    meeting_t *m = data;
    if (m->all && m->call.nbytes)
        combine(m);
    free(m->all);
    free(m);
}

// ---------------------------------------------------------------- meetings
static void begin(meeting_t *m)
{
    const call_t *call = &m->call;
    bool to_one = call->op == GATHER || call->op == REDUCE;
    bool of_one = call->op == BROADCAST || call->op == SCATTER;
    int in = GASNET_COLL_IN_NOSYNC | GASNET_COLL_IN_MYSYNC;
    int out = GASNET_COLL_OUT_NOSYNC | GASNET_COLL_OUT_MYSYNC;
    gex_spread_t spread = {.in_all = !(call->flags & in),
                           .out_all = !(call->flags & out),
                           .from = of_one ? process_of(m->layout, call->root) : GEX_FROM_ALL,
                           .give = give,
                           .take = take,
                           .finish = finish,
                           .data = m};
    bool wanted = !to_one || is_root(m);
    if (call->op == REDUCE && wanted &&
        !(m->all = malloc((size_t)m->layout->nimages * call->nbytes + 1)))
        cwu_fatal("%s: out of memory for the operands of %u images", call->name,
                  m->layout->nimages);
    gex_coll_spread(m->coll, &spread, contribution(m, m->layout->most), wanted);
}

static meeting_t *create(const call_t *call, const gex_layout_t *layout, uint32_t nlocal,
                         uint64_t number)
{
    meeting_t *m = calloc(1, sizeof *m + nlocal * sizeof *m->image);
    if (!m)
        cwu_fatal("%s: out of memory", call->name);
    m->number = number;
    m->nlocal = nlocal;
    m->layout = layout;
    m->call = *call;
    m->coll = gex_coll_announce(layout->tm, nlocal);
    return m;
}

/** Under lock: the meeting that this call belongs to. */
static meeting_t **find(const call_t *call, const gex_layout_t *layout, uint32_t nlocal)
{
    meeting_t **at = &waiting;
    while (*at && (*at)->number != my_calls)
        at = &(*at)->next;
    if (!*at)
        *at = create(call, layout, nlocal, my_calls);
    else if ((*at)->call.op != call->op || (*at)->call.nbytes != call->nbytes ||
             (*at)->call.root != call->root)
        gas_fail(call->name, "another image of this process calls %s with other arguments",
                 (*at)->call.name);
    my_calls++;
    return at;
}

static gex_Event_t join(const call_t *call, const gex_layout_t *layout)
{
    uint32_t nlocal = images_of(layout, layout->tm->rank), local = nlocal == 1 ? 0 : my_local - 1;
    if (local >= nlocal)
        gas_fail(call->name,
                 "this thread is none of the %u images of its process: it has not "
                 "called gasnet_coll_init",
                 nlocal);
    cwu_lock(&lock);
    meeting_t *alone = nlocal == 1 ? create(call, layout, 1, 0) : NULL;
    meeting_t **at = alone ? &alone : find(call, layout, nlocal), *m = *at;
    gex_coll_t *coll = m->coll;
    m->image[local].dst = call->dst;
    m->image[local].src = call->src;
    bool last = ++m->came == nlocal;
    if (last)
        *at = m->next;
    cwu_unlock(&lock);
    if (last)
        begin(m);
    if (last && nlocal > 1)
        cw_local_notify((int)gas.me);  // images that wait for their event already
    return GEX_COLL_EVENT(coll);
}

// ---------------------------------------------------------------- arguments
/** Of a list of addresses, the one of the calling image. */
static void *own(gasnet_team_handle_t team, void *const *list, int flags)
{
    gex_check_coll_team("gasnet_coll", team);
    const gex_layout_t *layout = layout_of(team, flags);
    uint32_t local = images_of(layout, layout->tm->rank) == 1 ? 0 : my_local - 1;
    return list[flags & GASNET_COLL_SINGLE ? first_here(layout) + local : local];
}

static gex_Event_t checked(const call_t *call, gasnet_team_handle_t team)
{
    gex_check_coll_team(call->name, team);
    const gex_layout_t *layout = layout_of(team, call->flags);
    if (call->root >= layout->nimages)
        gas_fail(call->name, "there is no image %u: the team has %u", call->root, layout->nimages);
    if (call->op == REDUCE && (size_t)call->fn >= nfunctions)
        gas_fail(call->name, "function %d is not in the table of gasnet_coll_init, which has %zu",
                 call->fn, nfunctions);
    return join(call, layout);
}

// Each name with and without a handle. ...: what reductions add.
#define PAIR(name, OP, PARAMETERS, of, to, from, length, ...)                             \
    GAS_API gasnet_coll_handle_t gasnet_coll_##name##_nb PARAMETERS                       \
    {                                                                                     \
        return checked(CALL(name##_nb, OP, of, to, from, length, __VA_ARGS__), team);     \
    }                                                                                     \
    GAS_API void gasnet_coll_##name PARAMETERS                                            \
    {                                                                                     \
        gex_Event_Wait(checked(CALL(name, OP, of, to, from, length, __VA_ARGS__), team)); \
    }
#define CALL(name_, OP, of, to, from, length, ...)                                   \
    &(call_t)                                                                        \
    {                                                                                \
        .name = "gasnet_coll_" #name_, .op = OP, .root = of, .dst = to, .src = from, \
        .nbytes = length, .flags = flags, __VA_ARGS__                                \
    }
#define TEAM gasnet_team_handle_t team
#define ROOT gasnet_image_t root
#define DST void *dst
#define SRC void *src
#define DSTS void *const dstlist[]
#define SRCS void *const srclist[]
#define REST size_t nbytes, int flags
#define REDUCED                                                                                   \
    CW_UNUSED size_t src_blksz, CW_UNUSED size_t src_offset, size_t elem_size, size_t elem_count, \
        gasnet_coll_fn_handle_t func, int func_arg, int flags
#define REDUCTION                                                                        \
    elem_size *elem_count, .elem_size = elem_size, .elem_count = elem_count, .fn = func, \
                           .fn_arg = func_arg
#define OWN(list) own(team, list, flags)

PAIR(broadcast, BROADCAST, (TEAM, DST, ROOT, SRC, REST), root, dst, src, nbytes)
PAIR(broadcastM, BROADCAST, (TEAM, DSTS, ROOT, SRC, REST), root, OWN(dstlist), src, nbytes)
PAIR(scatter, SCATTER, (TEAM, DST, ROOT, SRC, REST), root, dst, src, nbytes)
PAIR(scatterM, SCATTER, (TEAM, DSTS, ROOT, SRC, REST), root, OWN(dstlist), src, nbytes)
PAIR(gather, GATHER, (TEAM, ROOT, DST, SRC, REST), root, dst, src, nbytes)
PAIR(gatherM, GATHER, (TEAM, ROOT, DST, SRCS, REST), root, dst, OWN(srclist), nbytes)
PAIR(gather_all, GATHER_ALL, (TEAM, DST, SRC, REST), 0, dst, src, nbytes)
PAIR(gather_allM, GATHER_ALL, (TEAM, DSTS, SRCS, REST), 0, OWN(dstlist), OWN(srclist), nbytes)
PAIR(exchange, EXCHANGE, (TEAM, DST, SRC, REST), 0, dst, src, nbytes)
PAIR(exchangeM, EXCHANGE, (TEAM, DSTS, SRCS, REST), 0, OWN(dstlist), OWN(srclist), nbytes)
PAIR(reduce, REDUCE, (TEAM, ROOT, DST, SRC, REDUCED), root, dst, src, REDUCTION)
PAIR(reduceM, REDUCE, (TEAM, ROOT, DST, SRCS, REDUCED), root, dst, OWN(srclist), REDUCTION)
