#!/usr/bin/env bash
# Trains the models of the thesis' Table 5.2 on Tygem, November and December 2005, by the net that ships, and prints the
# table. GAMES/tygem9d: games of Tygem. 7,816 games, 1.7 million moves: an hour for the features, one for the models.

source "$(dirname "$0")/common.sh" "$@"

imported tygem-2005-07 "$games"/tygem9d/tygem9d_200[5-7].sgfs*
pool=out/pools/tygem-2005.parquet
made $pool games filter out/pools/tygem-2005-07.parquet -o $pool --until 2005
draft=out/tygem-draft.parquet
made $draft strength prepare $pool -o $draft --training 1700 --validation 500 --test 1200 --exhibition 200
say "features: what is there is not asked again"
net=(--net tengen --precision int16)
$tengen strength features $pool -o out/features "${net[@]}" --draft $draft --window 500

settings=(--set data.pool=$pool --set data.net=tengen --set data.precision=int16 --set optimiser.ema=0.99 --set threads=2)
recipe=recipes/strength-tygem.toml
train tygem-basic 40 strength basic $recipe "${settings[@]}" --set run.patience=5
train tygem-full 40 strength full $recipe "${settings[@]}" --set run.patience=6
train tygem-relative 40 strength relative $recipe "${settings[@]}" --set run.patience=5 --set model.kind=mean \
    --set model.whitened=true --set optimiser.rate=1e-3 --set optimiser.decay=0.93 --set losses.tau_theta=30.0
for name in tygem-basic tygem-full tygem-relative; do
    made out/models/$name/strength.json strength export out/runs/$name -o out/models/$name
done
for full in tygem-full tygem-relative; do
    say "Table 5.2 with $full"
    $tengen strength evaluate $draft --pool $pool --features out/features "${net[@]}" \
        --basic out/models/tygem-basic --full out/models/$full
done
