// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the files of the DART front end. Units are PEs, with the same numbers; a team is a
// group of core. Wrong use gives an error code and a message (drt_refuse).
//
// Threads: as dart_init_thread granted; calls of one team's collectives are the program's to keep
// apart.
#ifndef DRT_H
#define DRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/coll/coll.h"
#include "core/core.h"
#include "core/observe/sources.h"
#include "core/observe/watch.h"
#include "core/sync/group.h"

#include "dash/dart/if/dart.h"

#define DRT_API CW_EXPORTED

struct drt_segments;
struct drt_locality;
/** A team that this unit is a member of. */
typedef struct drt_team {
    const cw_group_t *group;
    struct drt_segments *segments;    // that were allocated, by number
    struct drt_segments *registered;  // by number, without its sign
    struct drt_locality *locality;    // NULL: it was not asked for
    dart_team_t id;
    uint64_t made;  // which of all that this process has made: numbers come again
} drt_team_t;

// ---------------------------------------------------------------- checks (check.c)
/** Prints "<call>: <text>; called from <where>", the first time from each place, unless the program
 *  has set log_enabled of dart_config to 0; in checking mode always. Returns the code. */
dart_ret_t drt_refuse(const char *call, dart_ret_t code, const char *fmt, ...)
    CW_PRINTF(3, 4) CW_COLD;
/** For a call whose team or life is not as it should be: the code, with its message. */
dart_ret_t drt_refuse_team(const char *call, int team) CW_COLD;
dart_ret_t drt_refuse_null(const char *call, const char *argument) CW_COLD;
dart_ret_t drt_refuse_unit(const char *call, int unit, const drt_team_t *team) CW_COLD;

/** In checking mode, in a call that programs take for an end of their puts: warns of those that
 *  were not flushed. */
static inline void drt_check_flushed(const char *call);

/** At the end: how many had no line. */
void drt_refusals_close(void);
bool drt_is_routine(const char *symbol);

/** An argument that must be an address. */
#define DRT_WANT(argument)             \
    if (CW_UNLIKELY(!(argument)))      \
        return drt_refuse_null(__func__, #argument)

/** `name`: the team with that number; returns from the call when there is none. */
#define DRT_TEAM(name, number)                              \
    drt_team_t *name = drt_team_find(number);               \
    if (CW_UNLIKELY(!name))                                 \
        return drt_refuse_team(__func__, number);           \
    CW_WATCH(cw_watch_call(__func__))

/** In checking mode: all members make this call, whose arguments may differ. [waits] */
static inline void drt_agree(const drt_team_t *team, const char *call)
{
    if (CW_CHECKING())
        cw_coll_agree_call(team->group, call);
}

static inline void drt_check_flushed(const char *call)
{
    if (!CW_CHECKING())
        return;
    cw_source_left(CW_SOURCE_FLUSH, call,
                   "this call completes no puts; call dart_flush or dart_flush_all before it, "
                   "or dart_put_blocking");
    cw_source_left(CW_GET_FLUSH, call,
                   "this call completes no gets; call dart_flush_local or dart_flush_local_all "
                   "before what they bring is used, or dart_get_blocking");
}

// ---------------------------------------------------------------- teams (team.c)
extern drt_team_t **drt_teams CW_HIDDEN;    // by number
extern uint32_t drt_teams_limit CW_HIDDEN;  // of numbers; 0: DART is not initialised

/** NULL: there is none. */
static CW_ALWAYS_INLINE drt_team_t *drt_team_find(dart_team_t id)
{
    // a negative number is larger than any
    return CW_LIKELY((uint32_t)(int32_t)id < drt_teams_limit) ? drt_teams[id] : NULL;
}

static inline bool drt_is_member(const drt_team_t *team, dart_unit_t unit)
{
    return unit >= 0 && unit < team->group->size;
}

/** While joining and leaving: DART_TEAM_ALL, and all that is left. */
void drt_teams_open(void);
void drt_teams_close(void);

// ------------------------------------------------- messages between two units (message.c)
/** While joining and leaving. */
void drt_messages_open(const char *call);
/** After a barrier: what was not received is dropped. */
void drt_messages_close(void);

// ---------------------------------------------------------------- collectives of the library
/** Memory at one symmetric address that only this team uses; *nbytes_p: of it (memory.c). */
char *drt_stage(const cw_group_t *group, size_t *nbytes_p);
/** Gives each member the nwords words of all, by rank. Collective. [waits] (words.c) */
void drt_exchange(const cw_group_t *group, const uint64_t *mine, size_t nwords, uint64_t *all);

#endif
