// Links to copy or to share, and a card with a link to a game and its QR code.

import { button, h, setText } from "./dom.js";
import { t } from "./i18n.js";

/** Screens with a panel beside the board, as in the style sheets. */
const TWO_COLUMNS = "(width >= 56rem) or ((width >= 36rem) and (height < 30rem))";

/** The address of the QR code that the server makes of a link to a game. @param {string} link */
function qrCode(link) {
  const { pathname, search, protocol } = new URL(link);
  const query = new URLSearchParams(search);
  if (protocol === "https:") query.set("https", "true");
  return `${pathname}/qr.svg?${query}`;
}

/** A link that the user can copy and, if the device supports it, share. @param {string} link */
export function shareLink(link) {
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
  // The user may close the list of programs without choosing one.
  const share = () => void navigator.share({ title: document.title, url: link }).catch(() => {});
  const canShare = typeof navigator.share === "function";
  return h(
    "div",
    { class: "row" },
    field,
    canShare ? button(t("shareWatch"), share, "main") : null,
    button(t("copy"), () => void copy(), canShare ? "" : "main"),
    done,
  );
}

/** @param {string} link to a game, with or without `?turn=N` @param {string} hint */
export const shareCard = (link, hint) =>
  h(
    "div",
    { class: "share" },
    h("p", {}, hint),
    shareLink(link),
    // Without a second column the code would take the place of the board.
    h(
      "details",
      { open: matchMedia(TWO_COLUMNS).matches },
      h("summary", {}, t("qrCode")),
      h("img", { class: "qr", src: qrCode(link), alt: t("qr"), width: 200, height: 200, loading: "lazy" }),
    ),
  );
