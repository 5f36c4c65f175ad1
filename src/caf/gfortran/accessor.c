// SPDX-License-Identifier: BSD-3-Clause
//
// Access to other images as gfortran 15 and later do it: for each statement the compiler makes an
// *accessor*, a function that gets the address of the coarray and what it needs of this image
// (subscripts, as `data`), and finds or copies the object. It runs here, on the image's window
// (caf/window.h).
//
// An accessor of a scalar gives the object's address and reads nothing but pointers on the way; one
// of an array copies into an array that it allocates.
#include "caf/gfortran/accessor.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "caf/gone.h"
#include "caf/window.h"
#include "core/observe/check.h"

typedef void gft_get_fn(void *data, const int *image, void *dest, int32_t *free_dest, void *src,
                        gft_token_t token, size_t offset, size_t *dest_chars,
                        const size_t *src_chars);
typedef void gft_put_fn(void *data, const int *image, void *dest, const void *src,
                        gft_token_t token, size_t offset, const size_t *dest_chars,
                        const size_t *src_chars);
typedef void gft_present_fn(void *data, const int *image, int32_t *result, void *src,
                            gft_token_t token, size_t offset);

GFT_API void _gfortran_caf_register_accessor(int hash, gft_get_fn *accessor);
GFT_API void _gfortran_caf_register_accessors_finish(void);
GFT_API int _gfortran_caf_get_remote_function_index(int hash);
GFT_API void _gfortran_caf_get_from_remote(gft_token_t token, const caf_descriptor_t *src_array,
                                           const size_t *src_chars, int image, size_t dest_nbytes,
                                           void **dest, size_t *dest_chars,
                                           caf_descriptor_t *dest_array, bool may_reallocate,
                                           int accessor, void *data, size_t data_nbytes, int *stat,
                                           void **team, int *team_number);
GFT_API void _gfortran_caf_send_to_remote(gft_token_t token, caf_descriptor_t *dest_array,
                                          const size_t *dest_chars, int image, size_t src_nbytes,
                                          const void *src, const size_t *src_chars,
                                          const caf_descriptor_t *src_array, int accessor,
                                          void *data, size_t data_nbytes, int *stat, void **team,
                                          int *team_number);
GFT_OLD_API void _gfortran_caf_transfer_between_remotes(
    gft_token_t dest_token, caf_descriptor_t *dest_array, size_t *dest_chars, int dest_image,
    int dest_accessor, void *dest_data, size_t dest_data_nbytes, gft_token_t src_token,
    const caf_descriptor_t *src_array, const size_t *src_chars, int src_image, int src_accessor,
    void *src_data, size_t src_data_nbytes, size_t src_nbytes, bool is_scalar, int *dest_stat,
    void **dest_team, int *dest_team_number, int *src_stat);
GFT_OLD_API int32_t _gfortran_caf_is_present_on_remote(gft_token_t token, int image, int accessor,
                                                       void *data, size_t data_nbytes);

static const char to_image[] = "assignment to an image", from_image[] = "assignment from an image";

// ---------------------------------------------------------------- the table
/** Of this process: what an index names is asked for by hash, once at each place of use. */
static struct {
    struct entry {
        int hash;
        gft_get_fn *fn;
    } * all;
    int n, room;
} table;

void _gfortran_caf_register_accessor(int hash, gft_get_fn *accessor)
{
    if (table.n == table.room) {
        table.room = table.room * 2 + 16;
        table.all = realloc(table.all, (size_t)table.room * sizeof *table.all);
        if (!table.all)
            cwu_fatal("out of memory for %d accessors", table.room);
    }
    table.all[table.n++] = (struct entry){hash, accessor};
}

/** Called before the first static coarray of each part of the program, accessors or not. */
void _gfortran_caf_register_accessors_finish(void)
{
    caf_window_want();
    gft_door.keeps_siblings = true;  // team_number=
}

int _gfortran_caf_get_remote_function_index(int hash)
{
    for (int i = 0; i < table.n; i++)
        if (table.all[i].hash == hash)
            return i;
    return -1;
}

static gft_get_fn *accessor_of(const char *statement, int index)
{
    if (CW_UNLIKELY((unsigned)index >= (unsigned)table.n))
        caf_fatal(statement, "the program has not registered its accessor");
    return table.all[index].fn;
}

// ---------------------------------------------------------------- the image
static bool find_sibling(const caf_status_t *status, const char *statement, int image, int number,
                         int *pe_p)
{
    int *pes;
    const int n = caf_find_sibling(number, &pes);
    const bool found = image >= 1 && image <= n;
    if (found)
        *pe_p = pes[image - 1];
    else
        caf_fail(status, CAF_ERROR, statement, "image %d of team number %d does not exist", image,
                 number);
    if (n)
        free(pes);
    return found;
}

/** False: reported. */
static CW_ALWAYS_INLINE bool find(const caf_status_t *status, const char *statement,
                                  const caf_coarray_t *coarray, int image, void **team,
                                  const int *team_number, int *pe_p)
{
    if (CW_UNLIKELY(!coarray)) {
        caf_fail(status, CAF_ERROR, statement, "the coarray is not allocated");
        return false;
    }
    if (CW_UNLIKELY(team_number) && *team_number != caf.team->number) {
        if (*team_number != -1)
            return find_sibling(status, statement, image, *team_number, pe_p);
        return caf_want_pe(status, statement, caf.initial.group, image, pe_p);
    }
    const caf_team_t *of = team ? caf_want_team(status, statement, *team) : caf.team;
    return of && caf_want_pe(status, statement, of->group, image, pe_p);
}

// ---------------------------------------------------------------- one side of an assignment
/** What lies in an image, and the accessor for it. */
typedef struct side {
    const caf_coarray_t *coarray;
    caf_descriptor_t array;  // has_array: of the coarray, with its address there
    void *object;            // its address there, or &array
    gft_get_fn *accessor;
    void *data;
    int image, pe;
    bool has_array;
} side_t;

static size_t nbytes_of_array(const caf_descriptor_t *d)
{
    return offsetof(caf_descriptor_t, dim) + (size_t)d->dtype.rank * sizeof(caf_dim_t);
}

/** The coarray is at that address from now on. */
static void place(side_t *side, void *addr)
{
    side->array.data = addr;
    side->object = side->has_array ? (void *)&side->array : addr;
}

static CW_ALWAYS_INLINE void make_side(side_t *side, const char *statement, gft_token_t token,
                                       const caf_descriptor_t *array, int image, int pe,
                                       int accessor, void *data)
{
    side->coarray = token;
    side->accessor = accessor_of(statement, accessor);
    side->data = data;
    side->image = image;
    side->pe = pe;
    side->has_array = array != NULL;
    if (array)
        memcpy(&side->array, array, nbytes_of_array(array));
    place(side, caf_window_at(pe, caf_at(token, pe, 0)));
}

/** What accessors get as their own token: the data of the access, which is of this image. Where
 *  these have several vectors of subscripts, the accessor gets each by an access of its own. */
static bool is_data(const caf_coarray_t *token)
{
    return !token->symmetric && !token->team;
}

static void call_get(side_t *side, void *dest, int32_t *free_dest, size_t *dest_chars,
                     const size_t *src_chars)
{
    caf_coarray_t token = {.mine = side->data};
    side->accessor(side->data, &side->image, dest, free_dest, side->object, &token, 0, dest_chars,
                   src_chars);
}

static void call_put(side_t *side, const void *src, const size_t *dest_chars,
                     const size_t *src_chars)
{
    caf_coarray_t token = {.mine = side->data};
    gft_put_fn *put = (gft_put_fn *)(void (*)(void))side->accessor;
    put(side->data, &side->image, side->object, src, &token, 0, dest_chars, src_chars);
}

/** Small, and no pointer leads out of it: all of it travels at once. */
enum { WHOLE_MOST = 4096 };
static bool is_whole(const side_t *side)
{
    return side->coarray->is_plain && side->coarray->nbytes <= WHOLE_MOST;
}

// ---------------------------------------------------------------- from an image
typedef struct get {
    side_t side;
    void *dest;  // descriptor, or address of the address
    int32_t free_dest;
    size_t *dest_chars;
    const size_t *src_chars;
} get_t;

static void run_get(void *arg)
{
    get_t *g = arg;
    call_get(&g->side, g->dest, &g->free_dest, g->dest_chars, g->src_chars);
}

static void get_out(get_t *g)
{
    char whole[WHOLE_MOST] CW_CACHE_ALIGNED;
    if (!is_whole(&g->side)) {
        caf_window_read(run_get, g);
        return;
    }
    caf_get(whole, caf_at(g->side.coarray, g->side.pe, 0), g->side.coarray->nbytes, g->side.pe);
    place(&g->side, whole);
    run_get(g);
}

/** The accessor has given the address of the object in another node's window, or of a copy. */
static void fetch_scalar(void **dest, void *to, size_t nbytes, bool is_copy)
{
    int pe;
    void *symmetric, *object = *dest;
    if (object == to || !object)
        return;
    if (caf_window_find(object, &pe, &symmetric))
        caf_get(to, symmetric, nbytes, pe);
    else
        memcpy(to, object, nbytes);
    if (is_copy)
        free(object);
    *dest = to;
}

/** A coarray without pointers in it has all that its accessors find in windows; what has no
 *  characters may be behind it. */
static CW_COLD void check_object(const side_t *side, const char *object, bool has_any)
{
    int pe;
    void *found;
    if (!side->coarray->is_plain || !caf_window_find(object, &pe, &found))
        return;
    const char *begin = caf_at(side->coarray, side->pe, 0);
    const size_t offset = (size_t)((char *)found - begin), nbytes = side->coarray->nbytes;
    if (pe != side->pe || offset > nbytes || (offset == nbytes && has_any))
        gft_wrong_offset(from_image, side->coarray, offset);
}

static void find_scalar(void *arg)
{
    get_t *g = arg;
    run_get(g);
    if (CW_CHECKING() && !g->free_dest)
        check_object(&g->side, *(char **)g->dest, !g->dest_chars || *g->dest_chars > 0);
}

static void get_scalar(get_t *g, void **dest, size_t nbytes)
{
    void *to = *dest;
    g->dest = dest;
    if (CW_LIKELY(caf_window_is_here(g->side.pe))) {
        find_scalar(g);  // the program reads from there
        if (CW_LIKELY(!g->free_dest))
            return;
    } else {
        caf_window_read(find_scalar, g);
    }
    fetch_scalar(dest, to, nbytes * (g->dest_chars ? *g->dest_chars : 1), g->free_dest);
}

static size_t nelems_of(const caf_descriptor_t *d)
{
    size_t n = 1;
    for (int i = 0; i < d->dtype.rank; i++) {
        const ptrdiff_t extent = d->dim[i].ubound - d->dim[i].lbound + 1;
        n *= extent > 0 ? (size_t)extent : 0;
    }
    return n;
}

/** The accessor allocates an array, unless it may reallocate that of the program. */
static void get_array(get_t *g, caf_descriptor_t *dest, bool may_reallocate)
{
    char *to = dest->data;
    g->dest = dest;
    if (!may_reallocate)
        dest->data = NULL;
    if (caf_window_is_here(g->side.pe))
        run_get(g);
    else
        get_out(g);
    if (may_reallocate || !to || dest->data == to)
        return;
    if (dest->data)
        memcpy(to, dest->data, nelems_of(dest) * (size_t)dest->span);
    free(dest->data);
    dest->data = to;
}

/** An access to the data of another one, within its accessor. */
static CW_NOINLINE void get_data(get_t *g, const caf_coarray_t *token, caf_descriptor_t *array,
                                 int accessor, void *data)
{
    g->side = (side_t){.coarray = token,
                       .object = token->mine,
                       .accessor = accessor_of(from_image, accessor),
                       .data = data,
                       .image = caf_this_image(),
                       .pe = cw_world.pe};
    g->dest = array;
    run_get(g);
}

void _gfortran_caf_get_from_remote(gft_token_t token, const caf_descriptor_t *src_array,
                                   const size_t *src_chars, int image, size_t dest_nbytes,
                                   void **dest, size_t *dest_chars, caf_descriptor_t *dest_array,
                                   bool may_reallocate, int accessor, void *data,
                                   size_t data_nbytes, int *stat, void **team, int *team_number)
{
    const caf_status_t status = gft_status(stat, NULL, 0);
    get_t g = {.dest_chars = dest_chars, .src_chars = src_chars};
    int pe;
    (void)data_nbytes;
    if (CW_UNLIKELY(token && is_data(token))) {
        get_data(&g, token, dest_array, accessor, data);
        return;
    }
    if (!find(&status, from_image, token, image, team, team_number, &pe))
        return;
    make_side(&g.side, from_image, token, src_array, image, pe, accessor, data);
    if (dest_array)
        get_array(&g, dest_array, may_reallocate);
    else
        get_scalar(&g, dest, dest_nbytes);
    cw_get_done();
    caf_succeed_at(&status, pe);
}

// ---------------------------------------------------------------- to an image
typedef struct put {
    side_t side;
    const void *src;  // descriptor, or address
    const size_t *dest_chars, *src_chars;
} put_t;

static void run_put(void *arg)
{
    put_t *p = arg;
    call_put(&p->side, p->src, p->dest_chars, p->src_chars);
}

static void put_out(put_t *p)
{
    const size_t nbytes = p->side.coarray->nbytes;
    char first[WHOLE_MOST] CW_CACHE_ALIGNED, second[WHOLE_MOST] CW_CACHE_ALIGNED;
    if (!is_whole(&p->side)) {
        caf_window_write(run_put, p, p->side.coarray->is_plain);
        return;
    }
    memset(first, CAF_WINDOW_FIRST, nbytes);
    memset(second, CAF_WINDOW_SECOND, nbytes);
    place(&p->side, first);
    run_put(p);
    place(&p->side, second);
    run_put(p);
    caf_window_put_same(p->side.pe, caf_at(p->side.coarray, p->side.pe, 0), first, second, nbytes);
}

static void put_anywhere(put_t *p)
{
    if (CW_LIKELY(caf_window_is_here(p->side.pe))) {
        run_put(p);
        cw_ctx_stored(&cw_ctx_default, p->side.pe);
    } else {
        put_out(p);
    }
}

/** How far it is from the first byte of an array to behind its last one. */
static size_t reach(const caf_descriptor_t *d)
{
    ptrdiff_t last = 0;
    for (int i = 0; i < d->dtype.rank; i++)
        last += (d->dim[i].ubound - d->dim[i].lbound) * d->dim[i].stride;
    return nelems_of(d) ? (size_t)((last + 1) * d->span) : 0;
}

/** An assignment within this image may read what it writes: from a copy of the array. */
static void put_copied(put_t *p, const caf_descriptor_t *src)
{
    caf_descriptor_t array;
    const size_t nbytes = reach(src);
    char *copy = malloc(nbytes + 1);
    if (!copy)
        cwu_fatal("out of memory for an array of %zu bytes", nbytes);
    memcpy(copy, src->data, nbytes);
    memcpy(&array, src, nbytes_of_array(src));
    array.data = copy;
    p->src = &array;
    put_anywhere(p);
    free(copy);
}

static bool is_mine(const void *addr)
{
    int pe;
    void *symmetric;
    return caf_window_find(addr, &pe, &symmetric) && pe == cw_world.pe;
}

void _gfortran_caf_send_to_remote(gft_token_t token, caf_descriptor_t *dest_array,
                                  const size_t *dest_chars, int image, size_t src_nbytes,
                                  const void *src, const size_t *src_chars,
                                  const caf_descriptor_t *src_array, int accessor, void *data,
                                  size_t data_nbytes, int *stat, void **team, int *team_number)
{
    const caf_status_t status = gft_status(stat, NULL, 0);
    put_t p = {.src = src_array ? (const void *)src_array : src,
               .dest_chars = dest_chars,
               .src_chars = src_chars};
    int pe;
    (void)src_nbytes, (void)data_nbytes;
    if (!find(&status, to_image, token, image, team, team_number, &pe))
        return;
    make_side(&p.side, to_image, token, dest_array, image, pe, accessor, data);
    if (src_array && pe == cw_world.pe && is_mine(src_array->data))
        put_copied(&p, src_array);
    else
        put_anywhere(&p);
    caf_succeed_at(&status, pe);
}

// ---------------------------------------------------------------- between images
typedef struct transfer {
    get_t get;
    put_t put;
    bool is_scalar;
} transfer_t;

/** What is between both is an array that the first accessor allocates, or the object's address. */
static void run_transfer(void *arg)
{
    transfer_t *t = arg;
    caf_descriptor_t array = {0};
    void *object = NULL;
    t->get.dest = t->is_scalar ? (void *)&object : (void *)&array;
    run_get(&t->get);
    t->put.src = t->is_scalar ? object : (void *)&array;
    run_put(&t->put);
    if (t->get.free_dest)
        free(t->is_scalar ? object : array.data);
}

void gft_transfer(const gft_end_t *to, const gft_end_t *from, bool is_scalar)
{
    const caf_status_t to_status = gft_status(to->stat, NULL, 0),
                       from_status = gft_status(from->stat, NULL, 0);
    transfer_t t = {.get = {.dest_chars = to->chars, .src_chars = from->chars},
                    .put = {.dest_chars = to->chars, .src_chars = from->chars},
                    .is_scalar = is_scalar};
    int dest_pe, src_pe;
    if (!find(&from_status, from_image, from->token, from->image, from->team, from->team_number,
              &src_pe) ||
        !find(&to_status, to_image, to->token, to->image, to->team, to->team_number, &dest_pe))
        return;
    make_side(&t.get.side, from_image, from->token, from->array, from->image, src_pe,
              from->accessor, from->data);
    make_side(&t.put.side, to_image, to->token, to->array, to->image, dest_pe, to->accessor,
              to->data);
    if (!caf_window_is_here(dest_pe))
        caf_window_write(run_transfer, &t, false);
    else if (!caf_window_is_here(src_pe))
        caf_window_read(run_transfer, &t);
    else
        run_transfer(&t);
    if (caf_window_is_here(dest_pe))
        cw_ctx_stored(&cw_ctx_default, dest_pe);
    caf_succeed_at(&from_status, src_pe);
    caf_succeed_at(&to_status, dest_pe);
}

/** GCC 15 passes no team of the source. */
void _gfortran_caf_transfer_between_remotes(
    gft_token_t dest_token, caf_descriptor_t *dest_array, size_t *dest_chars, int dest_image,
    int dest_accessor, void *dest_data, size_t dest_data_nbytes, gft_token_t src_token,
    const caf_descriptor_t *src_array, const size_t *src_chars, int src_image, int src_accessor,
    void *src_data, size_t src_data_nbytes, size_t src_nbytes, bool is_scalar, int *dest_stat,
    void **dest_team, int *dest_team_number, int *src_stat)
{
    const gft_end_t to = {dest_token, dest_array, dest_chars, dest_image,      dest_accessor,
                          dest_data,  dest_stat,  dest_team,  dest_team_number},
                    from = {src_token, src_array,    (size_t *)(uintptr_t)src_chars,
                            src_image, src_accessor, src_data,
                            src_stat,  NULL,         NULL};
    (void)dest_data_nbytes, (void)src_data_nbytes, (void)src_nbytes;
    gft_transfer(&to, &from, is_scalar);
}

// ---------------------------------------------------------------- allocated()
typedef struct present {
    side_t side;
    int32_t result;
} present_t;

static void run_present(void *arg)
{
    present_t *p = arg;
    caf_coarray_t token = {.mine = p->side.data};
    gft_present_fn *present = (gft_present_fn *)(void (*)(void))p->side.accessor;
    present(p->side.data, &p->side.image, &p->result, p->side.object, &token, 0);
}

int32_t gft_is_present(gft_token_t token, int image, int accessor, void *data, bool by_address)
{
    static const char statement[] = "allocated";
    const caf_coarray_t *coarray = token;
    const caf_status_t status = gft_status(NULL, NULL, 0);
    present_t p = {.result = 0};
    int pe;
    if (!coarray)
        return 0;
    find(&status, statement, coarray, image, NULL, NULL, &pe);
    const caf_descriptor_t *array = coarray->descriptor;  // as all images have it
    make_side(&p.side, statement, token, array && array->dtype.rank > 0 ? array : NULL, image, pe,
              accessor, data);
    void *object = p.side.object;
    if (by_address && !p.side.has_array)
        p.side.object = &object;
    if (caf_window_is_here(pe))
        run_present(&p);
    else
        caf_window_read(run_present, &p);
    gft_found_allocated = p.result && pe == cw_world.pe ? token : NULL;
    return p.result;
}

int32_t _gfortran_caf_is_present_on_remote(gft_token_t token, int image, int accessor, void *data,
                                           size_t data_nbytes)
{
    (void)data_nbytes;
    return gft_is_present(token, image, accessor, data, false);
}
