// SPDX-License-Identifier: BSD-3-Clause
//
// What ./dev gpu runs on a card, and its test over tests/gpu/fake: conformance of the calls of
// processors and kernels on device memory, storms of both, and times beside the driver's own calls.
//
//     card conform PTX       each PE with each; the last line says how many checks failed
//     card bench PTX         two PEs of one node; lines "row NAME MEDIAN LEAST MOST UNIT"
//     card nodes PTX         two PEs of two nodes; the same
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frame/check.h"
#include "gpu/fake/kernel.h"

static _Thread_local const struct fake_thread *place;
#define CWD_THREAD() (place ? place->index[0] : 0u)
#define CWD_THREADS() (place ? place->block[0] : 1u)
#define CWD_BLOCK_SYNC() (place ? place->sync(place) : (void)0)
#define CWD_WARP_SYNC() ((void)0)  // one warp of the fake is one thread
#define CWD_WARP 1u
#define CWD_PAUSE() sched_yield()
#include <causeway/device.h>

struct card_args;
#define CARD_KERNEL(name)                                                                  \
    static void name##_body(const cwd_world_t *w, const struct card_args *a);              \
    __attribute__((visibility("default"))) void name(const struct fake_thread *, void **); \
    void name(const struct fake_thread *thread, void **parameters)                         \
    {                                                                                      \
        place = thread;                                                                    \
        name##_body(parameters[0], parameters[1]);                                         \
        place = NULL;                                                                      \
    }                                                                                      \
    static void name##_body(const cwd_world_t *w, const struct card_args *a)
#include "kernels.h"

enum { ROOM = 20000, STORM = 20, BLOCKS = 4, THREADS = 64, SAMPLES = 21, MOST = 1 << 28 };

static int me, npes;
static cwd_world_t world;
static bool is_fake;
static unsigned char in_data[ROOM];  // symmetric, as the next
static uint64_t words[64];
static unsigned char *memory[3], *local, *back;

// ---------------------------------------------------------------- the driver
typedef unsigned long long device_ptr;
static struct driver {
    int (*cuDeviceGetCount)(int *n);
    int (*cuDeviceGetName)(char *name, int nbytes, int device);
    int (*cuDriverGetVersion)(int *version);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuCtxPushCurrent_v2)(void *context);
    int (*cuCtxSynchronize)(void);
    int (*cuModuleLoadData)(void **module, const void *image);
    int (*cuModuleGetFunction)(void **function, void *module, const char *name);
    int (*cuLaunchKernel)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *stream,
                          void **parameters, void **extra);
    int (*cuStreamCreate)(void **stream, unsigned flags);
    int (*cuStreamSynchronize)(void *stream);
    int (*cuMemcpyAsync)(device_ptr to, device_ptr from, size_t nbytes, void *stream);
} driver;
static void *module, *stream;

#define FIND(name)                                    \
    do {                                              \
        void *found_ = dlsym(library, #name);         \
        REQUIRE(found_ != NULL, #name);               \
        memcpy(&driver.name, &found_, sizeof found_); \
    } while (0)

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    REQUIRE(f != NULL, "%s", path);
    char *text = calloc(1, 1 << 22);
    REQUIRE(text && fread(text, 1, (1 << 22) - 1, f) > 0);
    fclose(f);
    return text;
}

static void open_driver(const char *ptx)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), *context;
    char name[100] = "";
    int n = 0, version = 0;
    REQUIRE(library != NULL);
    FIND(cuDeviceGetCount);
    FIND(cuDeviceGetName);
    FIND(cuDriverGetVersion);
    FIND(cuDevicePrimaryCtxRetain);
    FIND(cuCtxPushCurrent_v2);
    FIND(cuCtxSynchronize);
    FIND(cuModuleLoadData);
    FIND(cuModuleGetFunction);
    FIND(cuLaunchKernel);
    FIND(cuStreamCreate);
    FIND(cuStreamSynchronize);
    FIND(cuMemcpyAsync);
    REQUIRE(driver.cuDeviceGetCount(&n) == 0 && n > 0);
    int device = shmem_team_my_pe(SHMEM_TEAM_SHARED) % n;  // as shmemx_device_heap chooses
    REQUIRE(driver.cuDevicePrimaryCtxRetain(&context, device) == 0);
    REQUIRE(driver.cuCtxPushCurrent_v2(context) == 0);
    driver.cuDeviceGetName(name, sizeof name, device);
    driver.cuDriverGetVersion(&version);
    is_fake = strstr(name, "fake") != NULL;
    if (me == 0)
        printf("device %d of %d: %s, driver interface %d.%d\n", device, n, name, version / 1000,
               version % 1000 / 10);
    char *text = read_file(ptx);
    int rc = driver.cuModuleLoadData(&module, text);
    REQUIRE(rc == 0, "cuModuleLoadData gives %d", rc);
    free(text);
    REQUIRE(driver.cuStreamCreate(&stream, 1) == 0);
}

static void start(const char *name, unsigned grid, unsigned block, card_args_t args)
{
    void *function = NULL, *parameters[] = {&world, &args};
    REQUIRE(driver.cuModuleGetFunction(&function, module, name) == 0, "%s", name);
    int rc = driver.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, parameters, NULL);
    REQUIRE(rc == 0, "%s: launch gives %d", name, rc);
}

static void finish_kernel(const char *name)
{
    int rc = driver.cuStreamSynchronize(stream);
    REQUIRE(rc == 0, "%s ends with %d", name, rc);
}

static void launch(const char *name, unsigned grid, unsigned block, card_args_t args)
{
    start(name, grid, block, args);
    finish_kernel(name);
}

// ---------------------------------------------------------------- conformance
static unsigned char pattern(size_t i, int seed)
{
    return (unsigned char)(i * 131 + (i >> 8) * 7 + (unsigned)seed * 29 + 1);
}

static void put_pattern(unsigned char *dest, size_t nbytes, int seed, int pe)
{
    static unsigned char from[ROOM];
    memset(from, 0, sizeof from);
    for (size_t i = 0; i < nbytes; i++)
        from[i] = pattern(i, seed);
    shmem_putmem(dest, from, sizeof from, pe);
    shmem_quiet();
}

static void check_pattern(const unsigned char *symmetric, size_t offset, size_t nbytes, int seed,
                          int pe, const char *what)
{
    static unsigned char seen[ROOM];
    size_t wrong = 0;
    shmem_getmem(seen, symmetric, sizeof seen, pe);
    for (size_t i = 0; i < ROOM; i++)
        wrong += seen[i] != (i >= offset && i < offset + nbytes ? pattern(i - offset, seed) : 0);
    CHECK(wrong == 0, "%s: %zu of %zu bytes on PE %d", what, wrong, nbytes, pe);
}

static void conform_with(int kind, int pe)
{
    static const size_t sizes[] = {1, 7, 8, 100, 1000, 4099, 17000};
    static const char *const groups[] = {"thread", "warp", "block"};
    card_args_t a = {.at = memory[kind], .local = local, .back = back, .result = words, .pe = pe};
    put_pattern(memory[kind], 0, 0, pe);
    launch("card_values", 1, 1, a);
    CHECK(words[0] == 0, "%d values of kind %d on PE %d", (int)words[0], kind, pe);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t offset = i % 3 ? 16 * i : i;
        a.what = (int)(i + (unsigned)pe) % 3;
        a.n = sizes[i];
        a.at = memory[kind] + offset;
        put_pattern(local, sizes[i], (int)i, me);
        put_pattern(memory[kind], 0, 0, pe);
        put_pattern(back, 0, 0, me);
        launch("card_bytes", 1, THREADS, a);
        check_pattern(memory[kind], offset, sizes[i], (int)i, pe, groups[a.what]);
        check_pattern(back, 0, sizes[i], (int)i, me, groups[a.what]);
    }
}

/** A kernel waits for a processor of the PE at its left, and signals one at its right. */
static void conform_answer(int kind)
{
    int right = (me + 1) % npes;
    uint64_t *flag = (uint64_t *)(void *)(memory[kind] + ROOM - 64);
    card_args_t a = {
        .at = memory[1], .local = local, .result = words, .flag = flag, .n = 3, .pe = right};
    put_pattern(memory[1], 0, 0, me);
    put_pattern(memory[kind], 0, 0, me);
    put_pattern(local, 4000, kind, me);
    words[1] = 0;
    shmem_barrier_all();
    start("card_answer", 1, THREADS, a);
    shmem_uint64_p(flag, 3, right);
    shmem_quiet();
    shmem_signal_wait_until(words + 1, SHMEM_CMP_EQ, 1);
    finish_kernel("card_answer");
    CHECK(words[0] == 0, "what a wait gives back");
    shmem_barrier_all();
    if (kind == 1)
        shmem_uint64_p(flag, 0, me);
    check_pattern(memory[1], 0, 4000, kind, me, "put_signal");
    shmem_barrier_all();
}

static void *storm_here(void *at)
{
    uint64_t *p = at;
    for (int i = 0; i < STORM; i++)
        for (int pe = 0; pe < npes; pe++) {
            shmem_uint64_atomic_add(p, 1, pe);
            (void)shmem_uint64_atomic_fetch_add(p, 2, pe);
            uint64_t old = shmem_uint64_atomic_fetch(p + 1, pe), now;
            while ((now = shmem_uint64_atomic_compare_swap(p + 1, old, old + 1, pe)) != old)
                old = now;
        }
    shmem_quiet();
    return NULL;
}

static void conform_storm(int kind)
{
    unsigned threads = is_fake ? 2 : THREADS / 4;
    uint64_t *p = (uint64_t *)(void *)memory[kind], seen[3], n;
    card_args_t a = {.at = p, .n = STORM};
    put_pattern(memory[kind], 0, 0, me);
    shmem_barrier_all();
    start("card_storm", BLOCKS, threads, a);
    storm_here(p);
    finish_kernel("card_storm");
    shmem_barrier_all();
    n = (uint64_t)npes * STORM * (BLOCKS * threads + 1);
    shmem_getmem(seen, p, sizeof seen, me);
    CHECK(seen[0] == 3 * n && seen[1] == n && seen[2] == 0, "kind %d: %llu, %llu of %llu", kind,
          (unsigned long long)seen[0], (unsigned long long)seen[1], (unsigned long long)n);
    shmem_barrier_all();
}

static void conform(void)
{
    for (int by = 0; by < npes; by++) {
        for (int kind = 0; by == me && kind < 3; kind++)
            for (int pe = 0; pe < npes; pe++)
                conform_with(kind, pe);
        shmem_barrier_all();
    }
    for (int kind = 0; kind < 3; kind++) {
        conform_answer(kind);
        conform_storm(kind);
    }
}

// ---------------------------------------------------------------- times
static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const char *name, double *samples, const char *unit)
{
    qsort(samples, SAMPLES, sizeof *samples, by_value);
    printf("row %s %.4g %.4g %.4g %s\n", name, samples[SAMPLES / 2], samples[0],
           samples[SAMPLES - 1], unit);
    fflush(stdout);
}

/** Of one round of a kernel of n, without what a launch costs. */
static void time_kernel(const char *row, const char *name, card_args_t a, uint64_t n)
{
    double samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        double t0 = now_us(), t1, t2;
        a.n = 1;
        launch(name, 1, 1, a);
        t1 = now_us();
        a.n = n + 1;
        launch(name, 1, 1, a);
        t2 = now_us();
        samples[i] = 1e3 * ((t2 - t1) - (t1 - t0)) / (double)n;
    }
    print_row(row, samples, "ns");
}

static void time_copies(const char *name, size_t nbytes, int pe)
{
    unsigned char *dest = memory[2], *there = shmemx_device_ptr(dest, pe);
    double ours[SAMPLES], raw[SAMPLES];
    char row[60];
    for (int i = 0; i < SAMPLES; i++) {
        double t0 = now_us(), t1;
        shmem_putmem(dest, local, nbytes, pe);
        shmem_quiet();
        t1 = now_us();
        ours[i] = t1 - t0;
        if (!there)
            continue;
        REQUIRE(driver.cuMemcpyAsync((uintptr_t)there, (uintptr_t)local, nbytes, stream) == 0 &&
                driver.cuStreamSynchronize(stream) == 0);
        raw[i] = now_us() - t1;
    }
    snprintf(row, sizeof row, "put_%s", name);
    print_row(row, ours, "us");
    snprintf(row, sizeof row, "raw_copy_%s", name);
    if (there)
        print_row(row, raw, "us");
}

static void time_barrier(const char *row)
{
    double samples[SAMPLES];
    enum { ROUNDS = 500 };
    for (int i = 0; i < SAMPLES; i++) {
        double t0 = now_us();
        for (int k = 0; k < ROUNDS; k++)
            shmem_barrier_all();
        samples[i] = (now_us() - t0) / ROUNDS;
    }
    if (me == 0)
        print_row(row, samples, "us");
}

/** PE 0's kernel and PE 1's processor. */
static void time_ping(uint64_t n)
{
    card_args_t a = {.at = memory[1], .local = local, .result = words, .flag = words + 3, .pe = 1};
    double samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        words[2] = words[3] = 0;
        shmem_barrier_all();
        if (me == 0) {
            double t0 = now_us();
            a.n = n;
            launch("card_ping", 1, 1, a);
            samples[i] = (now_us() - t0) / (2 * (double)n);
        } else if (me == 1) {
            for (uint64_t k = 1; k <= n; k++) {
                shmem_signal_wait_until(words + 2, SHMEM_CMP_GE, k);
                shmem_uint64_p(words + 3, k, 0);
            }
        }
        shmem_barrier_all();
    }
    if (me == 0)
        print_row("half_round_trip", samples, "us");
}

static void bench(uint64_t n)
{
    card_args_t near_pe = {.at = memory[2], .result = words, .pe = 1}, host = near_pe;
    host.at = memory[1];
    time_barrier("barrier_with_handle");
    if (me == 0) {
        time_kernel("p", "card_p", near_pe, n);
        time_kernel("raw_p", "raw_p", near_pe, n);
        time_kernel("p_quiet", "card_p_quiet", near_pe, n);
        time_kernel("raw_p_quiet", "raw_p_quiet", near_pe, n);
        time_kernel("g", "card_g", near_pe, n);
        time_kernel("raw_g", "raw_g", near_pe, n);
        time_kernel("fetch_add", "card_add", near_pe, n);
        time_kernel("raw_fetch_add", "raw_add", near_pe, n);
        time_kernel("host_fetch_add", "card_add", host, n / 10 + 1);
        time_copies("8B", 8, 1);
        time_copies("1MiB", 1 << 20, 1);
        time_copies("256MiB", is_fake ? ROOM : MOST, 1);
    }
    shmem_barrier_all();
    time_ping(n / 10 + 1);
}

/** Another node: 64 MiB from device to device, and the parts of that way alone. */
static void nodes(uint64_t n)
{
    const size_t nbytes = is_fake ? ROOM : (size_t)64 << 20;
    double samples[SAMPLES];
    card_args_t a = {.at = memory[2], .result = words, .pe = 1};
    if (me == 0) {
        time_copies("64MiB_other_node", nbytes, 1);
        for (int i = 0; i < SAMPLES; i++) {
            double t0 = now_us();
            shmem_putmem(memory[1], memory[1], nbytes, 1);
            shmem_quiet();
            samples[i] = now_us() - t0;
        }
        print_row("host_64MiB_other_node", samples, "us");
        for (int i = 0; i < SAMPLES; i++) {
            double t0 = now_us();
            REQUIRE(driver.cuMemcpyAsync((uintptr_t)memory[1], (uintptr_t)local, nbytes, stream) ==
                        0 &&
                    driver.cuStreamSynchronize(stream) == 0);
            samples[i] = now_us() - t0;
        }
        print_row("raw_to_host_64MiB", samples, "us");
        time_kernel("fetch_add_other_node", "card_add", a, n / 10 + 1);
        time_kernel("g_other_node", "card_g", a, n / 10 + 1);
    }
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    int provided;
    REQUIRE(argc == 3);
    const bool conforms = strcmp(argv[1], "conform") == 0;
    REQUIRE(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
    if (strcmp(argv[1], "bench") == 0)
        time_barrier("barrier");
    size_t room = conforms || getenv("FAKE_CUDA_DEVICES") ? ROOM : MOST;
    memory[0] = in_data;
    memory[1] = shmem_calloc(1, room < MOST ? room : (size_t)64 << 20);
    REQUIRE(shmemx_device_heap(3 * room + (1 << 20)) == 0);
    memory[2] = shmemx_device_calloc(1, room);
    local = shmemx_device_calloc(1, room);
    back = shmemx_device_calloc(1, ROOM);
    REQUIRE(memory[1] && memory[2] && local && back);
    REQUIRE(shmemx_device_world(&world) == 0);
    open_driver(argv[2]);
    if (conforms)
        conform();
    else if (strcmp(argv[1], "bench") == 0)
        bench(is_fake ? 30 : 20000);
    else
        nodes(is_fake ? 30 : 2000);
    shmemx_device_world_end();
    shmem_finalize();
    return check_result();
}
