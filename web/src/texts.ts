// All texts of the page, in English. A translation is another object of the same type.

import type {
  Analysis,
  Color,
  Considered,
  CurvePoint,
  GameInfo,
  Influence,
  Mistake,
  Move,
  PlayState,
  ReviewState,
  StrengthReport,
} from "./api/types";

const colorName = (color: Color): string => (color === "B" ? "Black" : "White");
const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
const minus = (text: string): string => text.replace("-", "−");
const fixed = (value: number, digits = 1): string => minus(value.toFixed(digits));
const signed = (value: number): string => (Math.abs(value) < 0.05 ? "0.0" : `${value > 0 ? "+" : ""}${fixed(value)}`);
const percent = (share: number): string => `${Math.round(100 * share)}%`;
const vertexName = (vertex: string): string => (vertex === "pass" ? "pass" : vertex);
const played = (move: Move): string =>
  move.vertex === "pass" ? `${colorName(move.color)} passes` : `${colorName(move.color)} ${move.vertex}`;

/** "B+3.5", "W+0.5", "even". */
function leadWords(lead: number): string {
  if (Math.abs(lead) < 0.05) return "even";
  return `${lead > 0 ? "B" : "W"}+${Math.abs(lead).toFixed(1)}`;
}

function lostWords(mistake: Mistake): string {
  if (mistake.points_lost !== null) return `${mistake.points_lost.toFixed(1)} points`;
  return `${percent(mistake.win_rate_lost ?? 0)} win rate`;
}

export const texts = {
  app: {
    name: "Tengen",
    title: (page: string) => `${page} · Tengen`,
    pages: "Pages",
    skip: "Skip to the content",
    lost: "Connection lost. Trying again…",
    again: "Try again",
    toggle: { light: "Switch to dark colours", dark: "Switch to light colours" },
    foot: (version: string) => `Tengen ${version}. Everything runs on this machine; nothing is sent elsewhere.`,
  },
  pages: { strength: "Strength", review: "Review", play: "Play" },
  errors: {
    noAnswer: "The server does not answer. Check that it runs, then try again.",
    status: (status: number) => `The server answered with an error (${status}).`,
  },
  format: {
    sentence: (text: string) => text.charAt(0).toUpperCase() + text.slice(1),
    signed,
    percent,
    /** A lead in the room of a stone. */
    short: (value: number) => (Math.abs(value) < 9.95 ? signed(value) : minus(`${value > 0 ? "+" : ""}${Math.round(value)}`)),
    /** Labels of the lead's axis: "B 10" above, "W 10" below. */
    side: (value: number) => (value === 0 ? "0" : `${value > 0 ? "B" : "W"}+${Math.abs(value)}`),
    visits: (visits: number) => (visits < 1000 ? String(visits) : `${(visits / 1000).toFixed(visits < 10000 ? 1 : 0)}k`),
    clock: (seconds: number) => {
      const whole = Math.ceil(seconds);
      return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
    },
    when: (when: string | number) => {
      const date = new Date(typeof when === "number" ? 1000 * when : when);
      return Number.isNaN(date.getTime()) ? "" : date.toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
    },
  },
  board: {
    label: "Board",
    point: (
      name: string,
      sign: number,
      more: { last: boolean; dead: boolean; candidate: string | undefined },
    ): string => {
      const stone = sign > 0 ? "Black" : sign < 0 ? "White" : "Empty";
      const extra = [more.last && "last move", more.dead && "dead", more.candidate].filter(Boolean);
      return [`${stone} ${name}`, ...extra].join(", ");
    },
  },
  faults: {
    occupied: (vertex: string) => `There is a stone on ${vertex} already.`,
    suicide: (vertex: string) => `A stone on ${vertex} would have no liberty.`,
    ko: (vertex: string) => `${vertex} would take back the ko. Play elsewhere first.`,
    illegal: (vertex: string) => `The rules do not allow ${vertex} now.`,
  },
  entry: {
    label: "Type a move",
    play: "Play",
    noPoint: (text: string, size: number) =>
      `“${text}” is no point of this board. Type a letter and a number such as D4 (up to ${size}), or pass.`,
  },
  job: {
    label: "Progress",
    starting: "Starting…",
    waiting: (place: number | null) => (place ? `Waiting: number ${place} in line` : "Waiting…"),
    stage: (stage: string, done: number, total: number | null) => {
      const name = stage.charAt(0).toUpperCase() + stage.slice(1);
      if (total === 1) return `${name}: ${percent(done)}`;
      return total ? `${name}: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : `${name}…`;
    },
    cancel: "Cancel",
    ended: (state: string) => (state === "cancelled" ? "This was cancelled." : "This could not be finished."),
  },
  net: {
    label: "Net",
    stronger: "Use a stronger net",
    change: "Change the net",
    use: "Use",
    useNet: (name: string) => `Use ${name}`,
    pull: (size: number | null) => (size ? `Get (${Math.round(size)} MB)` : "Get"),
    pullNet: (name: string) => `Get ${name}`,
  },
  source: {
    label: "Games",
    drop: "Drop games here, or choose files",
    reading: "Reading…",
    kinds: "SGF, GIB, NGF, or a zip of them",
    paste: "Paste an SGF",
    pasteLabel: "SGF text",
    pasteSend: "Use this game",
    examples: "Try an example",
    tooLarge: (name: string, bytes: number) => `${name} is larger than ${(bytes / 1e6).toFixed(0)} MB. Send a smaller file.`,
    tooMany: (count: number, most: number) => `These are ${count} files; at most ${most} can be sent at once. Zip them, or send fewer.`,
  },
  game: {
    title: (game: GameInfo) => {
      const side = (name: string | null, rank: string | null, color: string) =>
        `${name || color}${rank ? ` ${rank}` : ""}`;
      return `${side(game.black, game.black_rank, "Black")} – ${side(game.white, game.white_rank, "White")}`;
    },
    details: (game: GameInfo) =>
      [
        `${game.size}×${game.size}`,
        game.handicap > 1 ? `${game.handicap} stones` : null,
        `komi ${minus(String(game.komi))}`,
        plural(game.move_count, "move"),
        game.result && game.result !== "?" ? game.result : null,
        game.date || null,
      ]
        .filter(Boolean)
        .join(" · "),
    moveOf: (turn: number, last: Move | undefined) =>
      last && turn > 0 ? `Move ${turn}: ${played(last)}.` : "Start of the game.",
  },
  strength: {
    title: "How strong am I?",
    lead: "Drop a few of your games. Tengen reads your moves and says which rank plays such moves, and how sure that is.",
    resultTitle: "Strength",
    again: "Other games",
    games: (count: number) => plural(count, "game"),
    remove: (file: string) => `Remove ${file}`,
    who: "Whose strength?",
    whoHelp: "Choose one player, or two to compare them.",
    inGames: (count: number) => `in ${plural(count, "game")}`,
    options: "Options",
    scale: "Ranks of",
    start: "Estimate strength",
    compare: "Compare the two players",
    programs: "For programs, and browsers without scripts",
    curl: (origin: string) => `curl -F files=@game.sgf -F player=NAME \\\n  -H 'Accept: application/json' ${origin}/strength`,
    plainForm: "Open the plain form",
    limitsTitle: "What the estimate cannot know",
    limits: [
      "It compares moves with those of players of 19×19 games between humans. A program, or a player helped by one, gets a rank that means little.",
      "Beginners below the weakest rank of the scale are all reported as that rank or weaker.",
      "Few moves give a wide band. Only games on 19×19 can be estimated: the model has not learnt from smaller boards.",
    ],
    reportOf: (player: string) => `Strength of ${player}`,
    basis: (moves: number, games: number) => `${plural(moves, "move")} in ${plural(games, "game")}`,
    onScale: (scale: string, approximate: boolean) => `on ${scale}${approximate ? ", approximate" : ""}`,
    sentence: (report: StrengthReport) => {
      const said = report.sentence.replace(/\.$/, "");
      return /^[a-z]/.test(said) ? `${report.player} ${said}.` : `${said}.`;
    },
    compared: "Compared",
    scaleSpoken: (report: StrengthReport) =>
      `${report.rank_words}. Four times in five between ${report.ranks80[0]} and ${report.ranks80[1]}; ` +
      `19 times in 20 between ${report.ranks95[0]} and ${report.ranks95[1]}.`,
    key80: "4 times in 5",
    key95: "19 times in 20",
    otherScales: "On other servers, approximately",
    about: (rank: string, approximate: boolean) => (approximate ? `about ${rank}` : rank),
    between: (ranks: [string, string]) => `${ranks[0]} to ${ranks[1]}`,
    byGame: "Game by game",
    moves: (count: number) => plural(count, "move"),
    mattered: "Moves that mattered most",
    matteredHelp: "Without such a move the estimate would be lower or higher. Choose one to see it on the board.",
    raised: "Raised the estimate",
    lowered: "Lowered the estimate",
    none: "None.",
    moveName: (number: number, vertex: string) => `${number}. ${vertexName(vertex)}`,
    showMove: (move: Influence) => `Show move ${move.move}, ${colorName(move.color)} ${move.vertex}, of ${move.file}`,
    review: "Review this game",
    json: "Download JSON",
    png: "Download picture",
  },
  review: {
    title: "Review my game",
    lead: "The whole curve comes first, in seconds. Then Tengen looks deeper where the game turned.",
    recent: "Your games",
    choose: "Choose a game",
    boardLabel: "Board. Choose a point to try a move.",
    starting: "Starting the review…",
    waiting: "Not analysed yet…",
    graph: "Course of the game",
    measure: "Measure",
    measures: { lead: "Lead", winrate: "Win rate" },
    phase: (review: ReviewState) => {
      const known = review.curve.filter((point) => point !== null).length;
      if (review.phase === "quick") return `First look: ${known} of ${review.curve.length} positions`;
      if (review.phase === "deepening") return "Looking deeper…";
      return review.phase === "done" ? "Review complete" : "Review stopped";
    },
    graphSpoken: (measure: "lead" | "winrate", turn: number, point: CurvePoint | null) => {
      const name = measure === "lead" ? "Black's lead over the moves" : "Black's win rate over the moves";
      if (!point) return `${name}.`;
      const value = measure === "lead" ? point.black_lead : point.black_win_rate;
      const said = value === null ? "unknown" : measure === "lead" ? leadWords(value) : percent(value);
      return `${name}. After move ${turn}: ${said}.`;
    },
    graphValue: (measure: "lead" | "winrate", point: CurvePoint) => {
      if (measure === "lead") return point.black_lead === null ? "" : leadWords(point.black_lead);
      if (point.black_win_rate === null) return "";
      return point.black_win_rate >= 0.5 ? `B ${percent(point.black_win_rate)}` : `W ${percent(1 - point.black_win_rate)}`;
    },
    strip: "Mistakes: Black's above, White's below",
    mistakes: "Largest mistakes",
    noMistakes: "No mistake was found.",
    meanLoss: (loss: { B: number | null; W: number | null }) =>
      loss.B === null || loss.W === null
        ? ""
        : `Points lost a move: Black ${loss.B.toFixed(2)}, White ${loss.W.toFixed(2)}`,
    mistakeSpoken: (mistake: Mistake) =>
      `Move ${mistake.number}, ${colorName(mistake.color)} ${mistake.vertex}: lost ${lostWords(mistake)}; better ${mistake.best}`,
    better: (best: string) => `better ${best}`,
    loss: (mistake: Mistake) =>
      mistake.points_lost !== null ? `−${mistake.points_lost.toFixed(1)}` : `−${percent(mistake.win_rate_lost ?? 0)}`,
    loses: (mistake: Mistake) =>
      `Next, ${colorName(mistake.color)} ${mistake.vertex} loses ${lostWords(mistake)}; ${mistake.best} is better.`,
    lost: (mistake: Mistake) => `It lost ${lostWords(mistake)}; ${mistake.best} was better.`,
    judgement: (analysis: Analysis) => {
      const parts = [
        analysis.black_lead === null ? null : leadWords(analysis.black_lead),
        analysis.black_win_rate === null ? null : `Black wins ${percent(analysis.black_win_rate)}`,
        plural(analysis.visits, "visit"),
      ];
      return parts.filter(Boolean).join(", ");
    },
    candidates: "Candidates",
    columns: { move: "Move", lead: "Lead", winRate: "Win rate", visits: "Visits" },
    candidateSpoken: (order: number, lead: number | null, winRate: number | null, visits: number) => {
      const parts = [
        `candidate ${order}`,
        lead === null ? null : `lead ${signed(lead)}`,
        winRate === null ? null : `win rate ${percent(winRate)}`,
        plural(visits, "visit"),
      ];
      return parts.filter(Boolean).join(", ");
    },
    onBoard: "On the board",
    ownership: "Ownership",
    legend: "Numbers are for the player to move: lead or win rate, and visits. Colours show the points lost:",
    best: "best",
    lossStep: (from: number, to: number | null, step: number) =>
      to === null ? `${from} or more` : step === 1 ? `under ${to}` : `${from} to ${to}`,
    komiTitle: "Win rate by komi",
    komiHelp: (analysis: Analysis) => {
      const at = analysis.black_win_rate === null ? "" : `: Black wins ${percent(analysis.black_win_rate)}`;
      return `Black's chance to win this position at each komi. The line marks the game's komi, ${minus(String(analysis.komi))}${at}.`;
    },
    komiSpoken: (analysis: Analysis) => {
      const labels = analysis.komi_labels;
      const rates = analysis.black_win_rate_by_komi;
      const even = rates.findIndex((rate) => rate < 0.5);
      const turning = even < 0 ? "" : ` It falls below 50% at komi ${labels[even]}.`;
      return `Black's win rate by komi.${turning}`;
    },
    noKomi: "This net knows one komi only.",
    navigationLabel: "Moves of the game",
    navigation: {
      first: "Start of the game",
      mistakeBefore: "Mistake before",
      back: "One move back",
      forward: "One move on",
      mistakeAfter: "Next mistake",
      last: "End of the game",
    },
    tryMoves: "Click on the board to try a move of your own.",
    trail: "Variation",
    backToGame: (turn: number) => `Back to move ${turn}`,
    more: "Net and downloads",
    annotated: "Annotated SGF",
    report: "Report",
    strength: "Estimate strength",
    keysTitle: "Keys",
    keys: [
      ["← →", "one move"],
      ["↑ ↓", "ten moves"],
      ["Home End", "start, end"],
      ["n p", "next mistake, mistake before"],
      ["c o", "candidates, ownership"],
      ["Esc", "back to the game"],
    ] as [string, string][],
  },
  play: {
    title: "Play",
    lead: "A game against the net on this machine. It survives a reload and a lost connection.",
    goOn: "Go on with a game",
    size: "Board",
    color: "Your colour",
    colors: { B: "Black", W: "White", any: "Either" },
    level: "Opponent thinks",
    levels: { light: "A little", usual: "Normally", deep: "Long" },
    linesHelp: (lines: number) => `It imagines ${plural(lines, "line")} of each candidate before each move.`,
    levelHelp: (visits: number) => `It searches ${plural(visits, "position")} before each move.`,
    untrained: (net: string, sizes: number[]) =>
      `The net ${net} has learnt from games on ${sizes.map((size) => `${size}×${size}`).join(", ")} only; it plays weaker here.`,
    more: "Handicap, komi, rules, clock, opponent",
    handicap: "Handicap",
    stones: (stones: number) => (stones === 0 ? "Even" : stones === 1 ? "1 (no komi)" : `${stones} stones`),
    komi: "Komi",
    rules: "Rules",
    clock: "Clock",
    clockNames: {
      none: "No clock",
      fast: "5 min + 3 × 15 s",
      usual: "15 min + 3 × 30 s",
      slow: "40 min + 5 × 30 s",
    },
    opponent: "Opponent",
    /** Titles of the players that the page knows; the server's own title for others. */
    players: {
      puct: "Searches with the net",
      policy: "Plays the net's first choice, without search",
      "long-term": "Imagines the local fights of the net's moves",
    } as Record<string, string>,
    komiMethod: "Dynamic komi",
    komiMethodName: (name: string, title: string) => (name === "none" ? "Off" : `${name.toUpperCase()}: ${title}`),
    noKomiMethod: "Automatic: in games with handicap stones",
    start: "Start the game",
    newGame: "New game",
    gameTitle: (state: PlayState) => `Game on ${state.size}×${state.size}`,
    boardLabel: "Board. Arrow keys move, Enter plays.",
    playHere: (vertex: string) => `Play ${vertex}`,
    you: "You",
    opponentName: (state: PlayState) =>
      `${state.net}${state.visits ? `, ${plural(state.visits, "visit")}` : state.player === "policy" ? ", without search" : state.player === "long-term" ? ", imagined lines" : ""}`,
    captures: (stones: number) => plural(stones, "prisoner"),
    periods: (periods: number) => `×${periods}`,
    clockSpoken: (color: Color) => `${colorName(color)}'s clock`,
    notYourTurn: "It is not your turn yet.",
    yourTurn: (you: Color, last: Move | undefined) =>
      last ? `${played(last)}. Your move, ${colorName(you)}.` : `Your move, ${colorName(you)}.`,
    thinking: "Your opponent is thinking…",
    counting: "Counting…",
    checkCount: "Both passed. Are these stones dead?",
    countHelp: "Dead stones are crossed out. Choose a group to change whether it is dead.",
    /** One line for each side and the result. */
    score: (text: string) => text.split("; ").join("\n"),
    accept: "Agree",
    playOn: "Play on",
    ended: (state: PlayState) => `The game is over: ${state.result ?? "no result"}.`,
    spoken: (move: Move, number: number) => `Move ${number}: ${played(move)}.`,
    pass: "Pass",
    undo: "Undo",
    hint: "Hint",
    hinting: "Looking…",
    hintSpoken: (order: number) => `hint ${order}`,
    resign: "Resign",
    resignSure: "Resign this game?",
    review: "Review the game",
    estimate: "Estimate both players",
    save: "Save SGF",
    judgement: "Opponent's judgement",
    judgementText: (state: PlayState) => {
      const parts = [
        state.black_lead === null ? null : leadWords(state.black_lead),
        state.black_win_rate === null ? null : `Black wins ${percent(state.black_win_rate)}`,
        state.komi_in_use === null || state.komi_in_use === state.komi
          ? null
          : `komi in use ${minus(String(state.komi_in_use))}`,
      ].filter(Boolean);
      return parts.length > 0 ? parts.join(", ") : "No judgement yet.";
    },
    considered: "Candidates of the opponent's last move",
    consideredHelp: (lines: number) =>
      `Of each move the opponent imagined ${plural(lines, "line")} of its local fight. The points are what it gains there against a pass, with their spread.`,
    consideredColumns: { move: "Move", prior: "Net", reward: "Points", score: "Score", line: "Line imagined most" },
    consideredReward: (one: Considered) =>
      `${one.reward > 0 ? "+" : ""}${minus(one.reward.toFixed(1))} ±${one.deviation.toFixed(1)}`,
    consideredShare: (share: number) => percent(share),
    terms: (state: PlayState) =>
      [
        `${state.size}×${state.size}`,
        state.handicap > 0 ? plural(state.handicap, "handicap stone") : null,
        `${state.rules.charAt(0).toUpperCase()}${state.rules.slice(1)} rules`,
        `komi ${minus(String(state.komi))}`,
        state.komi_in_use !== null && state.komi_in_use !== state.komi
          ? `komi in use ${minus(String(state.komi_in_use))}`
          : null,
        plural(state.moves.length, "move"),
      ]
        .filter(Boolean)
        .join(" · "),
  },
};
