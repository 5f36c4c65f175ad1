// SPDX-License-Identifier: BSD-3-Clause
//
// Images that have stopped or failed, while the others go on.
//
// Only in programs that ask for them (FAIL IMAGE, IMAGE_STATUS, FAILED_IMAGES, STOPPED_IMAGES, or
// CAUSEWAY_FAILED_IMAGES); elsewhere an image that has ended waits in the end of the job, and none
// of this costs anything. There, too, statements with stat= learn of images that have stopped,
// since these tell how many collective statements of their teams they have begun: all images of the
// team that are left, and have stat=, learn of it at the same statement, which is abandoned. From
// there on the team makes none by core's synchronisations.
//
// An image that is gone by a statement keeps its process, its memory and its node server. Core's
// synchronisations need all PEs of a group, so it takes part in the gate (gate.h) in which the
// others learn of it, with the code of its end. An image tells that it enters a gate by a word in
// its own memory, which those that are gone read; they end when all images are gone. Of an image
// that was killed the memory stays, which the others of its node have mapped. Threads: one.
#ifndef CAF_GONE_H
#define CAF_GONE_H

#include "caf/caf.h"
#include "caf/gate.h"
#include "core/observe/check.h"

typedef enum caf_gate_kind {
    CAF_GATE_STATEMENT,    // of the current team
    CAF_GATE_CHANGE_TEAM,  // of the new one
    CAF_GATE_END_TEAM
} caf_gate_kind_t;

/** May images be gone while others go on? The same on all. */
extern bool caf_survives CW_HIDDEN;

void caf_gone_open(void);
/** All images have started: the job outlives their deaths. */
void caf_gone_started(void);
void caf_gone_close(void);

/** A statement that names one image is done, as its memory is still there: stat= says so, or that
 *  the image at that PE has failed. (status.c) */
void caf_succeed_at(const caf_status_t *status, int pe);
/** The image at that PE has failed, which an image control statement that names it reports; false:
 *  it has not. (status.c) */
bool caf_report_failed(const caf_status_t *status, const char *statement, int pe) CW_COLD;
/** caf_unlock, of a statement that names the image. */
void caf_unlock_named(const caf_status_t *status, const char *statement, int pe, uint64_t *lock);
static inline bool caf_may_name(const caf_status_t *status, const char *statement, int pe)
{
    return CW_LIKELY(!caf_survives) || !caf_report_failed(status, statement, pe);
}

/** False: no image is gone. Else reports it. */
bool caf_report_gone(const caf_status_t *status, const char *statement, const caf_team_t *team,
                     caf_passage_t passage) CW_COLD;
/** [waits] */
caf_passage_t caf_enter_gate(const char *statement, const char *claim, caf_gate_kind_t kind,
                             caf_team_t *team, unsigned intent) CW_COLD;
/** The same; false: an image is gone, which is reported. [waits] */
bool caf_pass_gate(const caf_status_t *status, const char *statement, const char *claim,
                   caf_gate_kind_t kind, const caf_team_t *team) CW_COLD;
/** In a program that did not ask: does the statement look whether images of the team are gone? */
static CW_ALWAYS_INLINE bool caf_looks(const caf_status_t *status, const caf_team_t *team)
{
    return status->stat || status->cannot_ask || team->hit;
}

/** Behind the gate, if the program has one: what all images of the current team do, and none ends
 *  before all have begun. False: an image is gone, which is reported, and act(arg) abandoned.
 *  [waits] */
bool caf_act_or_report(const caf_status_t *status, const char *statement, void (*act)(void *arg),
                       void *arg) CW_COLD;
static CW_ALWAYS_INLINE bool caf_act(const caf_status_t *status, const char *statement,
                                     void (*act)(void *arg), void *arg)
{
    if (CW_UNLIKELY(caf_survives || caf_looks(status, caf.team)))
        return caf_act_or_report(status, statement, act, arg);
    caf.team->gates++;
    act(arg);
    return true;
}
/** The same in programs that did not ask, of any team: what is missing. [waits] */
caf_passage_t caf_act_together(const caf_status_t *status, const char *statement, caf_team_t *team,
                               void (*act)(void *arg), void *arg);
/** A statement that synchronises the team, and is one gate. claim: what all its images call it.
 *  False: an image is gone, which is reported. [waits] */
bool caf_meet(const caf_status_t *status, const char *statement, const char *claim,
              caf_gate_kind_t kind, caf_team_t *team);
/** Was a member of the team killed of which the program does not know? */
bool caf_has_news(const caf_team_t *team) CW_COLD;
/** The program learns that the image at that PE has ended so. */
void caf_tell_end(int pe, caf_code_t code);
/** The program learns of all members of the current team that were killed. */
void caf_tell_deaths(void);
/** A collective statement of the current team begins. False: an image of it is gone, which is
 *  reported. [waits] */
static inline bool caf_enter(const caf_status_t *status, const char *statement)
{
    return CW_LIKELY(!caf_survives) ||
           caf_pass_gate(status, statement, statement, CAF_GATE_STATEMENT, caf.team);
}

/** Do all images of the team make that statement, with these arguments? CW_CLAIM_NONE: it has no
 *  such one. statement: NULL of an image that is gone, and then the others' may differ. [waits] */
void caf_compare(const cw_group_t *group, const char *statement, uint64_t nelems,
                 uint64_t elem_nbytes, uint64_t type, uint64_t image) CW_COLD;
/** The same of a statement without arguments. */
static inline void caf_compare_names(const cw_group_t *group, const char *statement)
{
    caf_compare(group, statement, CW_CLAIM_NONE, CW_CLAIM_NONE, CW_CLAIM_NONE, CW_CLAIM_NONE);
}
/** In checking mode. */
static inline void caf_agree(const cw_group_t *group, const char *statement)
{
    if (CW_CHECKING())
        caf_compare_names(group, statement);
}

// Images may synchronise by both: one of a child team by SYNC TEAM with those that SYNC ALL.
#define CAF_SYNC_TEAM "sync all or team"

/** CAF_OK: it runs; CAF_STOPPED, CAF_FAILED: also of an image that was killed. */
caf_code_t caf_image_state(int pe);
/** The image at that PE, for which this one waits, is gone; for a wait that has slept. asks: the
 *  statement has stat=. */
static inline bool caf_is_gone(int pe, const cw_wait_t *w, bool asks)
{
    return (caf_survives || asks) && w->slept && caf_image_state(pe) != CAF_OK;
}
/** In a program that did not ask: this image has stopped. */
void caf_tell_stop(void);
/** This image ends so: returns when all images have. [waits] */
void caf_go(caf_code_t code);

#endif
