#!/usr/bin/env bash
# Plays the matches of dynamic komi (CGI, Tables 4, 5 and 6, section IV.E) and prints them beside the paper's. The nets are
# those of runs/kept/cgi-9x9, the net that ships, and b15c192 (`tengen nets pull b15c192` first). GAMES/tygem9d: games of
# Tygem, for IV.E. GNU Go is the opponent on 19x19. Times of one core:
#
#   9x9      seven methods, 300 games a cell, even games and H1 to H4; three methods with a plain value net    2 hours
#   13x13    four methods, H2 and H4, 100 games a cell                                                         0.3
#   19x19    two methods, 11 stones, 30 games each                                                             1.3
#   IV.E     1,000 games of the pool, two matches with both colours                                            0.8
#
# THREADS=1 keeps it to one core.

source "$(dirname "$0")/common.sh" "$@"

# played NAME COUNT OPTIONS...: a table, or what is missing of it.
played() {
    local name=$1 count=$2
    shift 2
    say "$name $*"
    $tengen reproduce "$name" --set "$count" --set concurrency="${THREADS:-2}" "$@"
}

kept=runs/kept/cgi-9x9
small=(--set policy=$kept/sl --set value=$kept/bv-ml-vn --set visits=32 --set opponent_visits=4)
methods=(--set methods=none,ss-r,ss-b,ss-m,vs-m,ml-dk,errors)
played cgi-table5 games="$(few 300)" "${small[@]}" "${methods[@]}"
played cgi-table6 games="$(few 300)" "${small[@]}" --set vn=$kept/vn
played cgi-table4 games="$(few 300)" "${small[@]}" "${methods[@]}"

played cgi-table5 games="$(few 100)" --set net=tengen --set size=13 --set handicaps=2,4 --set visits=32 \
    --set opponent_visits=4 --set methods=none,ss-r,ml-dk,errors
if command -v gnugo > /dev/null; then
    played cgi-table5 games="$(few 30)" --set net=b15c192 --set rollouts=0 --set visits=16 --set handicaps=11 \
        --set methods=none,ml-dk --set "opponent=gnugo --mode gtp --level 10 --chinese-rules"
fi

imported tygem9d "$games/tygem9d"
played cgi-section4e pairs="$(few 1000)" --pool out/pools/tygem9d.parquet --set net=tengen --set visits=16
