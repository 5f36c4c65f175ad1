// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that travel in parts, into buffers that are larger: each ends where it was sent to end,
// and the next one with its tag is the next one's. Sizes at which parts of any likely size end.
#include <dash/dart/if/dart.h>

#include "frame/check.h"

enum { TAG = 4, ROOM = 4096 };  // ROOM: bytes of the buffer behind the message

static const size_t sizes[] = {((size_t)1 << 30) - 1, (size_t)1 << 30, ((size_t)1 << 30) + 64};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void send(size_t nbytes, int turn)
{
    char *data = calloc(1, nbytes);  // pages that are only read take no memory
    REQUIRE(data != NULL);
    data[0] = data[nbytes / 2] = data[nbytes - 1] = (char)(turn + 1);
    const dart_global_unit_t to = DART_GLOBAL_UNIT_ID(1);
    CHECK(dart_send(data, nbytes, DART_TYPE_BYTE, TAG, to) == DART_OK);
    CHECK(dart_send(&turn, 1, DART_TYPE_INT, TAG, to) == DART_OK);
    free(data);
}

static void receive(size_t nbytes, int turn)
{
    const size_t room = nbytes + ROOM;
    const char mark = (char)(turn + 1);
    char *data = calloc(1, room);
    REQUIRE(data != NULL);
    int next = -1;
    const dart_global_unit_t from = DART_GLOBAL_UNIT_ID(0);
    CHECK(dart_recv(data, room, DART_TYPE_BYTE, TAG, from) == DART_OK);
    CHECK(data[0] == mark && data[nbytes / 2] == mark && data[nbytes - 1] == mark,
          "%zu bytes did not come", nbytes);
    for (size_t i = nbytes; i < room; i++)
        CHECK(data[i] == 0, "byte %zu behind the message", i - nbytes);
    CHECK(dart_recv(&next, 1, DART_TYPE_INT, TAG, from) == DART_OK);
    CHECK(next == turn, "the next message says %d, not %d", next, turn);
    free(data);
}

int main(int argc, char **argv)
{
    dart_global_unit_t me;
    size_t units;
    REQUIRE(dart_init(&argc, &argv) == DART_OK);
    dart_myid(&me);
    dart_size(&units);
    check_as("unit", me.id, (int)units);
    for (int turn = 0; turn < SIZES; turn++) {
        if (me.id == 0)
            send(sizes[turn], turn);
        if (me.id == 1)
            receive(sizes[turn], turn);
    }
    CHECK(dart_exit() == DART_OK);
    return check_result();
}
