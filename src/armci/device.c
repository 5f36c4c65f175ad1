// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of devices: which blocks there are, and the transfers that know them.
#include "armci/device.h"

#include <stdlib.h>
#include <string.h>

#include "armci/far.h"
#include "base/error.h"
#include "base/lock.h"
#include "core/device/copy.h"
#include "core/device/driver.h"
#include "core/device/part.h"
#include "core/mem/copy.h"
#include "core/owner/copy.h"
#include "core/owner/lock.h"
#include "core/rma/amo.h"

#define PART ((size_t)1 << 20)  // bytes of host memory in which numbers are added

/** A block of a process that lies on a device, or beside one that does. */
typedef struct block {
    struct block *next;
    const cw_group_t *group;  // NULL: it has ended
    uintptr_t base;           // 0: the process has none
    size_t nbytes;
    uint32_t part;  // 0: of the host
} block_t;

static cwu_lock_t lock;   // guards the lists
static block_t **blocks;  // [npes], of each process

// ---------------------------------------------------------------- names
enum { HOST = -1, UNKNOWN = -2 };

static bool is_host(const char *name)
{
    return !name || !*name || strcmp(name, "host") == 0 || strcmp(name, "dram") == 0;
}

/** The number behind "cuda:"; UNKNOWN: there is none. */
static int number_of(const char *digits)
{
    char *end;
    const unsigned long number = strtoul(digits, &end, 10);
    return *digits < '0' || *digits > '9' || *end || number >= CW_DEVICES_MOST ? UNKNOWN
                                                                               : (int)number;
}

/** The device of that name, in use; HOST, or UNKNOWN (reported). */
static int device_of(const char *call, const char *name)
{
    int device = UNKNOWN;
    if (is_host(name))
        return HOST;
    if (strcmp(name, "cuda") == 0) {
        if (cw_device_load() || cw_device_choose(&device))
            return UNKNOWN;
    } else if (strncmp(name, "cuda:", 5) == 0) {
        device = number_of(name + 5);
    }
    if (device == UNKNOWN)
        cwu_error("%s: there is no memory device \"%s\"; give \"cuda\" or \"cuda:N\" for a device "
                  "of NVIDIA's, \"dram\" or NULL for memory of the host",
                  call, name);
    return device == UNKNOWN || cw_device_use(device) ? UNKNOWN : device;
}

// ---------------------------------------------------------------- blocks
static void add_block(const cw_group_t *group, int pe, uintptr_t base, size_t nbytes, uint32_t part)
{
    block_t *b = malloc(sizeof *b);
    if (!b)
        cwu_fatal("out of memory for the table of ARMCI's blocks on devices");
    cwu_lock(&lock);
    *b = (block_t){blocks[pe], group, base, nbytes, part};
    blocks[pe] = b;
    cwu_unlock(&lock);
}

/** All of its members alike. */
static bool has_blocks(const cw_group_t *group)
{
    const block_t *b = blocks ? blocks[cw_world.pe] : NULL;
    while (b && b->group != group)
        b = b->next;
    return b != NULL;
}

/** The group's block of that base, which is known no more. False: there is none. */
static bool take_block(const cw_group_t *group, int pe, uintptr_t base, block_t *taken_p)
{
    cwu_lock(&lock);
    block_t **at = &blocks[pe], *b;
    while ((b = *at) && (b->group != group || b->base != base))
        at = &b->next;
    if (b)
        *at = b->next;
    cwu_unlock(&lock);
    if (b)
        *taken_p = *b;
    free(b);
    return b != NULL;
}

/** The part that the bytes lie in. False: they lie in none. */
static bool find(int proc, const void *addr, size_t nbytes, cw_device_rows_there_t *there_p)
{
    cwu_lock(&lock);
    const block_t *b = blocks[proc];
    uintptr_t at = 0;
    for (; b; b = b->next) {
        at = (uintptr_t)addr - b->base;
        if (b->part && at < b->nbytes && nbytes <= b->nbytes - at)
            break;
    }
    if (b)
        *there_p = (cw_device_rows_there_t){.there = at, .part = b->part};
    cwu_unlock(&lock);
    return b != NULL;
}

bool aci_device_has(int proc, const void *addr, size_t nbytes)
{
    cw_device_rows_there_t there;
    return find(proc, addr, nbytes, &there);
}

// ---------------------------------------------------------------- blocks of all members
/** This process's. False: it has none (reported, but for a lack of memory). */
static bool provide(const char *call, size_t nbytes, const char *name, void **mine_p,
                    uint32_t *part_p)
{
    const int device = device_of(call, name);
    if (nbytes == 0 || device == UNKNOWN)
        return device != UNKNOWN;
    if (device == HOST)
        return (*mine_p = aci_alloc(nbytes)) != NULL;
    void *at = cw_device_allocate(device, nbytes);
    if (!at)
        return false;
    if (cw_device_share(device, at, nbytes, true, part_p)) {
        cwu_error("%s: this process has %d blocks on devices already; free some", call,
                  CW_DEVICE_PARTS);
        return false;
    }
    *mine_p = at;
    return true;
}

static void give_back(void *mine, uint32_t part)
{
    if (part)
        cw_device_unshare(part);
    else if (mine)
        aci_release(mine);
}

/** From here on transfers look for memory of devices. */
static void begin(void)
{
    if (blocks)
        return;
    blocks = calloc((size_t)cw_world.npes, sizeof *blocks);
    if (!blocks)
        cwu_fatal("out of memory for the table of ARMCI's blocks on devices");
    aci.devices = aci.looks = true;
    aci.pairs = false;
    aci_owner.limit = 0;
    cw_owner_copy_register_foreign();
    cw_owner_copy_open();
}

/** Every member does, if one has a block on a device. */
static void learn(const char *call, const cw_group_t *group, void *const ptr_arr[], size_t nbytes,
                  uint32_t part)
{
    uintptr_t *parts = aci_exchanged(call, group, part), any = 0;
    for (int rank = 0; rank < group->size; rank++)
        any |= parts[rank];
    if (any) {
        begin();
        uintptr_t *sizes = aci_exchanged(call, group, nbytes);  // and all have begun
        for (int rank = 0; rank < group->size; rank++)
            add_block(group, cw_group_pe(group, rank), (uintptr_t)ptr_arr[rank], sizes[rank],
                      (uint32_t)parts[rank]);
        free(sizes);
    }
    free(parts);
}

int aci_device_alloc_all(const char *call, const void *place, const cw_group_t *group,
                         void *ptr_arr[], intptr_t nbytes, const char *name)
{
    void *mine = NULL;
    uint32_t part = 0;
    aci_check_alloc(call, group, ptr_arr, nbytes);
    const bool refused = !provide(call, (size_t)nbytes, name, &mine, &part);
    if (!aci_tell_all(group, refused, mine, ptr_arr)) {
        give_back(mine, part);
        return 1;
    }
    learn(call, group, ptr_arr, (size_t)nbytes, part);
    if (CW_UNLIKELY(aci.check))
        aci_known_add(call, place, group, ptr_arr, (size_t)nbytes);
    return 0;
}

bool aci_device_release_all(const char *call, const cw_group_t *group, void *ptr)
{
    bool found = false;
    block_t block, own = {.base = 0};
    if (!has_blocks(group))
        return false;
    uintptr_t *bases = aci_exchanged(call, group, (uintptr_t)ptr);
    for (int rank = 0; rank < group->size; rank++) {
        const int pe = cw_group_pe(group, rank);
        if (pe == cw_world.pe || !bases[rank] || !take_block(group, pe, bases[rank], &block))
            continue;
        found = true;
        if (block.part)
            cw_device_forget(pe, block.part);
    }
    free(bases);
    if (ptr ? take_block(group, cw_world.pe, (uintptr_t)ptr, &own)
            : found && take_block(group, cw_world.pe, 0, &own))
        found = true;
    if (!found)
        return false;
    cw_sync(group);  // no member has it mapped any more
    if (CW_UNLIKELY(aci.check))
        aci_known_free(call, group, ptr);
    give_back((void *)own.base, own.part);
    return true;
}

void aci_device_leave_group(const cw_group_t *group)
{
    cwu_lock(&lock);
    for (int pe = 0; blocks && pe < cw_world.npes; pe++)
        for (block_t *b = blocks[pe]; b; b = b->next)
            b->group = b->group == group ? NULL : b->group;
    cwu_unlock(&lock);
}

void aci_device_close(void)
{
    if (!blocks)
        return;
    for (int pe = 0; pe < cw_world.npes; pe++)
        for (block_t *b; (b = blocks[pe]); free(b)) {
            blocks[pe] = b->next;
            if (b->part && pe != cw_world.pe)
                cw_device_forget(pe, b->part);
            else if (b->part)
                cw_device_unshare(b->part);
        }
    free(blocks);
    blocks = NULL;
    aci.devices = false;
    aci.looks = aci.pairs = aci.check;
    cw_owner_copy_close();
}

// ---------------------------------------------------------------- one side of a transfer
/** Where the bytes are that a process has on a device: a part, or of this process any. */
static bool find_there(int proc, uintptr_t addr, size_t nbytes, cw_device_rows_there_t *there_p)
{
    if (find(proc, (const void *)addr, nbytes, there_p))
        return true;
    *there_p = (cw_device_rows_there_t){.there = addr};
    return proc == cw_world.pe && cw_device_holds((const void *)addr);
}

/** Rows from or to `addr` there. True: complete at the next quiet. */
static bool move(const aci_op_t *op, bool put, const cw_device_rows_there_t *r, uintptr_t addr)
{
    if (r->part && put)
        return cw_device_part_put(op->call, op->proc, r, addr);
    if (r->part) {
        cw_device_part_get(op->call, op->proc, r, addr);
        return false;
    }
    const uintptr_t here = (uintptr_t)r->here;
    cw_device_copy_rows(
        put ? &(cw_rows_t){addr, here, r->there_stride, r->here_stride, r->nbytes, r->n}
            : &(cw_rows_t){here, addr, r->here_stride, r->there_stride, r->nbytes, r->n});
    return false;
}

/** Before a transfer to or from a device there, in the order of this process's operations. */
static void before(const aci_op_t *op, bool writes, uintptr_t addr, size_t nbytes)
{
    if (!aci_is_far(op->proc))
        return;
    if (writes)
        aci_before_write(op->proc, (const void *)addr, nbytes);
    aci_before_request(op->proc);
}

// ---------------------------------------------------------------- sections
static cw_rows_t plane_of(const cwu_section_t *s, const cwu_planes_t *w)
{
    return (cw_rows_t){w->dst, w->src, s->dst_stride[0], s->src_stride[0], s->row, s->n[0]};
}

void aci_device_copy_section(const cwu_section_t *s)
{
    cwu_planes_t w;
    for (cwu_planes_begin(&w, s); w.more; cwu_planes_next(&w)) {
        const cw_rows_t rows = plane_of(s, &w);
        cw_device_copy_rows(&rows);
    }
}

bool aci_device_copy(void *dst, const void *src, size_t nbytes)
{
    if (nbytes == 0 || (!cw_device_holds(dst) && !cw_device_holds(src)))
        return false;
    cw_device_copy(dst, src, nbytes);
    return true;
}

/** To or from a device there, whose lowest byte is `low`, at `there`. */
static void move_planes(const aci_op_t *op, const cwu_section_t *s, uintptr_t low,
                        cw_device_rows_there_t there)
{
    bool in_flight = false;
    const uint64_t begin = there.there;
    cwu_planes_t w;
    there.nbytes = s->row;
    there.n = s->n[0];
    there.there_stride = op->put ? s->dst_stride[0] : s->src_stride[0];
    there.here_stride = op->put ? s->src_stride[0] : s->dst_stride[0];
    for (cwu_planes_begin(&w, s); w.more; cwu_planes_next(&w)) {
        const uintptr_t addr = op->put ? w.dst : w.src;
        there.here = (char *)(op->put ? w.src : w.dst);
        there.there = begin + (addr - low);
        in_flight |= move(op, op->put, &there, addr);
    }
    if (in_flight)
        aci_mark(op->proc, ACI_PUTS | ACI_REQUESTS);  // no path keeps their order
}

/** The section with one side packed in `packed`. */
static cwu_section_t pack(const cwu_section_t *s, bool src, char *packed)
{
    cwu_section_t dense = *s;
    intptr_t step = (intptr_t)s->row;
    for (int i = 0; i < s->levels; i++) {
        *(src ? &dense.src_stride[i] : &dense.dst_stride[i]) = step;
        step *= (intptr_t)s->n[i];
    }
    *(src ? &dense.src : &dense.dst) = (uintptr_t)packed;
    return dense;
}

static char *room_for(const char *call, size_t nbytes)
{
    char *room = malloc(nbytes);
    if (!room)
        cwu_fatal("%s: out of memory for %zu bytes between a device and another process", call,
                  nbytes);
    return room;
}

/** Between a device here and memory of the host of another node. */
static void through_host(const aci_op_t *op, const cwu_section_t *s)
{
    const aci_op_t plain = {.call = op->call, .proc = op->proc, .put = op->put};
    char *packed = room_for(op->call, s->row * s->rows);
    const cwu_section_t near = pack(s, !op->put, packed), far = pack(s, op->put, packed);
    if (op->hdl)
        aci_order_complete(op->call);  // what the handle has collected goes before
    if (op->put)
        aci_device_copy_section(&near);
    aci_move_section(&plain, &far);
    if (!op->put)
        aci_device_copy_section(&near);
    free(packed);
}

bool aci_device_section(const aci_op_t *op, const cwu_section_t *s)
{
    size_t nbytes;
    cw_device_rows_there_t there;
    if (s->rows == 0)
        return false;
    const uintptr_t local = op->put ? s->src : s->dst,
                    low = aci_section_extent(op->call, op->proc, s, op->put, &nbytes);
    if (find_there(op->proc, low, nbytes, &there)) {
        before(op, op->put, low, nbytes);
        move_planes(op, s, low, there);
        return true;
    }
    if (!cw_device_holds((const void *)local))
        return false;
    const uintptr_t word = cw_owner_find_word(&aci_owner, (uint32_t)op->proc),
                    delta = word & ~(uintptr_t)3;
    if (!cw_owner_is_mapped(word)) {
        through_host(op, s);
        return true;
    }
    cwu_section_t here = *s;
    *(op->put ? &here.dst : &here.src) += delta;
    aci_device_copy_section(&here);
    if (op->put && !cw_owner_is_plain(word))
        cw_local_stored(op->proc);
    return true;
}

bool aci_device_contiguous(const aci_op_t *op, void *remote, void *local, size_t nbytes)
{
    cwu_section_t s;
    const uintptr_t there = (uintptr_t)remote, here = (uintptr_t)local;
    cwu_section_begin(&s, op->put ? there : here, op->put ? here : there, nbytes, nbytes > 0);
    cwu_section_end(&s);
    return aci_device_section(op, &s);
}

// ---------------------------------------------------------------- vectors
static bool is_in(const aci_op_t *op, const armci_giov_t *iov)
{
    cw_device_rows_there_t there;
    for (int n = 0; iov->bytes && n < iov->ptr_array_len; n++) {
        const void *src = iov->src_ptr_array[n], *dst = iov->dst_ptr_array[n];
        if (find_there(op->proc, (uintptr_t)(op->put ? dst : src), (size_t)iov->bytes, &there) ||
            cw_device_holds(op->put ? src : dst))
            return true;
    }
    return false;
}

bool aci_device_vector(const aci_op_t *op, const armci_giov_t *iov, int iov_len)
{
    bool any = false;
    for (int i = 0; i < iov_len && !any; i++)
        any = is_in(op, &iov[i]);
    if (any && op->hdl)
        aci_order_complete(op->call);  // what the handle has collected goes before
    for (int i = 0; any && i < iov_len; i++)
        for (int n = 0; n < iov[i].ptr_array_len; n++)
            if (op->put)
                aci_put(op->call, iov[i].src_ptr_array[n], iov[i].dst_ptr_array[n], iov[i].bytes,
                        op->proc);
            else
                aci_get(op->call, iov[i].src_ptr_array[n], iov[i].dst_ptr_array[n], iov[i].bytes,
                        op->proc);
    return any;
}

// ---------------------------------------------------------------- updates
static uint64_t *update_lock(void)
{
    size_t nbytes;
    return aci_own(ACI_OWN_UPDATES, &nbytes);
}

/** What has changed there is complete. */
static void unlock(const aci_op_t *op, bool in_flight)
{
    if (in_flight)
        aci_order_quiet();
    cw_owner_unlock(update_lock(), op->proc);
}

/** An accumulate under way. */
typedef struct sum {
    const aci_op_t *op;
    cwu_number_t type;
    const void *scale;
    char *value, *add;  // [PART]
    bool in_flight;
} sum_t;

/** n rows of nbytes, which fit. */
static void add_rows(sum_t *a, cw_device_rows_there_t *there, uintptr_t addr, const cw_rows_t *r)
{
    const ptrdiff_t step = (ptrdiff_t)r->nbytes;
    const size_t total = r->nbytes * r->n;
    cw_device_copy_rows(
        &(cw_rows_t){(uintptr_t)a->add, r->src, step, r->src_stride, r->nbytes, r->n});
    there->here = a->value;
    there->here_stride = step;
    there->there_stride = r->dest_stride;
    there->nbytes = r->nbytes;
    there->n = r->n;
    move(a->op, false, there, addr);
    cwu_numbers_add_scaled(a->type, a->scale, a->value, a->add, total);
    a->in_flight |= move(a->op, true, there, addr);
}

static void add_plane(sum_t *a, const cw_rows_t *plane, cw_device_rows_there_t there)
{
    const size_t most = plane->nbytes < PART ? PART / plane->nbytes : 1;
    const uint64_t begin = there.there;
    for (size_t i = 0; i < plane->n; i += most)
        for (size_t at = 0; at < plane->nbytes; at += PART) {
            cw_rows_t r = *plane;
            r.n = plane->n - i < most ? plane->n - i : most;
            r.nbytes = plane->nbytes - at < PART ? plane->nbytes - at : PART;
            r.src += i * (uintptr_t)r.src_stride + at;
            r.dest += i * (uintptr_t)r.dest_stride + at;
            there.there = begin + (r.dest - plane->dest);
            add_rows(a, &there, r.dest, &r);
        }
}

static void add_locked(sum_t *a, const cwu_section_t *s, uintptr_t low,
                       cw_device_rows_there_t there)
{
    const uint64_t begin = there.there;
    cwu_planes_t w;
    cw_owner_lock(a->op->call, update_lock(), a->op->proc);
    for (cwu_planes_begin(&w, s); w.more; cwu_planes_next(&w)) {
        const cw_rows_t plane = plane_of(s, &w);
        there.there = begin + (w.dst - low);
        add_plane(a, &plane, there);
    }
    unlock(a->op, a->in_flight);
}

bool aci_device_accumulate(const aci_op_t *op, cwu_number_t type, const void *scale,
                           const cwu_section_t *s)
{
    size_t nbytes;
    cw_device_rows_there_t there;
    if (s->rows == 0)
        return false;
    const uintptr_t low = aci_section_extent(op->call, op->proc, s, true, &nbytes);
    if (find_there(op->proc, low, nbytes, &there)) {
        char *room = room_for(op->call, 2 * PART);
        sum_t a = {.op = op, .type = type, .scale = scale, .value = room, .add = room + PART};
        before(op, true, low, nbytes);
        add_locked(&a, s, low, there);
        free(room);
        return true;
    }
    if (!cw_device_holds((const void *)s->src))
        return false;
    char *packed = room_for(op->call, s->row * s->rows);
    const cwu_section_t near = pack(s, false, packed), far = pack(s, true, packed);
    aci_device_copy_section(&near);
    aci_accumulate_section(op, type, scale, &far);
    free(packed);
    return true;
}

bool aci_device_rmw(const aci_op_t *op, void *word, size_t nbytes, bool swaps, uint64_t operand,
                    uint64_t *old_p)
{
    const uintptr_t addr = (uintptr_t)word;
    uint64_t old = 0, new;
    cw_device_rows_there_t there;
    if (!find_there(op->proc, addr, nbytes, &there))
        return false;
    there.nbytes = nbytes;
    there.n = 1;
    before(op, true, addr, nbytes);
    cw_owner_lock(op->call, update_lock(), op->proc);
    there.here = (char *)&old;
    move(op, false, &there, addr);
    new = swaps ? operand : old + operand;  // their low bytes count
    there.here = (char *)&new;
    unlock(op, move(op, true, &there, addr));
    *old_p = old;
    return true;
}
