#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turn a binary PPM image (as the stencil writes it) into PNG, with the standard library only."""
import re
import struct
import sys
import zlib
from pathlib import Path


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def ppm_to_png(ppm: bytes) -> bytes:
    """The PNG image that shows the same as `ppm`, a P6 image with 8 bits a channel."""
    header = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", ppm)
    if not header:
        raise ValueError("not a binary PPM image with 8 bits a channel")
    width, height = int(header[1]), int(header[2])
    rows = ppm[header.end():]
    if len(rows) != 3 * width * height:
        raise ValueError(f"expected {3 * width * height} bytes of pixels, found {len(rows)}")
    # Each row starts with the number of its filter: none.
    raw = b"".join(b"\0" + rows[k * 3 * width:(k + 1) * 3 * width] for k in range(height))
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def main() -> int:
    if len(sys.argv) != 3:
        print("Usage: ppm2png.py IN.ppm OUT.png", file=sys.stderr)
        return 2
    try:
        Path(sys.argv[2]).write_bytes(ppm_to_png(Path(sys.argv[1]).read_bytes()))
    except (OSError, ValueError) as error:
        print(f"ppm2png.py: {sys.argv[1]}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
