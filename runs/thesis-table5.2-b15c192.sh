#!/usr/bin/env bash
# Trains the models of the thesis' Table 5.2 on KGS 2015-18 without bots, by KataGo's b15c192, and prints the table.
# GAMES/kgs6d: games of KGS. 2,889 games, 559,000 moves: an hour and a half for the features, half an hour for the models.

source "$(dirname "$0")/common.sh" "$@"

say "the net b15c192"
$tengen nets pull b15c192
imported kgs-2015-18 "$games"/kgs6d/kgs6d_201[5-8]*
pool=out/pools/kgs-people.parquet
made $pool games filter out/pools/kgs-2015-18.parquet -o $pool --without-file recipes/kgs-bots.txt
draft=out/kgs-draft-b15c192.parquet
made $draft strength prepare $pool -o $draft --training 500 --validation 150 --test 400 --exhibition 300
say "features: what is there is not asked again"
net=(--net b15c192 --precision int16)
$tengen strength features $pool -o out/features "${net[@]}" --draft $draft --window 100

settings=(--set data.precision=int16 --set data.draft=$draft --set data.window=100 --set run.epochs=16 --set run.patience=5
    --set optimiser.ema=0.99 --set threads=2)
for inputs in basic full; do
    train kgs-b15c192-$inputs 16 strength $inputs recipes/strength-kgs.toml "${settings[@]}"
    made out/models/kgs-b15c192-$inputs/strength.json \
        strength export out/runs/kgs-b15c192-$inputs -o out/models/kgs-b15c192-$inputs
done
say "Table 5.2"
$tengen strength evaluate $draft --pool $pool --features out/features "${net[@]}" \
    --basic out/models/kgs-b15c192-basic --full out/models/kgs-b15c192-full
