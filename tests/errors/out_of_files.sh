#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Too few file descriptors for the network: a message about it, an error exit, no hang.
set -u
[ "$CAUSEWAY_TEST_SANITIZE" = thread ] && thread=-fsanitize=thread  # its runtime must come first
oshcc ${thread:-} -o ring "$CAUSEWAY_TEST_SOURCE/tests/errors/ring.c" || exit 1
cat > few <<'S'
#!/bin/sh
ulimit -n 14
exec ./ring
S
chmod +x few
timeout 30 oshrun -n 2 --emulate-nodes 2 ./few >out 2>&1
status=$?
if [ $status -eq 0 ] || [ $status -eq 124 ] ||
    ! grep -Eqi "file descriptors|ulimit -n|Too many open files" out; then
    echo "wrong end: status $status"
    cat out
    exit 1
fi
