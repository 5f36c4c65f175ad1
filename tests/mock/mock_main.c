// SPDX-License-Identifier: BSD-3-Clause
//
// The library's entry points, its settings, its counters and the summary written at exit.
#include "mock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct mock_demands mock_want;

static struct mock_real real;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic uint64_t counters[N_COUNTERS];
static int owner_pid;  // the process that writes the summary, not a child forked later
static uint64_t seed;
static char cache[32];  // FI_MR_CACHE_MONITOR as libfabric finds it at the first query

static const char *const counter_names[N_COUNTERS] = {
    "send",
    "sendv",
    "sendmsg",
    "senddata",
    "inject",
    "injectdata",
    "recv",
    "recvv",
    "recvmsg",
    "write",
    "writev",
    "writemsg",
    "writedata",
    "inject_write",
    "inject_writedata",
    "read",
    "readv",
    "readmsg",
    "atomic",
    "fetch_atomic",
    "compare_atomic",
    "inject_atomic",
    "cq_read",
    "connect",
    "accept",
    "reject",
    "ep_open",
    "mr_reg",
    "mr_bytes",
    "mr_untouched_bytes",
    "mr_refused",
    "keys_taken",
    "mr_pinned",
    "mr_unlocked",
    "queue_full",
    "cq_refused",
    "overrun",
    "strange",
    "first_lost",
    "delivery_refused",
    "delivery_ignored",
    "held",
    "reordered",
    "direct",
    "dropped_at_close",
    "eagain",
    "cm_refused",
    "violations",
};

static const struct {
    const char *word;
    size_t offset;
} demand_words[] = {
#define WORD(name)                                 \
    {                                              \
#name, offsetof(struct mock_demands, name) \
    }
    WORD(virt_addr),
    WORD(prov_key),
    WORD(mr_local),
    WORD(mr_allocated),
    WORD(cm55),
    WORD(cm32),
    WORD(mr_writable),
    WORD(order_asked),
    WORD(few_receives),
    WORD(unordered),
    WORD(unordered_sends),
    WORD(atomics),
    WORD(no_wait_fd),
    WORD(small_inject),
    WORD(eagain),
    WORD(mr_endpoint),
    WORD(context),
    WORD(mr_locked),
    WORD(foreign),
    WORD(delivery_refused),
    WORD(delivery_ignored),
    WORD(card),
    WORD(card_broken),
    WORD(few_completions),
    WORD(no_connect),
    WORD(no_accept),
    WORD(no_saw),
    WORD(only_sas),
    WORD(mr_fault),
    WORD(mr_accepted),
    WORD(no_events),
    WORD(key2),
    WORD(mr_raw),
    WORD(first_lost),
#undef WORD
};

static void read_demands(void)
{
    const char *text = getenv("MOCK_FABRIC");
    if (!text)
        return;
    char *copy = strdup(text), *save = NULL;
    for (char *word = strtok_r(copy, ", ", &save); word; word = strtok_r(NULL, ", ", &save)) {
        size_t i = 0, n = sizeof demand_words / sizeof *demand_words;
        while (i < n && strcmp(word, demand_words[i].word) != 0)
            i++;
        if (i == n) {
            fprintf(stderr, "mock-fabric: MOCK_FABRIC has the unknown word '%s'\n", word);
            abort();
        }
        *(bool *)((char *)&mock_want + demand_words[i].offset) = true;
    }
    free(copy);
    if (mock_want.unordered_sends)
        mock_want.unordered = true;
    if (mock_want.card_broken)
        mock_want.card = true;
}

static void *symbol(void *library, const char *name)
{
    void *address = dlsym(library, name);
    if (!address) {
        fprintf(stderr, "mock-fabric: the real libfabric lacks %s\n", name);
        abort();
    }
    return address;
}

static void load(void)
{
    owner_pid = getpid();
    const char *text = getenv("MOCK_FABRIC_SEED");
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    seed = text ? strtoull(text, NULL, 0) : (uint64_t)now.tv_nsec * 1000003u + (uint64_t)owner_pid;
    read_demands();
    const char *path = getenv("MOCK_REAL_LIBFABRIC");
    void *library = dlopen(path && *path ? path : "libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "mock-fabric: the real libfabric does not load: %s\n", dlerror());
        return;
    }
    *(void **)&real.freeinfo = symbol(library, "fi_freeinfo");
    *(void **)&real.dupinfo = symbol(library, "fi_dupinfo");
    *(void **)&real.fabric = symbol(library, "fi_fabric");
    *(void **)&real.strerror = symbol(library, "fi_strerror");
    *(void **)&real.version = symbol(library, "fi_version");
    *(void **)&real.tostr = symbol(library, "fi_tostr");
    *(void **)&real.getinfo = symbol(library, "fi_getinfo");
}

const struct mock_real *mock_real(void)
{
    pthread_once(&once, load);
    return &real;
}

// xorshift64*; one state per thread, so that no order between threads is imposed.
uint32_t mock_random(void)
{
    static _Atomic uint64_t threads;
    static _Thread_local uint64_t state;
    if (!state)
        state = (seed + atomic_fetch_add(&threads, 1) + 1) * 0x9e3779b97f4a7c15u | 1;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * 0x2545f4914f6cdd1du) >> 32);
}

void mock_add(enum mock_kind counter, uint64_t by)
{
    atomic_fetch_add_explicit(&counters[counter], by, memory_order_relaxed);
}

void mock_raise(enum mock_kind counter, uint64_t to)
{
    uint64_t was = atomic_load_explicit(&counters[counter], memory_order_relaxed);
    while (was < to && !atomic_compare_exchange_weak(&counters[counter], &was, to))
        ;
}

// One line per process, written by one write() to a file opened for appending: lines do not mix.
static void write_summary(void)
{
    const char *path = getenv("MOCK_FABRIC_SUMMARY");
    if (!path || !*path || getpid() != owner_pid)
        return;
    char line[4096];
    const char *demands = getenv("MOCK_FABRIC");
    int n = snprintf(line, sizeof line, "{\"pid\": %d, \"cache\": \"%s\", \"demands\": \"%.200s\"",
                     owner_pid, cache, demands ? demands : "");
    for (int i = 0; i < N_COUNTERS; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, ", \"%s\": %llu", counter_names[i],
                      (unsigned long long)atomic_load_explicit(&counters[i], memory_order_relaxed));
    n += snprintf(line + n, sizeof line - (size_t)n, "}\n");
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, line, (size_t)n) != n)
        fprintf(stderr, "mock-fabric: %s: %s\n", path, strerror(errno));
    if (fd >= 0)
        close(fd);
}

__attribute__((destructor)) static void finish(void)
{
    if (owner_pid)
        write_summary();
}

void mock_violation(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "mock-fabric: violation in pid %d: %s\n", (int)getpid(), text);
    mock_count(N_VIOLATIONS);
    write_summary();
    owner_pid = 0;             // once is enough
    signal(SIGABRT, SIG_DFL);  // some providers' libraries catch it and exit
    abort();
}

EXPORT int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
                      const struct fi_info *hints, struct fi_info **info)
{
    const char *monitor = getenv("FI_MR_CACHE_MONITOR");
    if (!cache[0])
        snprintf(cache, sizeof cache, "%s", monitor ? monitor : "default");
    if (!mock_real()->getinfo)
        return -FI_ENOSYS;
    return mock_getinfo(version, node, service, flags, hints, info);
}

EXPORT void fi_freeinfo(struct fi_info *info)
{
    if (mock_real()->freeinfo)
        real.freeinfo(info);
}

EXPORT struct fi_info *fi_dupinfo(const struct fi_info *info)
{
    return mock_real()->dupinfo ? real.dupinfo(info) : NULL;
}

EXPORT int fi_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context)
{
    if (!mock_real()->fabric)
        return -FI_ENOSYS;
    struct fi_fabric_attr plain = *attr;
    plain.prov_name = mock_card_behind(plain.prov_name);
    int rc = real.fabric(&plain, fabric, context);
    return rc ? rc : mock_wrap_fabric(fabric);
}

EXPORT const char *fi_strerror(int error)
{
    return mock_real()->strerror ? real.strerror(error) : "no libfabric";
}

EXPORT uint32_t fi_version(void)
{
    return mock_real()->version ? real.version() : 0;
}

EXPORT char *fi_tostr(const void *data, enum fi_type type)
{
    return mock_real()->tostr ? real.tostr(data, type) : NULL;
}
