// A model for tests: it answers on loopback what decide.mjs says, in the words of four APIs.
//
//   node lab/model.mjs [--log FILE]
//
// The first line on stdout is its address. The log has one JSON line per request.
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { ANSWERS } from "./answer.mjs";
import { decide } from "./decide.mjs";
import { apiOf, read } from "./read.mjs";

const { values } = parseArgs({ options: { log: { type: "string" } } });
let count = 0;

function note(line) {
  if (values.log) appendFileSync(values.log, `${JSON.stringify({ at: Date.now(), ...line })}\n`);
}

/** Where an answer goes: one value, or events. */
function outOf(response) {
  return {
    whole(value, status = 200) {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    },
    event(value, name) {
      if (!response.headersSent) {
        response.writeHead(200, {
          "content-type": "text/event-stream",
          "cache-control": "no-cache",
          connection: "close",
        });
      }
      const data = typeof value === "string" ? value : JSON.stringify(value);
      response.write(`${name ? `event: ${name}\n` : ""}data: ${data}\n\n`);
    },
  };
}

async function answer(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  const path = request.url.split("?")[0];
  const out = outOf(response);
  const api = request.method === "POST" ? apiOf(path) : undefined;
  if (/(\/count_tokens|:countTokens)$/.test(path)) {
    const tokens = Math.ceil(raw.length / 4);
    return out.whole({ input_tokens: tokens, totalTokens: tokens });
  }
  if (path.endsWith("/models")) {
    const data = [{ id: "scripted", object: "model", type: "model" }];
    return out.whole({ object: "list", data, models: [] });
  }
  if (!api) {
    note({ method: request.method, path });
    return out.whole({});
  }
  const body = JSON.parse(raw.toString() || "{}");
  const asked = read(api, body);
  let turn = decide(asked);
  const structured =
    body.output_config ?? body.response_format ?? body.generationConfig?.responseJsonSchema;
  if (structured && asked.tools.size === 0 && turn.text) {
    turn = { text: JSON.stringify({ title: "scripted session", isNewTopic: false }) };
  }
  const results = asked.results.length;
  const messages = (body.messages ?? body.input ?? body.contents ?? []).length;
  note({ path, api, prompt: asked.prompt.slice(0, 300), results, messages, turn });
  if (turn.error) {
    const error = { type: "api_error", message: `scripted error ${turn.error}`, code: turn.error };
    return out.whole({ type: "error", error }, turn.error);
  }
  const digest = createHash("sha256").update(`${asked.prompt}|${results}`).digest("hex");
  const id = `${digest.slice(0, 16)}${(count++).toString(16).padStart(6, "0")}`;
  await ANSWERS[api](out, body, turn, id, path);
  response.end();
}

const server = createServer((request, response) => {
  // Whoever asked may be gone by now: an agent that was interrupted hangs up.
  response.on("error", () => {});
  answer(request, response).catch((error) => {
    note({ fault: String(error) });
    if (!response.headersSent) response.writeHead(400);
    response.end();
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
// It ends with whoever started it.
process.stdin.on("end", () => process.exit(0)).resume();
