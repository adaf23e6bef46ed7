#!/usr/bin/env bash
# Makes the net that shipped first (runs/kept/tengen-96x6) as out/nets/tengen-96x6, and measures it. The net that ships now
# begins with it (tengen-net.sh). GAMES/kgs6d: games of KGS.
# Its teacher, KataGo's g170-b6c96-s175395328-d26788732.bin.gz, must be in out/nets.
#
#   tengen-96x6           272,000 examples, level rate                                                     1.5 hours
#   tengen-96x6-taught    355,840, with the teacher's policy and trunk                                     2.4
#   judged                270,000, with the teacher's margin and owners too; the rate falls from 181,000   1.3
#   judged-copy           the same up to 85,000, then the rate falls until 165,000                         0.3
#   tuned                 64,000 of 2016, both players 6d or more, with the teacher's margin and owners    0.2
#
# The net is the mean of the weights of judged-copy, judged (twice) and tuned (twice).

source "$(dirname "$0")/common.sh" "$@"

teacher=out/nets/g170-b6c96-s175395328-d26788732.bin.gz
if [ ! -e "$teacher" ]; then
    echo "the teacher is missing: get $(basename "$teacher") from the archive of KataGo's g170 nets and put it into out/nets"
    exit 1
fi
plain=recipes/tengen-96x6.toml
taught=recipes/tengen-96x6-taught.toml
settings=(--set threads=2)

imported kgs6d "$games/kgs6d"

train tengen-96x6 272000 policy $plain "${settings[@]}" --set run.examples="$(few 272000)" --set optimiser.decay=0

train tengen-96x6-taught 355840 policy $taught "${settings[@]}" --set run.examples="$(few 355840)" --set optimiser.decay=0 \
    --set run.begin=out/runs/tengen-96x6 --set losses.teacher_value=0

judged=(policy $taught "${settings[@]}" --set run.begin=out/runs/tengen-96x6-taught)
train judged 85000 "${judged[@]}" --set run.examples="$(few 85000)" --set optimiser.decay=0
if [ ! -e out/runs/judged-copy ]; then
    rm -rf out/runs/.judged-copy
    cp -r out/runs/judged out/runs/.judged-copy
    mv out/runs/.judged-copy out/runs/judged-copy
fi
train judged-copy 165000 "${judged[@]}" --set run.examples="$(few 165000)" --set optimiser.decay="$(few 80000)"
train judged 270000 "${judged[@]}" --set run.examples="$(few 270000)" --set optimiser.decay="$(few 89000)"

train tuned 64000 policy $taught "${settings[@]}" --set run.examples="$(few 64000)" --set optimiser.decay="$(few 56000)" \
    --set run.begin=out/runs/judged --set optimiser.rate=0.012 --set optimiser.rate_rest=0.0018 \
    --set losses.teacher_policy=0 --set losses.teacher_trunk=0 --set losses.teacher_value=0.25 \
    --set 'data.train_filter.years=[2016]' --set data.train_filter.min_rank=6d

made out/nets/tengen-96x6/card.json train export \
    out/runs/judged-copy out/runs/judged out/runs/judged out/runs/tuned out/runs/tuned -o out/nets/tengen-96x6

say "measuring out/nets/tengen-96x6 on KGS 2015 (the card: 48.22 %)"
$tengen measure policy out/nets/tengen-96x6 out/pools/kgs6d.parquet --where 'years=[2015]' --where min_rank=6d \
    --where max_handicap=0 --positions "$(few 100000)" --threads 2
