// The archive: finished games, newest first, filtered by variant and player; imports records.

import { Refusal, api } from "./api.js";
import { h, replaceContents, setText } from "./dom.js";
import { gameRow } from "./game_list.js";
import { catalogTitle } from "./labels.js";
import { describeRefusal, serverWords } from "./refusals.js";
import { dialog, labelled, select } from "./dialogs.js";
import { parseVariant } from "./variant.js";
import { t } from "./i18n.js";

/** @typedef {import("./app.js").Context} Context */

/** @param {Context} context */
export async function show(context) {
  const page = new ArchivePage(context, await api.variants());
  try {
    await page.load(false);
  } catch (error) {
    // If the address has wrong filters, the user can correct them on the page.
    if (!(error instanceof Refusal)) throw error;
    page.refuse(error);
  }
  return page;
}

class ArchivePage {
  /** @param {Context} context @param {import("./api_types").OfferedVariant[]} offered */
  constructor(context, offered) {
    this.context = context;
    this.offered = offered;
    const wanted = new URLSearchParams(location.search);
    this.variant = wanted.get("variant") ?? "";
    this.player = wanted.get("player") ?? "";
    /** @type {string | null} */
    this.before = null;
    this.asked = 0;
    this.note = h("p", { class: "note", role: "alert" });
    this.list = h("ul", { class: "tables" });
    this.older = h("button", { type: "button", click: () => void this.reload(true), hidden: true }, t("older"));
    this.root = h(
      "div",
      { class: "lists" },
      h("h1", {}, t("archiveTitle")),
      this.filters(),
      this.note,
      this.list,
      h("p", {}, this.older),
      h("p", {}, h("button", { type: "button", click: () => openRecord(context) }, t("import"))),
    );
  }

  filters() {
    /** @type {[string, string][]} */
    const games = [["", t("filterAny")]];
    for (const { name } of this.offered) {
      const variant = parseVariant(name);
      if (variant) games.push([name, catalogTitle(variant)]);
    }
    if (this.variant && !games.some(([name]) => name === this.variant)) games.push([this.variant, this.variant]);
    const player = h("input", { type: "search", value: this.player, maxlength: 64 });
    const apply = () => {
      this.player = player.value.trim();
      const query = new URLSearchParams({
        ...(this.variant && { variant: this.variant }),
        ...(this.player && { player: this.player }),
      });
      history.replaceState(null, "", query.size ? `/archive?${query}` : "/archive");
      void this.reload(false);
    };
    const game = select(games, this.variant, (value) => {
      this.variant = value;
      apply();
    });
    return h(
      "form",
      {
        class: "filters",
        role: "search",
        submit: (/** @type {Event} */ event) => {
          event.preventDefault();
          apply();
        },
      },
      labelled(t("filterGame"), game),
      labelled(t("filterPlayer"), player),
      h("button", { type: "submit" }, t("filter")),
    );
  }

  begin() {
    this.context.setTitle(`${t("archive")} · ${t("title")}`);
  }

  /** Shows the answer to the latest request. Answers to earlier requests are dropped. @param {boolean} isMore */
  async reload(isMore) {
    try {
      await this.load(isMore);
      setText(this.note, "");
    } catch (error) {
      this.refuse(error);
    }
  }

  /** @param {unknown} error */
  refuse(error) {
    setText(this.note, error instanceof Refusal ? describeRefusal(error) : t("lostStart"));
  }

  /** @param {boolean} isMore */
  async load(isMore) {
    const asked = ++this.asked;
    /** @type {Record<string, string>} */
    const wanted = { status: "over", limit: "30" };
    if (this.variant) wanted.variant = this.variant;
    if (this.player) wanted.player = this.player;
    if (isMore && this.before) wanted.before = this.before;
    const page = await api.list(wanted);
    if (asked !== this.asked) return;
    this.before = page.before;
    this.older.hidden = page.before === null;
    const rows = page.games.map((game) => gameRow(game, t("look")));
    if (isMore) this.list.append(...rows);
    else
      replaceContents(
        this.list,
        rows.length ? rows : h("li", { class: "none" }, t(this.variant || this.player ? "noMatch" : "noArchive")),
      );
  }
}

/** @param {Context} context */
function openRecord(context) {
  const text = h("textarea", { rows: 10, spellcheck: "false", autocomplete: "off" });
  const file = h("input", {
    type: "file",
    accept: ".txt,text/plain",
    change: async () => {
      const chosen = file.files?.[0];
      if (chosen) text.value = await chosen.text();
    },
  });
  const note = h("p", { class: "note", role: "alert" });
  const box = dialog(
    t("import"),
    labelled(t("importHint"), text),
    labelled(t("importFile"), file),
    note,
    h(
      "button",
      {
        type: "button",
        class: "main",
        click: async () => {
          try {
            const { id } = await api.importRecord(text.value);
            box.close();
            context.go(`/game/${id}`);
          } catch (error) {
            setText(
              note,
              error instanceof Refusal ? t("importBad", { why: serverWords(error) }).trim() : t("lostStart"),
            );
          }
        },
      },
      t("importDo"),
    ),
  );
}
