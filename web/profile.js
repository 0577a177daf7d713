// The profile of the player: name, other devices, backup, delete.

import { Refusal, api } from "./api.js";
import { button, h, setText } from "./dom.js";
import { isChosenName } from "./labels.js";
import { isToken, player, renamePlayer, setPlayer } from "./player.js";
import { setPreferences, preferences } from "./preferences.js";
import { describeRefusal } from "./refusals.js";
import { confirm, dialog, labelled } from "./dialogs.js";
import { formatTime, t } from "./i18n.js";

/** How many characters of a player's id are shown. */
const ID_LENGTH = 6;

/** @typedef {Pick<import("./app.js").Context, "announce" | "go">} Context */

/** @param {Context} context @param {import("./api_types").Me | null} me @returns {HTMLElement[]} */
export function profileSection(context, me) {
  const note = h("p", { class: "note", role: "alert" });
  /** @param {() => Promise<unknown>} act */
  const attempt = (act) => () =>
    void act().catch((error) => setText(note, error instanceof Refusal ? describeRefusal(error) : t("lostStart")));
  const name = h("input", {
    type: "text",
    // On another device only the server knows the name.
    value: preferences().name || (me && isChosenName(me.name) ? me.name : ""),
    maxlength: 64,
    autocomplete: "nickname",
  });
  const rename = attempt(async () => {
    setPreferences({ name: name.value.trim() });
    await renamePlayer(preferences().name);
    setText(note, t("saved"));
  });
  const file = h("input", {
    type: "file",
    accept: ".json,application/json",
    change: attempt(async () => {
      const chosen = file.files?.[0];
      if (chosen) setText(note, (await restore(context, await chosen.text())) ? "" : t("backupBad"));
    }),
  });
  return [
    h("h2", {}, t("profile")),
    h("p", { class: "hint" }, me ? t("profileHint", { id: me.id.slice(0, ID_LENGTH) }) : t("profileNone")),
    h(
      "form",
      {
        class: "filters",
        submit: (/** @type {Event} */ event) => {
          event.preventDefault();
          rename();
        },
      },
      labelled(t("yourNameOptional"), name),
      h("button", { type: "submit" }, t("save")),
    ),
    note,
    h(
      "div",
      { class: "row" },
      me ? button(t("linkDevice"), attempt(showDeviceLink)) : null,
      me ? button(t("backup"), saveBackup) : null,
      me ? button(t("signOutOthers"), attempt(signOutOthers), "quiet") : null,
      me ? button(t("deletePlayer"), attempt(deletePlayer), "quiet") : null,
    ),
    labelled(t("restore"), file, t("restoreHint")),
  ];
}

/** A code for another device, as link and QR code. */
async function showDeviceLink() {
  const own = player();
  if (!own) return;
  const { link, qr, expires_ms } = await api.createDeviceLink(own.token);
  const picture = URL.createObjectURL(new Blob([qr], { type: "image/svg+xml" }));
  const { shareLink } = await import("./share.js");
  const box = dialog(
    t("linkDevice"),
    h("p", {}, t("linkDeviceHint", { time: formatTime(expires_ms) })),
    shareLink(link),
    h("img", { class: "qr", src: picture, alt: t("qr"), width: 200, height: 200 }),
  );
  box.addEventListener("close", () => URL.revokeObjectURL(picture));
}

/** Downloads the id and the token. */
function saveBackup() {
  const own = player();
  if (!own) return;
  const text = JSON.stringify({ server: location.origin, name: preferences().name, ...own }, null, 2);
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  h("a", { href: address, download: "noughts-player.json" }).click();
  URL.revokeObjectURL(address);
}

/** Becomes the player of a backup. @param {Context} context @param {string} text @returns {Promise<boolean>} whether it is one */
async function restore(context, text) {
  let wanted;
  try {
    wanted = JSON.parse(text);
  } catch {
    return false;
  }
  if (!isToken(wanted?.id) || !isToken(wanted?.token)) return false;
  return become(context, { id: wanted.id, token: wanted.token });
}

/** Becomes another player. Asks first if this browser already has a player. @param {Context} context @param {import("./player.js").Player} wanted @returns {Promise<boolean>} whether the server knows them */
async function become(context, wanted) {
  const own = player();
  try {
    const { name: stored } = await api.me(wanted.token);
    const isNamed = isChosenName(stored);
    // Guests differ by their ids, which the profile shows too.
    const name = isNamed ? stored : `${t("guest")} ${wanted.id.slice(0, ID_LENGTH)}`;
    if (own && own.id !== wanted.id && !(await confirm(t("become", { name }), t("becomeDo"), t("becomeMore")))) {
      return true;
    }
    setPreferences({ name: isNamed ? stored : "" });
    setPlayer(wanted);
    context.announce(t("became", { name }));
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Uses the code of a link from another device. @param {Context} context @param {string} code */
export async function usePlayerLink(context, code) {
  try {
    if (!(await become(context, await api.useDeviceLink(code)))) throw new Error("the new token is not accepted");
  } catch (error) {
    dialog(t("linkDevice"), h("p", { role: "alert" }, error instanceof Refusal ? t("codeBad") : t("lostStart")));
  }
}

async function signOutOthers() {
  const own = player();
  if (own && (await confirm(t("signOutSure"), t("signOutOthers")))) await api.deleteOtherTokens(own.token);
}

async function deletePlayer() {
  const own = player();
  if (!own || !(await confirm(t("deleteSure"), t("deletePlayer"), t("deleteMore")))) return;
  await api.deleteMe(own.token);
  setPreferences({ name: "" });
  setPlayer(null);
}
