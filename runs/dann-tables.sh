#!/usr/bin/env bash
# Trains the nets of DANN's Table 2 and figure 4, at the scale that docs/log.md shows (width 16, 200,000 examples a net), and
# prints them beside the paper's. GAMES/kgs6d: games of KGS.
# Seven nets, each a quarter of an hour to an hour of one core. Drawings: out/dann-table2.png, out/dann-figure4.png.

source "$(dirname "$0")/common.sh" "$@"

imported kgs6d "$games/kgs6d"
scale=(--pool out/pools/kgs6d.parquet --set examples="$(few 200000)" --set test_positions="$(few 5000)" --set batch=50
    --set rate=0.02 --set weight_decay=0)
say "Table 2"
$tengen reproduce dann-table2 "${scale[@]}" -o out/dann-table2.png
say "Figure 4"
$tengen reproduce dann-figure4 "${scale[@]}" -o out/dann-figure4.png
