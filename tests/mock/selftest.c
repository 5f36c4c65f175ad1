// SPDX-License-Identifier: BSD-3-Clause
//
// Self-test of the mock: each demand is announced and imposed, and a program that meets it is
// served. Each case runs in a process of its own, with its MOCK_FABRIC, over MSG and over RDM
// endpoints.
//
// usage: mock-selftest msg|rdm         all cases; the mock is beside the program
//        mock-selftest msg|rdm CASE    one, with the MOCK_FABRIC of the environment
#include "side.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t *words(struct side *s)
{
    return (uint64_t *)s->shared->data;
}

// A put, a get, a message and an injected put, checked in the target's memory.
static void traffic(struct side *s)
{
    uint64_t *mine = (uint64_t *)s->buffer;
    mine[0] = 42;
    while (!side_try(s, side_write(s, 8, mine, 8, FI_DELIVERY_COMPLETE | FI_COMPLETION)))
        ;
    side_wait(s, 1);
    REQUIRE(words(s)[1] == 42);
    words(s)[2] = 43;
    while (!side_try(
        s, fi_read(s->ep, &mine[1], 8, side_desc(s), s->peer, s->base + 16, s->shared->key, NULL)))
        ;
    side_wait(s, 1);
    REQUIRE(mine[1] == 43);
    while (!side_try(s, fi_send(s->ep, mine, 8, side_desc(s), s->peer, NULL)))
        ;
    side_wait(s, 1);
    uint64_t value = 44;
    while (!side_try(s, fi_inject_write(s->ep, &value, 8, s->peer, s->base + 24, s->shared->key)))
        ;
    value = 0;
    struct fi_cq_entry none;
    for (int i = 0; i < 20000 && (atomic_load(&s->shared->received) != 42 || words(s)[3] != 44);
         i++) {
        REQUIRE(fi_cq_read(s->cq, &none, 1) == -FI_EAGAIN);
        usleep(100);
    }
    REQUIRE(atomic_load(&s->shared->received) == 42 && words(s)[3] == 44);
}

static void case_traffic(struct side *s, bool msg)
{
    side_start(s, msg, 0, true);
    traffic(s);
    side_stop(s);
}

// The mr_mode bits of the demand are announced, and without the caller's consent there is no offer.
static void case_mr_mode(struct side *s, bool msg)
{
    (void)s;
    const char *demand = getenv("MOCK_FABRIC");
    int bit = strcmp(demand, "virt_addr") == 0  ? FI_MR_VIRT_ADDR
              : strcmp(demand, "prov_key") == 0 ? FI_MR_PROV_KEY
              : strcmp(demand, "mr_local") == 0 ? FI_MR_LOCAL
                                                : FI_MR_ALLOCATED;
    struct fi_info *hints = side_hints(msg, ALL_MR_MODES, 0), *info;
    REQUIRE(side_getinfo(msg, hints, &info) == 0);
    REQUIRE((info->domain_attr->mr_mode & ALL_MR_MODES) == bit);
    side_freeinfo(info);
    hints->domain_attr->mr_mode = ALL_MR_MODES & ~bit;
    REQUIRE(side_getinfo(msg, hints, &info) == -FI_ENODATA);
    side_freeinfo(hints);
}

static void case_offset_refused(struct side *s, bool msg)
{
    side_start(s, msg, 0, true);
    s->base = 0;  // an offset where a virtual address is required
    words(s)[1] = 7;
    ssize_t rc = side_write(s, 8, s->buffer, 8, FI_DELIVERY_COMPLETE | FI_COMPLETION);
    REQUIRE(rc != 0 || side_wait_error(s) != 0);
    REQUIRE(words(s)[1] == 7);
    exit(0);  // the connection may be gone
}

static void case_prov_key(struct side *s, bool msg)
{
    side_start(s, msg, 0, true);
    REQUIRE(s->shared->key != 4711 && fi_mr_key(s->mr) != 4713 && s->shared->key >> 32 != 0);
    traffic(s);
    side_stop(s);
}

static void case_no_desc(struct side *s, bool msg)
{
    side_start(s, msg, 0, true);
    s->no_desc = true;
    side_write(s, 8, s->buffer, 8, 0);
}

static void case_not_covered(struct side *s, bool msg)
{
    static char elsewhere[8];
    side_start(s, msg, 0, true);
    side_write(s, 8, elsewhere, 8, 0);
}

static void case_gone(struct side *s, bool msg)
{
    struct fid_mr *mr;
    side_start(s, msg, 0, true);
    void *memory =
        mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    REQUIRE(fi_mr_reg(s->domain, memory, 8192, FI_SEND, 0, 4714, 0, &mr, NULL) == 0);
    munmap(memory, 8192);
    fi_close(&mr->fid);
}

static void case_wrong_access(struct side *s, bool msg)
{
    struct fid_mr *mr;
    side_start(s, msg, 0, true);
    REQUIRE(fi_mr_reg(s->domain, s->buffer, 8, FI_RECV, 0, 4714, 0, &mr, NULL) == 0);
    ssize_t rc = fi_send(s->ep, s->buffer, 8, fi_mr_desc(mr), s->peer, NULL);
    REQUIRE(false, "sent from a region for receiving: %zd", rc);
}

static void case_cm55(struct side *s, bool msg)
{
    if (!msg)
        return;
    size_t value = 0, nbytes = sizeof value;
    side_start(s, true, 0, false);
    REQUIRE(side_connect(s, 56) == -FI_EINVAL);
    REQUIRE(fi_close(&s->ep->fid) == 0);
    REQUIRE(side_connect(s, 55) == 0);
    REQUIRE(s->shared->cm_nbytes == 55);
    REQUIRE(fi_getopt(&s->ep->fid, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &value, &nbytes) == 0 &&
            value == 55);
    traffic(s);
    side_stop(s);
}

// The provider's readerr uses the table whose entries the mock has replaced.
static void case_refused(struct side *s, bool msg)
{
    if (!msg)
        return;
    side_start(s, true, 0, false);
    REQUIRE(side_refused(s) == FI_ECONNREFUSED);
    REQUIRE(side_connect(s, 6) == 0);
    traffic(s);
    side_stop(s);
}

// A plain write, then one with delivery complete. When the second has completed its data must be
// there; sometimes the data of the first, being held back, is not. Returns how often.
static int count_reordered(struct side *s)
{
    int reordered = 0;
    uint64_t *mine = (uint64_t *)s->buffer;
    volatile uint64_t *there = words(s);
    for (uint64_t i = 1; i <= 300; i++) {
        mine[0] = mine[1] = i;
        while (!side_try(s, side_write(s, 0, &mine[0], 8, 0)))
            ;
        while (!side_try(s, side_write(s, 8, &mine[1], 8, FI_DELIVERY_COMPLETE | FI_COMPLETION)))
            ;
        for (int done = 0; done < 2; done++)
            if (side_next(s) == &mine[1]) {
                REQUIRE(there[1] == i);
                reordered += there[0] != i;
            }
    }
    return reordered;
}

static void case_unordered(struct side *s, bool msg)
{
    side_start(s, msg, 0, true);
    REQUIRE(s->info->tx_attr->msg_order == 0 && s->info->rx_attr->msg_order == 0);
    REQUIRE(s->info->ep_attr->max_order_waw_size == 0);
    traffic(s);
    REQUIRE(count_reordered(s) > 0);
    side_stop(s);
}

// The same program without the demand sees no reordering: it comes from the mock.
static void case_ordered(struct side *s, bool msg)
{
    side_start(s, msg, 0, true);
    REQUIRE(count_reordered(s) == 0);
    side_stop(s);
}

static void check_queries(struct side *s)
{
    struct fi_atomic_attr attr;
    size_t count = 0;
    REQUIRE(fi_query_atomic(s->domain, FI_UINT64, FI_SUM, &attr, FI_FETCH_ATOMIC) == 0);
    REQUIRE(attr.count == 1 && attr.size == 8);
    REQUIRE(fi_query_atomic(s->domain, FI_DOUBLE, FI_SUM, &attr, 0) == -FI_EOPNOTSUPP);
    REQUIRE(fi_atomicvalid(s->ep, FI_INT32, FI_BXOR, &count) == 0 && count == 1);
    REQUIRE(fi_fetch_atomicvalid(s->ep, FI_INT64, FI_ATOMIC_READ, &count) == 0);
    REQUIRE(fi_compare_atomicvalid(s->ep, FI_UINT32, FI_CSWAP, &count) == 0);
    REQUIRE(fi_atomicvalid(s->ep, FI_INT8, FI_SUM, &count) != 0);
}

// Adds through the fabric while a child adds to the same word by CPU atomics: no update may be
// lost.
static void check_sums(struct side *s)
{
    enum { ROUNDS = 20000 };
    uint64_t *mine = (uint64_t *)s->buffer, key = s->shared->key, addr = s->base;
    _Atomic uint64_t *word = (_Atomic uint64_t *)words(s);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (int i = 0; i < ROUNDS; i++)
            atomic_fetch_add(word, 1);
        _exit(0);
    }
    mine[0] = 1;
    void *desc = side_desc(s);
    for (int i = 0; i < ROUNDS; i++) {
        ssize_t rc =
            i % 2 ? fi_atomic(s->ep, mine, 1, desc, s->peer, addr, key, FI_UINT64, FI_SUM, NULL)
                  : fi_fetch_atomic(s->ep, mine, 1, desc, &mine[1], desc, s->peer, addr, key,
                                    FI_UINT64, FI_SUM, NULL);
        REQUIRE(rc == 0);
        side_wait(s, 1);
        REQUIRE(i % 2 || mine[1] >= (uint64_t)i);
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    REQUIRE(atomic_load(word) == 2 * ROUNDS);
}

static void case_atomics(struct side *s, bool msg)
{
    side_start(s, msg, FI_ATOMIC, true);
    REQUIRE(s->info->caps & FI_ATOMIC);
    traffic(s);
    words(s)[0] = 0;
    check_queries(s);
    check_sums(s);
    // A 32-bit compare-and-swap and a signed maximum, next to a neighbour that must not change.
    int32_t *mine = (int32_t *)s->buffer, *there = (int32_t *)s->shared->data;
    uint64_t addr = s->base, key = s->shared->key;
    void *desc = side_desc(s);
    there[0] = -5, there[1] = 77, mine[0] = 9, mine[1] = -5, mine[2] = 0, mine[3] = -1;
    REQUIRE(fi_compare_atomic(s->ep, mine, 1, desc, &mine[1], desc, &mine[2], desc, s->peer, addr,
                              key, FI_INT32, FI_CSWAP, NULL) == 0);
    side_wait(s, 1);
    REQUIRE(there[0] == 9 && there[1] == 77 && mine[2] == -5);
    REQUIRE(fi_inject_atomic(s->ep, &mine[3], 1, s->peer, addr, key, FI_INT32, FI_MAX) == 0);
    REQUIRE(there[0] == 9);
    REQUIRE(fi_inject_atomic(s->ep, &mine[3], 1, s->peer, addr, key, FI_INT32, FI_MIN) == 0);
    REQUIRE(there[0] == -1 && there[1] == 77);
    side_stop(s);
}

// A larger queue is refused; one operation more than it has entries spoils a queue for good.
static void case_few_completions(struct side *s, bool msg)
{
    enum { ENTRIES = 8 };
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_CONTEXT, .size = 513};
    side_start(s, msg, 0, false);
    REQUIRE(fi_close(&s->cq->fid) == 0);
    REQUIRE(fi_cq_open(s->domain, &attr, &s->cq, NULL) == -FI_EINVAL);
    attr.size = ENTRIES;
    REQUIRE(fi_cq_open(s->domain, &attr, &s->cq, NULL) == 0);
    REQUIRE(side_connect(s, 6) == 0);
    traffic(s);
    for (int i = 0; i <= ENTRIES; i++) {
        struct fi_cq_entry done;
        REQUIRE(fi_cq_read(s->cq, &done, 1) == -FI_EAGAIN);
        REQUIRE(fi_recv(s->ep, s->buffer, 8, side_desc(s), FI_ADDR_UNSPEC, &s->buffer[i]) == 0);
    }
    for (int i = 0; i < 2; i++)
        REQUIRE(side_wait_error(s) == FI_EOVERRUN);
    exit(0);
}

// The offer says how many receives an endpoint takes, and there are no more.
static void case_few_receives(struct side *s, bool msg)
{
    side_start(s, msg, 0, true);
    for (size_t i = 0; i < s->info->rx_attr->size; i++)
        REQUIRE(fi_recv(s->ep, s->buffer, 8, side_desc(s), FI_ADDR_UNSPEC, &s->buffer[i]) == 0);
    REQUIRE(fi_recv(s->ep, s->buffer, 8, side_desc(s), FI_ADDR_UNSPEC, s->buffer) == -FI_EAGAIN);
    traffic(s);
    side_stop(s);
}

// Writes and reads reach memory of a target that is stopped.
static void case_no_events(struct side *s, bool msg)
{
    side_start(s, msg, 0, true);
    REQUIRE((s->info->tx_attr->msg_order & (FI_ORDER_RAS | FI_ORDER_WAS)) == 0);
    traffic(s);
    REQUIRE(kill(side_target(), SIGSTOP) == 0);
    uint64_t *mine = (uint64_t *)s->buffer;
    mine[0] = 42;
    REQUIRE(side_write(s, 8, &mine[0], 8, FI_DELIVERY_COMPLETE | FI_COMPLETION) == 0);
    side_wait(s, 1);
    REQUIRE(words(s)[1] == 42);
    REQUIRE(fi_read(s->ep, &mine[1], 8, side_desc(s), s->peer, s->base + 8, s->shared->key, NULL) ==
            0);
    side_wait(s, 1);
    REQUIRE(mine[1] == 42);
    REQUIRE(kill(side_target(), SIGCONT) == 0);
    side_stop(s);
}

static void case_no_wait_fd(struct side *s, bool msg)
{
    struct fid_cq *cq;
    struct fid_eq *eq;
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_CONTEXT, .wait_obj = FI_WAIT_FD};
    struct fi_eq_attr eq_attr = {.wait_obj = FI_WAIT_FD};
    side_start(s, msg, 0, true);
    REQUIRE(fi_cq_open(s->domain, &attr, &cq, NULL) == -FI_ENOSYS);
    REQUIRE(fi_eq_open(s->fabric, &eq_attr, &eq, NULL) == -FI_ENOSYS);
    traffic(s);
    side_stop(s);
}

// Operations held back are issued before the program sleeps: trywait reports them, and the CQ's fd
// wakes the program.
static void case_sleep(struct side *s, bool msg)
{
    struct fid_cq *cq;
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_CONTEXT, .wait_obj = FI_WAIT_FD};
    side_start(s, msg, 0, false);
    REQUIRE(fi_close(&s->cq->fid) == 0);
    REQUIRE(fi_cq_open(s->domain, &attr, &cq, NULL) == 0);
    s->cq = cq;
    REQUIRE(side_connect(s, 6) == 0);
    for (int i = 0; i < 100; i++) {
        while (!side_try(s, side_write(s, 0, s->buffer, 8, 0)))
            ;
        struct fi_cq_entry done;
        ssize_t n = fi_cq_sread(cq, &done, 1, NULL, 5000);
        for (int again = 0; n == -FI_EAGAIN && again < 100; again++)
            n = fi_cq_sread(cq, &done, 1, NULL, 5000);
        REQUIRE(n == 1);
    }
    side_stop(s);
}

static void case_small_inject(struct side *s, bool msg)
{
    side_start(s, msg, 0, true);
    REQUIRE(s->info->tx_attr->inject_size == 8);
    REQUIRE(fi_inject(s->ep, s->buffer, 9, s->peer) == -FI_EINVAL);
    REQUIRE(fi_inject_write(s->ep, s->buffer, 9, s->peer, s->base, s->shared->key) == -FI_EINVAL);
    traffic(s);
    side_stop(s);
}

static void case_eagain(struct side *s, bool msg)
{
    side_start(s, msg, 0, true);
    traffic(s);  // connects now: what is refused from here on is refused by the mock
    int refused = 0;
    for (int i = 0; i < 300; i++)
        if (side_try(s, side_write(s, 0, s->buffer, 8, 0)))
            side_wait(s, 1);
        else
            refused++;
    REQUIRE(refused > 50 && refused < 200);
    side_stop(s);
}

// The context belongs to the fabric, which writes to it; it must exist.
static void case_context(struct side *s, bool msg)
{
    struct fi_context2 context = {{NULL}};
    unsigned char *bytes = (unsigned char *)&context;
    side_start(s, msg, 0, true);
    REQUIRE(s->info->mode & FI_CONTEXT2);
    while (!side_try(
        s, fi_write(s->ep, s->buffer, 8, side_desc(s), s->peer, s->base, s->shared->key, &context)))
        ;
    REQUIRE(side_next(s) == &context && bytes[0] == 0x5a && bytes[sizeof context - 1] == 0x5a);
    ssize_t rc =
        fi_write(s->ep, s->buffer, 8, side_desc(s), s->peer, s->base, s->shared->key, NULL);
    REQUIRE(false, "written without a context: %zd", rc);
}

// A region open to others has no key before it is bound and enabled; MSG endpoints have no such
// regions.
static void case_mr_endpoint(struct side *s, bool msg)
{
    struct fid_mr *mr;
    static char memory[64];
    side_start(s, msg, 0, false);
    REQUIRE(fi_mr_reg(s->domain, memory, sizeof memory, FI_REMOTE_READ, 0, 4715, 0, &mr, NULL) ==
            0);
    if (msg) {
        REQUIRE(!(s->info->domain_attr->mr_mode & FI_MR_ENDPOINT) && fi_mr_key(mr) == 4715);
        exit(0);
    }
    REQUIRE(s->info->domain_attr->mr_mode & FI_MR_ENDPOINT);
    REQUIRE(fi_mr_key(mr) == FI_KEY_NOTAVAIL && fi_mr_enable(mr) == -FI_EINVAL);
    REQUIRE(side_connect(s, 6) == 0);
    REQUIRE(fi_mr_bind(mr, &s->ep->fid, 0) == 0 && fi_mr_enable(mr) == 0 && fi_mr_key(mr) == 4715);
    exit(0);
}

// Completion by delivery is not offered; who asks for it all the same is refused or not heard.
static void case_delivery(struct side *s, bool msg)
{
    bool refused = strcmp(getenv("MOCK_FABRIC"), "delivery_refused") == 0;
    struct fi_info *hints = side_hints(msg, 0, 0), *info;
    hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
    REQUIRE(side_getinfo(msg, hints, &info) == -FI_ENODATA);
    side_freeinfo(hints);
    side_start(s, msg, 0, true);
    REQUIRE(!(s->info->tx_attr->op_flags & FI_DELIVERY_COMPLETE));
    const uint64_t flags = FI_DELIVERY_COMPLETE | FI_COMPLETION;
    if (refused)
        REQUIRE(side_write(s, 0, s->buffer, 8, flags) == -FI_EOPNOTSUPP);
    while (!refused && !side_try(s, side_write(s, 0, s->buffer, 8, flags)))
        ;
    side_wait(s, refused ? 0 : 1);
    side_stop(s);
}

static const struct {
    const char *name, *demands;
    void (*run)(struct side *, bool);
    const char *violation;  // what the mock must print while it aborts; NULL: it must not abort
    const char *summary;    // a text that a line of the summary must contain
} cases[] = {
    {"pass-through", "", case_traffic, NULL,
     "\"inject_write\": 1, \"inject_writedata\": 0, \"read\": 1, "},
    {"ordered", "", case_ordered, NULL, "\"held\": 0, \"reordered\": 0"},
    {"virt_addr-mode", "virt_addr", case_mr_mode, NULL, NULL},
    {"virt_addr", "virt_addr", case_traffic, NULL, NULL},
    {"virt_addr-offset", "virt_addr", case_offset_refused, NULL, NULL},
    {"virt_addr-outside", "virt_addr,prov_key", case_offset_refused, "outside the region",
     "\"violations\": 1}"},
    {"prov_key-mode", "prov_key", case_mr_mode, NULL, NULL},
    {"prov_key", "prov_key", case_prov_key, NULL, "\"violations\": 0"},
    {"mr_local-mode", "mr_local", case_mr_mode, NULL, NULL},
    {"mr_local", "mr_local", case_traffic, NULL, "\"violations\": 0"},
    {"mr_local-none", "mr_local", case_no_desc, "has no descriptor", "\"violations\": 1}"},
    {"mr_local-elsewhere", "mr_local", case_not_covered, "not covered by its region", NULL},
    {"mr_local-access", "mr_local", case_wrong_access, "without this access", NULL},
    {"mr_allocated-mode", "mr_allocated", case_mr_mode, NULL, NULL},
    {"mr_allocated", "mr_allocated", case_traffic, NULL,
     "\"mr_bytes\": 65544, \"mr_untouched_bytes\": 65536"},
    {"mr_allocated-gone", "mr_allocated", case_gone, "after its memory was unmapped",
     "\"violations\": 1}"},
    {"cm55", "cm55", case_cm55, NULL, "\"cm_refused\": 1"},
    {"refused", "", case_refused, NULL, NULL},
    {"unordered", "unordered", case_unordered, NULL, NULL},
    {"unordered_sends", "unordered_sends", case_unordered, NULL, NULL},
    {"unordered-sleep", "unordered", case_sleep, NULL, "\"dropped_at_close\": 0"},
    {"atomics", "atomics", case_atomics, NULL, "\"fetch_atomic\": 10000, \"compare_atomic\": 1"},
    {"atomics-virt", "atomics,virt_addr,mr_local", case_atomics, NULL, NULL},
    {"few_completions", "few_completions", case_few_completions, NULL,
     "\"cq_refused\": 1, \"overrun\": 1"},
    {"few_receives", "few_receives", case_few_receives, NULL, "\"queue_full\": 1"},
    {"no_events", "no_events", case_no_events, NULL, NULL},
    {"no_wait_fd", "no_wait_fd", case_no_wait_fd, NULL, NULL},
    {"small_inject", "small_inject", case_small_inject, NULL, "\"violations\": 2}"},
    {"eagain", "eagain", case_eagain, NULL, NULL},
    {"context", "context", case_context, "without a context", "\"violations\": 1}"},
    {"mr_endpoint", "mr_endpoint", case_mr_endpoint, NULL, NULL},
    {"delivery_refused", "delivery_refused", case_delivery, NULL, "\"delivery_refused\": 1"},
    {"delivery_ignored", "delivery_ignored", case_delivery, NULL, NULL},
    {"verbs-like", "virt_addr,prov_key,mr_local,mr_allocated,cm55", case_traffic, NULL, NULL},
    {"everything",
     "virt_addr,prov_key,mr_local,mr_allocated,cm55,unordered,unordered_sends,atomics,no_wait_fd,"
     "small_"
     "inject,"
     "eagain",
     case_traffic, NULL, NULL},
    {"unknown word", "virt_addr,nonsense", case_traffic, "unknown word 'nonsense'", NULL},
};
enum { NCASES = sizeof cases / sizeof *cases };

// ---------------------------------------------------------------- running the cases

static bool contains(const char *path, const char *text)
{
    static char content[1 << 16];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, content, sizeof content - 1);
    content[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
    return strstr(content, text);
}

static void show(const char *path)
{
    char line[512];
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        fprintf(stderr, "    %s", line);
    if (file)
        fclose(file);
}

static int start(int i, bool msg, const char *output, const char *summary)
{
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        setenv("MOCK_FABRIC", cases[i].demands, 1);
        setenv("MOCK_FABRIC_SUMMARY", summary, 1);
        int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(fd, 2);
        alarm(25);
        execl("/proc/self/exe", "mock-selftest", msg ? "msg" : "rdm", cases[i].name, (char *)NULL);
        _exit(127);
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    return status;
}

// 0 passed, 1 failed, 77 skipped
static int run_case(int i, bool msg, const char *directory)
{
    char output[128], summary[128];
    snprintf(output, sizeof output, "%s/output", directory);
    snprintf(summary, sizeof summary, "%s/summary", directory);
    unlink(summary);
    int status = start(i, msg, output, summary);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        return 77;
    bool ok = cases[i].violation ? WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
                                       contains(output, cases[i].violation)
                                 : status == 0;
    if (ok && cases[i].summary && (msg || strcmp(cases[i].name, "cm55") != 0))
        ok = contains(summary, cases[i].summary);
    printf("%s %s (%s)\n", ok ? "ok  " : "FAIL", cases[i].name, msg ? "msg" : "rdm");
    if (!ok) {
        fprintf(stderr, "  status %#x\n", status);
        show(output);
        show(summary);
    }
    unlink(output);
    unlink(summary);
    return !ok;
}

static int run_named(const char *name, bool msg)
{
    static struct side side;
    for (int i = 0; i < NCASES; i++)
        if (strcmp(cases[i].name, name) == 0) {
            cases[i].run(&side, msg);
            return 0;
        }
    REQUIRE(false, "no case %s", name);
}

static int run_all(bool msg)
{
    char directory[] = "/tmp/mock-selftest-XXXXXX";
    REQUIRE(mkdtemp(directory));
    setvbuf(stdout, NULL, _IOLBF, 0);
    int failed = 0, skipped = 0;
    for (int i = 0; i < NCASES && !skipped; i++) {
        int rc = run_case(i, msg, directory);
        failed += rc == 1;
        skipped += rc == 77;
    }
    rmdir(directory);
    if (skipped) {
        printf("SKIP: no libfabric\n");
        return 77;
    }
    printf("%d of %d cases failed\n", failed, (int)NCASES);
    return failed != 0;
}

// libfabric-mock.so in the directory of this program.
static void load_mock(void)
{
    static char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    REQUIRE(n > 0);
    strcpy(strrchr(path, '/') + 1, "libfabric-mock.so");
    side_load(path);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3 || (strcmp(argv[1], "msg") != 0 && strcmp(argv[1], "rdm") != 0))
        REQUIRE(false, "usage: mock-selftest msg|rdm [CASE]");
    bool msg = strcmp(argv[1], "msg") == 0;
    load_mock();
    return argc == 3 ? run_named(argv[2], msg) : run_all(msg);
}
