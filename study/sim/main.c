// SPDX-License-Identifier: BSD-3-Clause
//
// causeway-sim: one simulated launch, one JSON line. Prices come from the command line
// (study/startup/calibrate.py derives them from measured runs); there are no defaults.
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>

#include "prices.h"
#include "sim.h"

static const sim_price_t prices[] = {
#define PRICE(name)                       \
    {                                     \
#name, offsetof(sim_cost_t, name) \
    }
    PRICE(start),  PRICE(spawn), PRICE(reap),      PRICE(seat),   PRICE(exec),      PRICE(kernel),
    PRICE(join),   PRICE(wake),  PRICE(look),      PRICE(leave),  PRICE(serve),     PRICE(shut),
    PRICE(begin),  PRICE(load),  PRICE(load_wait), PRICE(listen), PRICE(open),      PRICE(connect),
    PRICE(accept), PRICE(hop),   PRICE(message),   PRICE(daemon), PRICE(bandwidth), PRICE(tick),
    PRICE(phase),  PRICE(slice),
#undef PRICE
};
enum { NPRICES = sizeof prices / sizeof prices[0] };

static noreturn void usage(const char *what)
{
    fprintf(
        stderr,
        "causeway-sim: %s\n"
        "Usage: causeway-sim --npes N --nodes K --hosts 1|K --cores C [--connect ondemand|static]\n"
        "       [--exchange nonblocking|blocking] [--pattern hello|ring|stencil] [--fence "
        "shm|star|tree]\n"
        "       [--fanout F] [--tables NANOSECONDS] NAME=NANOSECONDS...\n"
        "Prices, all needed:",
        what);
    for (int i = 0; i < NPRICES; i++)
        fprintf(stderr, " %s", prices[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

static int number(const char *text, long most)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text || n < 1 || n > most)
        usage("unusable number");
    return (int)n;
}

/** The index of `text` in a list of words separated by |. */
static int choice(const char *text, const char *words)
{
    size_t len = strlen(text);
    int i = 0;
    for (const char *word = words; *word; i++) {
        size_t n = strcspn(word, "|");
        if (n == len && !strncmp(word, text, n))
            return i;
        word += n + (word[n] == '|');
    }
    usage(words);
}

static void parse(int argc, char **argv, sim_config_t *c, sim_cost_t *cost)
{
    bool given[NPRICES] = {false};
    const char *wrong;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strncmp(arg, "--", 2)) {
            wrong = sim_price_set(prices, NPRICES, cost, given, arg);
            if (wrong)
                usage(wrong);
            continue;
        }
        i++;
        if (!strcmp(arg, "--npes"))
            c->npes = number(value, 1 << 20);
        else if (!strcmp(arg, "--nodes"))
            c->nnodes = number(value, 1 << 16);
        else if (!strcmp(arg, "--hosts"))
            c->nhosts = number(value, 1 << 16);
        else if (!strcmp(arg, "--cores"))
            c->cores = number(value, 4096);
        else if (!strcmp(arg, "--fanout"))
            c->fanout = number(value, 4096);
        else if (!strcmp(arg, "--tables"))
            c->tables_ns = number(value, 1000000000);
        else if (!strcmp(arg, "--connect"))
            c->is_static = choice(value, "ondemand|static") == 1;
        else if (!strcmp(arg, "--exchange"))
            c->is_blocking = choice(value, "nonblocking|blocking") == 1;
        else if (!strcmp(arg, "--pattern"))
            c->pattern = (sim_pattern_t)choice(value, "hello|ring|stencil");
        else if (!strcmp(arg, "--fence"))
            c->fence = (sim_fence_t)choice(value, "shm|star|tree");
        else
            usage("unknown option");
    }
    if ((wrong = sim_prices_check(NPRICES, given)))
        usage(wrong);
    if (c->nnodes > c->npes || (c->nhosts != 1 && c->nhosts != c->nnodes))
        usage("no more nodes than PEs; one host, or as many as nodes");
    if (c->nhosts > 1 && c->fence == SIM_SHM)
        usage("hosts share no memory: --fence star or tree");
    if (cost->tick < 1 || cost->bandwidth <= 0)
        usage("tick and bandwidth cannot be 0");
}

int main(int argc, char **argv)
{
    sim_config_t c = {
        .npes = 2, .nnodes = 1, .nhosts = 1, .cores = 1, .fanout = 32, .tables_ns = -1};
    sim_cost_t cost = {0};
    sim_record_t record;
    sim_result_t r;
    parse(argc, argv, &c, &cost);
    sim_record(&c, &record);
    if (c.tables_ns >= 0) {  // for tests that compare two runs
        record.place_ns = 0;
        record.tables_ns = record.first_ns = c.tables_ns;
    }
    sim_play(&c, &cost, &record, &r);
    printf("{\"simulated\": true, \"npes\": %d, \"nodes\": %d, \"hosts\": %d, \"cores\": %d, "
           "\"connect\": \"%s\", "
           "\"exchange\": \"%s\", \"wall_ms\": %.3f, \"launched_ms\": %.3f, \"fence_ms\": %.3f, "
           "\"init_median_ms\": %.3f, \"init_mean_ms\": %.3f, "
           "\"init_max_ms\": %.3f, \"cpu_ms\": %.3f, \"connections\": %llu, \"most_connections\": "
           "%d, \"most_accepts\": "
           "%d, "
           "\"endpoints\": %llu, \"published_bytes\": %llu, \"table_bytes_pe\": %zu, "
           "\"table_bytes_node\": %zu, "
           "\"place_us\": %.3f, \"tables_us\": %.3f, \"tables_first_us\": %.3f, "
           "\"recorded_pes\": %d, \"events\": %llu}\n",
           c.npes, c.nnodes, c.nhosts, c.cores, c.is_static ? "static" : "ondemand",
           c.is_blocking ? "blocking" : "nonblocking", r.wall_ms, r.launched_ms, r.fence_ms,
           r.init_median_ms, r.init_mean_ms, r.init_max_ms, r.cpu_ms,
           (unsigned long long)r.connections, r.most_connections, r.most_accepts,
           (unsigned long long)r.endpoints, (unsigned long long)record.published,
           record.table_nbytes, record.node_nbytes, record.place_ns / 1e3, record.tables_ns / 1e3,
           record.first_ns / 1e3, record.recorded, (unsigned long long)r.events);
    return 0;
}
