/** The JSON types of the HTTP API that the page uses. A test compares them with the OpenAPI document. */

export type SeatKind = "human" | "robot" | "open";
export interface SeatView {
  name: string;
  kind: SeatKind;
  symbol: string;
  present: boolean;
}
export interface TurnView {
  by: number;
  play?: string;
  rewind?: number;
  resign?: boolean;
}
export type BoardView = "open" | "drawn" | { won: number };
export type WinReason = "line" | "points" | "resignation" | "leaving";
export interface Outcome {
  draw?: boolean;
  abandoned?: boolean;
  won?: number[];
  line?: string[];
  by?: WinReason;
}
export interface View {
  id: string;
  variant: string;
  history: number;
  turn: number;
  entry: number;
  to_move: number | null;
  seats: SeatView[];
  marks: (number | null)[] | string[];
  legal: string[] | "empty";
  rewind: number | null;
  last: TurnView | null;
  boards?: BoardView[];
  score?: [number, number];
  active?: number | null;
  outcome: Outcome | null;
  rematch: string | null;
}
/** Once the rematch exists: the caller's seat there, and its token. */
export interface RematchView extends View {
  seat?: number;
  token?: string;
}
export interface Change {
  turn: number;
  to_move: number | null;
  last: TurnView;
  cells: [string, number | null][];
  legal: string[] | "empty";
  rewind: number | null;
  boards?: BoardView[];
  score?: [number, number];
  active?: number | null;
  outcome: Outcome | null;
}
export interface Presence {
  present: boolean[];
  names: string[];
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
}
export type SeatRequest = { human: string } | { robot: string } | { open: "link" | "lobby" };
export interface NewTable {
  variant?: string;
  history?: number;
  seats?: SeatRequest[];
  take?: number[];
  from?: { game: string; turn: number };
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
  status: Standing;
  seats: { kind: SeatKind; name: string }[];
  created_ms: number;
  outcome?: Outcome | null;
}
export interface GamesPage {
  games: GameListing[];
  before: string | null;
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
export interface TurnAnalysis {
  turn: number;
  done: TurnView;
  worth: Evaluation | null;
  best: string | null;
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
  toMove: number | null;
  seats: SeatView[];
  marks: (number | null)[];
  legal: Set<string> | "empty";
  rewind: number | null;
  last: TurnView | null;
  boards: BoardView[] | null;
  score: [number, number] | null;
  active: number | null;
  outcome: Outcome | null;
  rematch: string | null;
  /** A move that the server has not confirmed yet. */
  pending: string | null;
}
