#!/usr/bin/env bash
# Long-term evaluation (the second half of the DANN paper): a DANN of 35 % top-1, an agent, Figure 5, Table 3, and
# the problems in which reading decides. GAMES/kgs6d: games of KGS; GAMES/trickplay: trick plays. GNU Go must be installed.
# The drawing is out/dann-figure5.png; figures that take long go on from out/reproduce where they were stopped.

source "$(dirname "$0")/common.sh" "$@"

imported kgs6d "$games/kgs6d"
pool=out/pools/kgs6d.parquet

train dann-even "$(few 150000)" policy recipes/dann-6al-2fc-even.toml --set "run.examples=$(few 150000)"
made out/nets/dann/card.json train export out/runs/dann-even -o out/nets/dann
say "DANN on KGS 2015"
$tengen measure policy out/nets/dann $pool --where 'years=[2015]' --where min_rank=6d --where max_handicap=0 \
    --positions "$(few 10000)"

train long-term "$(few 335360)" long-term recipes/long-term-lead.toml --set "run.episodes=$(few 335360)" \
    --set "run.imitated=$(few 239360)"
made out/models/long-term/agent.json train export out/runs/long-term -o out/models/long-term

lead=(--pool $pool --set agent=out/models/long-term --set reward=lead --set lines=4)
say "Figure 5, DANN"
$tengen reproduce dann-figure5 "${lead[@]}" --set net=out/nets/dann+tengen --set steps=0,15 \
    --set "positions=$(few 5000)" --set "tuning=$(few 500)" -o out/dann-figure5-main.png
$tengen reproduce dann-figure5 "${lead[@]}" --set net=out/nets/dann+tengen --set steps=0,5,10,15,20,25 \
    --set "positions=$(few 1000)" --set "tuning=$(few 200)" -o out/dann-figure5.png
say "Figure 5, the net that ships, which makes the moves of both sides"
$tengen reproduce dann-figure5 "${lead[@]}" --set net=tengen --set opponent=both --set steps=0,2,5 \
    --set "positions=$(few 1600)" --set "tuning=$(few 400)" -o out/dann-figure5-net.png
say "Table 3"
$tengen reproduce dann-table3 --set dann=out/nets/dann --set agent=out/models/long-term --set candidates=5 --set lines=8 \
    --set games="$(few 20)" --set concurrency=1
say "Drawn boards and trick plays"
$tengen measure reading "$games/trickplay" --pool $pool --net tengen --reward lead --opponent both --steps 5
