// SPDX-License-Identifier: BSD-3-Clause
//
// CAUSEWAY_STATS=json:PATH: every PE writes its record as text, PE 0 puts them into one file. The
// format is described in docs/man/causeway-stats.5.md and by docs/causeway-stats.schema.json; a
// change of meaning needs a new "version".
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/forward/forwarding.h"
#include "core/mem/heap.h"
#include "core/mem/segment.h"
#include "core/progress/arrivals.h"
#include "core/progress/wait.h"
#include "core/report/parcel.h"
#include "core/report/stats.h"
#include "core/rma/bundle.h"
#include "core/rma/ctx.h"
#include "core/server/server.h"
#include "core/world/job.h"
#include "core/world/startup.h"

#define FORMAT_VERSION 2

static double us(uint64_t ns)
{
    return (double)ns / 1000.0;
}

/** As a JSON string; bytes above 127 pass as they are (host and program names are UTF-8 or
 *  harmless). */
static void put_string(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c > 0x7e)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_counter(FILE *out, const cw_counter_t *c)
{
    fprintf(out,
            "\"calls\": %" PRIu64 ", \"bytes\": %" PRIu64
            ", \"time_us\": %.3f, \"longest_us\": %.3f",
            c->calls, c->nbytes, us(c->ns), us(c->max_ns));
}

static void put_startup(FILE *out)
{
    fputs(",\n     \"startup\": {", out);
    for (cw_phase_t phase = 0; phase < CW_PHASES; phase++)
        fprintf(out, "\"%s_us\": %.3f, ", cw_startup_name(phase), us(cw_startup_ns(phase)));
    fprintf(out, "\"exchange\": \"%s\", \"fabric\": \"%s\", \"launcher\": \"%s\"}",
            cw_startup_exchange_name(), cw_startup_fabric_name(), cw_boot.ops->name);
}

static void put_identity(FILE *out)
{
    char host[256] = "";
    uint64_t rss, peak;
    cw_heap_stats_t heap;
    gethostname(host, sizeof host - 1);
    cw_stats_memory(&rss, &peak);
    cw_heap_stats(&heap);
    fprintf(out,
            "    {\"pe\": %d, \"node\": %d, \"slot\": %d, \"pid\": %d, \"host\": ", cw_world.pe,
            cw_world.node, cw_world.slot, (int)getpid());
    put_string(out, host);
    put_startup(out);
    fprintf(out,
            ",\n     \"elapsed_us\": %.3f, \"rss_bytes\": %" PRIu64 ", \"peak_rss_bytes\": %" PRIu64
            ",\n",
            us(cwu_now_ns() - cw_startup_begin_ns()), rss, peak);
    fprintf(out,
            "     \"heap\": {\"bytes\": %" PRIu64 ", \"peak_bytes\": %" PRIu64
            ", \"blocks_left\": %" PRIu64 "},\n",
            heap.nbytes, heap.peak, heap.blocks);
}

static void put_network(FILE *out)
{
    cwt_stats_t c, s = {0};
    cw_port_stats(&c);
    cw_server_stats(&s);
    fprintf(out,
            "     \"connections\": %" PRIu64 ", \"reconnects\": %" PRIu64
            ", \"nodes_touched\": %d, \"peers_touched\": %d, "
            "\"endpoints\": %" PRIu64 ", \"connect_us\": %.3f,\n"
            "     \"network\": {\"puts\": %" PRIu64 ", \"gets\": %" PRIu64
            ", \"requests\": %" PRIu64 ", \"flushes\": %" PRIu64 "},\n",
            c.connections, c.reconnects, cw_stats_nodes_touched(), cw_stats_peers_touched(),
            c.endpoints + s.endpoints, us(c.connect_ns), c.puts, c.gets, c.requests, c.flushes);
    fprintf(out,
            "     \"served\": {\"connections\": %" PRIu64 ", \"requests\": %" PRIu64
            ", \"refused\": %" PRIu64 "},\n",
            s.connections, s.requests, s.refused);
}

/** By their reasons in the order of cw_bundle_reason_t. */
static void put_bundles(FILE *out)
{
    static const char *const names[CW_BUNDLE_REASONS] = {"full",  "quiet",   "fence",    "wait",
                                                         "order", "too_old", "by_server"};
    const cw_bundle_stats_t *b = &cw_bundles.stats;
    fprintf(out, "     \"bundles\": {\"operations\": %" PRIu64 ", \"bytes\": %" PRIu64,
            b->operations, b->nbytes);
    for (int i = 0; i < CW_BUNDLE_REASONS; i++)
        fprintf(out, ", \"%s\": %" PRIu64, names[i], b->sent[i]);
    fprintf(out, "},\n");
}

/** Without a topology: the requests that the server executed. */
static void put_forwarding(FILE *out)
{
    cwt_stats_t s = {0};
    cw_forwarding_stats_t f;
    const cw_forward_counts_t *c = &f.counts;
    cw_server_stats(&s);
    cw_forwarding_stats(&f);
    fprintf(out,
            "     \"forwarding\": {\"edge_bytes\": %" PRIu64 ", \"most_held\": %" PRIu64
            ", \"executed\": %" PRIu64 ", \"passed\": %" PRIu64 ", \"kept\": %" PRIu64
            ", \"messages\": %" PRIu64 ", \"arrived\": %" PRIu64 ",\n       \"packed\": %" PRIu64
            ", \"combined\": %" PRIu64 ", \"answers\": %" PRIu64 ", \"dropped\": %" PRIu64
            ", \"longest\": %" PRIu64 ", \"most_arrived\": %" PRIu64 ", \"left\": %" PRIu64 "},\n",
            f.edge_nbytes, c->most_held, c->executed, c->passed, c->kept, c->messages,
            f.edge_nbytes ? f.arrived : s.requests, c->packed, c->combined, c->answers, c->dropped,
            c->longest, f.most_arrived, f.left);
}

static void put_waits(FILE *out)
{
    fprintf(out,
            "     \"waits\": {\"woken\": %" PRIu64 ", \"late\": %" PRIu64
            ", \"arrivals\": \"%s\"},\n",
            cw_wait_counts.woken, cw_wait_counts.late, cw_arrivals_name());
}

static void put_classes(FILE *out)
{
    const char *comma = "";
    fputs("     \"classes\": {", out);
    for (cw_op_t op = 0; op < CW_OP_TRANSFERS; op++) {
        if (!cw_stats.classes[op].calls)
            continue;
        fprintf(out, "%s\n       \"%s\": {", comma, cw_op_name(op));
        put_counter(out, &cw_stats.classes[op]);
        fputc('}', out);
        comma = ",";
    }
    fputs("},\n", out);
}

static void put_messages(FILE *out)
{
    fprintf(out,
            "     \"messages\": {\"credit_waits\": %" PRIu64 ", \"room_waits\": %" PRIu64
            ", \"routed\": %" PRIu64,
            cw_stats.credit_waits, cw_stats.room_waits, cw_stats.routed_messages);
    for (int i = 0; i < 6; i++) {
        const cw_message_count_t *m = &cw_stats.messages[i / 3][i % 3];
        const char *name = cw_stats_message_name(i / 3, (cw_message_kind_t)(i % 3));
        if (name)
            fprintf(out,
                    ",\n       \"%s\": {\"sent\": %" PRIu64 ", \"sent_bytes\": %" PRIu64
                    ", \"handled\": %" PRIu64 ", \"handled_bytes\": %" PRIu64 "}",
                    name, m->sent, m->sent_nbytes, m->handled, m->handled_nbytes);
    }
    fputs("},\n", out);
}

static void put_routines(FILE *out)
{
    const char *comma = "";
    fputs("     \"routines\": {", out);
    for (int i = 0; i < CW_ROUTINES; i++) {
        const cw_routine_t *r = &cw_stats.routines[i];
        if (!r->count.calls)
            continue;
        fprintf(out, "%s\n       ", comma);
        put_string(out, r->name);
        fputs(": {", out);
        put_counter(out, &r->count);
        fprintf(out, ", \"waited_us\": %.3f}", us(r->waited_ns));
        comma = ",";
    }
    fputs("},\n", out);
}

/** Only the peers touched: the file grows with the traffic's pattern, not with the square of the
 *  job. */
static void put_peers(FILE *out)
{
    const char *comma = "";
    fputs("     \"peers\": [", out);
    for (int pe = 0; pe < cw_world.npes; pe++) {
        const cw_peer_count_t *p = &cw_stats.peers[pe];
        if (!p->puts && !p->gets && !p->atomics && !p->messages)
            continue;
        fprintf(out,
                "%s\n       {\"pe\": %d, \"puts\": %" PRIu64 ", \"put_bytes\": %" PRIu64
                ", \"gets\": %" PRIu64 ", \"get_bytes\": %" PRIu64 ", \"atomics\": %" PRIu64
                ", \"messages\": %" PRIu64 ", \"message_bytes\": %" PRIu64 ", \"time_us\": %.3f}",
                comma, pe, p->puts, p->put_nbytes, p->gets, p->get_nbytes, p->atomics, p->messages,
                p->message_nbytes, us(p->ns));
        comma = ",";
    }
    fputs("]}", out);
}

static char *record(size_t *nbytes_p)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, nbytes_p);
    if (!out)
        cwu_fatal("out of memory for the statistics (CAUSEWAY_STATS)");
    if (cw_world.pe)
        fputs(",\n", out);
    put_identity(out);
    put_network(out);
    put_bundles(out);
    put_forwarding(out);
    put_waits(out);
    put_classes(out);
    put_messages(out);
    put_routines(out);
    put_peers(out);
    if (fclose(out) || !text)
        cwu_fatal("out of memory for the statistics (CAUSEWAY_STATS)");
    return text;
}

static FILE *open_file(void)
{
    char program[256] = "";
    FILE *file = fopen(cw_stats.json_path, "we");
    if (!file)
        cwu_fatal("cannot write the statistics to %s (CAUSEWAY_STATS): %m", cw_stats.json_path);
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    fprintf(file,
            "{\"format\": \"causeway-stats\", \"version\": %d, \"causeway\": \"" CAUSEWAY_VERSION
            "\",\n ",
            FORMAT_VERSION);
    fprintf(file, "\"job\": {\"npes\": %d, \"nnodes\": %d, \"program\": ", cw_world.npes,
            cw_world.nnodes);
    put_string(file, program);
    fputs("},\n \"pes\": [\n", file);
    return file;
}

static void write_text(void *arg, const char *text, size_t nbytes)
{
    fwrite(text, 1, nbytes, arg);
}

void cw_stats_json(void)
{
    size_t nbytes = 0;
    char *text = record(&nbytes);
    FILE *file = cw_world.pe == 0 ? open_file() : NULL;
    cw_parcel_text_t mine = {text, nbytes};
    cw_parcel_gather(cw_parcel_from_text, &mine, write_text, file);
    free(text);
    if (!file)
        return;
    fputs("]}\n", file);
    bool failed = ferror(file) != 0;
    if (fclose(file) || failed)
        cwu_error("the statistics in %s are incomplete: %m", cw_stats.json_path);
}
