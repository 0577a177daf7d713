// Notifications of the system, while the tab is hidden; off by default.

import { preferences } from "./preferences.js";
import { t } from "./i18n.js";

/** Asks the browser for its permission. @returns {Promise<boolean>} */
export async function allowNotifications() {
  return "Notification" in window && (await Notification.requestPermission()) === "granted";
}

/** Shows a notification. It replaces an earlier notification of the same game. @param {string} text @param {string} [game] by default the page's */
export async function notify(text, game) {
  if (!document.hidden || !preferences().notifications) return;
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const options = { body: text, tag: game ? `/game/${game}` : location.pathname, icon: "/icon/192.png" };
  // On phones only the service worker may show notifications.
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) await worker.showNotification(t("title"), options);
  else new Notification(t("title"), options).addEventListener("click", () => focus());
}
