// SPDX-License-Identifier: BSD-3-Clause
//
// The job as both interfaces see it: configurations, joining, attaching, messages.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "core/mem/foreign.h"
#include "core/owner/copy.h"
#include "core/world/front_end.h"
#include "gasnet_job/gas.h"

gas_state_t gas = {.slow_sync = true, .max_medium = CW_AM_PACKET};
cw_owner_t gas_owner;

// For tools that search binaries: what this library can be.
#define CONFIG(threads, segment) \
    "Causeway GASNet 1.8,CONDUIT=OFI,THREADMODEL=" threads ",SEGMENT=" segment
static const char *const configs[3][3] CW_USED = {
    {CONFIG("SEQ", "FAST"), CONFIG("SEQ", "LARGE"), CONFIG("SEQ", "EVERYTHING")},
    {CONFIG("PARSYNC", "FAST"), CONFIG("PARSYNC", "LARGE"), CONFIG("PARSYNC", "EVERYTHING")},
    {CONFIG("PAR", "FAST"), CONFIG("PAR", "LARGE"), CONFIG("PAR", "EVERYTHING")},
};

static int threads_of(int mode)
{
    return mode / 16;
}

static int segments_of(int mode)
{
    return mode % 16;
}

// ---------------------------------------------------------------- configurations
static struct {
    int mode;            // of the first object that announced itself
    const char *source;  // its file
    const char *other;   // the first that was compiled differently
    int other_mode;
} announced;

const cw_area_request_t gas_area_request = {
    .nbytes = gas_segment_size, .setting = "GASNET_MAX_SEGSIZE", .what = "the GASNet segments"};

enum { LEAST_MEDIUM = 512 };  // as the release has it

/** Small ones too: core has room for a packet anyway. */
static size_t medium_nbytes(void)
{
    return cwu_env.max_medium;
}

static const cw_am_wish_t medium_wish = {.nbytes = medium_nbytes,
                                         .setting = "GASNET_OFI_MAX_MEDIUM"};

/** After the job was joined. Code that was loaded later found the room as it was. */
static void choose_medium(const char *call)
{
    if (cwu_env.max_medium < LEAST_MEDIUM || cwu_env.max_medium > CW_AM_MOST_MEDIUM)
        cwu_fatal("%s: GASNET_OFI_MAX_MEDIUM is %zu bytes; %d to %zu are possible", call,
                  cwu_env.max_medium, LEAST_MEDIUM, CW_AM_MOST_MEDIUM);
    size_t room = cw_am_max_medium();
    gas.max_medium = cwu_env.max_medium < room ? cwu_env.max_medium : room;
}

/** The library's own functions are gex_ and a small letter. */
static bool is_routine(const char *symbol)
{
    return strncmp(symbol, "gasnet_", 7) == 0 || strncmp(symbol, "gex_causeway_", 13) == 0 ||
           (strncmp(symbol, "gex_", 4) == 0 && symbol[4] >= 'A' && symbol[4] <= 'Z');
}

/** The names of macros: GASNET_BLOCKUNTIL, and those that send messages: gasnet_AMRequestMedium,
 *  gex_AM_ReplyLong. */
static void rename_routine(char *routine, size_t nbytes, bool exact)
{
    (void)exact;
    if (strcmp(routine, "gasnet_causeway_block") == 0)
        snprintf(routine, nbytes, "GASNET_BLOCKUNTIL");
    bool gex = strncmp(routine, "gex_", 4) == 0;
    char *what = strstr(routine, "_causeway_re"), *kind;
    if (!what || !(kind = strchr(what += strlen("_causeway_"), '_')))
        return;
    char name[64], *async = strstr(kind, "async");
    size_t plain = async ? (size_t)(async - kind) : strcspn(kind, "0123456789");
    snprintf(name, sizeof name, "%s_AM%s%c%.*s%c%.*s%s", gex ? "gex" : "gasnet", gex ? "_" : "",
             toupper(*what), (int)(kind - what - 1), what + 1, toupper(kind[1]), (int)plain - 2,
             kind + 2, async ? "Async" : "");
    snprintf(routine, nbytes, "%s", name);
}

static cw_front_end_t front_end = {.init = "gasnet_init (or gex_Client_Init)",
                                   .finalize = "gasnet_exit",
                                   .more_threads = "the configuration PAR (-DGASNET_PAR)",
                                   .is_routine = is_routine,
                                   .rename = rename_routine};

/** Before main, once an object file: no locks, no messages. */
GAS_API void gasnet_causeway_announce(int mode, const char *source)
{
    cw_area_reserve(&gas_area_request);
    cw_am_reserve(&medium_wish);
    cw_front_end_register(&front_end);
    gas_exit_announce();
    if (!announced.source) {
        announced.mode = mode;
        announced.source = source;
    } else if (mode != announced.mode && !announced.other) {
        announced.other = source;
        announced.other_mode = mode;
    }
}

static const char *config_of(int mode)
{
    return configs[threads_of(mode) - 1][segments_of(mode) - 1];
}

static bool check_configurations(const char *call, int mode, const char *config)
{
    if (threads_of(mode) < GAS_SEQ || threads_of(mode) > GAS_PAR || segments_of(mode) < GAS_FAST ||
        segments_of(mode) > GAS_EVERYTHING || strcmp(config, config_of(mode)) != 0) {
        cwu_error("%s: gasnet.h of the program (\"%s\") is not that of this library; compile it "
                  "again",
                  call, config);
        return false;
    }
    if (announced.other) {
        cwu_error("%s: %s was compiled for \"%s\", %s for \"%s\"; give all files of a program the "
                  "same -DGASNET_… options",
                  call, announced.source, config_of(announced.mode), announced.other,
                  config_of(announced.other_mode));
        return false;
    }
    return true;
}

// ---------------------------------------------------------------- interfaces
static gas_interface_t *interfaces CW_WRITTEN_AT_LOAD;

void gas_interface_add(gas_interface_t *interface)
{
    interface->next = interfaces;
    interfaces = interface;
}

#define FOR_EACH(it, function)                                \
    for (gas_interface_t *it = interfaces; it; it = it->next) \
        if (it->function)

static bool shares(const void *addr, size_t nbytes)
{
    FOR_EACH(it, shares)
    {
        if (it->shares(addr, nbytes))
            return true;
    }
    return false;
}

bool gas_takes(const cw_am_msg_t *msg, const void *addr, size_t nbytes)
{
    (void)msg;
    return gas.segments == GAS_EVERYTHING || (shares(addr, nbytes) && !cw_foreign_holds(addr));
}

void gas_share_segment(void *addr, uintptr_t size)
{
    FOR_EACH(it, attached) it->attached(addr, size);
}

void gas_share_handler(const gas_interface_t *from, int index, gasnet_causeway_fnptr_t fn)
{
    FOR_EACH(it, adopt_handler)
    {
        if (it != from)
            it->adopt_handler(index, fn);
    }
}

void gas_open_messages(void)
{
    cw_owner_copy_open();
    FOR_EACH(it, open_messages) it->open_messages();
}

void gas_close_messages(void)
{
    FOR_EACH(it, close_messages) it->close_messages();
}

// ---------------------------------------------------------------- init
static int thread_level(void)
{
    return gas.threads == GAS_PAR       ? CW_THREAD_MULTIPLE
           : gas.threads == GAS_PARSYNC ? CW_THREAD_SERIALIZED
                                        : CW_THREAD_SINGLE;
}

/** OpenSHMEM (or MPI) came first: what it chose must do. */
static bool check_joined(const char *call)
{
    size_t nbytes;
    if (cw_world.thread_level < thread_level()) {
        cwu_error("%s: the job was joined by %s with fewer threads than \"%s\" needs; ask there "
                  "for more with %s, or call %s first",
                  call, cw_world.init_call, config_of(gas.threads * 16 + gas.segments),
                  cw_front_end_of(cw_world.init_call)->more_threads, call);
        return false;
    }
    if (!cw_area(&gas_area_request, &nbytes) && gas.segments != GAS_EVERYTHING &&
        !cwu_env.max_segsize) {
        cwu_error("%s: the job was joined before this code was loaded, and has no room for "
                  "segments; call %s before %s",
                  call, call, cw_world.init_call);
        return false;
    }
    return true;
}

int gas_init(const char *call, int mode, const char *config)
{
    if (gas.threads) {
        cwu_error("%s: called a second time", call);
        return GASNET_ERR_NOT_INIT;
    }
    if (!check_configurations(call, mode, config))
        return GASNET_ERR_BAD_ARG;
    gas.threads = threads_of(mode);
    gas.segments = segments_of(mode);
    gas.mixed = cw_area_beside_symmetric();
    if (!gas.mixed)
        cw_area_leave_data();
    bool joined = cw_world.initialized;
    cw_am_expect();
    if ((joined && !check_joined(call)) || cw_init(thread_level(), call) != CW_OK) {
        gas.threads = 0;
        return GASNET_ERR_RESOURCE;
    }
    gas.check = CW_CHECKING();
    gas.me = (uint32_t)cw_world.pe;
    gas.nodes = (uint32_t)cw_world.npes;
    choose_medium(call);
    gas_settings_open();
    gas_debugger_open();
    gas_exit_open();
    return GASNET_OK;
}

// ---------------------------------------------------------------- attach
void gas_start_barrier(void)
{
    if (gas.used_memory || strcmp(cwu_env.attach, "barrier") == 0)
        cw_barrier(cw_group_world);
}

void gas_attach(void)
{
    const cw_owner_config_t config = {.call = "gasnet_attach",
                                      .outside = gas.segments == GAS_EVERYTHING,
                                      .wakes = gas.mixed,
                                      .wait_begin = gas_wait_begin,
                                      .wait_round = gas_wait_round,
                                      .shares = shares};
    cw_owner_open(&gas_owner, &config);
    gas_segments_open();
    FOR_EACH(it, open) it->open();
    cw_owner_copy_register(&gas_owner);
}

void gas_attach_publish(void)
{
    bool everything = gas.segments == GAS_EVERYTHING;
    gas.attached = true;
    gas.slow_sync = gas.check || everything || !cw_world.plain;
    gas.fast_nodes = gas.slow_sync ? 0 : gas.nodes;
    cw_owner_publish(&gas_owner);
    gasnet_causeway_near.word = gas_owner.word;
    gasnet_causeway_near.nodes = gas_owner.limit;
}
