// SPDX-License-Identifier: BSD-3-Clause
//
// Groups. The members of a new one agree on the number of its team along a binary tree of their
// list, by messages: processes outside of the list take no part, and need not call.
#include "armci/group.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "armci/device.h"
#include "base/error.h"
#include "core/life/mpi.h"
#include "core/sync/area.h"
#include "core/sync/team.h"

#include "armcix.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards the list and the numbers
static aci_group_t world = {.id = 0}, *groups;            // live ones
static int last_id;
static aci_group_t *default_group = &world;

void aci_groups_open(void)
{
    world = (aci_group_t){.team = cw_group_world, .node = cw_group_shared};
    groups = &world;
    default_group = &world;
}

/** Is it a team of its own? */
static bool is_part(const cw_group_t *part, const cw_group_t *whole)
{
    return part && part != whole && part != cw_group_shared && part->size > 1;
}

void aci_groups_close(void)
{
    while (groups) {
        aci_group_t *next = groups->next;
        if (is_part(groups->masters, groups->team))
            cw_team_abandon(groups->masters);  // the program, which did not make it, leaks nothing
        if (is_part(groups->node, groups->team))
            cw_team_abandon(groups->node);
        if (groups != &world)
            free(groups);  // teams go with core
        else if (world.comm)
            cw_mpi_free(&world.comm);
        groups = next;
    }
}

// ---------------------------------------------------------------- finding
static bool is_live(const ARMCI_Group *group)
{
    pthread_mutex_lock(&lock);
    const aci_group_t *g = groups;
    while (g && (g != group->causeway_team || g->id != group->causeway_id))
        g = g->next;
    pthread_mutex_unlock(&lock);
    return g != NULL;
}

aci_group_t *aci_group_find(const char *call, const ARMCI_Group *group)
{
    if (!group)
        return &world;
    if (!group->causeway_team && group->causeway_rank == -1)
        return NULL;
    if (!is_live(group))
        aci_fail(call, "the group is none that ARMCI_Group_create made, or was freed");
    return (aci_group_t *)(uintptr_t)group->causeway_team;
}

aci_group_t *aci_group_of(const char *call, const ARMCI_Group *group)
{
    aci_group_t *found = aci_group_find(call, group);
    if (!found)
        aci_fail(call, "this process is no member of the group");
    return found;
}

static ARMCI_Group handle_of(const aci_group_t *group)
{
    return (ARMCI_Group){.causeway_team = group,
                         .causeway_id = group->id,
                         .causeway_size = group->team->size,
                         .causeway_rank = group->team->rank};
}

// ---------------------------------------------------------------- agreement of the members
enum { WORDS_MOST = 32 };

typedef struct words {
    uint64_t sum;  // of the list, the same on all members
    uint64_t word[WORDS_MOST];
} words_t;

typedef struct members {
    const char *call;
    const int *pes;
    int size, rank;
    uint64_t sum;
} members_t;

static void combine_words(words_t *acc, const words_t *in, int nand, int nmax)
{
    for (int i = 0; i < nand; i++)
        acc->word[i] &= in->word[i];
    for (int i = nand; i < nand + nmax; i++)
        acc->word[i] = in->word[i] > acc->word[i] ? in->word[i] : acc->word[i];
}

static void send_words(const members_t *m, int rank, const words_t *words, size_t nbytes)
{
    const cw_envelope_t to = {.call = m->call, .space = ACI_SPACE_GROUPS, .peer = m->pes[rank]};
    cw_p2p_send(&to, words, nbytes);
}

static void receive_words(const members_t *m, int rank, words_t *words, size_t nbytes)
{
    int source;
    const cw_envelope_t from = {.call = m->call, .space = ACI_SPACE_GROUPS, .peer = m->pes[rank]};
    size_t came = cw_p2p_receive(&from, words, nbytes, &source);
    if (came != nbytes || words->sum != m->sum)
        aci_fail(m->call, "process %d gave another list of members than this one", source);
}

/** Up the tree, and down again. */
static int combine(void *arg, uint64_t *and_words, int nand, uint64_t *max_words, int nmax)
{
    const members_t *m = arg;
    words_t mine = {.sum = m->sum}, other;
    const size_t nbytes = sizeof mine.sum + (size_t)(nand + nmax) * sizeof *mine.word;
    const int up = (m->rank - 1) / 2, left = 2 * m->rank + 1;
    if (nand)
        memcpy(mine.word, and_words, (size_t)nand * sizeof *mine.word);
    memcpy(mine.word + nand, max_words, (size_t)nmax * sizeof *mine.word);
    for (int child = left; child <= left + 1 && child < m->size; child++) {
        receive_words(m, child, &other, nbytes);
        combine_words(&mine, &other, nand, nmax);
    }
    if (m->rank > 0) {
        send_words(m, up, &mine, nbytes);
        receive_words(m, up, &mine, nbytes);
    }
    for (int child = left; child <= left + 1 && child < m->size; child++)
        send_words(m, child, &mine, nbytes);
    if (nand)
        memcpy(and_words, mine.word, (size_t)nand * sizeof *mine.word);
    memcpy(max_words, mine.word + nand, (size_t)nmax * sizeof *mine.word);
    return CW_OK;
}

const cw_group_t *aci_team_make(const char *call, const int *pes, int size, int rank)
{
    const cw_group_t *team = NULL;
    members_t m = {
        .call = call, .pes = pes, .size = size, .rank = rank, .sum = 14695981039346656037u};
    for (int i = 0; i < size; i++)
        m.sum = (m.sum ^ (uint64_t)pes[i]) * 1099511628211u;  // FNV-1a
    int rc = cw_team_from_list(pes, size, rank, false, combine, &m, &team);
    if (rc)
        aci_fail(call,
                 "no group of %d processes could be made (%s): the members are in %d groups and "
                 "parts of groups together, or have no memory; free some (ARMCI_Group_free)",
                 size, cwu_error_name(rc), CW_TEAMS);
    return team;
}

// ---------------------------------------------------------------- making and freeing
static const ARMCI_Group no_member = {.causeway_rank = -1};

static void make(const char *call, const int *pes, int size, ARMCI_Group *group_p)
{
    int rank = 0;
    while (rank < size && pes[rank] != cw_world.pe)
        rank++;
    *group_p = no_member;
    if (rank == size)
        return;
    aci_group_t *group = calloc(1, sizeof *group);
    if (!group)
        cwu_fatal("%s: out of memory for a group", call);
    group->team = aci_team_make(call, pes, size, rank);
    pthread_mutex_lock(&lock);
    group->id = ++last_id;
    group->next = groups;
    groups = group;
    pthread_mutex_unlock(&lock);
    *group_p = handle_of(group);
}

static int *new_list(const char *call, int n)
{
    int *list = malloc((size_t)(n ? n : 1) * sizeof *list);
    if (!list)
        cwu_fatal("%s: out of memory for a list of %d processes", call, n);
    return list;
}

static void make_child(const char *call, int n, const int *ranks, ARMCI_Group *group_p,
                       const aci_group_t *parent)
{
    const cw_group_t *team = parent->team;
    if (n < 0 || n > team->size || (n && !ranks))
        aci_fail(call, "a list of %d processes at %p; the parent has %d members", n,
                 (const void *)ranks, team->size);
    int *pes = new_list(call, n);
    uint8_t *seen = calloc((size_t)team->size, 1);
    if (!seen)
        cwu_fatal("%s: out of memory", call);
    for (int i = 0; i < n; i++) {
        if (ranks[i] < 0 || ranks[i] >= team->size || seen[ranks[i]]++)
            aci_fail(call, "entry %d of the list is rank %d of the parent, which %s", i, ranks[i],
                     ranks[i] < 0 || ranks[i] >= team->size ? "does not exist" : "is listed twice");
        pes[i] = cw_group_pe(team, ranks[i]);
    }
    free(seen);
    make(call, pes, n, group_p);
    free(pes);
}

ACI_API void ARMCI_Group_create_child(int n, int *pid_list, ARMCI_Group *group, ARMCI_Group *parent)
{
    ACI_ENTER();
    make_child(__func__, n, pid_list, group, aci_group_of(__func__, parent));
}

ACI_API void ARMCI_Group_create(int n, int *pid_list, ARMCI_Group *group)
{
    ACI_ENTER();
    make_child(__func__, n, pid_list, group, default_group);
}

static void destroy_part(const cw_group_t *part, const cw_group_t *whole)
{
    if (is_part(part, whole))
        cw_team_destroy(part);
}

ACI_API void ARMCI_Group_free(ARMCI_Group *group)
{
    ACI_ENTER();
    aci_group_t *found = aci_group_find(__func__, group), **at = &groups;
    if (found == &world)
        aci_fail(__func__, "the group of all processes stays");
    if (found) {
        aci_order_complete(__func__);
        aci_agree(found->team, __func__);
        if (found->comm)
            cw_mpi_free(&found->comm);
        aci_device_leave_group(found->team);
        destroy_part(found->masters, found->team);
        destroy_part(found->node, found->team);
        cw_team_destroy(found->team);
        pthread_mutex_lock(&lock);
        while (*at != found)
            at = &(*at)->next;
        *at = found->next;
        if (default_group == found)
            default_group = &world;
        pthread_mutex_unlock(&lock);
        free(found);
    }
    *group = no_member;
}

// ---------------------------------------------------------------- extensions
typedef struct place {
    int color, key, rank;
} place_t;

static int by_key(const void *left, const void *right)
{
    const place_t *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

/** Moves the members with that color to the front, in the order of their keys. How many. */
static int choose(place_t *places, int n, int color)
{
    int chosen = 0;
    for (int i = 0; i < n; i++)
        if (places[i].color == color)
            places[chosen++] = places[i];
    qsort(places, (size_t)chosen, sizeof *places, by_key);
    return chosen;
}

ACI_API int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group)
{
    ACI_ENTER();
    const cw_group_t *team = aci_group_of(__func__, parent)->team;
    const int n = team->size;
    aci_agree(team, __func__);
    uintptr_t *said = calloc((size_t)n, sizeof *said);
    place_t *places = calloc((size_t)n, sizeof *places);
    if (!said || !places)
        cwu_fatal("%s: out of memory for %d members", __func__, n);
    aci_exchange(team, (uintptr_t)(uint32_t)color << 32 | (uint32_t)key, said);
    for (int i = 0; i < n; i++)
        places[i] = (place_t){(int)(uint32_t)(said[i] >> 32), (int)(uint32_t)said[i], i};
    int chosen = color < 0 ? 0 : choose(places, n, color);
    int *pes = new_list(__func__, chosen);
    for (int i = 0; i < chosen; i++)
        pes[i] = cw_group_pe(team, places[i].rank);
    make(__func__, pes, chosen, new_group);
    free(pes);
    free(places);
    free(said);
    return 0;
}

ACI_API int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group)
{
    ACI_ENTER();
    const cw_group_t *team = aci_group_of(__func__, parent)->team;
    aci_agree(team, __func__);
    int *pes = new_list(__func__, team->size);
    for (int i = 0; i < team->size; i++)
        pes[i] = cw_group_pe(team, i);
    make(__func__, pes, team->size, new_group);
    free(pes);
    return 0;
}

// ---------------------------------------------------------------- facts of a group
ACI_API int ARMCI_Group_rank(ARMCI_Group *group, int *rank)
{
    ACI_ENTER();
    const aci_group_t *found = aci_group_find(__func__, group);
    *rank = found ? found->team->rank : -1;
    return found == NULL;
}

ACI_API void ARMCI_Group_size(ARMCI_Group *group, int *size)
{
    ACI_ENTER();
    const aci_group_t *found = aci_group_find(__func__, group);
    *size = found ? found->team->size : 0;
}

ACI_API void ARMCI_Group_set_default(ARMCI_Group *group)
{
    ACI_ENTER();
    default_group = aci_group_of(__func__, group);
}

ACI_API void ARMCI_Group_get_default(ARMCI_Group *group)
{
    ACI_ENTER();
    *group = handle_of(default_group);
}

ACI_API void ARMCI_Group_get_world(ARMCI_Group *group)
{
    ACI_ENTER();
    *group = handle_of(&world);
}

ACI_API int ARMCI_Absolute_id(ARMCI_Group *group, int rank)
{
    ACI_ENTER();
    const cw_group_t *team = aci_group_of(__func__, group)->team;
    if (rank < 0 || rank >= team->size)
        aci_fail(__func__, "rank %d does not exist; the group has %d members", rank, team->size);
    return cw_group_pe(team, rank);
}

// ---------------------------------------------------------------- memory of a group
ACI_API int ARMCI_Uses_shm_grp(ARMCI_Group *group)
{
    ACI_ENTER();
    aci_group_of(__func__, group);
    return aci_uses_shm();
}

ACI_API int ARMCI_Malloc_group(void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group)
{
    ACI_ENTER();
    return aci_alloc_all(__func__, ACI_CALLER, aci_group_of(__func__, group)->team, ptr_arr, bytes);
}

ACI_API int PARMCI_Malloc_group_memdev(void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group,
                                       const char *device)
{
    ACI_ENTER();
    const char *call = aci_call(__func__);
    return aci_device_alloc_all(call, ACI_CALLER, aci_group_of(call, group)->team, ptr_arr, bytes,
                                device);
}
ACI_WEAK(ARMCI_Malloc_group_memdev);

ACI_API int ARMCI_Free_group(void *ptr, ARMCI_Group *group)
{
    ACI_ENTER();
    return aci_release_all(__func__, aci_group_of(__func__, group)->team, ptr);
}

ACI_API void PARMCI_GroupFence(ARMCI_Group *group)
{
    ACI_ENTER_WITH(aci_watch_fence(__func__, -1));
    aci_group_of(aci_call(__func__), group);
    aci_order_complete(aci_call(__func__));
}
ACI_WEAK(ARMCI_GroupFence);
