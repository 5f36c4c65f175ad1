# SPDX-License-Identifier: BSD-3-Clause
#
# Completion for bash of oshrun, oshcc, causeway-info and ./dev. The options are those that --help
# names, so none is missing here. Of an option's value the words are completed where they are few.

_causeway_options() {
    local help=--help
    [[ ${1##*/} != osh[cC]* ]] || help=--showme:help  # --help is the compiler's
    "$1" "$help" 2>/dev/null | grep -oE '(^|[[:space:],[(|])--?[A-Za-z][-A-Za-z_]*' |
        grep -oE -- '--?[A-Za-z].*' | sort -u
}

_causeway() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=
    COMPREPLY=()
    case $prev in
    --launcher) words="hydra slurm prrte orte oshrun" ;;
    --bind-to) words="none hwthread core socket numa share" ;;
    --map-by) words="hwthread core socket numa" ;;
    --compiler) words="gcc clang" ;;
    -x)
        words=$(causeway-info --env-table 2>/dev/null | cut -f1)
        compopt -o nospace 2>/dev/null
        COMPREPLY=($(compgen -S= -W "$words" -- "$cur"))
        return
        ;;
    --explain)
        words=$(causeway-info --explain 2>/dev/null | grep -oE '^  [A-Za-z]\S*$')
        ;;
    -e | --env)
        [ "${COMP_WORDS[0]##*/}" != causeway-info ] ||
            words=$(causeway-info --env-table 2>/dev/null | cut -f1)
        ;;
    esac
    if [ "${COMP_WORDS[0]##*/}" = dev ] && [ "$COMP_CWORD" = 1 ]; then
        words=$("${COMP_WORDS[0]}" --help 2>/dev/null | grep -oE '^  [a-z]+' | sort -u)
    elif [ -z "$words" ] && [[ $cur == -* ]]; then
        words=$(_causeway_options "${COMP_WORDS[0]}")
    fi
    if [ "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
    else
        COMPREPLY=($(compgen -f -- "$cur"))
        compopt -o filenames 2>/dev/null
    fi
}

complete -F _causeway oshrun oshcc oshc++ oshcxx oshCC causeway-info ./dev
