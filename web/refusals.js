// Why something could not be done, as a sentence in the user's language.

import { ninth } from "./places.js";
import { t } from "./i18n.js";

/** The sentence for each kind of refusal. Kinds that only a faulty page can cause have no sentence. @type {Partial<Record<string, import("./i18n.js").Key>>} */
const SENTENCES = {
  stale: "moved",
  "future-turn": "moved",
  occupied: "taken",
  "not-your-turn": "notYourTurn",
  over: "over",
  "rewind-too-far": "cantRewind",
  "no-rewind": "cantRewind",
  "must-play": "cantRewind",
  "closed-board": "closedBoard",
  floating: "columnFull",
  "too-slow": "lostStart",
  "too-large": "tooLarge",
  "seat-taken": "seatGone",
  "no-such-game": "noSuchGame",
  "no-token": "tokenBad",
  "wrong-token": "tokenBad",
  "wrong-game": "tokenBad",
  "not-over": "stillRunning",
  "time-is-over": "timeOver",
  "consent-needed": "needsConsent",
  "nothing-to-take-back": "nothingToTakeBack",
  "no-offer": "offerGone",
  "draw-too-early": "drawTooEarly",
  "draw-refused": "drawRefused",
  "too-late-to-abort": "tooLateToAbort",
  "claim-too-early": "claimTooEarly",
  "opponent-present": "opponentPresent",
  "opponent-just-left": "opponentJustLeft",
  "too-many-offers": "tooManyOffers",
  "unfit-strategy": "unfitRobot",
  "invalid-name": "nameBad",
  "no-such-code": "codeBad",
  "not-for-two": "notForTwo",
  banned: "banned",
};

/** @param {import("./api.js").Refusal} refusal */
export function describeRefusal(refusal) {
  const { status } = refusal.problem;
  const key = status === 429 ? "tooMuch" : SENTENCES[refusal.kind];
  if (key) return t(key);
  return status === 422 && !isEnglish() ? t("impossible") : t("refused", { why: serverWords(refusal) }).trim();
}

const isEnglish = () => document.documentElement.lang === "en";

/** The server's explanation, which is in English. In other languages it is not shown. @param {import("./api.js").Refusal} refusal */
export const serverWords = (refusal) => (isEnglish() ? refusal.message : "");

/**
 * Why pressing a cell makes no move.
 * @param {import("./table.js").NotPlayable} why @param {import("./api_types").Table} table @param {boolean} isSpectator
 */
export function describeNotPlayable(why, table, isSpectator) {
  switch (why) {
    case "over":
      return t("over");
    case "waiting":
      return t("waitingToBegin");
    case "notYours":
      return isSpectator ? t("watching") : t("notYourTurn");
    case "taken":
      return t("taken");
    case "full":
      return t("columnFull");
    case "closedBoard":
      return t("closedBoard");
    case "wrongBoard":
      return t("wrongBoard", { board: ninth(table.active ?? 0) });
  }
}
