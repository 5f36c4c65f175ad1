// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of ranks that have attached their segments come to others that are still inside
// gex_Segment_Attach: their handlers find the segment.
#include "ex.h"

static uint32_t seen;

static void look(gex_Token_t token)
{
    (void)token;
    CHECK(segment != GEX_SEGMENT_INVALID);
    CHECK(segment == GEX_SEGMENT_INVALID || gex_Segment_QuerySize(segment) == 1 << 20);
    seen++;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 0);
    gex_AM_Entry_t entry = {200, look, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "look"};
    CHECK(gex_EP_RegisterHandlers(ep, &entry, 1) == GASNET_OK);
    barrier(tm);
    CHECK(gex_Segment_Attach(&segment, tm, 1 << 20) == GASNET_OK);
    for (uint32_t rank = 0; rank < n; rank++)
        CHECK(gex_AM_RequestShort(tm, rank, 200, 0) == 0);
    GASNET_BLOCKUNTIL(seen == n);
    end();
    return 1;
}
