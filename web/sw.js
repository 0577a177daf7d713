// The service worker caches the page's files, so that the page opens without network; games are never cached.

const STORE = "noughts-%VERSION%";
const FILES = ["/", "/icon.svg", "/manifest.webmanifest", "%FILES%"];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(STORE)
      .then((store) => store.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const tidy = async () => {
    const old = (await caches.keys()).filter((name) => name !== STORE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});

// A notification leads to the tab of its game.
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const show = async () => {
    const tabs = await self.clients.matchAll({ type: "window" });
    const path = event.notification.tag;
    const tab = tabs.find(({ url }) => new URL(url).pathname === path);
    await (tab ? tab.focus() : self.clients.openWindow(path));
  };
  event.waitUntil(show());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    // Tries the server's document first, because it names the newest version. Without network, uses the cached document.
    if (pathname.startsWith("/api/")) return;
    event.respondWith(fetch(request).catch(async () => (await caches.match("/")) ?? Response.error()));
  } else if (pathname.startsWith("/web/") || pathname === "/icon.svg" || pathname === "/manifest.webmanifest") {
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
  }
});
