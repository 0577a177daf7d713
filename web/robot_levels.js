// The levels of the computer.

import { t } from "./i18n.js";

/** @param {number} level */
export function levelName(level) {
  const word = level <= 2 ? t("levelEasy") : level <= 5 ? t("levelFair") : t("levelStrong");
  return `${t("levelOf", { n: level })}, ${word}`;
}

/** The levels of the computer as choices: value and label. @returns {[string, string][]} */
export const levelChoices = () =>
  Array.from({ length: 8 }, (_, at) => [`level:${at + 1}`, `${t("computer")}: ${levelName(at + 1)}`]);
