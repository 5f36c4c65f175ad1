// SPDX-License-Identifier: BSD-3-Clause
//
// The nodes of all PEs, from the launcher's mapping or by exchange of names (placement.h).
#include "bootstrap/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "bootstrap/nodemap.h"

// ---------------------------------------------------------------- the launcher's vector
typedef struct block {
    int first, count, ppn;
} block_t;

// "(FIRST,COUNT,PPN)", blanks allowed between the parts.
static int parse_block(const char **text_p, block_t *k)
{
    int used = 0;
    if (sscanf(*text_p, " ( %d , %d , %d )%n", &k->first, &k->count, &k->ppn, &used) != 3 ||
        used == 0 || k->first < 0 || k->count < 1 || k->ppn < 1 || k->count > (1 << 24) ||
        k->first > (1 << 24))
        return CW_EINVAL;
    *text_p += used;
    return 0;
}

static int parse_blocks(const char *text, block_t *blocks, int max)
{
    int n = 0, used = 0;
    if (sscanf(text, " ( vector%n", &used) != 0 || used == 0)
        return CW_EINVAL;
    text += used;
    for (;;) {
        text += strspn(text, " ");
        if (*text == ')')
            return n > 0 ? n : CW_EINVAL;
        if (*text++ != ',' || n == max || parse_block(&text, &blocks[n]))
            return CW_EINVAL;
        n++;
    }
}

static int number(const block_t *blocks, int nblocks, int npes, int *dense_of, int *node_of_pe)
{
    int pe = 0, nnodes = 0;
    while (pe < npes) {  // every round places at least one PE
        for (int b = 0; b < nblocks; b++) {
            for (int i = 0; i < blocks[b].count && pe < npes; i++) {
                int *dense = &dense_of[blocks[b].first + i];
                if (*dense < 0)
                    *dense = nnodes++;
                for (int k = 0; k < blocks[b].ppn && pe < npes; k++)
                    node_of_pe[pe++] = *dense;
            }
        }
    }
    return nnodes;
}

int cwb_placement_parse(const char *text, int npes, int *node_of_pe, int *nnodes_p)
{
    enum { MAX_BLOCKS = 1024 };
    block_t *blocks = malloc(MAX_BLOCKS * sizeof *blocks);
    int *dense_of = NULL, rc = CW_EINVAL,
        nblocks = blocks ? parse_blocks(text, blocks, MAX_BLOCKS) : 0;
    if (nblocks > 0) {
        int end = 0;
        for (int b = 0; b < nblocks; b++)
            if (blocks[b].first + blocks[b].count > end)
                end = blocks[b].first + blocks[b].count;
        dense_of = malloc((size_t)end * sizeof *dense_of);
        for (int i = 0; dense_of && i < end; i++)
            dense_of[i] = -1;
    }
    if (dense_of) {
        *nnodes_p = number(blocks, nblocks, npes, dense_of, node_of_pe);
        rc = 0;
    }
    free(dense_of);
    free(blocks);
    return rc;
}

static bool overlap(const block_t *a, const block_t *b)
{
    return a->first < b->first + b->count && b->first < a->first + a->count;
}

bool cwb_placement_runs(const char *text, int npes, cwb_runs_t *runs_p)
{
    block_t blocks[CWB_RUNS_MOST];
    int64_t placed = 0;
    int n = parse_blocks(text, blocks, CWB_RUNS_MOST);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            if (overlap(&blocks[i], &blocks[k]))
                return false;
        placed += (int64_t)blocks[i].count * blocks[i].ppn;
        runs_p->nnodes[i] = blocks[i].count;
        runs_p->ppn[i] = blocks[i].ppn;
    }
    runs_p->n = n;
    return n > 0 && placed >= npes;  // else nodes come again
}

int cwb_runs_nnodes(const cwb_runs_t *runs, int npes)
{
    int64_t left = npes;
    int nnodes = 0;
    for (int i = 0; i < runs->n && left > 0; i++) {
        int64_t most = (left + runs->ppn[i] - 1) / runs->ppn[i];
        nnodes += most < runs->nnodes[i] ? (int)most : runs->nnodes[i];
        left -= (int64_t)runs->nnodes[i] * runs->ppn[i];
    }
    return nnodes;
}

// ---------------------------------------------------------------- names
static void read_boot_id(char *text, size_t capacity)
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!f || !fgets(text, (int)capacity, f))
        text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (f)
        fclose(f);
}

int cwb_placement_check(void)
{
    if (!cwu_env.node || strlen(cwu_env.node) <= CWB_VALUE_MAX)
        return CW_OK;
    cwu_error("CAUSEWAY_NODE has more than %d characters", CWB_VALUE_MAX);
    return CW_EINVAL;
}

int cwb_placement_name(char name[CWB_VALUE_MAX + 1])
{
    if (cwu_env.node) {
        if (cwb_placement_check())
            return CW_EINVAL;
        strcpy(name, cwu_env.node);
        return 0;
    }
    // Containers and namespaces share a kernel (boot_id), and some share the host name: each part
    // may be the only one that differs.
    char host[128] = "", boot[64];
    struct stat net = {0}, shm = {0};
    gethostname(host, sizeof host - 1);
    read_boot_id(boot, sizeof boot);
    stat("/proc/self/ns/net", &net);
    stat("/dev/shm", &shm);
    snprintf(name, CWB_VALUE_MAX + 1, "%s %s %llu %llu", host, boot, (unsigned long long)net.st_ino,
             (unsigned long long)shm.st_dev);
    return 0;
}

// ---------------------------------------------------------------- exchange
static int fence(cwb_t *b)
{
    int rc = b->ops->fence_nb(b);
    return rc ? rc : b->ops->fence_wait(b);
}

// Little-endian numbers of as many bytes as npes needs, packed into values.
static int width_of(int npes)
{
    return npes <= 1 << 8 ? 1 : npes <= 1 << 16 ? 2 : 4;
}

static int gather(cwb_t *b, int *node_of_pe)
{
    cwb_nodemap_t map;
    int rc = cwb_nodemap_init(&map, b->npes);
    if (rc)
        return rc;
    for (int pe = 0; pe < b->npes && rc == 0; pe++) {
        char key[CWB_KEY_MAX + 1], name[CWB_VALUE_MAX + 1];
        size_t nbytes = CWB_VALUE_MAX;
        snprintf(key, sizeof key, "nodename.%d", pe);
        rc = b->ops->get(b, pe, key, name, &nbytes);
        if (rc == CW_ENOENT)
            cwu_error("PE %d did not tell the name of its node: set CAUSEWAY_NODE for all PEs or "
                      "for none",
                      pe);
        if (rc == 0) {
            name[nbytes] = '\0';
            node_of_pe[pe] = cwb_nodemap_add(&map, name);
        }
    }
    cwb_nodemap_finish(&map);
    return rc;
}

static int publish(cwb_t *b, const int *node_of_pe)
{
    int width = width_of(b->npes), per_key = CWB_VALUE_MAX / width, rc = 0;
    for (int first = 0, k = 0; first < b->npes && rc == 0; first += per_key, k++) {
        unsigned char bytes[CWB_VALUE_MAX];
        char key[CWB_KEY_MAX + 1];
        int n = b->npes - first < per_key ? b->npes - first : per_key;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < width; j++)
                bytes[i * width + j] = (unsigned char)((unsigned)node_of_pe[first + i] >> (8 * j));
        snprintf(key, sizeof key, "nodemap.%d", k);
        rc = b->ops->put(b, key, bytes, (size_t)(n * width));
    }
    return rc;
}

static int collect(cwb_t *b, int *node_of_pe)
{
    int width = width_of(b->npes), per_key = CWB_VALUE_MAX / width;
    for (int first = 0, k = 0; first < b->npes; first += per_key, k++) {
        unsigned char bytes[CWB_VALUE_MAX];
        char key[CWB_KEY_MAX + 1];
        int n = b->npes - first < per_key ? b->npes - first : per_key;
        size_t nbytes = sizeof bytes;
        snprintf(key, sizeof key, "nodemap.%d", k);
        if (b->ops->get(b, 0, key, bytes, &nbytes) != 0 || nbytes != (size_t)(n * width)) {
            cwu_error(
                "PE 0 did not publish the map of nodes: set CAUSEWAY_NODE for all PEs or for none");
            return CW_EPROTO;
        }
        for (int i = 0; i < n; i++) {
            unsigned node = 0;
            for (int j = 0; j < width; j++)
                node |= (unsigned)bytes[i * width + j] << (8 * j);
            if (node >= (unsigned)b->npes) {
                cwu_error("the map of nodes names node %u of %d PEs", node, b->npes);
                return CW_EPROTO;
            }
            node_of_pe[first + i] = (int)node;
        }
    }
    return 0;
}

int cwb_placement_exchange(cwb_t *b, int *node_of_pe)
{
    char key[CWB_KEY_MAX + 1], name[CWB_VALUE_MAX + 1];
    int rc = cwb_placement_name(name);
    if (rc)
        return rc;
    snprintf(key, sizeof key, "nodename.%d", b->pe);
    rc = b->ops->put(b, key, name, strlen(name));
    if (rc == 0)
        rc = fence(b);
    if (rc == 0 && b->pe == 0)
        rc = gather(b, node_of_pe);
    if (rc == 0 && b->pe == 0)
        rc = publish(b, node_of_pe);
    if (rc == 0)
        rc = fence(b);
    if (rc == 0 && b->pe != 0)
        rc = collect(b, node_of_pe);
    return rc;
}
