#!/usr/bin/env bash
# Trains the nets of Golois' Table 1, figures 7 and 8 and of bagging, at the scale that docs/log.md shows (width 48, 200,000
# examples a net), and prints the tables beside the paper's. GAMES/kgs6d: games of KGS.
# Seven nets, each about an hour of one core. Drawings: out/golois-table1.png, out/golois-figure7-8.png.

source "$(dirname "$0")/common.sh" "$@"

imported kgs6d "$games/kgs6d"
scale=(--pool out/pools/kgs6d.parquet --set width=48 --set examples="$(few 200000)" --set test_positions="$(few 5000)")
say "Table 1"
$tengen reproduce golois-table1 "${scale[@]}" -o out/golois-table1.png
say "Figures 7 and 8"
$tengen reproduce golois-figure7-8 "${scale[@]}" -o out/golois-figure7-8.png
say "Bagging"
$tengen reproduce golois-bagging "${scale[@]}"
