// SPDX-License-Identifier: BSD-3-Clause
//
// Coarrays: what the interfaces of compilers share (the doors: src/caf/gfortran, src/caf/prif).
// Image i of the initial team is PE i - 1.
//
// A coarray is a block that each image of a team allocates from an area of its own (memory.c). Its
// place in a peer is known as a symmetric address of this image, so that the transfers of core/rma
// on the default context reach it; mostly that is one address for all images.
// Statements that fail give a code where the program asked for one (caf_status_t), and else end the
// job with one line.
// Threads: one, that of the program. Blocking: what is marked [waits].
#ifndef CAF_H
#define CAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "base/compiler.h"
#include "core/coll/coll.h"
#include "core/core.h"
#include "core/observe/watch.h"
#include "core/sync/group.h"

// ---------------------------------------------------------------- outcomes (status.c)
typedef enum caf_code {
    CAF_OK,
    CAF_LOCKED,  // by this image
    CAF_UNLOCKED,
    CAF_LOCKED_OTHER,  // by another one
    CAF_STOPPED,
    CAF_FAILED,
    CAF_TWICE,  // an image of a set
    CAF_NO_MEMORY,
    CAF_ERROR,  // of any other kind
    CAF_CODES
} caf_code_t;

/** Where a statement says how it ended: stat= and errmsg=, as far as it has them. */
typedef struct caf_status {
    int *stat;
    char *errmsg;  // of errmsg_nbytes, padded with blanks; NULL: none
    size_t errmsg_nbytes;
    bool cannot_ask;  // the compiler passes no stat=: goes on without images that are gone
} caf_status_t;

static CW_ALWAYS_INLINE void caf_succeed(const caf_status_t *status)
{
    if (status->stat)
        *status->stat = 0;
}
/** The statement has failed: sets stat and errmsg, or, without stat, ends the job. */
void caf_fail(const caf_status_t *status, caf_code_t code, const char *statement, const char *fmt,
              ...) CW_PRINTF(4, 5) CW_COLD;
/** Error termination with "image 2 of 4: <statement>: <text>". */
noreturn void caf_fatal(const char *statement, const char *fmt, ...) CW_PRINTF(2, 3) CW_COLD;

// ---------------------------------------------------------------- teams (team.c)
struct caf_coarray;
typedef struct caf_team {
    const cw_group_t *group;
    struct caf_team *parent;       // NULL: the initial team
    struct caf_coarray *coarrays;  // allocated while it was the current team, the last one first
    int64_t number;                // that FORM TEAM gave it
    struct caf_team *formed;       // before it by this image
    unsigned again;                // how often it has been changed to while it was the current one
    uint64_t serial, forms;        // which FORM TEAM of its parent it comes from; those of its own
    // Of programs that go on without images that are gone (gate.h): a number that all members have,
    // the gates that they have entered, the intents in the last two; how many deaths of the job
    // are known; a member is gone.
    uint64_t tag, gates;
    uint32_t intents, deaths;
    bool hit;
    // what each image of the parent gave FORM TEAM: number, then new_index; NULL: not kept
    uint64_t *siblings;
} caf_team_t;

/** What the door of a compiler brings. */
typedef struct caf_door {
    int stat[CAF_CODES];  // the compiler's codes
    void (*flush)(void);  // the units of the program
    const char *init, *finalize;
    bool (*is_routine)(const char *symbol);
    bool (*survives)(void);  // the program asks for images that are gone
    // the team of an allocatable coarray ends: the program's variable is not allocated any more
    void (*released)(const struct caf_coarray *coarray);
    bool keeps_siblings;    // it asks for teams by their number
    struct caf_door *next;  // of those of this process
} caf_door_t;

typedef struct caf_state {
    const cw_group_t *group;  // of the current team; NULL: not joined
    caf_team_t *team;         // the current one
    caf_team_t initial;
    // Statements may take the fast path: joined, without observers and checks, and no image may be
    // gone; images: those of the initial team, while that is the current one, and 0 otherwise.
    bool plain;
    unsigned images;
    caf_door_t *door;  // that the program joined by; NULL: it has not
    uint64_t statics;  // sum over the static coarrays of this image: the same on all
    uint64_t seed;     // of this run, the same on all images
} caf_state_t;
extern caf_state_t caf CW_HIDDEN;

static CW_ALWAYS_INLINE int caf_num_images(void)
{
    return caf.group->size;
}
static CW_ALWAYS_INLINE int caf_this_image(void)
{
    return caf.group->rank + 1;
}
/** For messages: "image 3" by its number in the current team, or "image 3 of the initial team".
 *  Returns name. */
typedef char caf_name_t[48];
const char *caf_image_name(int pe, caf_name_t name) CW_COLD;
/** The PE of an image of that team. False: it has none. */
static CW_ALWAYS_INLINE bool caf_find_pe(const cw_group_t *group, int image, int *pe_p)
{
    if (CW_UNLIKELY((unsigned)image - 1u >= (unsigned)group->size))
        return false;
    *pe_p = cw_group_pe(group, image - 1);
    return true;
}
/** The same; false: reported. */
bool caf_want_pe(const caf_status_t *status, const char *statement, const cw_group_t *group,
                 int image, int *pe_p);

/** The team of the images of the current one that give the same number, in their order; new_index:
 *  place of this image in it, from 1, or NULL: any. NULL: reported. Collective. [waits] */
caf_team_t *caf_form_team(const caf_status_t *status, int64_t number, const int *new_index);
/** It is the current one from here on. */
void caf_enter_team(caf_team_t *team);
/** The team of a variable, which may hold anything if no FORM TEAM has set it: walks all of them.
 *  NULL: reported. */
caf_team_t *caf_want_team(const caf_status_t *status, const char *statement, void *team);
/** The same of a statement without stat=. */
caf_team_t *caf_team_of(const char *statement, void *team);
/** Makes it the current team, which synchronises it. Collective over it. [waits] */
void caf_change_team(const caf_status_t *status, caf_team_t *team);
/** Back to the parent: what was allocated since is released. Collective over the team. [waits] */
void caf_end_team(const caf_status_t *status);
void caf_sync_team(const caf_status_t *status, caf_team_t *team);
/** The PEs of the team that the same FORM TEAM as that of the current one has given that number, in
 *  its order: how many, 0 for no such team; the caller frees. Only where the door keeps them. */
int caf_find_sibling(int64_t number, int **pes_p);
/** The last one first. */
caf_team_t *caf_formed_teams(void);
/** whole: all images have come, and end what they have formed together. */
void caf_teams_close(bool whole);

// ---------------------------------------------------------------- life (life.c)
/** Before the job is joined: programs may use this door. */
void caf_announce(caf_door_t *door);
/** Joins the job unless it is joined: for static coarrays before main. */
void caf_join(caf_door_t *door, const char *call);
/** main begins: no image goes on before the static coarrays of all are there. [waits] */
void caf_start(caf_door_t *door, const char *call);
/** The image has come to its end and waits for the others. [waits] */
void caf_leave(const char *call);
noreturn void caf_stop(int code);
/** FAIL IMAGE. */
noreturn void caf_fail_image(void);
noreturn void caf_error_stop(int code);
/** Before an end of the job. False: a statement of output, in a function of which the image is, has
 *  locked a unit; exit, which locks none, writes what it has, and ends the job by its status. */
bool caf_flush(void);
/** Writes "STOP text" on the standard error. */
void caf_say_stop(const char *word, const char *text, size_t text_nbytes);
void caf_say_stop_code(const char *word, int code);

// ---------------------------------------------------------------- memory (memory.c)
typedef struct caf_coarray {
    char *mine;           // this image's memory
    uintptr_t symmetric;  // the address of all images' memory; 0: `at` has them
    uintptr_t *at;        // [images of the team], else NULL
    size_t nbytes;
    caf_team_t *team;              // NULL: memory of this image alone, of a component
    unsigned again;                // of the team, when it was allocated
    const struct caf_coarray *of;  // not NULL: a part of that one, which has the memory
    void *descriptor;              // kept for the door
    bool is_plain;                 // elements are numbers, logicals or characters
    bool is_component;
    bool is_critical;  // the lock of a CRITICAL construct
    struct caf_coarray *next, **link;  // of the team's coarrays
} caf_coarray_t;

extern const cw_area_request_t caf_area_request CW_HIDDEN;
void caf_memory_open(void);
void caf_memory_close(void);
/** A static coarray: every image makes the same calls before caf_start. */
caf_coarray_t *caf_register_static(size_t nbytes);
/** A coarray of the current team. NULL: reported. Collective. [waits] */
caf_coarray_t *caf_allocate(const caf_status_t *status, size_t nbytes);
/** Collective over its team. False: it has not been released, which is reported. [waits] */
bool caf_deallocate(const caf_status_t *status, caf_coarray_t *coarray);
/** A coarray of the current team that begins at that place of another one, until the team ends. */
caf_coarray_t *caf_associate(const caf_coarray_t *of, size_t offset);
/** Releases this image's memory of a coarray, behind a synchronisation of its team. */
void caf_release(caf_coarray_t *coarray);
/** Releases what was allocated since the last CHANGE TEAM to it; behind a synchronisation. */
void caf_release_all(caf_team_t *team);
// ---------------------------------------------------------------- components (component.c)
/** A component of this image: a token without memory, its memory, and their ends. */
caf_coarray_t *caf_component_register(void);
/** That token; NULL: it is none of a component, and may be anything. */
caf_coarray_t *caf_component_find(void *token);
bool caf_component_allocate(const caf_status_t *status, caf_coarray_t *component, size_t nbytes);
void caf_component_deregister(caf_coarray_t *component);
void caf_component_close(void);
// In checking mode each image keeps where it has deallocated its last components, each known by the
// place of its token in the coarray.
/** The component with that token is not allocated any more. */
void caf_component_ended(const void *token_at);
/** Other variables are there from now on. */
void caf_component_renew(const void *memory, size_t nbytes);
/** " any more: deallocated there at main+0x1c (boxes.f90:27)", or "". token_at: symmetric. Returns
 *  text. */
const char *caf_component_end(int pe, const void *token_at, char *text, size_t text_nbytes);

/** Memory of this image alone (memory.c), without a token. NULL: reported. */
void *caf_memory_allocate(const caf_status_t *status, size_t nbytes);
/** False: it is none. */
bool caf_memory_release(void *memory);

/** Parts of the runtime's own memory: at one symmetric address, zero from the start. */
typedef enum caf_own {
    CAF_OWN_STATE,  // of this image (gone.c)
    CAF_OWN_USED,   // of a node's lowest PE: what its PEs have allocated
    CAF_OWN_LOCKS,  // CAF_LOCK_PLACES places in queues (lock.c)
    CAF_OWN_ENDED,  // components that were deallocated (component.c)
    CAF_OWN_GATES,  // that this image has entered (gate.c)
    CAF_OWN_STAGE,  // CAF_STAGE bytes that collectives read, and as many that they write
    CAF_OWN_SYNC    // a word for each PE: how often it has synchronised with this one
} caf_own_t;
enum { CAF_LOCK_PLACES = 1024, CAF_STAGE = 2 << 20 };
void *caf_own(caf_own_t part);

uintptr_t caf_at_slow(const caf_coarray_t *coarray, int pe) CW_COLD;
/** The symmetric address of a byte of the coarray in a PE. */
static CW_ALWAYS_INLINE void *caf_at(const caf_coarray_t *coarray, int pe, size_t offset)
{
    uintptr_t base = CW_LIKELY(coarray->symmetric) ? coarray->symmetric : caf_at_slow(coarray, pe);
    return (void *)(base + offset);
}
/** Offset in the memory in which coarrays and components lie, of an address of this image, or of a
 *  symmetric one; SIZE_MAX: it is not there. */
size_t caf_offset_of(const void *addr);
static inline bool caf_is_mine(const void *addr)
{
    return caf_offset_of(addr) != SIZE_MAX;
}
/** The same of an address in the area itself, not in a window of it (window.h). */
extern uintptr_t caf_area_begin CW_HIDDEN;
extern size_t caf_area_nbytes CW_HIDDEN;
static CW_ALWAYS_INLINE bool caf_is_mine_there(const void *addr)
{
    return (uintptr_t)addr - caf_area_begin < caf_area_nbytes;
}
/** The symmetric address of what lies at that address of a PE itself. NULL: not in its area. */
void *caf_at_owners(int pe, const void *addr, size_t nbytes);

// ---------------------------------------------------------------- image control (sync.c)
void caf_sync_memory(const caf_status_t *status);
void caf_sync_all(const caf_status_t *status);
/** The same, which cannot fail; the second one if caf.plain. [waits] */
void caf_sync_own_memory(void);
void caf_sync_team_plainly(void);
/** With those images of the current team. [waits] */
void caf_sync_images(const caf_status_t *status, const int *images, int nimages);
void caf_sync_every_image(const caf_status_t *status);
/** Of a statement without stat=; if caf.plain. [waits] */
void caf_sync_image(int image);
void caf_sync_close(void);

// ---------------------------------------------------------------- locks and events
/** lock, event: the symmetric address of a word of 8 bytes of a PE. acquired_p: NULL, or the lock
 *  is only tried. [waits] (lock.c) */
void caf_lock(const caf_status_t *status, const char *statement, int pe, uint64_t *lock,
              bool *acquired_p);
void caf_unlock(const caf_status_t *status, const char *statement, int pe, uint64_t *lock);
/** Those that this image holds: it fails. [waits] */
void caf_release_locks(void);
void caf_event_post(const caf_status_t *status, int pe, uint64_t *event);  // event.c
/** Counts up behind the puts to that PE, and does not wait for them. */
void caf_notify(int pe, uint64_t *event);
/** Of this image. [waits] */
void caf_event_wait(const caf_status_t *status, const char *statement, uint64_t *event,
                    int64_t until);
int64_t caf_event_query(int pe, uint64_t *event);

// ---------------------------------------------------------------- collectives (collective.c)
/** Contiguous data of the current team. root, result: ranks; result -1: all. [waits] */
void caf_co_broadcast(void *data, size_t nbytes, int root);
void caf_co_reduce(void *data, size_t nelems, size_t elem_nbytes, cw_reduce_fn fn);
/** Words of each image for all, by rank. [waits] */
void caf_exchange(const cw_group_t *group, uint64_t mine, uint64_t *all);

#endif
