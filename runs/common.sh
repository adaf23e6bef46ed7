# What the scripts of this folder share. Each takes the folder of games as its one argument, writes to out/ and may be
# stopped and started again at any moment: what was made is not made again, and a run goes on from its last checkpoint.
#
#   TENGEN   the command (tengen)
#   SMALLER  divides the counts of examples and positions, to try a script in minutes: SMALLER=1000 runs/tengen-net.sh GAMES

set -euo pipefail

if [ $# -ne 1 ] || [ ! -d "$1" ]; then
    sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
    echo "usage: $0 GAMES    (the folder of games: see runs/README.md)"
    exit 2
fi
games=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
tengen=${TENGEN:-tengen}

say() { printf '\n== %s\n' "$*"; }

# few COUNT: the count, divided by SMALLER.
few() { echo $(($1 / ${SMALLER:-1})); }

# made FILE WORDS...: runs tengen WORDS, which write FILE, unless it is there.
made() {
    local file=$1
    shift
    if [ -e "$file" ]; then
        say "$file is there"
    else
        say "tengen $*"
        mkdir -p "$(dirname "$file")"
        $tengen "$@"
    fi
}

# imported POOL FILES...: a pool of the games in these files or folders.
imported() {
    local pool=out/pools/$1.parquet
    shift
    made "$pool" games import "$@" -o "$pool"
}

# train NAME UNTIL KIND WORDS...: runs `tengen train KIND WORDS` into out/runs/NAME, from its last checkpoint if it has
# one. UNTIL names what is reached; it is not trained again.
train() {
    local name=$1 reached=out/runs/$1/reached-$2 resume=()
    shift 2
    if [ -e "$reached" ]; then
        say "out/runs/$name is there"
        return
    fi
    if compgen -G "out/runs/$name/checkpoints/[0-9]*/state.json" > /dev/null; then
        resume=(--resume)
    fi
    say "tengen train $* --set name=$name ${resume[*]}"
    $tengen train "$@" --set "name=$name" "${resume[@]}"
    touch "$reached"
}
