// Keeps the page itself, so that it opens where the daemon does not answer, and nothing else: no
// answer of the API, and no request that could hold a token, passes through here.
const SHELL = "shell";
const OFFLINE = "/offline.html";

self.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(SHELL);
      await cache.add(new Request(OFFLINE, { cache: "no-store" }));
      const page = await fetch("/", { cache: "no-store", headers: { Accept: "text/html" } });
      if (page.ok) await keep(page);
      await self.skipWaiting();
    })(),
  );
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname === "/api" || url.pathname.startsWith("/api/") || url.pathname === "/healthz") return;
  if (request.mode === "navigate") event.respondWith(navigate(event, request));
  // Their names follow from what is in them: what was kept is right for ever.
  else if (url.pathname.startsWith("/assets/")) event.respondWith(asset(request));
});

/** The network first; what was kept only when that does not answer. */
async function navigate(event, request) {
  try {
    const answer = await fetch(request);
    if (answer.status < 500) {
      const kind = answer.headers.get("content-type") ?? "";
      if (answer.ok && kind.startsWith("text/html")) event.waitUntil(keep(answer.clone()));
      return answer;
    }
  } catch {
    // The daemon does not answer, or there is no network.
  }
  const cache = await caches.open(SHELL);
  return (await cache.match("/")) ?? (await cache.match(OFFLINE)) ?? Response.error();
}

async function asset(request) {
  const cache = await caches.open(SHELL);
  const kept = await cache.match(request.url);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request.url, answer.clone());
  return answer;
}

/** Keeps a page with the files that it names; those of a page before are let go. */
async function keep(page) {
  const cache = await caches.open(SHELL);
  const text = await page.clone().text();
  const before = await cache.match("/");
  if (before && (await before.text()) === text) return;
  const named = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1]);
  // First its files, then the page: what is kept is whole, or is the one before.
  await Promise.all(
    named.map(async (path) => {
      const file = await fetch(path, { cache: "no-cache" });
      if (!file.ok) throw new Error(`${path} is not there`);
      await cache.put(path, file);
    }),
  );
  await cache.put("/", new Response(text, { headers: page.headers }));
  if (!before) return;
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/assets/") && !named.includes(pathname)) await cache.delete(request);
  }
}
