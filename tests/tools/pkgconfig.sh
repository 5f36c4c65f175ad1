# SPDX-License-Identifier: BSD-3-Clause
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
export PKG_CONFIG_PATH=$stage/lib/pkgconfig
for name in causeway sma; do
    check "$name is known" pkg-config --exists "$name"
    check "$name builds" sh -c \
        "cc $here/hello.c -o hello_$name \$(pkg-config --cflags --libs $name)"
    output_has 'PE 0 of 1 received 0' "./hello_$name"
done
output_has '^[0-9]+\.[0-9]+\.[0-9]+$' pkg-config --modversion causeway
finish
