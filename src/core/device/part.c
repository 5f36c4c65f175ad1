// SPDX-License-Identifier: BSD-3-Clause
//
// The table, what this process has mapped, and who carries out a transfer.
#include "core/device/part.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/device/copy.h"
#include "core/device/driver.h"
#include "core/mem/foreign.h"
#include "core/mem/segment.h"
#include "core/observe/address.h"
#include "core/observe/known.h"
#include "core/owner/copy.h"

#define PLACE_BITS 6u
#define LENT (UINT32_C(1) << 31)  // it has a handle
_Static_assert(CW_DEVICE_PARTS == 1 << PLACE_BITS, "a place in a name");

//  0 name | 4 users | 8 begin | 16 nbytes | 24 offset | 32 uuid | 48 handle | 112 pad
/** What a PE shares, which writes all but `users`. */
typedef struct part {
    _Atomic uint32_t name;   // 0: none; pairs with find
    _Atomic uint32_t users;  // processes that have it mapped
    uint64_t begin, nbytes;  // in the PE's process
    uint64_t offset;         // of the begin, in the allocation of the handle
    uint8_t uuid[16];        // of the device
    uint8_t handle[CW_DEVICE_HANDLE];
    char pad[16];
} part_t;
_Static_assert(sizeof(part_t) == 128, "shared between processes");

/** Another process's allocation, mapped here. */
typedef struct borrowed {
    struct borrowed *next;
    uint8_t handle[CW_DEVICE_HANDLE];
    int device;
    char *at;
    unsigned parts;  // of it
} borrowed_t;

/** Another process's part. */
typedef struct view {
    uint32_t name;       // 0: nothing is known
    borrowed_t *mapped;  // NULL: it cannot be
} view_t;

enum { ANSWERS = 64 };  // lists of them

static struct {
    pthread_mutex_t lock;  // guards the rest, and this PE's table
    borrowed_t *borrowed;
    view_t *view;                  // [2][nslots][CW_DEVICE_PARTS]; NULL: none was looked at
    uint32_t epoch;                // of names
    void *owned[CW_DEVICE_PARTS];  // this library's memory, by place, also of ended parts
    int device[CW_DEVICE_PARTS];   // of these
    struct answer *answers[ANSWERS];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---------------------------------------------------------------- the table
static uint64_t table_nbytes(void)
{
    return (uint64_t)cw_world.max_slots * CW_DEVICE_PARTS * sizeof(part_t);
}

cw_section_t cw_device_section = {.in = CW_SECTION_CONTROL, .align = 128, .nbytes = table_nbytes};

static part_t *parts_of(int slot)
{
    return (part_t *)(void *)(cw_segment.base + cw_device_section.offset) +
           (size_t)slot * CW_DEVICE_PARTS;
}

static uint32_t place_of(uint32_t name)
{
    return name % CW_DEVICE_PARTS;
}

/** NULL: no such part. */
static part_t *find(int slot, uint32_t name)
{
    part_t *p = &parts_of(slot)[place_of(name)];
    return name && atomic_load_explicit(&p->name, memory_order_acquire) == name ? p : NULL;
}

static uint32_t new_name(uint32_t place, bool lent)
{
    state.epoch = (state.epoch + 1) % (LENT >> PLACE_BITS);
    state.epoch += state.epoch == 0;
    return place | state.epoch << PLACE_BITS | (lent ? LENT : 0);
}

/** Frees memory of ended parts that no other process maps any more. Under the lock. */
static void reap(void)
{
    const part_t *own = parts_of(cw_world.slot);
    for (uint32_t i = 0; i < CW_DEVICE_PARTS; i++)
        if (state.owned[i] && !own[i].name && !own[i].users) {
            cw_device_driver.vendor->deallocate(state.device[i], state.owned[i]);
            state.owned[i] = NULL;
        }
}

// ---------------------------------------------------------------- what this PE shares
static int device_exists(int device)
{
    if (device >= 0 && device < cw_device_driver.ndevices)
        return CW_OK;
    cwu_error("there is no device %d; this process has %d, numbered from 0 (CUDA_VISIBLE_DEVICES "
              "says which)",
              device, cw_device_driver.ndevices);
    return CW_EINVAL;
}

static void begin_foreign(int device)
{
    cw_device_adopt(device);
    if (cw_foreign)
        return;
    __atomic_store_n(&cw_foreign, &cw_device_foreign, __ATOMIC_RELEASE);
    cw_known_void();  // pairs (core/observe/seen.h)
}

int cw_device_use(int device)
{
    int rc = cw_device_load();
    if (rc == CW_OK && (rc = device_exists(device)) == CW_OK)
        begin_foreign(device);
    return rc;
}

bool cw_device_is_on(int device, const void *begin, size_t nbytes)
{
    const cw_device_vendor_t *v = cw_device_driver.vendor;
    void *at;
    size_t has;
    if (v->owner(device, begin) != device || !v->extent(device, begin, &at, &has))
        return false;
    const uint64_t offset = (uintptr_t)begin - (uintptr_t)at;
    return offset < has && nbytes <= has - offset;
}

void *cw_device_allocate(int device, size_t nbytes)
{
    void *at = NULL;
    pthread_mutex_lock(&state.lock);
    reap();
    pthread_mutex_unlock(&state.lock);
    return cw_device_driver.vendor->allocate(device, nbytes, &at) == CW_OK ? at : NULL;
}

/** Fills in what others need to map it. False: they cannot. */
static bool lend(part_t *p, int device, void *begin)
{
    const cw_device_vendor_t *v = cw_device_driver.vendor;
    cw_device_facts_t facts;
    void *at;
    size_t nbytes;
    if (v->facts(device, &facts) || !v->extent(device, begin, &at, &nbytes) ||
        !v->lend(device, at, p->handle))
        return false;
    memcpy(p->uuid, facts.uuid, sizeof p->uuid);
    p->offset = (uintptr_t)begin - (uintptr_t)at;
    return true;
}

static int find_place(uint32_t *place_p)
{
    const part_t *own = parts_of(cw_world.slot);
    reap();
    for (uint32_t i = 0; i < CW_DEVICE_PARTS; i++)
        if (!own[i].name && !own[i].users) {
            *place_p = i;
            return CW_OK;
        }
    return CW_ENOMEM;
}

int cw_device_share(int device, void *begin, size_t nbytes, bool owned, uint32_t *name_p)
{
    uint32_t place;
    pthread_mutex_lock(&state.lock);
    int rc = find_place(&place);
    if (rc == CW_OK) {
        part_t *p = &parts_of(cw_world.slot)[place];
        p->begin = (uintptr_t)begin;
        p->nbytes = nbytes;
        *name_p = new_name(place, lend(p, device, begin));
        state.owned[place] = owned ? begin : NULL;
        state.device[place] = device;
        cwu_debug("device memory at %p, %zu bytes of device %d: %s", begin, nbytes, device,
                  *name_p & LENT ? "others map it" : "its owner copies");
        atomic_store_explicit(&p->name, *name_p, memory_order_release);  // pairs with find
    }
    if (rc != CW_OK && owned)
        cw_device_driver.vendor->deallocate(device, begin);
    pthread_mutex_unlock(&state.lock);
    return rc;
}

void cw_device_unshare(uint32_t name)
{
    pthread_mutex_lock(&state.lock);
    parts_of(cw_world.slot)[place_of(name)].name = 0;
    reap();
    pthread_mutex_unlock(&state.lock);
}

bool cw_device_shares(const void *addr, size_t nbytes)
{
    bool found = false;
    pthread_mutex_lock(&state.lock);
    const part_t *own = parts_of(cw_world.slot);
    for (uint32_t i = 0; i < CW_DEVICE_PARTS && !found; i++) {
        const uint64_t at = (uintptr_t)addr - own[i].begin;
        found = own[i].name && at < own[i].nbytes && nbytes <= own[i].nbytes - at;
    }
    pthread_mutex_unlock(&state.lock);
    return found;
}

// ---------------------------------------------------------------- what others share
static borrowed_t *borrow(const part_t *p)
{
    borrowed_t *b;
    int device;
    if (cw_device_load() || cw_device_with_uuid(p->uuid, &device))
        return NULL;
    for (b = state.borrowed; b; b = b->next)
        if (b->device == device && memcmp(b->handle, p->handle, sizeof b->handle) == 0) {
            b->parts++;
            return b;
        }
    void *at;
    if (!(b = malloc(sizeof *b)))
        cwu_fatal("out of memory for a table of device memory");
    if (!cw_device_driver.vendor->borrow(device, p->handle, &at)) {
        free(b);
        return NULL;
    }
    *b = (borrowed_t){.next = state.borrowed, .device = device, .at = at, .parts = 1};
    memcpy(b->handle, p->handle, sizeof b->handle);
    state.borrowed = b;
    begin_foreign(device);  // to be given back at the end
    return b;
}

static void forget(int slot, view_t *view)
{
    borrowed_t *b = view->mapped, **link = &state.borrowed;
    if (b) {
        if (--b->parts == 0) {
            while (*link != b)
                link = &(*link)->next;
            *link = b->next;
            cw_device_driver.vendor->give_back(b->device, b->at);
            free(b);
        }
        parts_of(slot)[place_of(view->name)].users--;  // pairs with reap
    }
    *view = (view_t){.name = 0};
}

/** This process's own, or its server's. */
static view_t *view_of(bool by_server, int slot, uint32_t name)
{
    const size_t which = (size_t)by_server * (size_t)cw_world.nslots + (size_t)slot;
    return &state.view[which * CW_DEVICE_PARTS + place_of(name)];
}

/** Under the lock. */
static view_t *look(bool by_server, int slot, part_t *p, uint32_t name)
{
    if (!state.view)
        state.view = calloc(2 * (size_t)cw_world.nslots * CW_DEVICE_PARTS, sizeof *state.view);
    if (!state.view)
        cwu_fatal("out of memory for a table of device memory");
    view_t *view = view_of(by_server, slot, name);
    if (view->name == name)
        return view;
    forget(slot, view);
    p->users++;  // before the look, so that its memory stays
    view->name = name;
    view->mapped = name & LENT && p->name == name ? borrow(p) : NULL;
    if (!view->mapped)
        p->users--;
    return view;
}

char *cw_device_part_here(bool by_server, int slot, uint32_t name, uint64_t *nbytes_p)
{
    part_t *p = find(slot, name);
    char *at = NULL;
    *nbytes_p = p ? p->nbytes : 0;
    if (!p || slot == cw_world.slot)
        return p ? (char *)(uintptr_t)p->begin : NULL;
    pthread_mutex_lock(&state.lock);
    const view_t *view = look(by_server, slot, p, name);
    if (view->mapped)
        at = view->mapped->at + p->offset;
    pthread_mutex_unlock(&state.lock);
    return at;
}

static void forget_here(bool by_server, int slot, uint32_t name)
{
    pthread_mutex_lock(&state.lock);
    view_t *view = state.view ? view_of(by_server, slot, name) : NULL;
    if (view && view->name == name)
        forget(slot, view);
    pthread_mutex_unlock(&state.lock);
}

void cw_device_server_forget(int slot, uint32_t name)
{
    forget_here(true, slot, name);
}

// ---------------------------------------------------------------- who carries out a transfer
/** Does a PE's node server reach a part? */
typedef struct answer {
    struct answer *next;
    int pe;
    uint32_t name;
    bool reaches;
} answer_t;

static answer_t **find_answer(int pe, uint32_t name)
{
    answer_t **at = &state.answers[((uint32_t)pe * CW_DEVICE_PARTS + place_of(name)) % ANSWERS];
    while (*at && ((*at)->pe != pe || (*at)->name != name))
        at = &(*at)->next;
    return at;
}

static void keep_answer(int pe, uint32_t name, bool reaches)
{
    answer_t *a = malloc(sizeof *a);
    if (!a)
        cwu_fatal("out of memory for a table of device memory");
    *a = (answer_t){NULL, pe, name, reaches};
    pthread_mutex_lock(&state.lock);
    answer_t **at = find_answer(pe, name);
    if (*at)
        free(a);  // another thread has asked, too
    else
        *at = a;
    pthread_mutex_unlock(&state.lock);
}

/** Asks once. */
static bool server_reaches(const char *call, int pe, uint32_t name)
{
    if (!(name & LENT))
        return false;
    pthread_mutex_lock(&state.lock);
    const answer_t *a = *find_answer(pe, name);
    bool reaches = a && a->reaches;
    pthread_mutex_unlock(&state.lock);
    if (a)
        return reaches;
    reaches = cw_device_asks(call, pe, name);
    keep_answer(pe, name, reaches);
    return reaches;
}

/** The part ends: did this PE use it by the server? */
static bool drop_answer(int pe, uint32_t name)
{
    pthread_mutex_lock(&state.lock);
    answer_t **at = find_answer(pe, name), *a = *at;
    if (a)
        *at = a->next;
    pthread_mutex_unlock(&state.lock);
    const bool reaches = a && a->reaches;
    free(a);
    return reaches;
}

void cw_device_forget(int pe, uint32_t name)
{
    const int slot = cw_world.slot_of_pe[pe];
    if (cw_world.node_of_pe[pe] != cw_world.node) {
        if (drop_answer(pe, name))
            cw_device_ends(pe, name);
    } else if (slot != cw_world.slot) {
        forget_here(false, slot, name);
    }
}

static void drop_answers(void)
{
    for (int i = 0; i < ANSWERS; i++)
        for (answer_t *a; (a = state.answers[i]); free(a))
            state.answers[i] = a->next;
}

/** Packed in host memory, a message at a time. */
static void by_owner(const char *call, int pe, const cw_device_rows_there_t *r, uint64_t addr,
                     bool put)
{
    char part[CW_AM_PACKET];
    for (size_t i = 0; i < r->n; i++)
        for (size_t at = 0, n; at < r->nbytes; at += n) {
            char *here = r->here + (ptrdiff_t)i * r->here_stride + at;
            void *there = (void *)(uintptr_t)(addr + i * (uint64_t)r->there_stride + at);
            cw_handle_op_t op = {0};
            n = r->nbytes - at < sizeof part ? r->nbytes - at : sizeof part;
            if (put) {
                cw_device_copy(part, here, n);
                cw_owner_copy_put_foreign((uint32_t)pe, there, part, n, &op);
            } else {
                cw_owner_copy_get(part, (uint32_t)pe, there, n, &op);
            }
            cw_handle_op_wait(call, &op);
            if (!put)
                cw_device_copy(here, part, n);
        }
}

/** base: where the part is here. */
static void copy_here(char *base, const cw_device_rows_there_t *r, bool put)
{
    const uintptr_t there = (uintptr_t)base + r->there, here = (uintptr_t)r->here;
    const cw_rows_t rows =
        put ? (cw_rows_t){there, here, r->there_stride, r->here_stride, r->nbytes, r->n}
            : (cw_rows_t){here, there, r->here_stride, r->there_stride, r->nbytes, r->n};
    cw_device_copy_rows(&rows);
}

/** For a process without device memory of its own, but with a buffer there. */
static void look_at_buffer(const void *here)
{
    int device = cw_device_driver.device < 0 ? cw_device_find(here) : -1;
    if (device >= 0)
        cw_device_use(device);
}

bool cw_device_holds(const void *addr)
{
    look_at_buffer(addr);
    return cw_foreign_holds(addr);
}

/** True: done, by this process or the owner. */
static bool without_server(const char *call, int pe, const cw_device_rows_there_t *r, uint64_t addr,
                           bool put)
{
    uint64_t nbytes;
    char *base = NULL;
    if (r->nbytes == 0 || r->n == 0)
        return true;
    look_at_buffer(r->here);
    if (cw_world.node_of_pe[pe] != cw_world.node) {
        if (server_reaches(call, pe, r->part))
            return false;
    } else {
        base = cw_device_part_here(false, cw_world.slot_of_pe[pe], r->part, &nbytes);
        if (nbytes == 0)
            cwu_fatal("%s: PE %d has given up the device memory at %s, before all transfers to it "
                      "were made",
                      call, pe, cw_at_of(pe, (void *)(uintptr_t)addr, r->nbytes));
    }
    if (base)
        copy_here(base, r, put);
    else
        by_owner(call, pe, r, addr, put);
    return true;
}

bool cw_device_part_put(const char *call, int pe, const cw_device_rows_there_t *r, uint64_t addr)
{
    if (without_server(call, pe, r, addr, true))
        return false;
    cw_device_put_there(&cw_ctx_default, *r, pe);
    return true;
}

void cw_device_part_get(const char *call, int pe, const cw_device_rows_there_t *r, uint64_t addr)
{
    if (!without_server(call, pe, r, addr, false))
        cw_device_get_there(&cw_ctx_default, *r, pe);
}

// ---------------------------------------------------------------- the end
void cw_device_parts_close(void)
{
    pthread_mutex_lock(&state.lock);
    for (int slot = 0; state.view && slot < cw_world.nslots; slot++)
        for (uint32_t i = 0; i < CW_DEVICE_PARTS; i++) {
            forget(slot, view_of(false, slot, i));
            forget(slot, view_of(true, slot, i));
        }
    drop_answers();
    free(state.view);
    state.view = NULL;
    for (uint32_t i = 0; i < CW_DEVICE_PARTS; i++)
        parts_of(cw_world.slot)[i].name = 0;
    reap();
    memset(state.owned, 0, sizeof state.owned);  // what others have mapped ends with the process
    pthread_mutex_unlock(&state.lock);
}
