// SPDX-License-Identifier: BSD-3-Clause
//
// Back end for launchers that speak PMI-1 (Hydra and compatible ones), over the descriptor PMI_FD,
// without a PMI library. Values are bytes and the wire is text, so they are sent in hexadecimal,
// with four digits in front for their size, split over several keys where the server takes only
// short values.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/env.h"
#include "base/error.h"
#include "base/mpi/find.h"
#include "base/output.h"
#include "bootstrap/bootstrap.h"
#include "bootstrap/placement.h"
#include "bootstrap/pmi1_wire.h"
#include "bootstrap/secret.h"
#include "bootstrap/text.h"

enum { KVSNAME_MAX = 256, PART_MAX = 600, MAPPING_MAX = 2048 };

typedef struct pmi1 {
    pmi1_wire_t wire;
    char kvs[KVSNAME_MAX + 1];
    size_t part_max;            // characters of a value that one key may carry
    char mapping[MAPPING_MAX];  // PMI_process_mapping, "" when the launcher has none
    cwb_t self;                 // as opened first
    pid_t pid;                  // the process that joined, as opposed to a child of it
    ino_t ino;                  // of the connection: its descriptor may be reused for another file
    bool joined;                // between open and close
    pthread_mutex_t lines;      // guards the two below
    char line[PMI1_LINE_MAX], reply[PMI1_LINE_MAX];
} pmi1_t;

static pmi1_t the_pmi1 CW_LARGE = {.wire.lock = PTHREAD_MUTEX_INITIALIZER,
                                   .lines = PTHREAD_MUTEX_INITIALIZER};  // one job a process

// ---------------------------------------------------------------- one key on the wire
/** The request is in p->line, the reply comes to p->reply: not on the stack, which may be that of a
 *  program's small thread. */
static int put_text(pmi1_t *p, const char *key, const char *value, size_t len)
{
    char rc_text[16];
    pthread_mutex_lock(&p->lines);
    snprintf(p->line, sizeof p->line, "cmd=put kvsname=%s key=%s value=%.*s\n", p->kvs, key,
             (int)len, value);
    int rc = pmi1_ask(&p->wire, p->line, "put_result", p->reply);
    if (rc == 0 &&
        (pmi1_field(p->reply, "rc", rc_text, sizeof rc_text) < 0 || strcmp(rc_text, "0"))) {
        cwu_error("the launcher refused key \"%s\": %.200s", key, p->reply);
        rc = CW_EPROTO;
    }
    pthread_mutex_unlock(&p->lines);
    return rc;
}

static int read_value(const pmi1_t *p, const char *key, char *value, size_t capacity)
{
    char rc_text[16];
    if (pmi1_field(p->reply, "rc", rc_text, sizeof rc_text) >= 0 && strcmp(rc_text, "0"))
        return CW_ENOENT;
    if (pmi1_field(p->reply, "value", value, capacity) < 0) {
        cwu_error("the launcher replied \"%.200s\" to a get of \"%s\"", p->reply, key);
        return CW_EPROTO;
    }
    return 0;
}

static int get_text(pmi1_t *p, const char *key, char *value, size_t capacity)
{
    pthread_mutex_lock(&p->lines);
    snprintf(p->line, sizeof p->line, "cmd=get kvsname=%s key=%s\n", p->kvs, key);
    int rc = pmi1_ask(&p->wire, p->line, "get_result", p->reply);
    if (rc == 0)
        rc = read_value(p, key, value, capacity);
    pthread_mutex_unlock(&p->lines);
    return rc;
}

static void part_key(char out[CWB_KEY_MAX + 16], const char *key, size_t part)
{
    if (part == 0)
        snprintf(out, CWB_KEY_MAX + 16, "%s", key);
    else
        snprintf(out, CWB_KEY_MAX + 16, "%s.%zu", key, part);
}

static int pmi1_put(cwb_t *b, const char *key, const void *value, size_t nbytes)
{
    pmi1_t *p = b->priv;
    char text[CWB_TEXT_MAX + 1], wire_key[CWB_KEY_MAX + 16];
    if (strlen(key) > CWB_KEY_MAX || nbytes > CWB_VALUE_MAX) {
        cwu_error("key \"%s\" with a value of %zu bytes: keys have at most %d characters, values "
                  "%d bytes",
                  key, nbytes, CWB_KEY_MAX, CWB_VALUE_MAX);
        return CW_EINVAL;
    }
    cwb_text_encode(value, nbytes, text);
    size_t len = strlen(text);
    int rc = 0;
    for (size_t at = 0, part = 0; at < len && rc == 0; at += p->part_max, part++) {
        part_key(wire_key, key, part);
        rc = put_text(p, wire_key, text + at, len - at < p->part_max ? len - at : p->part_max);
    }
    return rc;
}

static int pmi1_get(cwb_t *b, int owner, const char *key, void *value, size_t *nbytes_p)
{
    (void)owner;  // the store does not need it
    pmi1_t *p = b->priv;
    char text[CWB_TEXT_MAX + PART_MAX + 1], wire_key[CWB_KEY_MAX + 16];
    size_t len = 0, need = 4, nbytes = 0;
    unsigned char size[2];
    for (size_t part = 0; len < need; part++) {
        part_key(wire_key, key, part);
        int rc = get_text(p, wire_key, text + len, sizeof text - len);
        if (rc)
            return rc;
        size_t n = strlen(text + len);
        len += n;
        if (part == 0 && (len < 4 || cwb_text_digits(text, size, 2)))
            goto garbled;
        nbytes = (size_t)size[0] << 8 | size[1];
        need = 4 + 2 * nbytes;
        if (nbytes > CWB_VALUE_MAX || n == 0 || len > need)
            goto garbled;
    }
    size_t capacity = *nbytes_p;
    *nbytes_p = nbytes;
    if (nbytes > capacity)
        return CW_EINVAL;
    if (cwb_text_digits(text + 4, value, nbytes) == 0)
        return 0;
garbled:
    cwu_error("the value of key \"%s\" came back garbled from the launcher", key);
    return CW_EPROTO;
}

// ---------------------------------------------------------------- joining
static int read_number(const char *name, long min, long max, int *value_p)
{
    const char *text = getenv(name);  // set by the launcher, not a setting of this library
    char *end;
    errno = 0;
    long value = text ? strtol(text, &end, 10) : -1;
    if (!text || errno || end == text || *end || value < min || value > max) {
        cwu_error("PMI_FD is set, but %s is %s%s%s; start the program with a PMI-1 launcher "
                  "(mpiexec.hydra) or "
                  "oshrun, or unset PMI_FD",
                  name, text ? "\"" : "not set", text ? text : "", text ? "\"" : "");
        return CW_EINVAL;
    }
    *value_p = (int)value;
    return 0;
}

// A program that a PE starts inherits the variable without the descriptor: it is not a PE.
static bool fd_is_connection(const char *text, int *fd_p)
{
    char *end;
    struct stat st;
    long fd = strtol(text, &end, 10);
    if (end == text || *end || fd < 0 || fd > 1 << 30 || fstat((int)fd, &st) != 0)
        return false;
    *fd_p = (int)fd;
    return S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode);
}

static int size_field(const char *reply, const char *name, size_t fallback, size_t *n_p)
{
    char text[32];
    *n_p = fallback;
    if (pmi1_field(reply, name, text, sizeof text) < 0)
        return 0;
    *n_p = strtoul(text, NULL, 10);
    return *n_p >= 16 ? 0 : CW_EPROTO;
}

static int greet(pmi1_t *p)
{
    char reply[PMI1_LINE_MAX], rc_text[16];
    int rc =
        pmi1_ask(&p->wire, "cmd=init pmi_version=1 pmi_subversion=1\n", "response_to_init", reply);
    if (rc)
        return rc;
    if (pmi1_field(reply, "rc", rc_text, sizeof rc_text) >= 0 && strcmp(rc_text, "0")) {
        cwu_error("the launcher does not speak PMI-1: %.200s", reply);
        return CW_ENOTSUP;
    }
    rc = pmi1_ask(&p->wire, "cmd=get_maxes\n", "maxes", reply);
    if (rc)
        return rc;
    size_t value_max, key_max;
    if (size_field(reply, "vallen_max", 256, &value_max) ||
        size_field(reply, "keylen_max", 64, &key_max) || key_max < CWB_KEY_MAX + 5) {
        cwu_error("the launcher's limits are too small for us: %.200s", reply);
        return CW_ENOTSUP;
    }
    p->part_max = value_max - 1 < PART_MAX ? value_max - 1 : PART_MAX;
    rc = pmi1_ask(&p->wire, "cmd=get_my_kvsname\n", "my_kvsname", reply);
    if (rc == 0 && pmi1_field(reply, "kvsname", p->kvs, sizeof p->kvs) <= 0) {
        cwu_error("the launcher gave no name of a key-value space: %.200s", reply);
        rc = CW_EPROTO;
    }
    return rc;
}

// One host in the launcher's mapping: all PEs are on this machine. Names (CAUSEWAY_NODE) do not
// change that.
static int read_mapping(cwb_t *b)
{
    pmi1_t *p = b->priv;
    int rc = get_text(p, "PMI_process_mapping", p->mapping, sizeof p->mapping);
    if (rc == CW_ENOENT) {
        p->mapping[0] = '\0';
        return 0;
    }
    if (rc)
        return rc;
    cwb_runs_t runs;
    if (cwb_placement_runs(p->mapping, b->npes, &runs)) {
        b->one_machine = cwb_runs_nnodes(&runs, b->npes) == 1;
        return 0;
    }
    int nnodes = 0, *node_of_pe = malloc((size_t)b->npes * sizeof *node_of_pe);
    if (!node_of_pe) {
        cwu_error("no memory for the placement of %d PEs", b->npes);
        return CW_ENOMEM;
    }
    if (cwb_placement_parse(p->mapping, b->npes, node_of_pe, &nnodes) != 0) {
        cwu_warn("the launcher's PMI_process_mapping \"%.100s\" is not understood; hosts decide "
                 "who shares a node",
                 p->mapping);
        p->mapping[0] = '\0';
    }
    free(node_of_pe);
    b->one_machine = nnodes == 1;
    return 0;
}

/** True while the connection is open. An MPI library of this process closes it in MPI_Finalize. */
static bool is_connected(const pmi1_t *p)
{
    struct stat st;
    return p->pid == getpid() && fstat(p->wire.fd, &st) == 0 && st.st_ino == p->ino;
}

/** PMI_FD names no connection: tells a program that a PE started from one that has called
 *  MPI_Finalize already. */
static bool closed_by_mpi(void)
{
    const char *size = getenv("PMI_SIZE");
    if (!size || !strcmp(size, "1") || !cwu_mpi_is_loaded() || cwu_mpi_is_live())
        return false;
    cwu_error("the connection to the launcher (PMI_FD) is closed, probably by MPI_Finalize; "
              "initialise this library before it");
    return true;
}

static int rejoin(cwb_t *b, pmi1_t *p)
{
    if (!is_connected(p)) {
        cwu_error("the connection to the launcher is closed, probably by MPI_Finalize; initialise "
                  "this library before it");
        return CW_ELOST;
    }
    *b = p->self;
    p->joined = true;
    return 0;
}

static void set_job_id(cwb_t *b, const char *kvs)
{
    snprintf(b->job_id, sizeof b->job_id, "pmi-%.60s", kvs);
    for (char *c = b->job_id; *c; c++)
        if (*c == '/')
            *c = '_';
}

static int pmi1_open(cwb_t *b)
{
    pmi1_t *p = &the_pmi1;
    const char *fd_text = getenv("PMI_FD");
    if (p->pid == getpid())
        return rejoin(b, p);
    if (!fd_text)
        return CW_ENOENT;
    if (!fd_is_connection(fd_text, &p->wire.fd))
        return closed_by_mpi() ? CW_ELOST : CW_ENOENT;
    int rc = read_number("PMI_SIZE", 1, 1 << 24, &b->npes);
    if (rc == 0)
        rc = read_number("PMI_RANK", 0, b->npes - 1, &b->pe);
    if (rc)
        return rc;
    fcntl(p->wire.fd, F_SETFD, FD_CLOEXEC);
    b->priv = p;
    b->node_fd = -1;
    rc = greet(p);
    if (rc == 0)
        rc = read_mapping(b);
    if (rc == 0)
        rc = cwb_publish_secret(b);
    set_job_id(b, p->kvs);
    struct stat st;
    if (rc || fstat(p->wire.fd, &st) != 0)
        return rc ? rc : CW_ESYS;
    b->shared_wire = cwu_mpi_is_loaded();
    p->ino = st.st_ino;
    p->pid = getpid();
    p->joined = true;
    p->self = *b;
    return 0;
}

static int pmi1_nodes(cwb_t *b, int *node_of_pe)
{
    pmi1_t *p = b->priv;
    int nnodes;
    if (cwu_env.node || !p->mapping[0])
        return cwb_placement_exchange(b, node_of_pe);
    return cwb_placement_parse(p->mapping, b->npes, node_of_pe, &nnodes);
}

static bool pmi1_runs(cwb_t *b, cwb_runs_t *runs_p)
{
    pmi1_t *p = b->priv;
    return !cwu_env.node && p->mapping[0] && cwb_placement_runs(p->mapping, b->npes, runs_p);
}

// ---------------------------------------------------------------- fence and end
static int pmi1_fence_nb(cwb_t *b)
{
    pmi1_t *p = b->priv;
    if (!is_connected(p))
        return CW_ENOENT;
    pthread_mutex_lock(&p->wire.lock);
    p->wire.fence_done = false;
    pmi1_send(&p->wire, "cmd=barrier_in\n");
    pthread_mutex_unlock(&p->wire.lock);
    return 0;
}

static int pmi1_fence_wait(cwb_t *b)
{
    pmi1_t *p = b->priv;
    return pmi1_await_fence(&p->wire);
}

static bool pmi1_fence_test(cwb_t *b)
{
    pmi1_t *p = b->priv;
    return pmi1_fence_is_over(&p->wire);
}

static void pmi1_abort(cwb_t *b, int status, bool failed)
{
    (void)failed;
    pmi1_t *p = b->priv;
    char line[64];
    if (!p || !is_connected(p))
        _exit(status);
    cwu_await_output_read();  // Hydra drops it behind the next line
    // Without the lock, which this thread may hold; a line is sent in one write.
    snprintf(line, sizeof line, "cmd=abort exitcode=%d\n", status);
    pmi1_send(&p->wire, line);
    pmi1_await_end(&p->wire, 2000);
    _exit(status);
}

/** The launcher closes its end behind this process's good-bye only, or that of an MPI library,
 *  which closes this end right after. */
static const char *pmi1_lost(cwb_t *b)
{
    pmi1_t *p = b->priv;
    if (!p || !p->joined || !pmi1_is_hung_up(&p->wire) || !is_connected(p) ||
        (b->shared_wire && !cwu_mpi_is_live()))
        return NULL;
    return "the launcher's process on this host (of mpiexec, at PMI_FD)";
}

/** The connection is closed at the end of the process only: afterwards the launcher accepts no more
 *  requests, neither of a later epoch nor of an MPI library that is initialised later. */
static void pmi1_close(cwb_t *b)
{
    pmi1_t *p = b->priv;
    if (p)
        p->joined = false;
}

static CW_DESTRUCTOR void say_goodbye(void)
{
    pmi1_t *p = &the_pmi1;
    char reply[PMI1_LINE_MAX];
    if (p->pid == 0 || p->joined || !is_connected(p))
        return;
    pmi1_ask(&p->wire, "cmd=finalize\n", "finalize_ack", reply);
    close(p->wire.fd);
}

const cwb_ops_t cwb_pmi1 = {
    .name = "pmi1",
    .open = pmi1_open,
    .nodes = pmi1_nodes,
    .runs = pmi1_runs,
    .put = pmi1_put,
    .fence_nb = pmi1_fence_nb,
    .fence_wait = pmi1_fence_wait,
    .fence_test = pmi1_fence_test,
    .get = pmi1_get,
    .abort = pmi1_abort,
    .close = pmi1_close,
    .lost = pmi1_lost,
    .goodbye = say_goodbye,
};
