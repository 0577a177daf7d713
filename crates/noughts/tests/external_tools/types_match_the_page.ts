// Compiles only if the page's own types accept what the OpenAPI document describes.

import type * as page from "PAGE";
import type { components } from "./generated";

type Schemas = components["schemas"];

/** `T` must accept every `S`. */
type Accepts<T, S extends T> = S;

export type Checked = [
  Accepts<page.View, Schemas["View"]>,
  Accepts<page.TurnView, Schemas["TurnView"]>,
  Accepts<page.Outcome, Schemas["Outcome"]>,
  Accepts<page.BoardView, Schemas["BoardView"]>,
  Accepts<page.SeatView, Schemas["SeatView"]>,
  Accepts<page.OfferView, Schemas["OfferView"]>,
  Accepts<page.ClockView, Schemas["ClockView"]>,
  Accepts<page.Change, Schemas["Change"]>,
  Accepts<page.Presence, Schemas["Presence"]>,
  Accepts<page.Offers, Schemas["Offers"]>,
  Accepts<page.RematchView, Schemas["RematchView"]>,
  Accepts<page.CreatedTable, Schemas["CreatedTable"]>,
  Accepts<page.TakenSeat, Schemas["TakenSeat"]>,
  Accepts<page.ImportedGame, Schemas["ImportedGame"]>,
  Accepts<page.GamesPage, Schemas["GamesPage"]>,
  Accepts<page.OfferedVariant, Schemas["OfferedVariant"]>,
  Accepts<page.GameAnalysis, Schemas["GameAnalysis"]>,
  Accepts<page.Problem, Schemas["Problem"]>,
  // Requests go the other way.
  Accepts<Schemas["NewTable"], page.NewTable>,
];
