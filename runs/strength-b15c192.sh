#!/usr/bin/env bash
# Makes the strength model of KataGo's b15c192 (src/tengen/models/strength-b15c192) as out/models/strength-b15c192, and
# measures it on the players of E. GAMES/fox_ranked: games of Fox between players of the same rank.
# 1,106 games, 235,000 moves: an hour for the features, some minutes for the rest. It downloads the net if need be.

source "$(dirname "$0")/common.sh" "$@"

say "the net b15c192"
$tengen nets pull b15c192
imported fox "$games/fox_ranked"
made out/pools/fox-b15c192.parquet strength ranks out/pools/fox.parquet -o out/pools/fox-b15c192.parquet \
    --players 20 --games 8 --training-games 3
say "features: what is there is not asked again"
$tengen strength features out/pools/fox-b15c192.parquet -o out/features --net b15c192
train strength-fox-b15c192-joint 40 strength joint recipes/strength-fox-b15c192.toml --set threads=2
made out/models/strength-b15c192/strength.json \
    strength export out/runs/strength-fox-b15c192-joint -o out/models/strength-b15c192
