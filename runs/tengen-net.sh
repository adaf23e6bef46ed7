#!/usr/bin/env bash
# Makes the net that ships (src/tengen/models/tengen) as out/nets/tengen. It begins with the net that shipped
# first (runs/kept/tengen-96x6) and learns from games of KGS and from labels of KataGo's b15c192. GAMES/kgs6d: games of KGS;
# GAMES/fox_ranked: games of Fox between players of the same rank. `tengen nets pull b15c192` first. Times of one core:
#
#   games     1,100 of b15c192 on 9x9 and 220 on 13x13; 1,000 on 7x7, 1,500 on 9x9 and 1,000 on 13x13 of the first
#             net; 60 and 24 for tests                                                                      0.2 hours
#   labels    194,000 positions on 19x19, 59,000 on 9x9, 39,000 on 13x13, 12,000 on 7x7; 3,300 for tests    0.6
#   the net   1,030,000 examples                                                                            2.1
#
# The net that ships had its first 272,128 examples with other norms and a rate of 0.01, see docs/log.md, 19 November 2026.
# scripts/smaller_net.py makes its file as small as it ships; tengen-figures.sh measures it.
# THREADS=1 keeps it to one core.

source "$(dirname "$0")/common.sh" "$@"

pools=out/pools
labels=out/labels
cores=(--threads "${THREADS:-2}")
mkdir -p $pools $labels

# games_of NET POOL SIZE COUNT OPTIONS...: self-play.
games_of() {
    local net=$1 pool=$pools/$2.parquet size=$3 count=$4
    shift 4
    made "$pool" selfplay --net "$net" --size "$size" --games "$count" "${cores[@]}" -o "$pool" "$@"
}

# labelled POOL NAME POSITIONS OPTIONS...: labels of a pool. The command sees for itself what is there.
labelled() {
    local pool=$pools/$1.parquet file=$labels/$2.parquet positions=$3
    shift 3
    say "labels $file"
    $tengen train label "$pool" --net b15c192 -o "$file" --positions "$positions" "${cores[@]}" "$@"
}

imported kgs6d "$games/kgs6d"
imported fox "$games/fox_ranked"

strong=(--temperature 0.9)
weak=(--temperature 1.0 --opening-temperature 2.0)
games_of b15c192 strong-9x9 9 "$(few 1100)" "${strong[@]}"
games_of b15c192 strong-13x13 13 "$(few 220)" "${strong[@]}"
games_of b15c192 test-9x9 9 "$(few 60)" "${strong[@]}" --seed 2
games_of b15c192 test-13x13 13 "$(few 24)" "${strong[@]}" --seed 2
games_of runs/kept/tengen-96x6 weak-7x7 7 "$(few 1000)" "${weak[@]}"
games_of runs/kept/tengen-96x6 weak-9x9 9 "$(few 1500)" "${weak[@]}"
games_of runs/kept/tengen-96x6 weak-13x13 13 "$(few 1000)" "${weak[@]}"

train_games=(--where 'not_years=[2015]')
labelled strong-9x9 strong-9x9 "$(few 26624)" --varied 0.4
labelled weak-7x7 weak-7x7 "$(few 12288)" --varied 0.4
labelled weak-9x9 weak-9x9 "$(few 32768)" --varied 0.4
labelled strong-13x13 strong-13x13 "$(few 14336)" --varied 0.4
labelled weak-13x13 weak-13x13 "$(few 24576)" --varied 0.4
labelled test-9x9 test-9x9 "$(few 1000)" --varied 0
labelled test-13x13 test-13x13 "$(few 800)" --varied 0
labelled kgs6d kgs6d-2015 "$(few 1500)" --varied 0 --where 'years=[2015]'
labelled fox fox "$(few 24576)" "${train_games[@]}"
labelled kgs6d kgs6d-uneven "$(few 24576)" "${train_games[@]}" --where 'komi=[0.5,5.5]'
labelled kgs6d kgs6d-counted "$(few 24576)" "${train_games[@]}" --where 'result=["score"]' --ends 0.3 --seed 2
labelled kgs6d kgs6d-even "$(few 120000)" "${train_games[@]}" --where max_handicap=0 --where 'komi=[6.5,7.5]' --ends 0.05

train tengen-net end policy recipes/tengen-net.toml --set threads="${THREADS:-2}" \
    --set run.examples="$(few 1030000)" --set optimiser.decay="$(few 530000)"
made out/nets/tengen/card.json train export out/runs/tengen-net -o out/nets/tengen
