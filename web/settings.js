// The settings dialog.

import { dialog, labelled, select, toggle } from "./dialogs.js";
import { h } from "./dom.js";
import { shortcutList } from "./shortcut_list.js";
import { applyTheme, setPreferences, preferences } from "./preferences.js";
import { LANGUAGES, t } from "./i18n.js";

/** @param {() => void} onLanguage */
export function showSettings(onLanguage) {
  const now = preferences();
  const name = h("input", {
    type: "text",
    value: now.name,
    maxlength: 64,
    autocomplete: "nickname",
    change: () => {
      setPreferences({ name: name.value.trim() });
      // Without network the name reaches the server with the next table.
      void import("./player.js").then(({ renamePlayer }) => renamePlayer(preferences().name)).catch(() => {});
    },
  });
  const notificationNote = h("p", { class: "note", role: "alert" });
  const setNotifications = async (/** @type {boolean} */ isOn) => {
    const { allowNotifications } = await import("./notifications.js");
    const isAllowed = isOn && (await allowNotifications());
    setPreferences({ notifications: isAllowed });
    notificationNote.textContent = isOn && !isAllowed ? t("notificationsBlocked") : "";
  };
  const box = dialog(
    t("settings"),
    labelled(t("yourName"), name, t("nameHint")),
    labelled(
      t("language"),
      select(Object.entries(LANGUAGES), document.documentElement.lang, (language) => {
        setPreferences({ language });
        box.close();
        onLanguage();
      }),
    ),
    labelled(
      t("theme"),
      select(
        [
          ["auto", t("themeAuto")],
          ["light", t("themeLight")],
          ["dark", t("themeDark")],
        ],
        now.theme,
        (theme) => {
          setPreferences({ theme: /** @type {"auto" | "light" | "dark"} */ (theme) });
          applyTheme();
        },
      ),
    ),
    toggle(t("sound"), now.sound, (sound) => setPreferences({ sound })),
    toggle(t("notifications"), now.notifications, (isOn) => void setNotifications(isOn)),
    notificationNote,
    toggle(t("shortcuts"), now.shortcuts, (shortcuts) => setPreferences({ shortcuts })),
    h("details", {}, h("summary", {}, t("keys")), shortcutList()),
  );
}
