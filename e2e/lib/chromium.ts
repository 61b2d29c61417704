/** How the browser is started: the one of the system, with nothing that would reach out. */
export const launchOptions = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // A page that a test serves itself counts as one from elsewhere, which may not reach this machine.
    ...(process.env.QD_PAGE
      ? ["--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets"]
      : []),
  ],
};
