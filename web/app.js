// The frame of every page: header with the player's games, announcements for screen readers, and navigation.

import { api, Unreachable, Refusal, wait } from "./api.js";
import { h, replaceContents, s, setAttribute, setText } from "./dom.js";
import { listenForShortcuts, setShortcuts } from "./shortcuts.js";
import { applyTheme, preferences } from "./preferences.js";
import { load } from "./storage.js";
import { confirm, dialog } from "./dialogs.js";
import { pickLanguage, setLanguage, t } from "./i18n.js";

/**
 * What a page gets from the frame.
 * @typedef {object} Context
 * @property {string[]} parts of the address
 * @property {boolean} isFirst the first page of this document
 * @property {import("./api_types").View | undefined} handover a view that the previous page already has
 * @property {(path: string, handover?: import("./api_types").View) => void} go
 * @property {(path: string) => Promise<void>} leaveTo like `go`, but asks first if people wait for the player
 * @property {(text: string) => void} announce for screen readers
 * @property {(title: string) => void} setTitle
 * @property {(isMine: boolean, table: import("./api_types").Table) => void} setTurn the icon of the tab shows whether it is the player's turn
 * @property {(section: HTMLElement) => Promise<void>} showRunning keeps a section up to date with the running games
 */
/**
 * @typedef {object} Shown
 * @property {HTMLElement} root
 * @property {() => unknown} [begin]
 * @property {() => void} [leave]
 * @property {() => boolean} [isLive] whether people wait for this player; if so, leaving asks first
 * @property {import("./shortcuts.js").Keys} [keys]
 */

/** @type {Record<string, () => Promise<{ show: (context: Context) => Shown | Promise<Shown> }>>} */
const PAGES = {
  "": () => import("./start.js"),
  game: () => import("./game.js"),
  new: () => import("./new_game.js"),
  watch: () => import("./watch.js"),
  archive: () => import("./archive.js"),
  me: () => import("./me.js"),
};

const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const header = /** @type {HTMLElement} */ (document.querySelector("body > header"));
/** The operator's message to everybody, below the header. */
const announcement = h("p", { class: "announcement", role: "status" });
const voice = h("div", { class: "unseen", role: "status", "aria-live": "polite" });

/** @type {Shown | null} */
let shown = null;
/** The address of the page that is shown, and its number in the history of the tab. */
let shownAt = { path: "", number: 0 };
/** Number of navigations; a page that loads after a later navigation is dropped. */
let visits = 0;

/** @param {string} text */
function announce(text) {
  if (!text) return;
  // A new element, so that a text that comes twice is announced twice.
  const line = h("p", {}, text);
  voice.replaceChildren(line);
}

/** @param {string} path @param {import("./api_types").View} [handover] */
function go(path, handover) {
  history.pushState({ number: shownAt.number + 1 }, "", path);
  void visit(handover);
}

/** Asks for confirmation if the page is a live game. @returns {Promise<boolean>} whether the user leaves */
const mayLeave = async () => !shown?.isLive?.() || confirm(t("leaveSure"), t("leave"), t("leaveMore"));

/** Goes to another page. If this page is a live game, asks for confirmation first. @param {string} path */
async function leaveTo(path) {
  if (await mayLeave()) go(path);
}

let isBackConfirmed = false;

/** The Back and Forward buttons: a live game stays until the user has confirmed. */
async function onHistory() {
  const by = (history.state?.number ?? 0) - shownAt.number;
  if (location.pathname === shownAt.path && by === 0) return;
  if (!isBackConfirmed && by !== 0 && location.pathname !== shownAt.path && shown?.isLive?.()) {
    history.go(-by);
    if (!(await mayLeave())) return;
    isBackConfirmed = true;
    history.go(by);
    return;
  }
  isBackConfirmed = false;
  await visit();
}

let pageTitle = "";
/** Whether it is the player's turn in the game that is shown. */
let isShownTurn = false;
/** The number of other games that wait for the player. */
let waitingGames = 0;

/** Shows in the title and the icon of the tab how many games wait for the player. */
function showTitle() {
  const title = waitingGames ? `(${waitingGames}) ${pageTitle}` : pageTitle;
  if (title !== document.title) document.title = title;
  const icon = document.querySelector('link[rel="icon"]');
  const wanted = isShownTurn || waitingGames ? new URL("icon_turn.svg", import.meta.url).pathname : "/icon.svg";
  if (icon?.getAttribute("href") !== wanted) icon?.setAttribute("href", wanted);
}

/** Whether this browser has a registered player. If not, as on a first visit, no games of the player are loaded. */
const hasPlayer = () => Boolean(load("noughts.player").token);

let isFollowing = false;

/** Follows the games of the player, and shows how many wait. */
async function followMyGames() {
  if (!hasPlayer() || isFollowing) return;
  isFollowing = true;
  const { isWaitingForMe, myGames, startMyEvents } = await import("./my_events.js");
  const update = () => {
    const here = location.pathname.split("/")[2];
    const waiting = (myGames() ?? []).filter(isWaitingForMe);
    waitingGames = waiting.filter(({ id }) => id !== here).length;
    setText(badge, waiting.length ? String(waiting.length) : "");
    setAttribute(badge, "title", waiting.length ? t("waitingForYou", { n: waiting.length }) : null);
    setText(badgeText, waiting.length ? t("waitingForYou", { n: waiting.length }) : "");
    showTitle();
  };
  addEventListener("mygames", update);
  startMyEvents();
}

const badge = h("span", { class: "badge", "aria-hidden": "true" });
const badgeText = h("span", { class: "unseen" });

/** Shows the page of the current address. @param {import("./api_types").View} [handover] */
async function visit(handover) {
  const visitNumber = ++visits;
  const parts = location.pathname.split("/").filter(Boolean);
  /** @type {Context} */
  const context = {
    parts,
    isFirst: shown === null,
    handover,
    go,
    leaveTo,
    announce,
    setTitle: (title) => {
      pageTitle = title;
      showTitle();
    },
    setTurn: (isMine, table) => {
      isShownTurn = isMine;
      showTitle();
      dispatchEvent(new CustomEvent("table", { detail: table }));
    },
    showRunning: async (section) => {
      if (!hasPlayer()) return;
      const { showFew } = await import("./my_games.js");
      showFew(section);
      const update = () => (section.isConnected ? showFew(section) : removeEventListener("mygames", update));
      addEventListener("mygames", update);
    },
  };
  const page = Object.hasOwn(PAGES, parts[0] ?? "") ? PAGES[parts[0] ?? ""] : undefined;
  const isKnown = page && (parts[0] === "game" ? parts.length === 2 : parts.length <= 1);
  /** @type {Shown} */
  let next;
  const slow = setTimeout(() => visitNumber === visits && main.setAttribute("data-loading", ""), 400);
  try {
    next = isKnown ? await (await page()).show(context) : messagePage(t("noSuchPage"), t("noSuchPageMore"));
  } catch (error) {
    next = await errorPage(error);
  }
  clearTimeout(slow);
  if (visitNumber !== visits) return next.leave?.();
  main.removeAttribute("data-loading");
  shown?.leave?.();
  for (const open of document.querySelectorAll("dialog")) open.close();
  const isFirst = shown === null;
  shown = next;
  shownAt = { path: location.pathname, number: history.state?.number ?? 0 };
  isShownTurn = false;
  // The same board at a new address: the focus stays on its cell.
  const cell = handover && document.activeElement?.closest(".cell");
  main.replaceChildren(next.root);
  setShortcuts(next.keys ?? {});
  markCurrentLink(parts[0] ?? "");
  const begun = next.begin?.();
  const same = cell instanceof HTMLElement && main.querySelector(`.cell[data-move="${cell.dataset.move}"]`);
  if (same instanceof HTMLElement) {
    same.focus({ preventScroll: true });
  } else if (!isFirst) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  await begun;
}

/** @param {unknown} error @returns {Promise<Shown>} */
async function errorPage(error) {
  if (error instanceof Refusal && error.problem.status === 404)
    return messagePage(t("noSuchGame"), t("noSuchGameMore"));
  const isUpdated = isModuleMissing(error) && (await isReachable());
  if (isUpdated && reloadOnce()) return messagePage(t("updated"), t("updatedMore"));
  if (error instanceof Unreachable || !navigator.onLine || (isModuleMissing(error) && !isUpdated)) {
    const page = messagePage(t("needsNetwork"), navigator.onLine ? t("lost") : t("needsNetworkMore"));
    const gone = new AbortController();
    void answers(gone.signal).then(() => (gone.signal.aborted ? undefined : visit()));
    return { ...page, leave: () => gone.abort() };
  }
  console.error(error);
  return messagePage(
    t("broken"),
    t("brokenMore"),
    h("button", { type: "button", click: () => location.reload() }, t("reload")),
  );
}

/** Whether a module could not be loaded: the server has been updated since this page was opened. @param {unknown} error */
const isModuleMissing = (error) => error instanceof TypeError && /module/i.test(error.message);

/** Loads the newest version of the page, at most once in 10 s. @returns {boolean} whether the page is loaded */
function reloadOnce() {
  const KEY = "noughts.reloaded";
  try {
    if (Date.now() - Number(sessionStorage.getItem(KEY)) < 10_000) return false;
    sessionStorage.setItem(KEY, String(Date.now()));
  } catch {
    return false;
  }
  location.reload();
  return true;
}

/** @param {AbortSignal} [signal] */
async function isReachable(signal) {
  const answer = await fetch("/healthz", { cache: "no-store", signal: signal ?? null }).catch(() => null);
  return Boolean(answer?.ok);
}

/** Waits until the server answers. @param {AbortSignal} signal */
async function answers(signal) {
  while (!signal.aborted) {
    await wait(3000, signal);
    if (await isReachable(signal)) return;
  }
}

/** A page that is only a message. @param {string} title @param {string} text @param {HTMLElement} [way] @returns {Shown} */
function messagePage(title, text, way) {
  document.title = `${title} · ${t("title")}`;
  const picture = h("div", { class: "lost-picture", "aria-hidden": "true" });
  return {
    root: h(
      "div",
      { class: "lost" },
      picture,
      h("h1", {}, title),
      h("p", {}, text),
      h("p", {}, way ?? h("a", { class: "button main", href: "/" }, t("playNow"))),
    ),
  };
}

/** Moves only the focus, because following the link to `#main` would load the page again. @param {Event} event */
function skipHeader(event) {
  event.preventDefault();
  main.focus();
}

function buildHeader() {
  const link = (/** @type {string} */ path, /** @type {string} */ name) => h("a", { href: path }, name);
  replaceContents(
    header,
    h("a", { class: "skip", href: "#main", click: skipHeader }, t("skip")),
    h(
      "a",
      { class: "brand", href: "/" },
      h("img", { src: "/icon.svg", alt: "", width: 28, height: 28 }),
      h("span", {}, t("title")),
    ),
    h(
      "nav",
      { "aria-label": t("menu") },
      link("/new", t("games")),
      link("/watch", t("watch")),
      link("/archive", t("archive")),
    ),
    h(
      "a",
      { class: "button quiet gear", href: "/me", "aria-label": null, title: t("myGames") },
      icon("M12 12a4 4 0 1 0 0-8a4 4 0 1 0 0 8M4 21c0-4 3.5-6 8-6s8 2 8 6"),
      h("span", { class: "unseen" }, t("myGames")),
      badge,
      badgeText,
    ),
    h(
      "button",
      {
        type: "button",
        class: "quiet gear",
        "aria-label": t("settings"),
        title: t("settings"),
        click: () => void openSettings(),
      },
      icon("M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7 17a2 2 0 1 0 4 0a2 2 0 1 0-4 0"),
    ),
  );
}

async function openSettings() {
  const { showSettings } = await import("./settings.js");
  showSettings(() => void changeLanguage());
}

async function openKeys() {
  const { shortcutList } = await import("./shortcut_list.js");
  dialog(t("keys"), shortcutList());
}

/** A picture of one path. @param {string} d */
const icon = (d) => s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d }));

/** @param {string} part */
function markCurrentLink(part) {
  for (const link of header.querySelectorAll("nav a, a.gear")) {
    if (link.getAttribute("href") === `/${part}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Renders everything in the new language. */
async function changeLanguage() {
  await setLanguage(preferences().language || pickLanguage(navigator.languages));
  buildHeader();
  await visit();
}

/** Links to other pages of this site do not reload the document. */
function followLinks() {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (
      !link ||
      event.defaultPrevented ||
      event.button ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    if (
      link.origin !== location.origin ||
      link.hasAttribute("download") ||
      link.target ||
      link.getAttribute("href")?.startsWith("#")
    )
      return;
    if (!Object.hasOwn(PAGES, link.pathname.split("/")[1] ?? "")) return;
    event.preventDefault();
    if (link.href === location.href) return;
    void leaveTo(link.pathname + link.search);
  });
  addEventListener("popstate", () => void onHistory());
}

/** The service worker lets the page open without network. */
function registerServiceWorker() {
  if (!("serviceWorker" in navigator)) return;
  const { trustedTypes } = /** @type {any} */ (window);
  const policy = trustedTypes?.createPolicy("noughts-worker", { createScriptURL: () => "/sw.js" });
  const address = policy ? policy.createScriptURL("") : "/sw.js";
  const register = () => void navigator.serviceWorker.register(address).catch(() => {});
  // Registers after the load event. This event may have passed already, while the translation was loading.
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}

async function start() {
  header.after(announcement);
  document.body.append(voice);
  applyTheme();
  await setLanguage(preferences().language || pickLanguage(navigator.languages));
  buildHeader();
  followLinks();
  listenForShortcuts(() => void openKeys());
  registerServiceWorker();
  const online = () => setText(voice, navigator.onLine ? "" : t("offline"));
  addEventListener("offline", online);
  addEventListener("unhandledrejection", ({ reason }) => {
    if (isModuleMissing(reason)) void isReachable().then((isThere) => isThere && reloadOnce());
  });
  addEventListener("player", () => void import("./my_events.js").then((events) => events.restartMyEvents()));
  addEventListener("player", () => void followMyGames());
  await visit();
  void followMyGames();
  followAnnouncement();
  await usePlayerLink();
}

/** How often the operator's message is read, in milliseconds. */
const ANNOUNCEMENT_INTERVAL = 60_000;

/** Shows the operator's message while the tab is visible. */
function followAnnouncement() {
  const update = async () => {
    // Without an answer the latest message stays.
    const read = document.hidden ? null : await api.announcement().catch(() => null);
    if (read) setText(announcement, read.text ?? "");
  };
  void update();
  setInterval(update, ANNOUNCEMENT_INTERVAL);
}

/** A link from another device of the player has a code after the `#`. */
async function usePlayerLink() {
  const code = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (!code) return;
  history.replaceState(history.state, "", "/me");
  const profile = await import("./profile.js");
  await visit();
  await profile.usePlayerLink({ announce, go }, code);
}

void start();
