import react from "@vitejs/plugin-react";
import type { ProxyOptions } from "vite";
import { defineConfig } from "vitest/config";

// `npm run dev` serves the page and passes the API on to a daemon (or to the mock server).
const daemon = process.env.QD_URL ?? "http://127.0.0.1:4747";

/** The daemon takes requests of its own page only; the development server's stand in for those. */
const asDaemon: NonNullable<ProxyOptions["configure"]> = (proxy) => {
  proxy.on("proxyReq", (request) => request.setHeader("origin", daemon));
  proxy.on("proxyReqWs", (request) => request.setHeader("origin", daemon));
};

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    // No inlined data: URLs: the page's content security policy allows only files of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: {
      "/api": { target: daemon, ws: true, changeOrigin: true, configure: asDaemon },
      "/healthz": { target: daemon, changeOrigin: true },
    },
  },
  test: { include: ["test/**/*.test.ts"], environment: "node" },
});
