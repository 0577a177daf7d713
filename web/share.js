// A link to send, and the same as a square to photograph.

import { h, s, setText } from "./dom.js";
import { encode } from "./qr.js";
import { t } from "./i18n.js";

/** @param {string} link @param {string} hint */
export function shareCard(link, hint) {
  const field = h("input", {
    type: "text",
    readonly: true,
    value: link,
    "aria-label": t("copy"),
    focus: () => field.select(),
  });
  const done = h("span", { class: "done", role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      setText(done, t("copied"));
    } catch {
      field.focus();
      field.select();
    }
  };
  return h(
    "div",
    { class: "share" },
    h("p", {}, hint),
    h(
      "div",
      { class: "row" },
      field,
      h("button", { type: "button", class: "main", click: () => void copy() }, t("copy")),
      done,
    ),
    drawCode(link),
  );
}

/** @param {string} text */
export function drawCode(text) {
  const code = encode(text);
  const size = code.length;
  let d = "";
  code.forEach((row, y) =>
    row.forEach((isDark, x) => {
      if (isDark) d += `M${x} ${y}h1v1h-1z`;
    }),
  );
  // Four light modules around it: without them cameras do not find it.
  return s(
    "svg",
    { class: "qr", viewBox: `-4 -4 ${size + 8} ${size + 8}`, role: "img", "aria-label": t("qr") },
    s("rect", { x: -4, y: -4, width: size + 8, height: size + 8, fill: "#fff" }),
    s("path", { d, fill: "#000" }),
  );
}
