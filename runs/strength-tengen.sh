#!/usr/bin/env bash
# Makes the strength model of the net that ships (src/tengen/models/strength-tengen) as out/models/strength-tengen, and
# measures it on the players of E. GAMES/fox_ranked: games of Fox between players of the same rank.
# 7,808 games, 1.7 million moves: an hour for the features, a quarter of an hour for the rest.

source "$(dirname "$0")/common.sh" "$@"

imported fox "$games/fox_ranked"
made out/pools/fox-ranks.parquet strength ranks out/pools/fox.parquet -o out/pools/fox-ranks.parquet \
    --players 60 --games 20 --training-games 7
say "features: what is there is not asked again"
$tengen strength features out/pools/fox-ranks.parquet -o out/features --net tengen
train strength-fox-relative 60 strength relative recipes/strength-fox.toml --set threads=2
made out/models/strength-tengen/strength.json \
    strength export out/runs/strength-fox-relative -o out/models/strength-tengen
