#!/usr/bin/env bash
# Trains the models of the thesis' Table 5.2 on KGS 2015-18 without bots, by the net that ships, and prints the table.
# GAMES/kgs6d: games of KGS. 15,401 games, 3 million moves: an hour for the features, two for the three models.

source "$(dirname "$0")/common.sh" "$@"

imported kgs-2015-18 "$games"/kgs6d/kgs6d_201[5-8]*
pool=out/pools/kgs-people.parquet
made $pool games filter out/pools/kgs-2015-18.parquet -o $pool --without-file recipes/kgs-bots.txt
draft=out/kgs-draft.parquet
made $draft strength prepare $pool -o $draft --training 4900 --validation 1500 --test 3000 --exhibition 299
say "features: what is there is not asked again"
net=(--net tengen --precision int16)
$tengen strength features $pool -o out/features "${net[@]}" --draft $draft --window 500

settings=(--set data.net=tengen --set data.precision=int16 --set optimiser.ema=0.99 --set threads=2)
recipe=recipes/strength-kgs.toml
train kgs-basic 40 strength basic $recipe "${settings[@]}" --set run.patience=5
train kgs-full 40 strength full $recipe "${settings[@]}" --set run.patience=8
train kgs-relative 40 strength relative $recipe "${settings[@]}" --set run.patience=5 --set model.kind=mean \
    --set model.whitened=true --set optimiser.rate=1e-3 --set optimiser.decay=0.93 --set losses.tau_theta=30.0
for name in kgs-basic kgs-full kgs-relative; do
    made out/models/$name/strength.json strength export out/runs/$name -o out/models/$name
done
for full in kgs-full kgs-relative; do
    say "Table 5.2 with $full"
    $tengen strength evaluate $draft --pool $pool --features out/features "${net[@]}" \
        --basic out/models/kgs-basic --full out/models/$full
done
