#!/usr/bin/env bash
# CGI's value nets on 19x19: the SL policy on KGS, self-play, the four value nets and ours on the same positions, tested on
# games of KGS that the policy has not seen. GAMES/kgs6d: games of KGS. `tengen nets pull b15c192` first: it is the reference.
# The policy learns from 2000 to 2006, the nets are tested on 2015 to 2018.
#
#   cgi13-19x19   SL policy, 13 layers of 48 planes, 300,000 examples       20 minutes of one core
#   selfplay      10,000 games of the SL policy from positions of KGS       35
#   value nets    VN, ML-VN, BV-VN, BV-ML-VN, ours: 300,000 examples each   65
#   tables        Table 2, Figures 4 to 10                                  15

source "$(dirname "$0")/common.sh" "$@"

pools=out/pools
nets=out/nets/cgi-19x19
drawings=out/cgi-19x19
cores=(--set threads="${THREADS:-2}")
mkdir -p $pools $nets $drawings

# export_run RUN NET: the net of a run.
export_run() { made "$nets/$2/card.json" train export "out/runs/$1" -o "$nets/$2"; }

imported kgs6d "$games/kgs6d"
# Figures 2, 7, 9 and 10 are about counted games: how they ended is worked out for those that the nets are tested on.
made $pools/kgs-test.parquet games filter $pools/kgs6d.parquet --since 2015 --max-handicap 1 -o $pools/kgs-test.parquet

train cgi13-19x19 end policy recipes/cgi13.toml "${cores[@]}" --set net.width=48 --set run.examples="$(few 300000)" \
    --set optimiser.decay="$(few 120000)" --set run.test_every="$(few 50000)" --set data.test_positions="$(few 5000)" \
    --set 'data.train_filter.years=[2000,2001,2002,2003,2006]' --set 'data.train_filter.not_years=[]'
export_run cgi13-19x19 sl

# The games begin with positions of people's games, so that the nets see such positions: the first moves of a game of KGS.
made $pools/kgs-early.parquet games filter $pools/kgs6d.parquet --until 2006 --max-handicap 0 -o $pools/kgs-early.parquet
made $pools/selfplay-19x19.parquet selfplay --net $nets/sl --size 19 --games "$(few 10000)" --precision int16 \
    --threads "${THREADS:-2}" --temperature 0.5 --begin $pools/kgs-early.parquet -o $pools/selfplay-19x19.parquet

for net in vn ml-vn bv-vn bv-ml-vn ordered; do
    train "$net-19x19" end value recipes/cgi-19x19-$net.toml "${cores[@]}" --set run.examples="$(few 300000)" \
        --set optimiser.decay="$(few 120000)" --set run.test_every="$(few 50000)" --set data.test_positions="$(few 3000)"
    export_run "$net-19x19" "$net"
done

four=()
for net in vn ml-vn bv-vn bv-ml-vn ordered; do four+=(--set "${net//-/_}=$nets/$net"); done
say "tengen games settle $pools/kgs-test.parquet"
$tengen games settle $pools/kgs-test.parquet
kgs=(--pool $pools/kgs-test.parquet)

# figure NAME SETTINGS...: a table or figure on games of KGS.
figure() {
    local name=$1
    shift
    say "$name"
    $tengen reproduce "cgi-$name" "${kgs[@]}" "$@" -o "$drawings/$name.png"
}

some=(--set games="$(few 1000)" --set every=10)
figure table2 "${four[@]}" --set reference=b15c192 "${some[@]}"
figure figure5 --set bv_vn=$nets/bv-vn --set bv_ml_vn=$nets/bv-ml-vn "${some[@]}"
figure figure6 --set bv_vn=$nets/bv-vn --set bv_ml_vn=$nets/bv-ml-vn "${some[@]}"
figure figure2 --set net=$nets/bv-ml-vn
figure table1 --set net=$nets/bv-ml-vn "${some[@]}"
figure table1 --set net=$nets/ordered "${some[@]}"
for name in figure7 figure9 figure10; do figure $name --set net=$nets/bv-ml-vn "${some[@]}"; done
say "figure8"
$tengen reproduce cgi-figure8 --set net=$nets/bv-ml-vn -o $drawings/figure8.png
