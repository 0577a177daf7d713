// Keeps the page's files, so that it opens without the network; games are never kept.

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

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    // The server's own document first: it knows the newest version. Without network the one that was kept.
    if (pathname.startsWith("/api/")) return;
    event.respondWith(fetch(request).catch(async () => (await caches.match("/")) ?? Response.error()));
  } else if (pathname.startsWith("/web/") || pathname === "/icon.svg" || pathname === "/manifest.webmanifest") {
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
  }
});
