// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the library's code as each PE in turn and records its calls of bootstrap and transport.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bootstrap/job.h"
#include "bootstrap/placement.h"
#include "core/mem/segment.h"
#include "core/mem/tables.h"
#include "core/path/contact.h"
#include "core/port/ctx.h"
#include "core/port/words.h"
#include "core/server/server.h"
#include "core/sync/area.h"
#include "core/sync/fused.h"
#include "core/world/job.h"
#include "core/world/place.h"
#include "sim.h"

enum { MANY_PES = 2048 };  // beyond, PEs that cannot differ are recorded once

static cwb_job_t *store;  // the real key-value store of oshrun
static sim_script_t *main_track, *server_track;
static _Thread_local bool is_main;
static sim_record_t *record;

static noreturn void die(const char *what)
{
    fprintf(stderr, "sim: %s\n", what);
    exit(EXIT_FAILURE);
}

void sim_script_add(sim_script_t *script, sim_op_t op, uint32_t arg, uint32_t count)
{
    sim_step_t *last = script->n ? &script->steps[script->n - 1] : NULL;
    if (op == SIM_OP_CONNECT && last && last->op == op && last->arg + last->count == arg) {
        last->count += count;
        return;
    }
    if (script->n == script->room) {
        script->room = script->room ? 2 * script->room : 8;
        script->steps = realloc(script->steps, (size_t)script->room * sizeof *script->steps);
        if (!script->steps)
            die("out of memory");
    }
    script->steps[script->n++] = (sim_step_t){.op = (uint8_t)op, .arg = arg, .count = count};
}

static void note(sim_op_t op, uint32_t arg, uint32_t count)
{
    sim_script_add(is_main ? main_track : server_track, op, arg, count);
}

// ---------------------------------------------------------------- bootstrap
static char mapping[64];  // as Hydra writes it

static int boot_nodes(cwb_t *b, int *node_of_pe)
{
    int nnodes;
    return cwb_placement_parse(mapping, b->npes, node_of_pe, &nnodes);
}

static bool boot_runs(cwb_t *b, cwb_runs_t *runs_p)
{
    return cwb_placement_runs(mapping, b->npes, runs_p);
}

static int boot_put(cwb_t *b, const char *key, const void *value, size_t nbytes)
{
    (void)b;
    note(SIM_OP_PUT, 0, (uint32_t)nbytes);
    record->published += nbytes;
    return cwb_job_put(store, key, value, nbytes);
}

static int boot_fence_nb(cwb_t *b)
{
    (void)b;
    note(SIM_OP_POST, 0, 1);
    return 0;
}

/** Which thread of a process waits first depends on timing. Recorded for the server's thread only;
 *  for the main thread the transport's open records that the exchange is needed. */
static int boot_fence_wait(cwb_t *b)
{
    (void)b;
    if (!is_main)
        note(SIM_OP_AWAIT, 0, 1);
    return 0;
}

static bool boot_fence_test(cwb_t *b)
{
    (void)b;
    return false;
}

static int boot_get(cwb_t *b, int owner, const char *key, void *value, size_t *nbytes_p)
{
    (void)b, (void)owner;
    return cwb_job_get(store, key, value, nbytes_p);
}

static void boot_abort(cwb_t *b, int status, bool failed)
{
    (void)b, (void)failed;
    exit(status);
}

static void boot_close(cwb_t *b)
{
    (void)b;
}

static void boot_goodbye(void)
{
}

static const cwb_ops_t boot_ops = {.name = "simulated",
                                   .sees_ends = true,
                                   .nodes = boot_nodes,
                                   .runs = boot_runs,
                                   .put = boot_put,
                                   .fence_nb = boot_fence_nb,
                                   .fence_wait = boot_fence_wait,
                                   .fence_test = boot_fence_test,
                                   .get = boot_get,
                                   .abort = boot_abort,
                                   .close = boot_close,
                                   .goodbye = boot_goodbye};

// ---------------------------------------------------------------- transport
struct cwt_server {
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool wake;
};
static struct cwt_server the_server = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                       .woken = PTHREAD_COND_INITIALIZER};
static char the_client, the_connection;  // only their addresses are used

static int net_load(bool one_machine)
{
    (void)one_machine;
    note(SIM_OP_LOAD, 0, 1);
    return 0;
}

static int net_server_open(const cwt_server_config_t *config, cwt_server_t **server_p)
{
    (void)config;
    note(SIM_OP_LISTEN, 0, 1);
    the_server.wake = false;
    *server_p = &the_server;
    return 0;
}

static int net_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p)
{
    (void)server;
    *nbytes_p = 32;  // the size of the tcp provider's, rounded up
    memset(blob, 0, *nbytes_p);
    return 0;
}

static int net_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES])
{
    (void)server, (void)secret;
    note(SIM_OP_SERVE, 0, 1);
    return 0;
}

static int net_server_progress(cwt_server_t *server)
{
    (void)server;
    return 0;
}

static bool net_server_may_block(cwt_server_t *server)
{
    (void)server;
    return true;
}

static int net_server_block(cwt_server_t *server, uint64_t timeout_ns)
{
    (void)timeout_ns;
    pthread_mutex_lock(&server->lock);
    while (!server->wake)
        pthread_cond_wait(&server->woken, &server->lock);
    pthread_mutex_unlock(&server->lock);
    return 1;
}

static void net_server_wake(cwt_server_t *server)
{
    pthread_mutex_lock(&server->lock);
    server->wake = true;
    pthread_cond_signal(&server->woken);
    pthread_mutex_unlock(&server->lock);
}

static void net_server_close(cwt_server_t *server)
{
    (void)server;
}

static int net_open(const cwt_client_config_t *config, cwt_client_t **client_p)
{
    (void)config;
    note(SIM_OP_AWAIT, 0, 1);  // see boot_fence_wait
    note(SIM_OP_OPEN, 0, 1);
    *client_p = (cwt_client_t *)&the_client;
    return 0;
}

static int net_connect(cwt_client_t *client, int node, const void *blob, size_t nbytes,
                       cwt_conn_t **conn_p)
{
    (void)client, (void)blob, (void)nbytes;
    note(SIM_OP_CONNECT, (uint32_t)node, 1);
    *conn_p = (cwt_conn_t *)&the_connection;
    return 0;
}

static int net_target(cwt_conn_t *conn, uint32_t slot, uint64_t slice_delta, cwt_target_t *target)
{
    (void)slot, (void)slice_delta;
    target->conn = conn;
    return 0;
}

static int net_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    (void)conn, (void)offset, (void)src, (void)nbytes, (void)nbi;
    return 0;
}

static int net_order(cwt_client_t *client)
{
    (void)client;
    return 0;
}

static void net_close(cwt_client_t *client)
{
    (void)client;
}

static void net_client_stats(const cwt_client_t *client, cwt_stats_t *stats_p)
{
    (void)client;
    *stats_p = (cwt_stats_t){0};
}

static void net_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p)
{
    (void)server;
    *stats_p = (cwt_stats_t){0};
}

static bool net_needs_memory(void)
{
    return false;
}

static bool net_one_client(void)
{
    return false;
}

static bool net_software(void)
{
    return true;
}

static bool net_sees_loss(void)
{
    return false;
}

static bool net_threads_serve(void)
{
    return true;
}

static size_t net_request_most(const cwt_conn_t *conn)
{
    (void)conn;
    return CWT_REQUEST_MAX;
}

static cwt_ops_t net_ops;

/** Slots that nothing at start calls are empty. */
static void make_transport(void)
{
    net_ops = (cwt_ops_t){.name = "simulated"};
    net_ops.load = net_load;
    net_ops.one_client = net_one_client;
    net_ops.needs_memory = net_needs_memory;
    net_ops.software = net_software;
    net_ops.sees_loss = net_sees_loss;
    net_ops.threads_serve = net_threads_serve;
    net_ops.request_most = net_request_most;
    net_ops.server_open = net_server_open;
    net_ops.server_address = net_server_address;
    net_ops.server_secret = net_server_secret;
    net_ops.server_progress = net_server_progress;
    net_ops.server_may_block = net_server_may_block;
    net_ops.server_block = net_server_block;
    net_ops.server_wake = net_server_wake;
    net_ops.server_close = net_server_close;
    net_ops.open = net_open;
    net_ops.connect = net_connect;
    net_ops.target = net_target;
    net_ops.put = net_put;
    net_ops.quiet = net_order;
    net_ops.fence = net_order;
    net_ops.progress = net_order;
    net_ops.close = net_close;
    net_ops.stats = net_client_stats;
    net_ops.server_stats = net_server_stats;
    cw_transport = &net_ops;
}

// ---------------------------------------------------------------- stand-in for the node object
enum { ROUNDS = 32 };

static uint64_t round_up(uint64_t n)
{
    return (n + 65535) / 65536 * 65536;
}

/** What of the node object is used: rounds of a collective between leaders, all of which are marked
 *  as received, so that no leader waits, and behind them the tables of all PEs. Needs the number of
 *  nodes. */
static void make_object(void)
{
    static cw_control_t control;
    uint64_t rounds = round_up(cw_coll_step_offset(ROUNDS)), tables = cw_tables_section.nbytes();
    int fd = memfd_create("sim-node", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)(rounds + tables)))
        die("no memory for a node object");
    char *area = mmap(NULL, rounds + tables, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (area == MAP_FAILED)
        die("no memory for a node object");
    cw_tables_section.offset = rounds;
    cw_segment.fd = fd;
    cw_segment.control = &control;
    cw_segment.base = area;  // cw_coll_section.offset is 0
    cw_segment.layout =
        (cwt_layout_t){.slice_offset = 1 << 20, .slice_stride = 1 << 20, .nslots = 1};
    for (int r = 0; r < ROUNDS; r++) {
        cw_coll_step_t *round = cw_coll_step((cw_coll_area_t *)(void *)area, r);
        round->barrier[0] = round->barrier[1] = 1;  // the number of the only barrier
        round->value = INT64_MAX / 2;
    }
}

// ---------------------------------------------------------------- one PE
static void be(int pe)
{
    free(cw_world.pes_of_node);
    cw_world.pes_of_node = NULL;
    cw_world.pe = cw_boot.pe = pe;
    cw_world.epoch = 0;
    cw_job_begin();
    if (cw_place_self())
        die("out of memory for the tables of a PE");
    cw_world.hosts_server = cw_world.nnodes > 1 && cw_world.slot == 0;
    main_track = &record->pe[pe];
    server_track = &record->server[cw_world.node];
}

static void run_server(void)
{
    if (cw_server_start(&cw_boot))
        die("the node server's thread did not start");
    cw_server_stop();
}

static void combine_nothing(const cw_fused_op_t *op, void *acc, const void *in)
{
    (void)op, (void)acc, (void)in;
}

/** A collective of the world: leaders exchange rounds. */
static void collective(size_t nbytes)
{
    static const cw_fused_op_t op = {combine_nothing};
    cw_leaders_t leaders;
    uint64_t value = 0;
    if (cw_world.hosts_server) {
        cw_leaders_init(&leaders, cw_group_world, NULL, 0, 0);
        cw_leaders_fused(&leaders, &value, nbytes, &op);
    }
    note(SIM_OP_BARRIER, 0, 1);
}

static void touch(int pe)
{
    if (pe >= 0 && pe < cw_world.npes && cw_world.node_of_pe[pe] != cw_world.node)
        cw_ctx_connect(&cw_ctx_default, pe);
}

/** The neighbours of examples/03-stencil, which cuts its grid like this. */
static void touch_neighbours(int pe, int npes)
{
    int py = 1;
    for (int d = 1; (long)d * d <= npes; d++)
        py = npes % d == 0 ? d : py;
    int px = npes / py, x = pe % px;
    touch(x > 0 ? pe - 1 : -1);
    touch(x < px - 1 ? pe + 1 : -1);
    touch(pe - px);
    touch(pe + px);
}

static void run_main(const sim_config_t *config)
{
    if (cw_world.nnodes > 1) {
        if (cw_world.hosts_server) {
            note(SIM_OP_BEGIN, 0, 1);
            note(SIM_OP_SERVER, 0, 1);  // recorded by run_server
            cw_job_published();
        } else
            cw_job_fence_start();
        if (config->is_blocking) {
            note(SIM_OP_AWAIT, 0, 1);
            cw_job_need_exchange();
        }
        if (config->is_static)
            cw_ctx_connect_all();
    }
    note(SIM_OP_INIT_END, 0, 1);
    if (config->pattern == SIM_RING)
        touch((cw_world.pe + 1) % cw_world.npes);
    if (config->pattern == SIM_STENCIL) {
        touch_neighbours(cw_world.pe, cw_world.npes);
        collective(sizeof(double));
    }
    collective(0);  // shmem_finalize
    if (cw_world.nnodes > 1) {
        note(SIM_OP_AWAIT, 0, 1);
        note(SIM_OP_POST, 1, 1);  // no PE leaves while another waits for its reply
        note(SIM_OP_AWAIT, 1, 1);
    }
    cw_port_close(&cw_port_default);
}

// ---------------------------------------------------------------- all PEs
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Memory that is this process's alone, and no file's. */
static size_t private_nbytes(void)
{
    char line[256];
    size_t kib = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "re");
    while (f && !kib && fgets(line, sizeof line, f))
        if (sscanf(line, "Anonymous: %zu", &kib) != 1)
            kib = 0;
    if (!f || !kib)
        die("the kernel does not say how much memory is private (/proc/self/smaps_rollup)");
    fclose(f);
    return kib << 10;
}

static size_t object_nbytes(void)
{
    struct stat st;
    if (fstat(cw_segment.fd, &st))
        die("the node object is gone");
    return (size_t)st.st_blocks * 512;
}

static void set_up(const sim_config_t *config)
{
    int ppn = config->npes / config->nnodes, more = config->npes % config->nnodes;
    if (more)  // the first nodes have one PE more
        snprintf(mapping, sizeof mapping, "(vector,(0,%d,%d),(%d,%d,%d))", more, ppn + 1, more,
                 config->nnodes - more, ppn);
    else
        snprintf(mapping, sizeof mapping, "(vector,(0,%d,%d))", config->nnodes, ppn);
    cwu_env_load();
    store = mmap(NULL, cwb_job_nbytes((uint32_t)config->npes), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (store == MAP_FAILED)
        die("no addresses for the key-value store");
    cwb_job_format(store, (uint32_t)config->npes, (uint32_t)config->nnodes);
    cw_boot = (cwb_t){
        .ops = &boot_ops, .npes = config->npes, .node_fd = -1, .one_machine = config->nhosts == 1};
    make_transport();
    cw_world.npes = config->npes;
    is_main = true;
}

/** Times of the placement and of the tables. */
static void make_tables(double ns[2])
{
    double start = seconds();
    if (cw_tables_open())
        die("no memory for the tables of all PEs");
    ns[0] = (seconds() - start) * 1e9;
    start = seconds();
    if (cw_ctx_open())
        die("out of memory for the peer words");
    cw_words_gathered();
    ns[1] = (seconds() - start) * 1e9;
}

/** Another process is the first PE of the node that comes. */
static void come_first(void)
{
    double *ns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = ns == MAP_FAILED ? -1 : fork();
    if (pid == 0) {
        make_tables(ns);
        _exit(0);
    }
    int status = 1;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
        die("the first PE of a node failed");
    record->first_ns = ns[0] + ns[1];
    munmap(ns, 4096);
}

static void measure_tables(void)
{
    double start = seconds(), ns[2];
    if (cw_place())
        die("the placement failed");
    double place_ns = (seconds() - start) * 1e9;
    make_object();
    size_t object = object_nbytes();
    come_first();
    size_t before = private_nbytes();
    make_tables(ns);
    record->table_nbytes = private_nbytes() - before;
    record->node_nbytes = object_nbytes() - object;
    record->place_ns = place_ns + ns[0];
    record->tables_ns = ns[1];
    record->first_ns += place_ns;
}

void sim_record(const sim_config_t *config, sim_record_t *r)
{
    *r = (sim_record_t){.pe = calloc((size_t)config->npes, sizeof *r->pe),
                        .server = calloc((size_t)config->nnodes, sizeof *r->server)};
    record = r;
    if (!r->pe || !r->server)
        die("out of memory");
    set_up(config);
    measure_tables();
    for (int node = 0; node < config->nnodes && config->nnodes > 1; node++) {
        be(cw_world.leader_of_node[node]);
        run_server();
    }
    bool alike = config->npes > MANY_PES && config->pattern == SIM_HELLO;
    for (int pe = 0; pe < config->npes; pe++) {
        int slot = cw_world.slot_of_pe[pe];
        if (alike && slot > 1) {  // the record depends on the node and on being its lowest PE
            int node = cw_world.node_of_pe[pe], like = cw_world.leader_of_node[node] + 1;
            r->pe[pe] = r->pe[like];
            continue;
        }
        be(pe);
        run_main(config);
        r->recorded++;
    }
}
