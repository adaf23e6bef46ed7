#!/usr/bin/env bash
# CGI's whole pipeline on 9x9, from nothing: expert games of KataGo's b15c192, the SL policy, REINFORCE from it, self-play,
# the four value nets and ours, Tables 1 to 3 and the figures. No games are read: any folder serves as GAMES.
# `tengen nets pull b15c192` first. Matches against GNU Go are played if `gnugo` is there.
#
#   experts       5,000 games of b15c192, and 200 for the test                                           10 minutes
#   cgi13-9x9     SL policy, 800,000 examples                                                             4
#   rl-9x9        REINFORCE, 200 iterations of 128 games                                                 10
#   selfplay      100,000 games of the RL policy, and 2,000 for the test                                 15
#   value nets    VN, ML-VN, BV-VN, BV-ML-VN, ours: 500,000 examples each, and BV-ML-VN with one          25
#                 position a game instead of four
#   tables        Table 2 and figures; Table 3: 300 games a pair                                         60

source "$(dirname "$0")/common.sh" "$@"

pools=out/pools
nets=out/nets/cgi-9x9
drawings=out/cgi-9x9
threads=(--set threads="${THREADS:-2}")
mkdir -p $pools $nets $drawings

# export_run RUN NET: the net of a run.
export_run() { made "$nets/$2/card.json" train export "out/runs/$1" -o "$nets/$2"; }

# games_of NET POOL COUNT OPTIONS...: self-play on 9x9.
games_of() {
    local net=$1 pool=$pools/$2.parquet count=$3
    shift 3
    made "$pool" selfplay --net "$net" --size 9 --games "$count" --threads "${THREADS:-2}" -o "$pool" "$@"
}

games_of b15c192 experts-9x9 "$(few 5000)" --temperature 0.8
games_of b15c192 experts-9x9-test "$(few 200)" --temperature 0.8 --seed 2

train cgi13-9x9 end policy recipes/cgi13-9x9.toml "${threads[@]}" --set run.examples="$(few 800000)" \
    --set optimiser.decay="$(few 400000)" --set run.test_every="$(few 200000)"
export_run cgi13-9x9 sl
say "the SL policy on games of b15c192 that it has not seen"
$tengen measure policy $nets/sl $pools/experts-9x9-test.parquet --positions "$(few 10000)" --threads "${THREADS:-2}"

train rl-9x9 end reinforce recipes/reinforce-cgi13-9x9.toml "${threads[@]}" --set run.iterations="$(few 200)"
export_run rl-9x9 rl

games_of $nets/rl selfplay-9x9 "$(few 100000)"
games_of $nets/rl selfplay-9x9-test "$(few 2000)" --seed 2

# value RECIPE NAME SETTINGS...: a value net.
value() {
    local recipe=recipes/cgi-9x9-$1.toml name=$2
    shift 2
    train "$name-9x9" end value "$recipe" "${threads[@]}" --set run.examples="$(few 500000)" \
        --set optimiser.decay="$(few 200000)" --set run.test_every="$(few 100000)" --set data.positions_per_game=4 "$@"
    export_run "$name-9x9" "$name"
}

for net in vn ml-vn bv-vn bv-ml-vn ordered; do value $net $net; done
value bv-ml-vn bv-ml-vn-one --set data.positions_per_game=1

four=()
for net in vn ml-vn bv-vn bv-ml-vn; do four+=(--set "${net//-/_}=$nets/$net"); done
test=(--pool $pools/selfplay-9x9-test.parquet --set min_rank=)
say "Table 2 and Figure 4, on self-play games that no net has seen; the reference is b15c192"
$tengen reproduce cgi-table2 "${test[@]}" "${four[@]}" --set ordered=$nets/ordered --set reference=b15c192 \
    --set games="$(few 2000)" --set every=4 -o $drawings/figure4.png
say "four positions a game (BV-ML-VN) and one (the reference)"
$tengen reproduce cgi-table2 "${test[@]}" --set bv_ml_vn=$nets/bv-ml-vn --set reference=$nets/bv-ml-vn-one \
    --set games="$(few 2000)" --set every=4 -o $drawings/positions.png

# match NAME FIRST SECOND GAMES OPTIONS...: a match on 9x9, or what is missing of it.
match() {
    local folder=$drawings/$1 first=$2 second=$3 count=$4
    shift 4
    say "$first against $second"
    $tengen match "$first" "$second" --games "$count" --size 9 --komi 7.5 --concurrency "${THREADS:-2}" -o "$folder" "$@"
}

openings=(--openings $pools/experts-9x9-test.parquet --opening-moves 4)
match rl-sl "policy:net=$nets/rl,name=rl" "policy:net=$nets/sl,name=sl" "$(few 400)" "${openings[@]}"
if command -v gnugo > /dev/null; then
    for net in sl rl; do
        match "$net-gnugo" "policy:net=$nets/$net,name=$net" "gnugo --mode gtp --level 10 --chinese-rules" \
            "$(few 60)" "${openings[@]}"
    done
fi

say "Table 3, and ours against BV-ML-VN"
play=(--pool $pools/selfplay-9x9-test.parquet --set policy=$nets/sl --set matches="$(few 300)" --set visits=32
    --set concurrency="${THREADS:-2}")
$tengen reproduce cgi-table3 "${play[@]}" "${four[@]}"
$tengen reproduce cgi-table3 "${play[@]}" --set bv_ml_vn=$nets/bv-ml-vn --set ordered=$nets/ordered
for name in figure2 figure7 figure9; do
    say "$name"
    $tengen reproduce cgi-$name "${test[@]}" --set net=$nets/bv-ml-vn -o $drawings/$name.png
done
for net in bv-ml-vn ordered; do
    say "Table 1, $net"
    $tengen reproduce cgi-table1 "${test[@]}" --set net=$nets/$net --set move=20 -o $drawings/table1-$net.png
done
say "Figure 8"
$tengen reproduce cgi-figure8 --set net=$nets/bv-ml-vn -o $drawings/figure8.png
