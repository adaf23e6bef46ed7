// The shapes of the JSON API (docs/api.md). All win rates and leads are Black's.

export type Color = "B" | "W";

export interface Move {
  color: Color;
  vertex: string;
}

export interface NetInfo {
  name: string;
  ready: boolean;
  can_pull: boolean;
  size_mb: number | null;
  trained_sizes: number[] | null;
  sentence: string;
  strength_model: boolean;
}

export interface PlayerOption {
  name: string;
  kind: string;
  default: unknown;
  help: string;
}

export interface Named {
  name: string;
  title: string;
}

export interface PlayerKind extends Named {
  options: PlayerOption[];
}

export interface RulesInfo extends Named {
  komi: number;
}

export interface Info {
  version: string;
  default_net: string;
  nets: NetInfo[];
  players: PlayerKind[];
  komi_methods: Named[];
  rules: RulesInfo[];
  sizes: number[];
  scales: Named[];
  limits: { file_bytes: number; upload_bytes: number; files: number; moves: number };
  examples: Named[];
}

export interface Job {
  id: string;
  kind: "strength" | "pull" | "review";
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  place: number | null;
  progress: { stage: string; done: number; total: number | null } | null;
  error: string | null;
  result: unknown;
}

export interface GameInfo {
  id: string;
  file: string;
  black: string | null;
  white: string | null;
  black_rank: string | null;
  white_rank: string | null;
  date: string | null;
  size: number;
  komi: number;
  handicap: number;
  rules: string;
  result: string | null;
  move_count: number;
}

export interface Setup {
  B: string[];
  W: string[];
}

export interface GameRecord extends GameInfo {
  setup: Setup;
  to_move: Color;
  moves: Move[];
}

export interface Upload {
  games: GameInfo[];
  problems: { file: string; reason: string }[];
  players: PlayerCount[];
}

export interface PlayerCount {
  name: string;
  games: number;
}

export type Interval = [number, number];

export interface GameEstimate {
  game: string;
  file: string;
  rank: string;
  rating: number;
  interval80: Interval;
  moves: number;
}

export interface Influence {
  game: string;
  file: string;
  move: number;
  color: Color;
  vertex: string;
  influence: number;
}

export interface StrengthReport {
  player: string;
  sentence: string;
  rank: string;
  rank_words: string;
  ranks80: [string, string];
  ranks95: [string, string];
  rating: number;
  interval80: Interval;
  interval95: Interval;
  scale: string;
  approximate: boolean;
  moves: number;
  games: number;
  chances: Record<string, number> | null;
  by_game: GameEstimate[];
  raised: Influence[];
  lowered: Influence[];
  notes: string[];
  other_scales: { scale: string; rank: string; ranks80: [string, string]; approximate: boolean }[];
  axis: { low: number; high: number; ticks: { rating: number; rank: string }[] };
  net: string;
  net_sentence: string;
}

export interface CurvePoint {
  turn: number;
  visits: number;
  black_win_rate: number | null;
  black_lead: number | null;
}

export interface Mistake {
  number: number;
  color: Color;
  vertex: string;
  best: string;
  points_lost: number | null;
  win_rate_lost: number | null;
  size: "small" | "medium" | "big";
}

export type Phase = "quick" | "deepening" | "done" | "stopped";

export interface ReviewState {
  id: string;
  game: string;
  net: string;
  net_sentence: string;
  phase: Phase;
  curve: (CurvePoint | null)[];
  mistakes: Mistake[];
  mean_loss: { B: number | null; W: number | null };
}

export interface ReviewEvent {
  id: string;
  phase: Phase;
  curve: CurvePoint[];
  mistakes: Mistake[];
  mean_loss?: { B: number | null; W: number | null };
}

export interface Candidate {
  move: string;
  visits: number;
  prior: number;
  black_win_rate: number | null;
  black_lead: number | null;
  variation: string[];
}

export interface Analysis {
  to_move: Color;
  visits: number;
  net: string;
  black_win_rate: number | null;
  black_lead: number | null;
  candidates: Candidate[];
  ownership: number[][] | null;
  komi_labels: number[];
  black_win_rate_by_komi: number[];
  komi: number;
  searched_komi: number | null;
}

/** Of a review (`review`, `turn`), or of a variation (`id`). */
export interface AnalysisEvent {
  review?: string;
  turn?: number;
  id?: string;
  analysis: Analysis;
  done?: boolean;
}

export interface ClockSide {
  left: number;
  periods: number | null;
}

/** A candidate of which the opponent imagined lines; points are in the opponent's view. */
export interface Considered {
  move: string;
  prior: number;
  reward: number;
  deviation: number;
  score: number;
  lines: number;
  line: string[];
}

export interface PlayState {
  id: string;
  version: number;
  size: number;
  handicap: number;
  rules: string;
  komi: number;
  you: Color;
  net: string;
  player: string;
  visits: number | null;
  setup: Setup;
  moves: Move[];
  to_move: Color;
  captures: { B: number; W: number };
  status: "playing" | "counting" | "over";
  thinking: boolean;
  clock: { B: ClockSide; W: ClockSide; running: Color | null } | null;
  dead: string[];
  owner: number[][] | null;
  score: { black: number; white: number; text: string } | null;
  result: string | null;
  komi_in_use: number | null;
  black_win_rate: number | null;
  black_lead: number | null;
  considered?: Considered[] | null;
  illegal?: string[];
  legal?: string[];
}

export interface PlayTitle {
  id: string;
  title: string;
  when: string;
  status: PlayState["status"];
}
