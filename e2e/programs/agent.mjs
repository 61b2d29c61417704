// Stands for an agent in pictures: prints the screen that it is given by its name, and waits.
//   node agent.mjs NAME
const [name = "retry"] = process.argv.slice(2);
const dim = (t) => `\x1b[90m${t}\x1b[0m`;
const dot = "\x1b[36m•\x1b[0m";
const del = (n, t) => `    ${dim(String(n).padStart(4))} \x1b[48;2;48;20;24m\x1b[31m-   ${t.padEnd(66)}\x1b[0m`;
const add = (n, t) => `    ${dim(String(n).padStart(4))} \x1b[48;2;16;40;26m\x1b[32m+   ${t.padEnd(66)}\x1b[0m`;
const ok = (t) => `    test ${t} ... \x1b[32mok\x1b[0m`;
const SCREENS = {
  retry: [
    dim("harbor-api, feat/upload-retry"),
    "",
    "\x1b[1m> Add retry with backoff to the upload client. Keep the public API as it is.\x1b[0m",
    "",
    `${dot} I will read the client and its tests first.`,
    "",
    `${dot} \x1b[1mRead\x1b[0m src/upload/client.rs                                ${dim("214 lines")}`,
    `${dot} \x1b[1mRead\x1b[0m tests/upload_retry.rs                               ${dim("88 lines")}`,
    "",
    `${dot} The client gives up on the first 503. Three call sites depend on that`,
    "  error, so I keep the error type and retry inside \x1b[36msend_part\x1b[0m only.",
    "",
    `${dot} \x1b[1mEdit\x1b[0m src/upload/client.rs                                ${dim("+41 -6")}`,
    del(118, "let res = self.http.put(url).body(part).send().await?;"),
    add(118, "let res = retry(self.policy, || async {"),
    add(119, "    self.http.put(url).body(part.clone()).send().await"),
    add(120, "})"),
    add(121, ".await?;"),
    "",
    `${dot} \x1b[1mBash\x1b[0m cargo test --test upload_retry`,
    "    running 5 tests",
    ok("backs_off_on_503"),
    ok("gives_up_after_five"),
    ok("jitter_stays_in_bounds"),
    ok("keeps_error_type"),
    "    test honours_retry_after ... \x1b[31mFAILED\x1b[0m",
    dim("    failures: honours_retry_after (tests/upload_retry.rs:71)"),
    dim("      left:  Some(0s)"),
    dim("      right: Some(12s)"),
    "",
    `${dot} \x1b[36mRetry-After\x1b[0m may also be an HTTP date. I will parse both forms and add`,
    "  a test for each.",
    "",
    "\x1b[33m* Writing the date parser\x1b[0m " + dim("2m 14s, esc to interrupt"),
    "",
    dim("─".repeat(84)),
    "> ",
  ],
};
const TITLES = { retry: "Writing the date parser" };
const lines = SCREENS[name] ?? [`${dot} ${name}`, "", "> "];
process.stdout.write(`\x1b]2;${TITLES[name] ?? "Ready"}\x07\x1b[2J\x1b[H${lines.join("\r\n")}`);
process.stdin.setRawMode?.(true);
process.stdin.resume();
