# SPDX-License-Identifier: BSD-3-Clause
#
# Completion, as bash calls it: options from --help, values, variables of -x, commands of ./dev; and
# the installed files. zsh only where it is installed.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
installed=$CAUSEWAY_TEST_STAGE/share/bash-completion/completions

complete_words() {
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _causeway
        printf "%s\n" "${COMPREPLY[@]}"' bash "$installed/oshrun" "$@"
}

output_has '^--label$' complete_words oshrun --la
output_has '^--emulate-nodes$' complete_words oshrun --
output_has '^--bind-to$' complete_words oshrun --b
output_has '^numa$' complete_words oshrun --bind-to n
output_has '^CAUSEWAY_DEADLOCK_ACTION=$' complete_words oshrun -x CAUSEWAY_DEAD
output_has '^--showme$' complete_words oshcc --sh
output_has '^--collectives$' complete_words causeway-info --c
output_has '^CAUSEWAY_SPIN$' complete_words causeway-info --env CAUSEWAY_SP
output_has '^heap-full$' complete_words causeway-info --explain heap-f
output_has '^providers$' complete_words "$CAUSEWAY_TEST_SOURCE/dev" pro
touch a-file
output_has '^a-file$' complete_words oshrun a-
for name in oshcc oshc++ causeway-info; do
    check "$name is completed" test -f "$installed/$name"
done
if command -v zsh >/dev/null; then
    check "zsh reads its file" zsh -n "$CAUSEWAY_TEST_STAGE/share/zsh/site-functions/_causeway"
fi
finish
