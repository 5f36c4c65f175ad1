// SPDX-License-Identifier: BSD-3-Clause
//
// What a scene is: a small program in the public interfaces' terms with an oracle. A scene's source
// defines `sim_scene` and is linked with the library as built for the simulator (README.md).
#ifndef SIM_H
#define SIM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define SIM_EXPORT __attribute__((visibility("default")))

enum { SIM_UNDER_SC = 1, SIM_UNDER_TSO = 2, SIM_UNDER_C11 = 4, SIM_UNDER_ALL = 7 };

/** Faults that a scene stands: an allocation that fails, descriptors that have run out; a call of
 *  libfabric that fails, which opens or sends or which looks for news; a PE that is killed, or ends
 *  by _exit; the end of all PEs of a node; a connection that the network closes; a PE that is
 *  stopped. */
enum {
    SIM_MAY_LACK_MEMORY = 2,
    SIM_MAY_LACK_FDS = 4,
    SIM_MAY_FAIL_CALLS = 8,
    SIM_MAY_FAIL_POLLS = 16,
    SIM_MAY_KILL = 32,
    SIM_MAY_EXIT = 64,
    SIM_MAY_LOSE_NODE = 128,
    SIM_MAY_LOSE_LINK = 256,
    SIM_MAY_STOP = 512
};

typedef struct sim_scene {
    const char *name;
    int npes, nnodes;
    void (*run)(void);       // in each PE
    const char *const *env;  // "NAME=value", NULL-terminated, or NULL
    uint64_t most_steps;     // 0: 16 million; beyond that the run counts as a livelock
    uint64_t most_ns;        // of virtual time between sim_begin and sim_end; 0: 5 s
    int timeless;            // SIM_UNDER_...: the memory models in which nothing between them has
                             // to wait for time: where nothing can run before a time-out, a
                             // wake-up was lost
    int may_fail;            // a PE may end with another status than 0, which ends the run
    int blind_launcher;      // it does not see a PE end by a fault, and ends no other for it: they
                             // end, and say which PE it was and how it ended
    int deaf_launcher;       // with blind_launcher: nor does it hear that a PE ends the job; the
                             // others end by themselves
    int outlives;            // it lets a PE go that is killed, if its death ends it alone, as the
                             // PE has reported: the others end with status 0
    int faults;              // SIM_MAY_...: a run has one of these, and then a PE either ends with
                             // status 0, or says why not: never by a signal, never a hang
} sim_scene_t;

extern const sim_scene_t sim_scene;

/** Ends the run as a finding unless the condition holds. */
#define SIM_CHECK(condition, ...)                                    \
    do {                                                             \
        if (!(condition))                                            \
            sim_failed(__FILE__, __LINE__, #condition, __VA_ARGS__); \
    } while (0)
SIM_EXPORT void sim_failed(const char *file, int line, const char *condition, const char *format,
                           ...) __attribute__((format(printf, 4, 5), noreturn));

/** A number below n that the run's seed decides. */
SIM_EXPORT uint32_t sim_draw(uint32_t n);
/** The same in all PEs, for each `what`: for settings that they have in common. */
SIM_EXPORT uint32_t sim_setting(uint32_t what, uint32_t n);
/** The part of a scene that must not wait for time to pass (most_ns). Any PE, once. */
SIM_EXPORT void sim_begin(void);
SIM_EXPORT void sim_end(void);
/** The virtual clock. */
SIM_EXPORT uint64_t sim_now_ns(void);
/** A point at which another thread may run, for scenes that look at memory in a loop. */
SIM_EXPORT void sim_yield(void);
/** The same in a loop without end: sleeps now and then, so that a peer whom the network refuses for
 *  a tenth of a second costs no million steps. */
static inline void sim_look_again(void)
{
    if (sim_draw(64))
        sim_yield();
    else
        usleep(100);
}

/** The run's seed, and zeroed memory that its PEs share: for an oracle, not for the program. */
SIM_EXPORT uint64_t sim_seed(void);
SIM_EXPORT void *sim_common(size_t nbytes);

SIM_EXPORT int sim_main(int argc, char **argv);

#endif
