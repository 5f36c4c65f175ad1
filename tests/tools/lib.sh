# SPDX-License-Identifier: BSD-3-Clause
#
# For the scripts of this room: check WHAT COMMAND... runs a command; finish returns the exit
# status.
set -u
here=$CAUSEWAY_TEST_SOURCE/tests/tools
stage=$CAUSEWAY_TEST_STAGE
checks=0 wrong=0

bad() {
    echo "FAIL: $1"
    wrong=$((wrong + 1))
}

check() {
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" >check.out 2>&1 </dev/null && return 0
    bad "$what: $*"
    tail -n 30 check.out
    return 1
}

# output_has PATTERN COMMAND...: the command succeeds and prints a line that matches.
output_has() {
    local pattern=$1
    shift
    checks=$((checks + 1))
    if ! "$@" >check.out 2>&1 </dev/null; then
        bad "exit status of: $*"
        tail -n 30 check.out
    elif ! grep -Eq -e "$pattern" check.out; then
        bad "'$pattern' is not in the output of: $*"
        tail -n 30 check.out
    fi
}

# refuses STATUS PATTERN COMMAND...: the command ends with that status and prints the reason.
refuses() {
    local wanted=$1 pattern=$2 status
    shift 2
    checks=$((checks + 1))
    "$@" >check.out 2>&1 </dev/null
    status=$?
    [ $status = "$wanted" ] || bad "exit status $status, expected $wanted: $*"
    grep -Eq -e "$pattern" check.out || bad "'$pattern' is not in the output of: $*"
}

finish() {
    echo "$checks checks, $wrong wrong"
    [ $wrong = 0 ] && [ $checks -gt 0 ]
    exit
}
