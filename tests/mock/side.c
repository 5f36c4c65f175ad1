// SPDX-License-Identifier: BSD-3-Clause
//
// One end of a connection for the self-test: opening, calls with checks, the child process.
#include "side.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "frame/usage.h"

static int (*getinfo)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *,
                      struct fi_info **);
static void (*freeinfo)(struct fi_info *);
static struct fi_info *(*dupinfo)(const struct fi_info *);
static int (*open_fabric)(struct fi_fabric_attr *, struct fid_fabric **, void *);
static uint32_t (*version)(void);
static pid_t target;

pid_t side_target(void)
{
    return target;
}

void side_load(const char *mock)
{
    void *library = dlopen(mock, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library, "%s", dlerror());
    *(void **)&getinfo = dlsym(library, "fi_getinfo");
    *(void **)&freeinfo = dlsym(library, "fi_freeinfo");
    *(void **)&dupinfo = dlsym(library, "fi_dupinfo");
    *(void **)&open_fabric = dlsym(library, "fi_fabric");
    *(void **)&version = dlsym(library, "fi_version");
    REQUIRE(getinfo && freeinfo && dupinfo && open_fabric && version);
}

static void check_time(double start)
{
    REQUIRE(now_s() - start <= 10, "nothing happened for 10 s");
}

struct fi_info *side_hints(bool msg, uint64_t mr_mode, uint64_t caps)
{
    if (version() == 0) {
        printf("SKIP: no libfabric\n");
        exit(77);
    }
    struct fi_info *hints = dupinfo(NULL);
    REQUIRE(hints);
    hints->caps = FI_MSG | FI_RMA | caps;
    hints->mode = FI_CONTEXT2;
    hints->ep_attr->type = msg ? FI_EP_MSG : FI_EP_RDM;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->domain_attr->mr_mode = (int)mr_mode;
    return hints;
}

// tcp has the MSG endpoints; older libraries call the RDM ones net.
int side_getinfo(bool msg, const struct fi_info *hints, struct fi_info **info)
{
    const char *names[] = {msg ? "tcp" : "net", "tcp"};
    int rc = -FI_ENODATA;
    for (int i = 0; rc && i < 2; i++) {
        struct fi_info *copy = dupinfo(hints);
        copy->fabric_attr->prov_name = strdup(names[i]);
        rc = getinfo(FI_VERSION(1, 17), "127.0.0.1", NULL, FI_SOURCE, copy, info);
        freeinfo(copy);
    }
    return rc;
}

void side_freeinfo(struct fi_info *info)
{
    freeinfo(info);
}

static void open_objects(struct side *s, uint64_t caps)
{
    struct fi_info *hints = side_hints(s->msg, ALL_MR_MODES, caps);
    int rc = side_getinfo(s->msg, hints, &s->info);
    freeinfo(hints);
    REQUIRE(rc == 0, "fi_getinfo: %d", rc);
    REQUIRE(open_fabric(s->info->fabric_attr, &s->fabric, NULL) == 0);
    REQUIRE(fi_domain(s->fabric, s->info, &s->domain, NULL) == 0);
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_CONTEXT, .wait_obj = FI_WAIT_NONE, .size = 512};
    REQUIRE(fi_cq_open(s->domain, &cq, &s->cq, NULL) == 0);
    if (s->msg) {
        struct fi_eq_attr eq = {.wait_obj = FI_WAIT_UNSPEC};
        REQUIRE(fi_eq_open(s->fabric, &eq, &s->eq, NULL) == 0);
    } else {
        struct fi_av_attr av = {.type = FI_AV_UNSPEC};
        REQUIRE(fi_av_open(s->domain, &av, &s->av, NULL) == 0);
    }
}

static void open_ep(struct side *s, struct fi_info *info)
{
    REQUIRE(fi_endpoint(s->domain, info, &s->ep, NULL) == 0);
    REQUIRE(fi_ep_bind(s->ep, s->msg ? &s->eq->fid : &s->av->fid, 0) == 0);
    REQUIRE(fi_ep_bind(s->ep, &s->cq->fid, FI_TRANSMIT | FI_RECV) == 0);
    REQUIRE(fi_enable(s->ep) == 0);
}

// ---------------------------------------------------------------- target

static void target_receive(struct side *s, uint64_t *inbox, void *desc)
{
    ssize_t rc;
    while ((rc = fi_recv(s->ep, inbox, sizeof *inbox, desc, FI_ADDR_UNSPEC, inbox)) == -FI_EAGAIN)
        ;
    REQUIRE(rc == 0);
}

static bool target_accept(struct side *s)
{
    _Alignas(8) char event[sizeof(struct fi_eq_cm_entry) + 256];
    struct fi_eq_cm_entry *entry = (struct fi_eq_cm_entry *)event;
    uint32_t kind;
    ssize_t n = s->msg ? fi_eq_read(s->eq, &kind, event, sizeof event, 0) : 0;
    if (n <= 0 || kind != FI_CONNREQ)
        return false;
    REQUIRE(entry->info->domain_attr->mr_mode == s->info->domain_attr->mr_mode);
    s->shared->cm_nbytes = (size_t)n - sizeof *entry;
    open_ep(s, entry->info);
    REQUIRE(fi_accept(s->ep, "ok", 2) == 0);
    freeinfo(entry->info);
    return true;
}

static void target_name(struct side *s)
{
    s->shared->name_nbytes = sizeof s->shared->name;
    REQUIRE(fi_getname(s->msg ? &s->pep->fid : &s->ep->fid, s->shared->name,
                       &s->shared->name_nbytes) == 0);
}

// Registers the data, publishes its address, and makes progress until it is stopped.
_Noreturn static void target_main(struct side *s, uint64_t caps)
{
    static uint64_t inbox;
    struct fid_mr *inbox_mr;
    open_objects(s, caps);
    int rc = fi_mr_reg(s->domain, s->shared->data, DATA_BYTES, FI_REMOTE_READ | FI_REMOTE_WRITE, 0,
                       4711, 0, &s->mr, NULL);
    if (rc == -FI_EFAULT) {  // mr_allocated: no memory yet
        memset(s->shared->data, 0, DATA_BYTES);
        rc = fi_mr_reg(s->domain, s->shared->data, DATA_BYTES, FI_REMOTE_READ | FI_REMOTE_WRITE, 0,
                       4711, 0, &s->mr, NULL);
    }
    REQUIRE(rc == 0);
    REQUIRE(fi_mr_reg(s->domain, &inbox, sizeof inbox, FI_RECV, 0, 4712, 0, &inbox_mr, NULL) == 0);
    s->shared->key = fi_mr_key(s->mr);
    s->shared->base =
        (s->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) ? (uint64_t)s->shared->data : 0;
    if (s->msg) {
        REQUIRE(fi_passive_ep(s->fabric, s->info, &s->pep, NULL) == 0);
        REQUIRE(fi_pep_bind(s->pep, &s->eq->fid, 0) == 0);
        REQUIRE(fi_listen(s->pep) == 0);
    } else {
        open_ep(s, s->info);
        target_receive(s, &inbox, fi_mr_desc(inbox_mr));
    }
    target_name(s);
    atomic_store(&s->shared->ready, 1);
    while (!atomic_load(&s->shared->stop)) {
        struct fi_cq_entry done;
        if (target_accept(s))
            target_receive(s, &inbox, fi_mr_desc(inbox_mr));
        if (fi_cq_read(s->cq, &done, 1) == 1 && done.op_context == &inbox) {
            atomic_store(&s->shared->received, inbox);
            target_receive(s, &inbox, fi_mr_desc(inbox_mr));
        }
        usleep(0);
    }
    exit(0);
}

// ---------------------------------------------------------------- initiator

int side_connect(struct side *s, size_t param_nbytes)
{
    _Alignas(8) char event[sizeof(struct fi_eq_cm_entry) + 256];
    struct fi_eq_cm_entry *entry = (struct fi_eq_cm_entry *)event;
    char param[256] = "hello";
    uint32_t kind;
    open_ep(s, s->info);
    if (!s->msg) {
        REQUIRE(fi_av_insert(s->av, s->shared->name, 1, &s->peer, 0, NULL) == 1);
        return 0;
    }
    int rc = fi_connect(s->ep, s->shared->name, param, param_nbytes);
    if (rc)
        return rc;
    double start = now_s();
    while (fi_eq_read(s->eq, &kind, event, sizeof event, 0) <= 0)
        check_time(start);
    REQUIRE(kind == FI_CONNECTED && strncmp((char *)entry->data, "ok", 2) == 0);
    return 0;
}

int side_refused(struct side *s)
{
    struct sockaddr_in nothing = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t nbytes = sizeof nothing;
    struct fi_eq_cm_entry event;
    struct fi_eq_err_entry error = {0};
    uint32_t kind;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);  // has the port, and does not listen
    REQUIRE(bind(fd, (struct sockaddr *)&nothing, nbytes) == 0 &&
            getsockname(fd, (struct sockaddr *)&nothing, &nbytes) == 0);
    open_ep(s, s->info);
    REQUIRE(fi_connect(s->ep, &nothing, NULL, 0) == 0);
    double start = now_s();
    ssize_t n;
    while ((n = fi_eq_read(s->eq, &kind, &event, sizeof event, 0)) == -FI_EAGAIN)
        check_time(start);
    REQUIRE(n == -FI_EAVAIL && fi_eq_readerr(s->eq, &error, 0) > 0);
    REQUIRE(fi_close(&s->ep->fid) == 0);
    close(fd);
    return error.err;
}

void side_start(struct side *s, bool msg, uint64_t caps, bool connect)
{
    int fd = memfd_create("mock-selftest", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && ftruncate(fd, sizeof *s->shared) == 0);
    *s = (struct side){.msg = msg};
    s->shared = mmap(NULL, sizeof *s->shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(s->shared != MAP_FAILED);
    target = fork();
    REQUIRE(target >= 0);
    if (target == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        target_main(s, caps);
    }
    close(fd);
    open_objects(s, caps);
    double start = now_s();
    while (!atomic_load(&s->shared->ready))
        check_time(start);
    s->base = s->shared->base;
    REQUIRE(fi_mr_reg(s->domain, s->buffer, sizeof s->buffer,
                      FI_SEND | FI_RECV | FI_READ | FI_WRITE, 0, 4713, 0, &s->mr, NULL) == 0);
    if (connect)
        REQUIRE(side_connect(s, 6) == 0);
}

void side_stop(struct side *s)
{
    int status;
    atomic_store(&s->shared->stop, 1);
    REQUIRE(waitpid(target, &status, 0) == target && status == 0);
    struct fid *fids[] = {s->ep ? &s->ep->fid : NULL,
                          s->av ? &s->av->fid : NULL,
                          &s->mr->fid,
                          &s->cq->fid,
                          s->eq ? &s->eq->fid : NULL,
                          &s->domain->fid,
                          &s->fabric->fid};
    for (size_t i = 0; i < sizeof fids / sizeof *fids; i++)
        if (fids[i])
            REQUIRE(fi_close(fids[i]) == 0);
    freeinfo(s->info);
}

void *side_desc(struct side *s)
{
    return s->no_desc ? NULL : fi_mr_desc(s->mr);
}

bool side_try(struct side *s, ssize_t rc)
{
    if (rc != 0 && rc != -FI_EAGAIN)
        REQUIRE(false, "a data call returned %zd", rc);
    if (rc)
        REQUIRE(fi_cq_read(s->cq, NULL, 0) <= 0);  // progress
    return rc == 0;
}

// `from` is in s->buffer.
ssize_t side_write(struct side *s, size_t offset, const void *from, size_t nbytes, uint64_t flags)
{
    struct iovec iov = {(void *)from, nbytes};
    void *desc = side_desc(s);
    struct fi_rma_iov rma = {s->base + offset, nbytes, s->shared->key};
    struct fi_msg_rma msg = {&iov, &desc, 1, s->peer, &rma, 1, (void *)from, 0};
    if (flags)
        return fi_writemsg(s->ep, &msg, flags);
    return fi_write(s->ep, from, nbytes, desc, s->peer, rma.addr, rma.key, (void *)from);
}

static ssize_t next_completion(struct side *s, void **context_p)
{
    struct fi_cq_entry done = {NULL};
    double start = now_s();
    for (;;) {
        ssize_t n = fi_cq_read(s->cq, &done, 1);
        *context_p = done.op_context;
        if (n != -FI_EAGAIN)
            return n;
        check_time(start);
        usleep(0);
    }
}

static int read_error(struct side *s)
{
    struct fi_cq_err_entry entry = {0};
    REQUIRE(fi_cq_readerr(s->cq, &entry, 0) == 1);
    return entry.err;
}

void *side_next(struct side *s)
{
    void *context;
    if (next_completion(s, &context) != 1)
        REQUIRE(false, "an error completion (%d)", read_error(s));
    return context;
}

void side_wait(struct side *s, int completions)
{
    while (completions-- > 0)
        side_next(s);
}

int side_wait_error(struct side *s)
{
    void *context;
    return next_completion(s, &context) == 1 ? 0 : read_error(s);
}
