// Moves, analysis and sharing. On wide screens they are beside the board. On phones they are in a panel below the board,
// which slides up; its bar is always visible.

import { freshId, h, isStill, setAttribute, setText } from "./dom.js";
import { t } from "./i18n.js";

/** A touch that moves less than this many pixels is a press. */
const SWIPE = 24;

/** @param {HTMLElement} beside the board, which stays visible above the panel @param {HTMLElement} bar visible even while the panel is closed @param {HTMLElement[]} children */
export function makeSidePanel(beside, bar, ...children) {
  const inner = freshId();
  const handle = h("button", { type: "button", class: "quiet handle", "aria-controls": inner });
  const title = h("h2", {});
  const root = h(
    "section",
    { class: "side-panel" },
    h("div", { class: "side-panel-bar" }, handle, title, bar),
    h("div", { class: "side-panel-content", id: inner }, h("div", {}, ...children)),
  );
  let isOpen = false;
  let from = 0;
  /** @param {boolean} wanted */
  const set = (wanted) => {
    isOpen = wanted;
    setAttribute(root, "data-open", isOpen);
    setAttribute(handle, "aria-expanded", String(isOpen));
    // The panel must not hide the board.
    if (isOpen) beside.scrollIntoView({ behavior: isStill() ? "auto" : "smooth" });
  };
  handle.addEventListener("click", () => set(!isOpen));
  handle.addEventListener("touchstart", (event) => (from = event.touches[0]?.clientY ?? 0), { passive: true });
  handle.addEventListener(
    "touchmove",
    (event) => {
      const by = (event.touches[0]?.clientY ?? from) - from;
      if (Math.abs(by) >= SWIPE && isOpen !== by < 0) set(by < 0);
    },
    { passive: true },
  );
  set(false);

  return {
    root,
    /** Renders the titles in the current language. */
    show: () => {
      setText(title, t("moves"));
      setText(handle, t("moves"));
      setAttribute(root, "aria-label", t("moves"));
    },
    /** @returns {boolean} whether it was open */
    close: () => {
      const wasOpen = isOpen;
      set(false);
      return wasOpen;
    },
  };
}
