/** The JSON types of the HTTP API that the page uses. A test compares them with the OpenAPI document. */

export type SeatKind = "human" | "robot" | "open";
export type OpenSeat = "link" | "lobby";
export interface SeatView {
  name: string;
  kind: SeatKind;
  symbol: string;
  present: boolean;
  player?: string;
  bot?: boolean;
  open?: OpenSeat;
}
export type TurnView =
  | { kind: "play"; seat: number; move: string }
  | { kind: "rewind"; seat: number; count: number }
  | { kind: "takeback"; seat: number; count: number }
  | { kind: "resign"; seat: number };
export type BoardView = { state: "open" } | { state: "won"; side: number } | { state: "drawn" };
export type WinReason = "line" | "points" | "resignation" | "leaving" | "time" | "claim";
export type DrawReason = "full" | "agreement" | "claim" | "time" | "limit";
export type Outcome =
  | { kind: "won"; sides: number[]; reason: WinReason; line: string[] }
  | { kind: "draw"; reason: DrawReason }
  | { kind: "abandoned" }
  | { kind: "aborted" };
export interface OfferView {
  kind: "draw" | "takeback" | "rematch";
  seat: number;
  entry: number;
}
export interface ClockView {
  base?: number;
  increment?: number;
  move?: number;
  days?: number;
  left_ms: number[];
  running: number | null;
}
export interface View {
  id: string;
  variant: string;
  history: number;
  turn: number;
  entry: number;
  to_move: number | null;
  seats: SeatView[];
  marks: (number | null)[] | null;
  rows?: string[];
  legal: string[] | null;
  rewind: number | null;
  last: TurnView | null;
  offers: OfferView[];
  clock: ClockView | null;
  boards?: BoardView[];
  score?: number[];
  active?: number | null;
  outcome: Outcome | null;
  rematch: string | null;
  you?: number;
}
/** `seat` and `token` are the caller's seat at the new table and its token. They are absent until the rematch exists. */
export interface RematchView extends View {
  seat?: number;
  token?: string;
}
export interface Change {
  entry: number;
  turn: number;
  to_move: number | null;
  last: TurnView;
  cells: { cell: string; side: number | null }[];
  legal: string[] | null;
  rewind: number | null;
  offers: OfferView[];
  clock: ClockView | null;
  boards?: BoardView[];
  score?: number[];
  active?: number | null;
  outcome: Outcome | null;
}
export interface Presence {
  seats: SeatView[];
}
export interface Offers {
  entry: number;
  offers: OfferView[];
}
export interface CreatedTable {
  id: string;
  tokens: Record<string, string>;
  view: View;
}
export interface TakenSeat {
  token: string;
  view: View;
}
export interface ImportedGame {
  id: string;
  view: View;
}
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  turn?: number;
  errors?: { in: string; pointer: string; detail: string }[];
}
export type SeatRequest = { human: string } | { robot: string } | { open: OpenSeat };
/** The settings of a clock in a list. Exactly one of `base`, `move` and `days` is present. */
export interface ListedClock {
  base?: number | null;
  increment?: number | null;
  move?: number | null;
  days?: number | null;
}
/** The settings of a clock in a request. */
export type ClockForm = { base: number; increment?: number } | { move: number } | { days: number };
export interface NewTable {
  variant?: string;
  history?: number;
  seats?: SeatRequest[];
  take?: number[];
  listed?: boolean;
  clock?: ClockForm;
  from?: { game: string; after: number };
}
export type Standing = "waiting" | "playing" | "over";
export interface OfferedVariant {
  name: string;
  about: string;
  sides: number;
  cells: number;
}
export interface GameListing {
  id: string;
  variant: string;
  history: number;
  clock: ListedClock | null;
  status: Standing;
  /** Connections that follow the game without a seat. */
  spectators: number;
  /** The number of the latest entry in the game's log. May be null if the server does not have the game in memory. */
  entry: number | null;
  seats: { kind: SeatKind; name: string; present: boolean; player?: string; open?: OpenSeat }[];
  created_ms: number;
  ended_ms: number | null;
  outcome: Outcome | null;
}
export interface GamesPage {
  games: GameListing[];
  before: string | null;
}
/** A game of the caller. */
export interface MyGame extends GameListing {
  seat: number;
  to_move: number | null;
  turn: number;
}
export interface Me {
  id: string;
  name: string;
  bot: boolean;
  created_ms: number;
  running: MyGame[];
  running_before: string | null;
  finished: GamesPage;
}
export interface OpponentResults {
  name: string;
  player?: string;
  robot: boolean;
  won: number;
  lost: number;
  drawn: number;
}
export interface Profile {
  id: string;
  name: string;
  bot: boolean;
  created_ms: number;
  finished: GamesPage;
  results: OpponentResults[];
}
export interface DeviceLink {
  code: string;
  link: string;
  qr: string;
  expires_ms: number;
}
export interface NewMatch {
  variant: string;
  clock?: ClockForm;
}
export interface QuickMatchView {
  id: string;
  status: "waiting" | "matched" | "cancelled";
  game?: string;
  seat?: number;
}
export interface WaitingMatches {
  waiting: number;
  games: { variant: string; clock?: ClockForm; waiting: number }[];
}
export type Prospect = "win" | "draw" | "loss" | "unknown";
export interface Evaluation {
  value: Prospect;
  plies?: number;
  estimate?: number;
}
export interface Mistake {
  had: Prospect;
  left: Prospect;
}
export interface MoveEvaluation {
  move: string;
  value: Prospect;
  plies?: number | null;
}
export interface TurnAnalysis {
  turn: number;
  done: TurnView;
  worth: Evaluation | null;
  best: string | null;
  /** The best play of all sides, beginning with `best`. */
  line?: string[];
  /** The moves with which the player could complete a line next. Two or more of these moves are a fork. */
  threats?: string[];
  /** Like `threats`, but after `best` instead of the turn. */
  best_threats?: string[];
  moves?: MoveEvaluation[];
  mistake: Mistake | null;
}
export interface GameAnalysis {
  id: string;
  variant: string;
  turns: TurnAnalysis[];
}

/** A parsed variant. */
export interface Variant {
  name: string;
  columns: number;
  rows: number;
  line: number;
  sides: number;
  misere: boolean;
  gravity: boolean;
  exact: boolean;
  nine: "multi" | "ultimate" | null;
  first: number | null;
}
/** A parsed view. */
export interface Table {
  id: string;
  variant: Variant;
  history: number;
  turn: number;
  /** The number of the latest log entry. Of two states, the newer one has the higher number. */
  entry: number;
  toMove: number | null;
  seats: SeatView[];
  marks: (number | null)[];
  /** Null on large boards. There every empty cell is legal; with gravity, only the lowest empty cell of each column. */
  legal: Set<string> | null;
  rewind: number | null;
  last: TurnView | null;
  offers: OfferView[];
  clock: ClockView | null;
  /** When the clock arrived, from `performance.now()`. */
  clockAt: number;
  boards: BoardView[] | null;
  score: number[] | null;
  active: number | null;
  outcome: Outcome | null;
  rematch: string | null;
  /** A move that the server has not confirmed yet. */
  pending: string | null;
}
