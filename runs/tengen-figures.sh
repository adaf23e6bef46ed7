#!/usr/bin/env bash
# Measures the net that ships: the figures of its card, in docs/nets.md and docs/search.md. GAMES/kgs6d: games of KGS;
# GAMES/fox_ranked: games of Fox.
# `tengen nets pull b15c192` and `tengen nets pull b18c384nbt` first; GNU Go 3.8 must be installed. Times of two cores,
# those of games on 19x19 and of reviews estimated:
#
#   moves      100,000 positions of KGS 2015                                                          3 minutes
#   values     3,000 positions of counted games of 2015, beside b15c192, and their last boards        1
#   boards     1,000 positions each on 9x9 and 13x13, of games of b15c192 and of GNU Go               1
#   games      100 against GNU Go on each of three sizes, 100 against the net that shipped before     3 hours
#   reviews    20 games of 2015, the mistakes that b15c192 finds at 200 visits                        1 hour

source "$(dirname "$0")/common.sh" "$@"

net=${NET:-tengen}
before=runs/kept/tengen-96x6
pools=out/pools
cores=(--threads "${THREADS:-2}")
even=(--where 'years=[2015]' --where min_rank=6d --where max_handicap=0)
gnugo="gnugo --mode gtp --level 10 --chinese-rules"

imported kgs6d "$games/kgs6d"
imported fox "$games/fox_ranked"

$tengen measure policy "$net" $pools/kgs6d.parquet "${even[@]}" --positions "$(few 100000)" "${cores[@]}"

judged=(--where 'years=[2015]' --where max_handicap=0 --where 'komi=[6.5,7.5]' "${cores[@]}")
$tengen measure value b15c192 "$net" $before $pools/kgs6d.parquet --counted "${judged[@]}" --positions "$(few 3000)"
$tengen measure value "$net" $pools/kgs6d.parquet "${judged[@]}" --positions "$(few 20000)" --ends 0 --plot out/reliability.png

# played NAME FIRST SECOND OPTIONS...: a match of 100 games.
played() {
    local out=out/matches/$1 first=$2 second=$3
    shift 3
    say "$out"
    $tengen match "$first" "$second" -o "$out" --games "$(few 100)" --concurrency 2 "$@"
}

for board in "9 60" "13 24"; do # the pools of tengen-net.sh
    read -r size count <<< "$board"
    made $pools/test-${size}x$size.parquet selfplay --net b15c192 --size "$size" --games "$(few "$count")" \
        --temperature 0.9 --seed 2 -o $pools/test-${size}x$size.parquet "${cores[@]}"
    $tengen match "$gnugo" "$gnugo --level 8" -o out/matches/gnugo-${size}x$size --size "$size" --games "$(few 30)" --concurrency 2
    for records in $pools/test-${size}x$size.parquet out/matches/gnugo-${size}x$size/games; do
        $tengen measure boards "$net" b18c384nbt "$records" "${cores[@]}"
        $tengen measure boards "$net" b15c192 "$records" "${cores[@]}"
    done
done
# Japanese rules on KGS, Chinese ones on Fox; handicap stones, and the komi of a game without them.
$tengen measure boards "$net" b15c192 $pools/kgs6d.parquet --where 'years=[2015]' --where max_handicap=0 "${cores[@]}"
$tengen measure boards "$net" b15c192 $pools/kgs6d.parquet --where 'years=[2015]' --where min_handicap=2 "${cores[@]}"
$tengen measure boards "$net" b15c192 $pools/kgs6d.parquet --where 'years=[2015]' --where 'komi=[0.5]' "${cores[@]}"
$tengen measure boards "$net" b15c192 $pools/fox.parquet --where 'years=[2015]' "${cores[@]}"

for size in 9 13 19; do
    played gnugo-${size}x$size-net "puct:net=$net,visits=100" "$gnugo" --size $size
done
played before "puct:net=$net,time=0.1" "puct:net=$before,time=0.1" --openings $pools/kgs6d.parquet

$tengen measure review b15c192 "$net" $pools/kgs6d.parquet "${even[@]}" --games "$(few 20)" --keep runs/kept/reviews "${cores[@]}"
