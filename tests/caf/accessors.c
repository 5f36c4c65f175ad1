// SPDX-License-Identifier: BSD-3-Clause
//
// The entry points of gfortran 15 and 16, which Debian 12 does not have, called as code that they
// compile calls them (-fdump-tree-original shows it): a function of the program for each access.
// ./dev coarrays runs Fortran programs by these compilers.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

typedef struct dim {
    ptrdiff_t stride, lbound, ubound;
} dim_t;
typedef struct array {
    void *data;
    ptrdiff_t offset;
    size_t elem_nbytes;
    int32_t version;
    int8_t rank, type;
    int16_t attribute;
    ptrdiff_t span;
    dim_t dim[1];
    void *token;
} array_t;
enum { INTEGER = 1, DERIVED = 5, CHARACTER = 6 };       // types of elements
enum { STATIC, ALLOCATABLE, TOKEN = 7, MEMORY, PART };  // what is registered

typedef void get_fn(void *data, const int *image, void *dest, int32_t *free_dest, void *src,
                    void *token, size_t offset, size_t *dest_chars, const size_t *src_chars);
typedef void put_fn(void *data, const int *image, void *dest, const void *src, void *token,
                    size_t offset, const size_t *dest_chars, const size_t *src_chars);

void _gfortran_caf_init(int *argc, char ***argv);
void _gfortran_caf_finalize(void);
int _gfortran_caf_this_image(int distance);
int _gfortran_caf_num_images(int distance, int failed);
void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_register(size_t size, int type, void **token, array_t *array, int *stat,
                            char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_register_accessor(int hash, void (*accessor)(void));
void _gfortran_caf_register_accessors_finish(void);
int _gfortran_caf_get_remote_function_index(int hash);
void _gfortran_caf_get_from_remote(void *token, const array_t *src_array, const size_t *src_chars,
                                   int image, size_t dest_nbytes, void **dest, size_t *dest_chars,
                                   array_t *dest_array, bool may_reallocate, int accessor,
                                   void *data, size_t data_nbytes, int *stat, void **team,
                                   int *team_number);
void _gfortran_caf_send_to_remote(void *token, array_t *dest_array, const size_t *dest_chars,
                                  int image, size_t src_nbytes, const void *src,
                                  const size_t *src_chars, const array_t *src_array, int accessor,
                                  void *data, size_t data_nbytes, int *stat, void **team,
                                  int *team_number);
void _gfortran_caf_transfer_between_remotes(
    void *dest_token, array_t *dest_array, size_t *dest_chars, int dest_image, int dest_accessor,
    void *dest_data, size_t dest_data_nbytes, void *src_token, const array_t *src_array,
    const size_t *src_chars, int src_image, int src_accessor, void *src_data,
    size_t src_data_nbytes, size_t src_nbytes, bool is_scalar, int *dest_stat, void **dest_team,
    int *dest_team_number, int *src_stat);
int32_t _gfortran_caf_is_present_on_remote(void *token, int image, int accessor, void *data,
                                           size_t data_nbytes);
// Of gfortran 16.
void causeway_caf16_form_team(int number, void **team, const int *new_index, int *stat,
                              char *errmsg, size_t errmsg_nbytes);
void causeway_caf16_change_team(void *team, int *stat, char *errmsg, size_t errmsg_nbytes);
void causeway_caf16_end_team(int *stat, char *errmsg, size_t errmsg_nbytes);
void causeway_caf16_sync_team(void *team, int *stat, char *errmsg, size_t errmsg_nbytes);
void *causeway_caf16_get_team(const int32_t *level);
void *_gfortran_caf_get_team(void **team);  // 13 to 15
int causeway_caf16_this_image(void *team);
int causeway_caf16_num_images(void *team, const int32_t *number);
int32_t causeway_caf16_is_present_on_remote(void *token, int image, int accessor, void *data,
                                            size_t data_nbytes);

// ---------------------------------------------------------------- coarrays
enum { MANY = 100000, FEW = 10 };
/** type :: node; integer :: n; integer, allocatable :: v(:); end type */
typedef struct node {
    int n;
    array_t v;
} node_t;
static void *few_token, *many_token, *node_token, *text_token;
static int *few, *many;  // integer :: few(10)[*], many(100000)[*]
static node_t *node;     // type(node) :: node[*]
static char *text;       // character(len=7) :: text[*]

static void *make(size_t nbytes, int type, int8_t elem_type, void **token)
{
    array_t array = {.elem_nbytes = 4, .type = elem_type};
    _gfortran_caf_register(nbytes, type, token, &array, NULL, NULL, 0);
    return array.data;
}

// ---------------------------------------------------------------- accessors
/** few(i)[j], many(i)[j] */
static void get_element(void *data, const int *image, void *dest, int32_t *free_dest, void *src,
                        void *token, size_t offset, size_t *dest_chars, const size_t *src_chars)
{
    (void)image, (void)token, (void)offset, (void)dest_chars, (void)src_chars;
    *(int **)dest = (int *)src + *(int *)data - 1;
    *free_dest = 0;
}

static void put_element(void *data, const int *image, void *dest, const void *src, void *token,
                        size_t offset, const size_t *dest_chars, const size_t *src_chars)
{
    (void)image, (void)token, (void)offset, (void)dest_chars, (void)src_chars;
    ((int *)dest)[*(int *)data - 1] = *(const int *)src;
}

typedef struct range {
    int first, last, step;
} range_t;

static void allocate(array_t *array, int n)
{
    *array = (array_t){.data = malloc((size_t)n * 4),
                       .offset = -1,
                       .elem_nbytes = 4,
                       .rank = 1,
                       .type = INTEGER,
                       .span = 4,
                       .dim = {{1, 1, n}}};
}

/** few(first:last:step)[j] */
static void get_range(void *data, const int *image, void *dest, int32_t *free_dest, void *src,
                      void *token, size_t offset, size_t *dest_chars, const size_t *src_chars)
{
    const range_t *r = data;
    int n = 0;
    (void)image, (void)token, (void)offset, (void)dest_chars, (void)src_chars;
    CHECK(!((array_t *)dest)->data, "an array that may not be reallocated is not there");
    allocate(dest, (r->last - r->first) / r->step + 1);
    for (int i = r->first; i <= r->last; i += r->step)
        ((int *)((array_t *)dest)->data)[n++] = ((int *)src)[i - 1];
    *free_dest = 1;
}

static void put_range(void *data, const int *image, void *dest, const void *src, void *token,
                      size_t offset, const size_t *dest_chars, const size_t *src_chars)
{
    const range_t *r = data;
    const array_t *array = src;
    int n = 0;
    (void)image, (void)token, (void)offset, (void)dest_chars, (void)src_chars;
    for (int i = r->first; i <= r->last; i += r->step)
        ((int *)dest)[i - 1] = ((const int *)array->data)[n++];
}

/** node[j]%v(i): the descriptor is in the other image */
static void get_component(void *data, const int *image, void *dest, int32_t *free_dest, void *src,
                          void *token, size_t offset, size_t *dest_chars, const size_t *src_chars)
{
    const node_t *of = src;
    (void)image, (void)token, (void)offset, (void)dest_chars, (void)src_chars;
    *(int **)dest = (int *)of->v.data + of->v.offset + *(int *)data;
    *free_dest = 0;
}

static void put_component(void *data, const int *image, void *dest, const void *src, void *token,
                          size_t offset, const size_t *dest_chars, const size_t *src_chars)
{
    const node_t *of = dest;
    (void)image, (void)token, (void)offset, (void)dest_chars, (void)src_chars;
    ((int *)of->v.data)[of->v.offset + *(int *)data] = *(const int *)src;
}

/** node[j]%v */
static void get_components(void *data, const int *image, void *dest, int32_t *free_dest, void *src,
                           void *token, size_t offset, size_t *dest_chars, const size_t *src_chars)
{
    const node_t *of = src;
    const int n = (int)of->v.dim[0].ubound;
    (void)data, (void)image, (void)token, (void)offset, (void)dest_chars, (void)src_chars;
    allocate(dest, n);
    memcpy(((array_t *)dest)->data, of->v.data, (size_t)n * 4);
    *free_dest = 1;
}

static void has_component(void *data, const int *image, int32_t *result, void *src, void *token,
                          size_t offset)
{
    (void)data, (void)image, (void)token, (void)offset;
    *result = ((const node_t *)src)->v.data != NULL;
}

static void has_component_16(void *data, const int *image, int32_t *result, void *src, void *token,
                             size_t offset)
{
    has_component(data, image, result, *(void **)src, token, offset);
}

/** text[j](2:) */
static void get_text(void *data, const int *image, void *dest, int32_t *free_dest, void *src,
                     void *token, size_t offset, size_t *dest_chars, const size_t *src_chars)
{
    (void)data, (void)image, (void)token, (void)offset, (void)dest_chars;
    CHECK(*src_chars == 7, "length of the coarray");
    *(char **)dest = (char *)src + 1;
    *free_dest = 0;
}

static void put_text(void *data, const int *image, void *dest, const void *src, void *token,
                     size_t offset, const size_t *dest_chars, const size_t *src_chars)
{
    (void)data, (void)image, (void)token, (void)offset;
    memset(dest, ' ', *dest_chars);
    memcpy(dest, src, *src_chars);
}

/** few(rows)[j], with several vectors in one statement: the accessor gets each from its data. */
enum { ROWS = 3, DATA_HASH = 112 };
static void get_rows(void *data, const int *image, void *dest, int32_t *free_dest, void *src,
                     void *token, size_t offset, size_t *dest_chars, const size_t *src_chars)
{
    array_t rows = {.elem_nbytes = 4, .rank = 1, .type = INTEGER, .span = 4};
    (void)data, (void)offset, (void)dest_chars, (void)src_chars;
    _gfortran_caf_get_from_remote(token, NULL, NULL, *image, 0, &rows.data, NULL, &rows, true,
                                  _gfortran_caf_get_remote_function_index(DATA_HASH), NULL, 0, NULL,
                                  NULL, NULL);
    allocate(dest, ROWS);
    for (int i = 0; i < ROWS; i++)
        ((int *)((array_t *)dest)->data)[i] = ((int *)src)[((int *)rows.data)[i] - 1];
    free(rows.data);
    *free_dest = 1;
}

static void get_data(void *data, const int *image, void *dest, int32_t *free_dest, void *src,
                     void *token, size_t offset, size_t *dest_chars, const size_t *src_chars)
{
    (void)image, (void)token, (void)offset, (void)dest_chars, (void)src_chars;
    CHECK(!data, "of the accessor's own statement");
    allocate(dest, ROWS);
    memcpy(((array_t *)dest)->data, ((array_t *)src)->data, ROWS * 4);
    *free_dest = 1;
}

enum {
    GET = 100,
    PUT,
    GET_RANGE,
    PUT_RANGE,
    GET_V,
    PUT_V,
    GET_VS,
    HAS_V,
    HAS_V16,
    GET_T,
    PUT_T,
    GET_ROWS,
    GET_DATA = DATA_HASH
};

static __attribute__((constructor)) void register_all(void)
{
    static void (*const all[])(void) = {
        (void (*)(void))get_element,      (void (*)(void))put_element,
        (void (*)(void))get_range,        (void (*)(void))put_range,
        (void (*)(void))get_component,    (void (*)(void))put_component,
        (void (*)(void))get_components,   (void (*)(void))has_component,
        (void (*)(void))has_component_16, (void (*)(void))get_text,
        (void (*)(void))put_text,         (void (*)(void))get_rows,
        (void (*)(void))get_data};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        _gfortran_caf_register_accessor(GET + i, all[i]);
    _gfortran_caf_register_accessors_finish();
    few = make(FEW * 4, STATIC, INTEGER, &few_token);
    many = make(MANY * 4, STATIC, INTEGER, &many_token);
    node = make(sizeof *node, STATIC, DERIVED, &node_token);
    text = make(7, STATIC, CHARACTER, &text_token);
}

// ---------------------------------------------------------------- statements
static int at(int hash)
{
    return _gfortran_caf_get_remote_function_index(hash);
}

static int get(void *token, int hash, int i, int image, int *stat, void **team, int *number)
{
    int value = -1, *addr = &value;
    _gfortran_caf_get_from_remote(token, NULL, NULL, image, 4, (void **)&addr, NULL, NULL, false,
                                  at(hash), &i, sizeof i, stat, team, number);
    return *addr;
}

static void put(void *token, int hash, int i, int image, int value)
{
    _gfortran_caf_send_to_remote(token, NULL, NULL, image, 4, &value, NULL, NULL, at(hash), &i,
                                 sizeof i, NULL, NULL, NULL);
}

static void get_some(int *to, int n, int hash, void *token, int image, range_t range)
{
    void *dest = to;
    array_t array = {.data = to,
                     .elem_nbytes = 4,
                     .rank = 1,
                     .type = INTEGER,
                     .span = 4,
                     .dim = {{1, 0, n - 1}}};
    _gfortran_caf_get_from_remote(token, NULL, NULL, image, (size_t)n * 4, &dest, NULL, &array,
                                  false, at(hash), &range, sizeof range, NULL, NULL, NULL);
    CHECK(array.data == to, "the array stays");
}

/** few([9, 1, 5])[image] */
static void by_vector(int image)
{
    int rows[ROWS] = {9, 1, 5}, values[ROWS] = {0};
    void *dest = values;
    array_t data = {.data = rows, .rank = 1, .span = 4, .dim = {{1, 1, ROWS}}};
    array_t array = {.data = values, .rank = 1, .span = 4, .dim = {{1, 0, ROWS - 1}}};
    _gfortran_caf_get_from_remote(few_token, NULL, NULL, image, ROWS * 4, &dest, NULL, &array,
                                  false, at(GET_ROWS), &data, sizeof data, NULL, NULL, NULL);
    for (int i = 0; i < ROWS; i++)
        CHECK(values[i] == 100 * image + rows[i] - 1, "few(rows)[next]");
}

static void put_some(const int *from, int n, void *token, int image, range_t range)
{
    array_t array = {.data = (void *)(uintptr_t)from,
                     .offset = -1,
                     .elem_nbytes = 4,
                     .rank = 1,
                     .type = INTEGER,
                     .span = 4,
                     .dim = {{1, 1, n}}};
    _gfortran_caf_send_to_remote(token, NULL, NULL, image, (size_t)n * 4, &array.data, NULL, &array,
                                 at(PUT_RANGE), &range, sizeof range, NULL, NULL, NULL);
}

static void sync_all(void)
{
    _gfortran_caf_sync_all(NULL, NULL, 0);
}

static void elements(int me, int next, int before)
{
    for (int i = 0; i < FEW; i++)
        few[i] = 100 * me + i;
    for (int i = 0; i < MANY; i++)
        many[i] = me;
    sync_all();
    CHECK(get(few_token, GET, 3, next, NULL, NULL, NULL) == 100 * next + 2, "few(3)[next]");
    CHECK(get(many_token, GET, 70000, next, NULL, NULL, NULL) == next, "many(70000)[next]");
    sync_all();
    put(few_token, PUT, 4, next, -me);
    put(few_token, PUT, 4, next, 0x01010101 * me);
    put(many_token, PUT, 60001, next, 0);
    put(many_token, PUT, 60002, next, -1);
    CHECK(get(many_token, GET, 60002, next, NULL, NULL, NULL) == -1, "what was put");
    sync_all();
    CHECK(few[3] == 0x01010101 * before && few[2] == 100 * me + 2 && few[4] == 100 * me + 4,
          "few(4)");
    CHECK(many[60000] == 0 && many[60001] == -1 && many[59999] == me && many[60002] == me, "many");
}

static void ranges(int me, int next, int before)
{
    static int from[MANY], to[MANY];
    for (int i = 0; i < MANY; i++)
        from[i] = many[i] = me * 1000000 + i;
    sync_all();
    get_some(to, 3, GET_RANGE, few_token, next, (range_t){1, 5, 2});
    CHECK(to[0] == 100 * next && to[1] == 100 * next + 2 && to[2] == 100 * next + 4, "few(1:5:2)");
    by_vector(next);
    get_some(to, MANY, GET_RANGE, many_token, next, (range_t){1, MANY, 1});
    int wrong = 0;
    for (int i = 0; i < MANY; i++)
        wrong += to[i] != next * 1000000 + i;
    CHECK(wrong == 0, "many(:)[next]: %d", wrong);
    sync_all();
    put_some(from, 3, few_token, next, (range_t){6, 10, 2});
    put_some(from, MANY / 2, many_token, next, (range_t){1, MANY, 2});
    sync_all();
    CHECK(few[5] == before * 1000000 && few[7] == few[5] + 1 && few[9] == few[5] + 2 &&
              few[6] == 100 * me + 6,
          "few(6:10:2)");
    for (int i = 0; i < MANY; i++)
        wrong += many[i] != (i % 2 ? me * 1000000 + i : before * 1000000 + i / 2);
    CHECK(wrong == 0, "many(1::2): %d", wrong);
    // within this image: from what is written
    for (int i = 0; i < FEW; i++)
        few[i] = i;
    put_some(few, 5, few_token, me, (range_t){3, 7, 1});
    CHECK(few[2] == 0 && few[3] == 1 && few[4] == 2 && few[5] == 3 && few[6] == 4, "overlap");
}

static void components(int me, int next, int before)
{
    int values[8] = {0};
    CHECK(_gfortran_caf_is_present_on_remote(node_token, next, at(HAS_V), NULL, 0) == 0, "absent");
    sync_all();
    node->v = (array_t){.offset = -1, .elem_nbytes = 4, .rank = 1, .type = INTEGER, .span = 4};
    node->v.dim[0] = (dim_t){1, 1, 2 + me};
    node->v.token = (void *)0x123456789abcdef0;  // as gfortran 15 leaves it
    _gfortran_caf_register((size_t)(2 + me) * 4, MEMORY, &node->v.token, &node->v, NULL, NULL, 0);
    for (int i = 0; i < 2 + me; i++)
        ((int *)node->v.data)[i] = 10 * me + i;
    sync_all();
    CHECK(_gfortran_caf_is_present_on_remote(node_token, next, at(HAS_V), NULL, 0) == 1, "there");
    CHECK(causeway_caf16_is_present_on_remote(node_token, next, at(HAS_V16), NULL, 0) == 1, "16");
    CHECK(get(node_token, GET_V, 2, next, NULL, NULL, NULL) == 10 * next + 1, "node[next]%%v(2)");
    get_some(values, 2 + next, GET_VS, node_token, next, (range_t){0});
    CHECK(values[1 + next] == 10 * next + 1 + next, "node[next]%%v");
    put(node_token, PUT_V, 1, next, me);
    sync_all();
    CHECK(((int *)node->v.data)[0] == before && ((int *)node->v.data)[1] == 10 * me + 1, "put");
}

static void texts(int next, int me, int before)
{
    char value[8] = "", *addr = value;
    size_t of_coarray = 7, of_value = 6, two = 2;
    memcpy(text, "ABCDEFG", 7);
    sync_all();
    _gfortran_caf_get_from_remote(text_token, NULL, &of_coarray, next, 1, (void **)&addr, &of_value,
                                  NULL, false, at(GET_T), NULL, 0, NULL, NULL, NULL);
    CHECK(memcmp(addr, "BCDEFG", 6) == 0, "text[next](2:)");
    sync_all();
    _gfortran_caf_send_to_remote(text_token, NULL, &of_coarray, next, 1, me % 2 ? "xy" : "zw", &two,
                                 NULL, at(PUT_T), NULL, 0, NULL, NULL, NULL);
    sync_all();
    CHECK(memcmp(text, before % 2 ? "xy     " : "zw     ", 7) == 0, "text");
}

static void between(int me, int next, int n)
{
    int stat = -1, one = 1, two = 2;
    range_t from = {1, 3, 1}, to = {2, 4, 1};
    for (int i = 0; i < FEW; i++)
        few[i] = me * 10 + i;
    sync_all();
    if (me == 1)
        _gfortran_caf_transfer_between_remotes(few_token, NULL, NULL, n, at(PUT), &one, 4,
                                               few_token, NULL, NULL, next, at(GET), &two, 4, 72,
                                               true, &stat, NULL, NULL, NULL);
    CHECK(me != 1 || stat == 0, "stat");
    sync_all();
    CHECK(few[0] == (me == n ? (n > 1 ? 2 : 1) * 10 + 1 : me * 10), "few(1)[n] = few(2)[2]");
    sync_all();
    if (me == 1)
        _gfortran_caf_transfer_between_remotes(
            few_token, NULL, NULL, n, at(PUT_RANGE), &to, sizeof to, few_token, NULL, NULL, n,
            at(GET_RANGE), &from, sizeof from, 4, false, NULL, NULL, NULL, NULL);
    sync_all();
    CHECK(me != n || (few[1] == few[0] && few[2] == me * 10 + 1 && few[3] == me * 10 + 2),
          "few(2:4)[n] = few(1:3)[n]");
}

/** new_index=1: the address of its address, as gfortran 16 passes constants. */
static void constant_index(int me, int n)
{
    void *team = NULL;
    int stat = -1;
    const int place = n - me + 1, *constant = &place;
    causeway_caf16_form_team(1, &team, (const int *)(const void *)&constant, &stat, NULL, 0);
    CHECK(stat == 0 && team, "form team by a constant");
    causeway_caf16_change_team(team, &stat, NULL, 0);
    CHECK(causeway_caf16_this_image(NULL) == place, "the place of a constant");
    causeway_caf16_end_team(&stat, NULL, 0);
}

static void teams(int me, int n)
{
    void *team = NULL, *part = few_token;
    int stat = -1, initial = -1, level = 0, none = 0, half = me > (n + 1) / 2 ? 2 : 1;
    array_t view = {.data = few + 2, .elem_nbytes = 4, .type = INTEGER, .span = 4};
    few[2] = me;
    causeway_caf16_form_team(1, &team, me == 1 ? &none : NULL, &stat, NULL, 0);
    CHECK(stat > 0 && !team, "form team with new_index=0");
    causeway_caf16_form_team(half, &team, NULL, &stat, NULL, 0);
    CHECK(stat == 0 && team, "form team");
    causeway_caf16_sync_team(team, &stat, NULL, 0);
    causeway_caf16_change_team(team, &stat, NULL, 0);
    const int mine = causeway_caf16_this_image(NULL), size = causeway_caf16_num_images(NULL, NULL);
    const int first = half == 1 ? 1 : (n + 1) / 2 + 1;
    _gfortran_caf_register(4, PART, &part, &view, NULL, NULL, 0);
    CHECK(mine == me - first + 1 && causeway_caf16_num_images(NULL, &initial) == n, "numbers");
    CHECK(get(part, GET, 1, size, NULL, NULL, NULL) == first + size - 1, "an associated coarray");
    CHECK(get(few_token, GET, 3, 1, NULL, NULL, NULL) == first, "few(3)[1] of the team");
    CHECK(get(few_token, GET, 3, n, &stat, NULL, &initial) == n && stat == 0, "team_number=-1");
    void *top = causeway_caf16_get_team(&level);
    CHECK(get(few_token, GET, 3, n, NULL, &top, NULL) == n, "team=");
    CHECK(_gfortran_caf_get_team(NULL) == team && _gfortran_caf_get_team(&top) == top, "get_team");
    get(few_token, GET, 3, size + 1, &stat, NULL, NULL);
    CHECK(stat != 0, "no such image");
    if (n > 1) {
        int other = 3 - half;
        CHECK(get(few_token, GET, 3, 1, NULL, NULL, &other) == (half == 2 ? 1 : (n + 1) / 2 + 1),
              "a sibling");
    }
    causeway_caf16_end_team(&stat, NULL, 0);
    CHECK(stat == 0 && causeway_caf16_this_image(NULL) == me, "end team");
}

int main(int argc, char **argv)
{
    _gfortran_caf_init(&argc, &argv);
    const int me = _gfortran_caf_this_image(0), n = _gfortran_caf_num_images(0, -1);
    const int next = me % n + 1, before = (me + n - 2) % n + 1;
    check_as("image", me, n);
    if (argc > 1)
        get(few_token, GET, FEW + 1, next, NULL, NULL, NULL);  // in checking mode the last call
    elements(me, next, before);
    ranges(me, next, before);
    components(me, next, before);
    texts(next, me, before);
    between(me, next, n);
    constant_index(me, n);
    teams(me, n);
    sync_all();
    const int status = check_result();
    if (status)
        return status;
    _gfortran_caf_finalize();
    return 0;
}
