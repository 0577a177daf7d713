// The keyboard shortcuts in words.

import { h } from "./dom.js";
import { t } from "./i18n.js";

/** All shortcuts with their descriptions. */
export function shortcutList() {
  /** @type {[string[], string][]} */
  const keys = [
    [["↑", "↓", "←", "→"], t("keyArrows")],
    [["Enter"], t("keyEnter")],
    [[",", "."], t("keyReplay")],
    [["<", ">"], t("keyEnds")],
    [["Esc"], t("keyEscape")],
    [["r"], t("keyBack")],
    [["a"], t("keyAgain")],
    [["n"], t("keyNew")],
    [["+", "−"], t("keyZoom")],
    [["?"], t("keyHelp")],
  ];
  return h(
    "dl",
    { class: "keys" },
    keys.flatMap(([names, what]) => [
      h(
        "dt",
        {},
        names.flatMap((name, at) => [at ? " " : "", h("kbd", {}, name)]),
      ),
      h("dd", {}, what),
    ]),
  );
}
