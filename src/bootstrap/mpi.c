// SPDX-License-Identifier: BSD-3-Clause
//
// Back end of a process that has called MPI_Init and has no connection to a launcher, and of jobs
// whose nodes MPI connects (CAUSEWAY_TRANSPORT=mpi), where MPI_Init is called here if the program
// has not: PEs are the ranks of MPI_COMM_WORLD. A key that was put stays in its process until the
// next fence, which copies all keys to all PEs. PEs publish one address a node and the secret, so
// the copies are as small as the table of nodes that each PE has anyway.
//
// MPI may allow calls from one thread only, which is not the node server's. Therefore the fence
// belongs to the thread that called open (one_thread) and is completed in init (shared_wire). After
// MPI_Finalize fence_nb returns CW_ENOENT. Tests carry the exchange on without blocking: others may
// wait for what the caller does between them.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/mpi/find.h"
#include "bootstrap/bootstrap.h"
#include "bootstrap/mpi_plugin.h"
#include "bootstrap/nodemap.h"
#include "bootstrap/placement.h"
#include "bootstrap/secret.h"

typedef struct record {
    uint8_t key_nbytes, value_nbytes;
    char bytes[];  // key, value
} record_t;
_Static_assert(sizeof(record_t) == 2, "travels packed");
enum { RECORD_MAX = sizeof(record_t) + CWB_KEY_MAX + CWB_VALUE_MAX };

static struct {
    const cwb_mpi_plugin_t *plugin;
    const void *chosen;        // the communicator of the job to be joined next; NULL: none
    bool is_part;              // the job is that of such a one
    bool any_thread;
    bool fencing, exchanging;  // the fence has begun; and its exchange, too
    int error;                 // of the exchange
    bool joined, exiting;
    pthread_t opener;
    _Atomic bool ended;    // MPI_Finalize has begun
    cwb_t self;            // as opened first
    pid_t pid;             // the process that opened, as opposed to a child of it
    pthread_mutex_t lock;  // guards all below
    char *pending;         // records put since the last fence
    size_t pending_nbytes;
    const record_t *
        *table;  // open addressing, a power of two, at most half full; records lie in blocks of a
                 // fence each
    size_t nslots, nrecords;
    void **blocks;  // of records, of the fences so far
    size_t nblocks;
} m = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int find(const cwb_mpi_plugin_t **plugin_p)
{
    const void *table = NULL;
    int rc = cwu_mpi_plugin(CWB_MPI_PLUGIN_SYMBOL, CWB_MPI_PLUGIN_VERSION, &table);
    *plugin_p = table;
    return rc;
}

static int failed(const char *what, int code)
{
    char why[CWU_MPI_TEXT_MAX] = "";
    m.plugin->describe(code, why);
    cwu_error("MPI: %s failed: %s", what, why);
    return CW_EPROTO;
}

static void mpi_ending(void)
{
    m.ended = true;
}

// ---------------------------------------------------------------- the store
static const record_t **slot_of(const char *key, size_t key_nbytes)
{
    size_t hash = 5381;
    for (size_t i = 0; i < key_nbytes; i++)
        hash = hash * 33 + (unsigned char)key[i];
    for (size_t at = hash & (m.nslots - 1);; at = (at + 1) & (m.nslots - 1)) {
        const record_t *r = m.table[at];
        if (!r || (r->key_nbytes == key_nbytes && !memcmp(r->bytes, key, key_nbytes)))
            return &m.table[at];
    }
}

static int grow(size_t nrecords)
{
    size_t n = m.nslots ? m.nslots : 64, old = m.nslots;
    while (n < 2 * nrecords)
        n *= 2;
    if (n == old)
        return 0;
    const record_t **before = m.table, **table = calloc(n, sizeof *table);
    if (!table)
        return CW_ENOMEM;
    m.table = table;
    m.nslots = n;
    for (size_t i = 0; i < old; i++)
        if (before[i])
            *slot_of(before[i]->bytes, before[i]->key_nbytes) = before[i];
    free(before);
    return 0;
}

/** The store of the next job is empty. */
static void forget_all(void)
{
    for (size_t i = 0; i < m.nblocks; i++)
        free(m.blocks[i]);
    free(m.blocks);
    free(m.table);
    free(m.pending);
    m.blocks = NULL;
    m.table = NULL;
    m.pending = NULL;
    m.nblocks = m.nslots = m.nrecords = m.pending_nbytes = 0;
    m.error = 0;
}

static int keep_block(void *block)
{
    void **more = realloc(m.blocks, (m.nblocks + 1) * sizeof *more);
    if (!more) {
        free(block);
        cwu_error("no memory for the keys of the PEs");
        return CW_ENOMEM;
    }
    m.blocks = more;
    m.blocks[m.nblocks++] = block;
    return 0;
}

/** Takes ownership of a block of packed records. The bytes come from other PEs: bounds are
 *  checked. */
static int enter(char *block, size_t nbytes)
{
    int rc = keep_block(block);
    if (rc)
        return rc;
    for (size_t at = 0; at < nbytes;) {
        const record_t *r = (const record_t *)(block + at);
        size_t left = nbytes - at;
        if (left < sizeof *r || left < sizeof *r + r->key_nbytes + r->value_nbytes) {
            cwu_error("MPI: the keys of the PEs came back garbled");
            return CW_EPROTO;
        }
        if (grow(m.nrecords + 1)) {
            cwu_error("no memory for %zu keys", m.nrecords + 1);
            return CW_ENOMEM;
        }
        const record_t **slot = slot_of(r->bytes, r->key_nbytes);
        m.nrecords += !*slot;
        *slot = r;
        at += sizeof *r + r->key_nbytes + r->value_nbytes;
    }
    return 0;
}

static int mpi_put(cwb_t *b, const char *key, const void *value, size_t nbytes)
{
    size_t len = strlen(key);
    (void)b;
    if (len > CWB_KEY_MAX || nbytes > CWB_VALUE_MAX) {
        cwu_error("key \"%s\" with a value of %zu bytes: keys have at most %d characters, values "
                  "%d bytes",
                  key, nbytes, CWB_KEY_MAX, CWB_VALUE_MAX);
        return CW_EINVAL;
    }
    pthread_mutex_lock(&m.lock);
    char *more = realloc(m.pending, m.pending_nbytes + RECORD_MAX);
    if (more) {
        m.pending = more;
        record_t *r = (record_t *)(more + m.pending_nbytes);
        *r = (record_t){.key_nbytes = (uint8_t)len, .value_nbytes = (uint8_t)nbytes};
        memcpy(r->bytes, key, len);
        memcpy(r->bytes + len, value, nbytes);
        m.pending_nbytes += sizeof *r + len + nbytes;
    }
    pthread_mutex_unlock(&m.lock);
    if (!more)
        cwu_error("no memory for key \"%s\"", key);
    return more ? 0 : CW_ENOMEM;
}

static int mpi_get(cwb_t *b, int owner, const char *key, void *value, size_t *nbytes_p)
{
    (void)b, (void)owner;  // the store does not need it
    pthread_mutex_lock(&m.lock);
    const record_t *r = m.nslots ? *slot_of(key, strlen(key)) : NULL;
    pthread_mutex_unlock(&m.lock);
    if (!r)
        return CW_ENOENT;
    size_t capacity = *nbytes_p;
    *nbytes_p = r->value_nbytes;
    if (r->value_nbytes > capacity)
        return CW_EINVAL;
    memcpy(value, r->bytes + r->key_nbytes, r->value_nbytes);
    return 0;
}

// ---------------------------------------------------------------- fence and end
static int mpi_fence_nb(cwb_t *b)
{
    (void)b;
    if (m.ended)
        return CW_ENOENT;
    m.fencing = true;
    return 0;
}

/** May this thread call MPI? */
static bool is_allowed(void)
{
    return m.any_thread || pthread_equal(m.opener, pthread_self());
}

/** One step of the exchange; wait: all of it. Not of two threads at a time. */
static int exchange(bool wait)
{
    void *all = NULL;
    size_t nbytes = 0;
    bool over = false;
    int rc = 0;
    if (!m.exchanging) {
        pthread_mutex_lock(&m.lock);
        rc = m.plugin->collect(m.pending, (int)m.pending_nbytes);
        m.pending_nbytes = 0;
        pthread_mutex_unlock(&m.lock);
        m.exchanging = rc == 0;
    }
    if (rc == 0)
        rc = m.plugin->collected(wait, &over, &all, &nbytes);
    if (rc)
        return failed("the exchange of keys", rc);
    if (!over)
        return 0;
    m.fencing = m.exchanging = false;
    pthread_mutex_lock(&m.lock);
    rc = enter(all, nbytes);
    pthread_mutex_unlock(&m.lock);
    return rc;
}

static int mpi_fence_wait(cwb_t *b)
{
    (void)b;
    if (m.fencing && m.error == 0)
        m.error = exchange(true);
    return m.error;
}

/** The exchange goes on in tests of the thread that may call MPI. */
static bool mpi_fence_test(cwb_t *b)
{
    (void)b;
    if (m.fencing && m.error == 0 && is_allowed())
        m.error = exchange(false);
    return !m.fencing || m.error;
}

static void mpi_abort(cwb_t *b, int status, bool failed)
{
    (void)failed;
    (void)b;
    if (m.pid == getpid() && !m.ended && is_allowed())
        m.plugin->abort(status);
    // MPI's launcher ends all processes when one ends without MPI_Finalize.
    _exit(status);
}

/** All leave together, and the next job is another one. */
static void leave_part(void)
{
    if (!m.ended)
        m.plugin->close_part();
    m.is_part = false;
    m.pid = 0;
    forget_all();
}

/** MPI_Finalize frees the communicator of all processes. */
static void mpi_close(cwb_t *b)
{
    (void)b;
    m.joined = false;
    if (m.is_part)
        leave_part();
    if (m.exiting)
        cwu_mpi_end_own();
}

// ---------------------------------------------------------------- joining

/** The same text in all PEs, drawn by rank 0. */
static int name_job(cwb_t *b)
{
    uint64_t word = 0;
    if (b->pe == 0 && getrandom(&word, sizeof word, 0) != sizeof word) {
        cwu_error("cannot draw a name for the job: getrandom failed");
        return CW_ESYS;
    }
    int rc = m.plugin->broadcast(&word, sizeof word);
    if (rc)
        return failed("the broadcast of the job's name", rc);
    snprintf(b->job_id, sizeof b->job_id, "mpi-%016llx", (unsigned long long)word);
    return 0;
}

static int rejoin(cwb_t *b)
{
    if (m.ended) {
        cwu_error("MPI_Finalize has been called, and the PEs of this job find each other through "
                  "MPI; initialise this library before it");
        return CW_ELOST;
    }
    *b = m.self;
    m.joined = true;
    return 0;
}

/** MPI that was started here is finalised when the process ends and this library has left: an exit
 *  handler of a front end may run behind this one. */
static void process_ends(void)
{
    m.exiting = true;
    if (!m.joined)
        cwu_mpi_end_own();
}

/** Where MPI connects the nodes, it is initialised for programs that do not. */
static int start_for_transport(void)
{
    if (strcmp(cwu_env.transport, "mpi") != 0 || cwu_mpi_is_live())
        return 0;
    int rc = cwu_mpi_start();
    return rc == 0 && atexit(process_ends) != 0 ? CW_ENOMEM : rc;
}

static int mpi_open(cwb_t *b)
{
    cwb_mpi_world_t world;
    const void *comm = m.chosen;
    m.chosen = NULL;
    if (m.pid == getpid() && !comm)
        return rejoin(b);
    forget_all();
    int rc = start_for_transport();
    if (rc || (rc = find(&m.plugin)))
        return rc;
    if ((rc = m.plugin->open(comm, mpi_ending, &world)))
        return failed("making a communicator", rc);
    b->pe = world.rank;
    b->npes = world.size;
    b->node_fd = -1;
    b->one_machine = world.one_machine;
    b->shared_wire = b->one_thread = true;
    b->is_part = m.is_part = comm != NULL;
    m.any_thread = world.any_thread;
    m.opener = pthread_self();
    if ((rc = name_job(b)) || (rc = cwb_publish_secret(b)))
        return rc;
    m.self = *b;
    m.pid = getpid();
    m.joined = true;
    return 0;
}

/** Gathers the names in rank 0, which broadcasts the numbers. */
static int mpi_nodes(cwb_t *b, int *node_of_pe)
{
    char name[CWB_VALUE_MAX + 1] = "";
    int rc = cwb_placement_name(name), broken = 0;
    if (rc)
        return rc;
    // temporary, in one PE
    char *all = b->pe == 0 ? malloc((size_t)b->npes * sizeof name) : NULL;
    cwb_nodemap_t map;
    if (b->pe == 0 && (!all || cwb_nodemap_init(&map, b->npes))) {
        cwu_error("no memory for the nodes of %d PEs", b->npes);
        free(all);
        return CW_ENOMEM;
    }
    if ((broken = m.plugin->gather(name, all, sizeof name)) == 0 && b->pe == 0)
        for (int pe = 0; pe < b->npes; pe++) {
            char *one = all + (size_t)pe * sizeof name;
            one[sizeof name - 1] = '\0';
            node_of_pe[pe] = cwb_nodemap_add(&map, one);
        }
    if (b->pe == 0)
        cwb_nodemap_finish(&map);
    free(all);
    if (broken || (broken = m.plugin->broadcast(node_of_pe, b->npes * (int)sizeof *node_of_pe)))
        return failed("the exchange of nodes", broken);
    return 0;
}

int cwb_mpi_start(int level, const char *call)
{
    enum { MULTIPLE = 3 };
    if (strcmp(cwu_env.bootstrap, "mpi") != 0 && cwb_is_of_oshrun())
        return CW_ENOENT;
    return cwu_mpi_start_linked(strcmp(cwu_env.transport, "mpi") == 0 ? MULTIPLE : level, call);
}

void cwb_mpi_choose(const void *comm)
{
    m.chosen = comm;
}

bool cwb_mpi_is_chosen(void)
{
    return m.chosen != NULL;
}

// ---------------------------------------------------------------- communicators
static int find_for(size_t comm_nbytes, const cwb_mpi_plugin_t **p_p)
{
    int rc = find(p_p);
    if (rc == CW_ENOENT)
        cwu_error("no MPI is initialised in this process (or MPI_Finalize has been called)");
    if (rc == 0 && comm_nbytes && (*p_p)->comm_nbytes != comm_nbytes) {
        cwu_error("the program was compiled for another MPI than the one it runs with: its "
                  "MPI_Comm has %zu bytes, not %u",
                  comm_nbytes, (*p_p)->comm_nbytes);
        rc = CW_EMISMATCH;
    }
    return rc;
}

static int failed_with(const cwb_mpi_plugin_t *p, const char *what, int code)
{
    char why[CWU_MPI_TEXT_MAX] = "";
    p->describe(code, why);
    cwu_error("%s: MPI says: %s", what, why);
    return CW_EPROTO;
}

int cwb_mpi_members(const void *comm, size_t comm_nbytes, int pe, const cwu_mpi_between_t *between,
                    int **pes_p, int *n_p, int *rank_p)
{
    const cwb_mpi_plugin_t *p;
    int rc = find_for(comm_nbytes, &p);
    if (rc)
        return rc;
    rc = p->members(comm, pe, between, pes_p, n_p, rank_p);
    return rc ? failed_with(p, "looking up the members of a communicator", rc) : 0;
}

int cwb_mpi_combine(const void *comm, uint64_t *and_words, int nand, uint64_t *max_words, int nmax,
                    const cwu_mpi_between_t *between)
{
    const cwb_mpi_plugin_t *p;
    int rc = find(&p);
    if (rc)
        return rc;
    rc = p->combine(comm, and_words, nand, max_words, nmax, between);
    return rc ? failed_with(p, "a reduction", rc) : 0;
}

int cwb_mpi_rank(size_t comm_nbytes, void *null_p, int *rank_p, int *size_p)
{
    const cwb_mpi_plugin_t *p;
    int rc = find_for(comm_nbytes, &p);
    if (rc)
        return rc;
    if (null_p)
        p->null(null_p);
    rc = p->rank_and_size(rank_p, size_p);
    return rc ? failed_with(p, "asking for the rank", rc) : 0;
}

int cwb_mpi_no_info(void **info_p)
{
    const cwb_mpi_plugin_t *p;
    int rc = find(&p);
    if (rc == 0)
        p->no_info(info_p);
    return rc;
}

int cwb_mpi_create(const int *ranks, int n, int tag, const cwu_mpi_between_t *between, void *comm_p)
{
    const cwb_mpi_plugin_t *p;
    int rc = find(&p);
    if (rc)
        return rc;
    rc = p->create(ranks, n, tag, between, comm_p);
    return rc ? failed_with(p, "making a communicator", rc) : 0;
}

int cwb_mpi_free(void *comm_p, const cwu_mpi_between_t *between)
{
    const cwb_mpi_plugin_t *p;
    if (!cwu_mpi_is_live() || find(&p))
        return 0;  // it went with MPI
    int rc = p->free(comm_p, between);
    return rc ? failed_with(p, "freeing a communicator", rc) : 0;
}

/** MPI is the program's to finalise, unless it was started here. */
static void mpi_goodbye(void)
{
    cwu_mpi_end_own();
}

const cwb_ops_t cwb_mpi = {
    .name = "mpi",
    .open = mpi_open,
    .nodes = mpi_nodes,
    .put = mpi_put,
    .fence_nb = mpi_fence_nb,
    .fence_wait = mpi_fence_wait,
    .fence_test = mpi_fence_test,
    .get = mpi_get,
    .abort = mpi_abort,
    .close = mpi_close,
    .lost = cwb_never_lost,
    .goodbye = mpi_goodbye,
};
