// SPDX-License-Identifier: BSD-3-Clause
//
// Gates: synchronisations of a team in which an image may be missing, because it has stopped,
// failed, or been killed. In programs that survive that (gone.h), each collective statement begins
// with one.
//
// Each image writes into its own memory which gate of a team it has entered. That memory outlives
// the image, so all others read alike whether an image that was killed had entered a gate: all
// members get the same result, whenever each has learnt of the death, and what they do next is the
// same. As long as no member of the team is known to be gone, a gate is one synchronisation of
// core, which is abandoned (core/progress/abandon.h) when a member is killed; then, and in all
// later gates of the team, each image reads the words of the others. Threads: one.
#ifndef CAF_GATE_H
#define CAF_GATE_H

#include "caf/caf.h"

/** Members of a team that have not come: how many; and of those that have, how many refused, and
 *  how many came to form a team, and to another statement. Where an image of some that have learnt
 *  of a death in different statements comes to form a team, it counts as a refusal to the others,
 *  as they do to it. */
typedef struct caf_passage {
    uint64_t stopped, failed, refused, forming, elsewhere;
    // by core's synchronisation: a number for the claim of the first one that has one; do they
    // differ?
    uint64_t claim, mixed;
} caf_passage_t;
/** What an image says when it enters. */
typedef enum caf_intent { CAF_COMES = 0, CAF_REFUSES = 1, CAF_FORMS = 2 } caf_intent_t;

/** Is a member known to be gone? Never false again. The same on all members, but for images that
 *  were killed: of these each learns in its own time. */
bool caf_is_hit(const caf_team_t *team);
/** Has the image at that PE entered a gate of the current team that this one has not? Then it waits
 *  there for this one. */
bool caf_is_ahead(int pe);

/** Enters the next gate of the team and waits until the others have, or are gone. claim: what all
 *  images call the statement; if they differ, and no member is gone, that ends the job. code:
 *  CAF_OK, or how this image has ended that takes part for the others' sake; its claim is NULL.
 *  intent: a set of those. [waits] */
caf_passage_t caf_gate(caf_team_t *team, const char *statement, const char *claim, caf_code_t code,
                       unsigned intent);
static inline bool caf_is_whole(caf_passage_t passage)
{
    return passage.stopped + passage.failed + passage.refused == 0;
}
/** The team of a collective that is begun and ended by the members that are there; act(arg) is
 *  abandoned when one is killed. True on all members, or false on all. [waits] */
bool caf_do_together(caf_team_t *team, const char *statement, void (*act)(void *arg), void *arg);
/** Abandons act(arg) when a member is killed, or does not begin it: then false, on this image.
 *  [waits] */
bool caf_do(const caf_team_t *team, void (*act)(void *arg), void *arg);

// Of programs that have not asked for images that are gone (gone.h): their collective statements
// count as gates, which no image publishes before it stops.
/** This image has stopped: which ones of its teams it has entered. */
void caf_tell_entries(void);
/** All images have ended: have all members begun as many statements of the team? The same on
 *  all. */
bool caf_is_level(const caf_team_t *team);
/** act(arg), which no member of the team ends before all have begun it, unless one has stopped
 *  before: then what is missing, the same on all that are left. [waits] */
caf_passage_t caf_act_or_miss(caf_team_t *team, const char *statement, void (*act)(void *arg),
                              void *arg);

/** Words of each member for all, by rank, and which members have given theirs, the same on all:
 *  for a team that is hit. n <= CAF_GATE_WORDS. [waits] */
caf_passage_t caf_gather(caf_team_t *team, const char *statement, const uint64_t *mine, int n,
                         uint64_t *all, bool *present);
enum { CAF_GATE_WORDS = 24 };
/** In each image, for the words of teams, by their tags. */
enum { CAF_GATE_PLACES = 1024 };

/** All images have ended: have all come so far? The same on all; from here on the death of an image
 *  ends the job. [waits] */
bool caf_gate_of_end(void);

/** Those of this node that sleep for this image. */
void caf_wake_node(void);
/** "; image 3 of the team (PE 2, host h) was killed by signal 9 (Killed)", or nothing. */
const char *caf_describe_killed(const cw_group_t *group, char *text, size_t nbytes);

#endif
