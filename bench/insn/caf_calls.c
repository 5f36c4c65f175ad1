// SPDX-License-Identifier: BSD-3-Clause
/*
 * How many instructions does a statement of a coarray program take in image 1, whose partner is
 * image 2: in all, and from the entry to the first instruction of the network library? --mode 0: by
 * gfortran's interface, called as gfortran 12 calls it; 1: by what the module prif calls; 2: the
 * calls of OpenSHMEM by which they are judged (bench/caf_base.c), under the same names. Counted by
 * single steps, in the steady state, and when the partner has come: a wait finds what it waits for.
 * Run it with LD_BIND_NOW=1, and with CAUSEWAY_SPIN so large that the partner never sleeps; --trace
 * FILE writes the instruction streams for annotate.py.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../common.h"
#include "naps.h"
#include "step.h"

enum { WARM = 64, COUNTED = 12, FLOOD = 64, ELEMS = 4096 };
enum { BY_GFORTRAN, BY_PRIF, BY_SHMEM };
enum { REAL = 3, STATIC = 0, EVENT_STATIC = 5 };  // types; what is registered

static const char *const PROVIDERS[] = {"libfabric", "libmock"};
static struct bench_opts opts;
static FILE *trace;
static int me;

// ---------------------------------------------------------------- the interfaces
typedef struct array {
    void *data;
    ptrdiff_t offset;
    size_t elem_nbytes;
    int32_t version;
    int8_t rank, type;
    int16_t attribute;
    ptrdiff_t span, stride, lower, upper;
} array_t;
void _gfortran_caf_init(int *argc, char ***argv);
void _gfortran_caf_finalize(void);
int _gfortran_caf_this_image(int distance);
void _gfortran_caf_register(size_t size, int type, void **token, array_t *array, int *stat,
                            char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_send(void *token, size_t offset, int image, array_t *dest, void *dest_vector,
                        array_t *src, int dest_kind, int src_kind, bool may_overlap, int *stat,
                        void **team);
void _gfortran_caf_get(void *token, size_t offset, int image, array_t *src, void *src_vector,
                       array_t *dest, int src_kind, int dest_kind, bool may_overlap, int *stat);
void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_sync_memory(int *stat, char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_sync_images(int n, int *images, int *stat, char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_event_post(void *token, size_t index, int image, int *stat, char *errmsg,
                              size_t errmsg_nbytes);
void _gfortran_caf_event_wait(void *token, size_t index, int until, int *stat, char *errmsg,
                              size_t errmsg_nbytes);
void _gfortran_caf_co_sum(array_t *a, int result_image, int *stat, char *errmsg,
                          size_t errmsg_nbytes);
void _gfortran_caf_co_broadcast(array_t *a, int source_image, int *stat, char *errmsg,
                                size_t errmsg_nbytes);

int causeway_prif_init(void);
_Noreturn void causeway_prif_stop(int code);
int causeway_prif_this_image(void *team);
void *causeway_prif_get_team(int level);
int causeway_prif_allocate_coarray(int corank, const int64_t *lower, int nupper,
                                   const int64_t *upper, size_t nbytes, void **handle_p,
                                   void **memory_p, int *stat, void (*cleanup)(void));
int causeway_prif_put(int image, void *c, size_t offset, const void *src, size_t nbytes, int *stat);
int causeway_prif_get(int image, void *c, size_t offset, void *dest, size_t nbytes, int *stat);
int causeway_prif_sync_all(int *stat);
int causeway_prif_sync_memory(int *stat);
int causeway_prif_sync_images(const int *images, int n, int *stat);
int causeway_prif_event_post(int image, void *c, size_t place, int *stat);
int causeway_prif_event_wait(bool notify, void *event, int64_t until, int *stat);
void causeway_prif_co_combine_(void *a, const int *compiler, const int *op, const int *text_length,
                               const int *result_image, int *stat, int *code);
void causeway_prif_co_broadcast_(void *a, const int *compiler, const int *source_image, int *stat,
                                 int *code);

// ---------------------------------------------------------------- variables, and a control word
static void *data_token, *event_token, *control_token;  // or handles of PRIF
static double *data, value = 1;
static uint64_t *event, *control;  // control: [0] what this image is to do, [1] the partner is done
static double scalar, few[1];
static int other;  // image
static const int first = 1;
static array_t scalar_array, few_array, local, remote;
static uint64_t expected;
static size_t at;

static void describe(void)
{
    scalar_array = (array_t){.data = &scalar, .elem_nbytes = 8, .type = REAL, .span = 8};
    local = remote = scalar_array;
    local.data = &value;
    few_array = (array_t){.data = few,
                          .offset = -1,
                          .elem_nbytes = 8,
                          .rank = 1,
                          .type = REAL,
                          .span = 8,
                          .stride = 1,
                          .lower = 1,
                          .upper = 1};
}

static void *registered(size_t size, int type, void **token)
{
    array_t array = {.elem_nbytes = 8, .type = REAL};
    _gfortran_caf_register(size, type, token, &array, NULL, NULL, 0);
    return array.data;
}

static void *allocated(size_t nbytes, void **handle)
{
    const int64_t lower = 1;
    void *memory;
    if (causeway_prif_allocate_coarray(1, &lower, 0, &lower, nbytes, handle, &memory, NULL, NULL))
        abort();
    return memory;
}

static void begin(int argc, char **argv)
{
    enum { CONTROL = 2 };
    switch (opts.mode) {
    case BY_GFORTRAN:
        data = registered(ELEMS * sizeof *data, STATIC, &data_token);
        event = registered(1, EVENT_STATIC, &event_token);
        control = registered(CONTROL * sizeof *control, STATIC, &control_token);
        control[0] = control[1] = 0;
        _gfortran_caf_init(&argc, &argv);
        me = _gfortran_caf_this_image(0) - 1;
        break;
    case BY_PRIF:
        causeway_prif_init();
        me = causeway_prif_this_image(causeway_prif_get_team(-1)) - 1;
        data = allocated(ELEMS * sizeof *data, &data_token);
        event = allocated(sizeof *event, &event_token);
        control = allocated(CONTROL * sizeof *control, &control_token);
        *event = control[0] = control[1] = 0;
        causeway_prif_sync_all(NULL);
        break;
    default:
        shmem_init();
        me = shmem_my_pe();
        data = shmem_calloc(ELEMS, sizeof *data);
        event = shmem_calloc(1, sizeof *event);
        control = shmem_calloc(CONTROL, sizeof *control);
        shmem_barrier_all();
    }
    other = 2 - me;  // as an image
}

static void end(void)
{
    if (opts.mode == BY_GFORTRAN)
        _gfortran_caf_finalize();
    else if (opts.mode == BY_PRIF)
        causeway_prif_stop(0);
    else
        shmem_finalize();
}

static void complete(void)
{
    if (opts.mode == BY_GFORTRAN)
        _gfortran_caf_sync_memory(NULL, NULL, 0);
    else if (opts.mode == BY_PRIF)
        causeway_prif_sync_memory(NULL);
    else
        shmem_quiet();
}

/** Stores a control word of the other image. */
static void tell(size_t which, uint64_t word)
{
    array_t from = {.data = &word, .elem_nbytes = 8, .type = REAL, .span = 8};
    complete();
    if (opts.mode == BY_GFORTRAN)
        _gfortran_caf_send(control_token, which * 8, other, &remote, NULL, &from, 8, 8, false, NULL,
                           NULL);
    else if (opts.mode == BY_PRIF)
        causeway_prif_put(other, control_token, which * 8, &word, 8, NULL);
    else
        shmem_uint64_p(&control[which], word, other - 1);
    complete();
}

/** Without a sleep, of which the other one would have to be notified. */
static uint64_t await(size_t which, uint64_t before)
{
    uint64_t word;
    while ((word = __atomic_load_n(&control[which], __ATOMIC_ACQUIRE)) == before)
        sched_yield();
    return word;
}

// ---------------------------------------------------------------- statements
/** As STEP_CALL, where steps are counted. */
#define CALL(fn, ...)                          \
    do {                                       \
        __typeof__(&fn) volatile through = fn; \
        __typeof__(&fn) call = through;        \
        if (atomic_load(&is_counting))         \
            step_begin();                      \
        call(__VA_ARGS__);                     \
        step_end();                            \
    } while (0)

#define STATEMENT(name)                          \
    STEP_CALLER static void by_gfortran_##name(void); \
    STEP_CALLER static void by_prif_##name(void);     \
    STEP_CALLER static void by_shmem_##name(void)

STATEMENT(put);
static void by_gfortran_put(void)
{
    CALL(_gfortran_caf_send, data_token, at, other, &remote, NULL, &local, 8, 8, false, NULL, NULL);
}
static void by_prif_put(void)
{
    CALL(causeway_prif_put, other, data_token, at, &value, 8, NULL);
}
static void by_shmem_put(void)
{
    CALL(shmem_double_p, data + at / 8, value, other - 1);
}

/** In order behind another one to the same place, as two assignments are. */
STATEMENT(put_again);
static void by_gfortran_put_again(void)
{
    by_gfortran_put();
}
static void by_prif_put_again(void)
{
    by_prif_put();
}
static void by_shmem_put_again(void)
{
    CALL(shmem_fence);
    by_shmem_put();
}

STATEMENT(get);
static void by_gfortran_get(void)
{
    CALL(_gfortran_caf_get, data_token, at, other, &remote, NULL, &local, 8, 8, false, NULL);
}
static void by_prif_get(void)
{
    CALL(causeway_prif_get, other, data_token, at, &value, 8, NULL);
}
static void by_shmem_get(void)
{
    CALL(shmem_double_g, data + at / 8, other - 1);
}

STATEMENT(sync_memory);
static void by_gfortran_sync_memory(void)
{
    CALL(_gfortran_caf_sync_memory, NULL, NULL, 0);
}
static void by_prif_sync_memory(void)
{
    CALL(causeway_prif_sync_memory, NULL);
}
static void by_shmem_sync_memory(void)
{
    CALL(shmem_quiet);
}

STATEMENT(post);
static void by_gfortran_post(void)
{
    CALL(_gfortran_caf_event_post, event_token, 0, other, NULL, NULL, 0);
}
static void by_prif_post(void)
{
    CALL(causeway_prif_event_post, other, event_token, 0, NULL);
}
static void by_shmem_post(void)
{
    CALL(shmem_putmem_signal, data, &value, 8, event, 1, SHMEM_SIGNAL_ADD, other - 1);
}

STATEMENT(wait);
static void by_gfortran_wait(void)
{
    CALL(_gfortran_caf_event_wait, event_token, 0, 1, NULL, NULL, 0);
}
static void by_prif_wait(void)
{
    CALL(causeway_prif_event_wait, false, event, 1, NULL);
}
static void by_shmem_wait(void)
{
    expected++;
    CALL(shmem_signal_wait_until, event, SHMEM_CMP_GE, expected);
}

STATEMENT(sync_images);
static void by_gfortran_sync_images(void)
{
    CALL(_gfortran_caf_sync_images, 1, &other, NULL, NULL, 0);
}
static void by_prif_sync_images(void)
{
    CALL(causeway_prif_sync_images, &other, 1, NULL);
}
static void by_shmem_sync_images(void)
{
    static long count;
    count++;
    CALL(shmem_long_p, (long *)data, count, other - 1);
    CALL(shmem_long_wait_until, (long *)data, SHMEM_CMP_GE, count);
}

STATEMENT(sync_all);
static void by_gfortran_sync_all(void)
{
    CALL(_gfortran_caf_sync_all, NULL, NULL, 0);
}
static void by_prif_sync_all(void)
{
    CALL(causeway_prif_sync_all, NULL);
}
static void by_shmem_sync_all(void)
{
    CALL(shmem_barrier_all);
}

static const int gfortran = 1, sum = 0, none = 0;
static int code;

STATEMENT(sum);
static void by_gfortran_sum(void)
{
    CALL(_gfortran_caf_co_sum, &scalar_array, 0, NULL, NULL, 0);
}
static void by_prif_sum(void)
{
    CALL(causeway_prif_co_combine_, &scalar_array, &gfortran, &sum, &none, NULL, NULL, &code);
}
static void by_shmem_sum(void)
{
    CALL(shmem_double_sum_reduce, SHMEM_TEAM_WORLD, data, data, 1);
}

STATEMENT(sum_array);
static void by_gfortran_sum_array(void)
{
    CALL(_gfortran_caf_co_sum, &few_array, 0, NULL, NULL, 0);
}
static void by_prif_sum_array(void)
{
    CALL(causeway_prif_co_combine_, &few_array, &gfortran, &sum, &none, NULL, NULL, &code);
}
static void by_shmem_sum_array(void)
{
    by_shmem_sum();
}

STATEMENT(broadcast);
static void by_gfortran_broadcast(void)
{
    CALL(_gfortran_caf_co_broadcast, &scalar_array, 1, NULL, NULL, 0);
}
static void by_prif_broadcast(void)
{
    CALL(causeway_prif_co_broadcast_, &scalar_array, &gfortran, &first, NULL, &code);
}
static void by_shmem_broadcast(void)
{
    CALL(shmem_double_broadcast, SHMEM_TEAM_WORLD, data, data, 1, 0);
}

// ---------------------------------------------------------------- counts
typedef struct row {
    const char *name;
    void (*call[3])(void);
    size_t partner;  // what the other image does meanwhile: a row's index + 1; 0: nothing
    bool after;      // it does so when this one has: nothing is counted with it
    enum { NO, FLOODS, AGAIN } kind;  // a flood of them is counted; counted behind another one
} row_t;
#define CALLS(name) {by_gfortran_##name, by_prif_##name, by_shmem_##name}
enum { POST = 4, WAIT = 5 };
static const row_t ROWS[] = {
    {"put", CALLS(put), 0, false, FLOODS},
    {"put_again", CALLS(put_again), 0, false, AGAIN},
    {"get", CALLS(get), 0, false, NO},
    {"sync_memory", CALLS(sync_memory), 0, false, NO},
    {"event_post", CALLS(post), WAIT + 1, true, NO},
    {"event_wait", CALLS(wait), POST + 1, false, NO},
    {"sync_images", CALLS(sync_images), 7, false, NO},
    {"sync_all", CALLS(sync_all), 8, false, NO},
    {"sum", CALLS(sum), 9, false, NO},
    {"sum_array", CALLS(sum_array), 10, false, NO},
    {"broadcast", CALLS(broadcast), 11, false, NO},
};
enum { NROWS = sizeof ROWS / sizeof *ROWS };

static void partner_begins(const row_t *row)
{
    const struct timespec arrival = {0, 300000};
    if (!row->partner)
        return;
    tell(0, row->partner);
    if (!row->after)
        nanosleep(&arrival, NULL);
}

static void partner_ended(const row_t *row, uint64_t before)
{
    if (row->partner)
        await(1, before);
}

/** Once, and what the other image does. */
static void execute(const row_t *row, bool counted)
{
    const uint64_t before = control[1];
    const bool after = row->after;
    if (!after)
        partner_begins(row);
    step_clear();
    atomic_store(&is_counting, counted);
    row->call[opts.mode]();
    atomic_store(&is_counting, false);
    if (after)
        partner_begins(row);
    partner_ended(row, before);
}

static void emit(const char *name, const char *what, struct bench_series *series)
{
    char op[64];
    snprintf(op, sizeof op, "%s.%s", name, what);
    if (series->n > 0)
        bench_emit(&opts, "insn_caf", op, 0, "instructions", series);
    free(series->v);
}

static long to_provider(void)
{
    return step_first_in(PROVIDERS, sizeof PROVIDERS / sizeof *PROVIDERS);
}

static void count(const row_t *row)
{
    struct bench_series total = {0}, entry = {0};
    for (int i = 0; i < WARM; i++)
        execute(row, false);
    for (int i = 0; i < COUNTED; i++) {
        complete();
        complete();
        if (row->kind == AGAIN)
            row->call[opts.mode]();
        execute(row, true);
        const long before = to_provider();
        if (before >= 0)
            bench_series_add(&entry, (double)before);
        if (!step_truncated())
            bench_series_add(&total, (double)step_log->n);
        if (trace && i == COUNTED - 1)
            step_write(trace, row->name, "first");
    }
    emit(row->name, "total", &total);
    emit(row->name, "to_provider", &entry);
}

/** Of a loop over elements, one that waits for others that travel with it. */
static void count_collected(const row_t *row)
{
    struct bench_series total = {0};
    for (int round = 0; round < COUNTED; round++) {
        complete();
        for (at = 8; at < FLOOD * 8; at += 8)
            row->call[opts.mode]();
        execute(row, true);
        if (to_provider() < 0 && !step_truncated())
            bench_series_add(&total, (double)step_log->n);
        if (trace && to_provider() < 0 && total.n == 1)
            step_write(trace, row->name, "collected");
    }
    at = 0;
    emit(row->name, "collected", &total);
}

static void count_all(void)
{
    if (opts.trace && !(trace = fopen(opts.trace, "w"))) {
        perror(opts.trace);
        exit(1);
    }
    for (size_t i = 0; i < NROWS; i++) {
        if (!bench_wants(&opts, ROWS[i].name))
            continue;
        count(&ROWS[i]);
        if (ROWS[i].kind == FLOODS)
            count_collected(&ROWS[i]);
    }
    if (trace)
        fclose(trace);
    tell(0, NROWS + 1);
}

static void serve(void)
{
    for (uint64_t done = 1;; done++) {
        const uint64_t what = await(0, 0);
        control[0] = 0;
        if (what > NROWS)
            return;
        ROWS[what - 1].call[opts.mode]();
        tell(1, done);
    }
}

int main(int argc, char **argv)
{
    bench_parse(argc, argv, &opts);
    if ((size_t)opts.mode >= sizeof ROWS[0].call / sizeof ROWS[0].call[0]) {
        fprintf(stderr, "caf_calls: --mode %d: the head of caf_calls.c has the modes\n", opts.mode);
        return 2;
    }
    if (!STEP_WORKS) {
        printf("SKIP: the single-step harness is for x86-64 Linux\n");
        return 77;
    }
    step_init();
    describe();
    begin(argc, argv);
    bench_pin(me);  // so that the partner polls, and needs not be woken
    if (me == 0)
        count_all();
    else
        serve();
    end();
    return 0;
}
