// A card with a link to a game: to copy, and as a QR code.

import { h, setText } from "./dom.js";
import { t } from "./i18n.js";

/** The address of the QR code that the server makes of a link to a game. @param {string} link */
function qrCode(link) {
  const { pathname, search, protocol } = new URL(link);
  const query = new URLSearchParams(search);
  if (protocol === "https:") query.set("https", "true");
  return `${pathname}/qr.svg?${query}`;
}

/** @param {string} link to a game, with or without `?turn=N` @param {string} hint */
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
    h("img", { class: "qr", src: qrCode(link), alt: t("qr"), width: 200, height: 200 }),
  );
}
