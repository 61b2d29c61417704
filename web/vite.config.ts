import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// `npm run dev` serves the page and passes the API on to a daemon (or to the mock server).
const daemon = process.env.QD_URL ?? "http://127.0.0.1:4747";

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
      "/api": { target: daemon, ws: true, changeOrigin: true },
      "/healthz": { target: daemon, changeOrigin: true },
    },
  },
  test: { include: ["test/**/*.test.ts"], environment: "node" },
});
