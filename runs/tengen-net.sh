#!/usr/bin/env bash
# Makes the net that is right about who wins on every board as out/nets/tengen-net, and measures it. It begins with the net
# that shipped first (runs/kept/tengen-96x6) and learns from labels of KataGo's b15c192. GAMES/kgs6d: games of KGS;
# GAMES/fox_ranked: games of Fox between players of the same rank. `tengen nets pull b15c192` first. Times of one core:
#
#   games     2,000 of b15c192 on 9x9 and 600 on 13x13, 2,000 of the net that ships on each; 200 and 60 for tests   1 hour
#   labels    360,000 positions of KGS, 80,000 of Fox, 120,000 on 9x9 and 100,000 on 13x13; 9,000 for tests         2.5
#   the net   3,000,000 examples; the rate falls over the last third                                                9
#
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
games_of b15c192 strong-9x9 9 "$(few 2000)" "${strong[@]}"
games_of b15c192 strong-13x13 13 "$(few 600)" "${strong[@]}"
games_of b15c192 test-9x9 9 "$(few 200)" "${strong[@]}" --seed 2
games_of b15c192 test-13x13 13 "$(few 60)" "${strong[@]}" --seed 2
games_of tengen weak-9x9 9 "$(few 2000)" "${weak[@]}"
games_of tengen weak-13x13 13 "$(few 2000)" "${weak[@]}"

labelled strong-9x9 strong-9x9 "$(few 60000)" --varied 0.4
labelled weak-9x9 weak-9x9 "$(few 60000)" --varied 0.4
labelled strong-13x13 strong-13x13 "$(few 50000)" --varied 0.4
labelled weak-13x13 weak-13x13 "$(few 50000)" --varied 0.4
labelled test-9x9 test-9x9 "$(few 3000)" --varied 0
labelled test-13x13 test-13x13 "$(few 3000)" --varied 0
labelled kgs6d kgs6d-2015 "$(few 3000)" --varied 0 --where 'years=[2015]'
labelled fox fox "$(few 80000)" --where 'not_years=[2015]'
labelled kgs6d kgs6d-counted "$(few 60000)" --where 'not_years=[2015]' --where 'result=["score"]' --ends 0.3 --seed 2
labelled kgs6d kgs6d "$(few 300000)" --where 'not_years=[2015]'

train tengen-net end policy recipes/tengen-net.toml --set threads="${THREADS:-2}" \
    --set run.examples="$(few 3000000)" --set optimiser.decay="$(few 1000000)"
made out/nets/tengen-net/card.json train export out/runs/tengen-net -o out/nets/tengen-net

say "measuring out/nets/tengen-net on KGS 2015"
$tengen measure policy out/nets/tengen-net $pools/kgs6d.parquet --where 'years=[2015]' --where min_rank=6d \
    --where max_handicap=0 --positions "$(few 100000)" "${cores[@]}"
