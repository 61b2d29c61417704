// What a request of an agent asks for: its last prompt, the results of tools after it, and the
// tools that it offers. One function per API; all give the same shape.

/** What agents put around a prompt by themselves. */
const AROUND = /<(system-reminder|environment_context|session_context)>[\s\S]*?<\/\1>/g;
/** A prompt that says what to answer. Some agents quote it. */
export const ORDER = /^[\s"]*(say|run|write|slow|error):\s*([\s\S]*)$/m;

/** The text of a content, whatever it is nested in. */
function text(content) {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(text).filter(Boolean).join("\n");
  if (!content || typeof content !== "object") return "";
  return text(content.text ?? content.content ?? content.output ?? "");
}

const bare = (content) => text(content).replace(AROUND, "").trim();

class Asked {
  prompt = "";
  results = [];
  tools = new Map();

  /** Takes a text of the user's: a prompt begins anew, what is only context does not. */
  user(content) {
    const words = bare(content);
    if (!words || (words.startsWith("<") && !ORDER.test(words))) return;
    this.prompt = words;
    this.results = [];
  }
}

function anthropic(body) {
  const asked = new Asked();
  for (const tool of body.tools ?? []) asked.tools.set(tool.name, tool.input_schema ?? {});
  for (const message of body.messages ?? []) {
    if (message.role !== "user") continue;
    const parts = Array.isArray(message.content)
      ? message.content
      : [{ type: "text", text: message.content }];
    const results = parts.filter((part) => part.type === "tool_result");
    asked.results.push(...results.map((part) => text(part.content)));
    // A prompt may come after the result of a refused call, in the same message.
    const prompts = parts
      .filter((part) => part.type === "text")
      .map((part) => bare(part.text))
      .filter((words) => words && (ORDER.test(words) || results.length === 0));
    if (prompts.length > 0) asked.user(prompts.at(-1));
  }
  return asked;
}

function chat(body) {
  const asked = new Asked();
  for (const tool of body.tools ?? []) {
    asked.tools.set(tool.function.name, tool.function.parameters ?? {});
  }
  const messages = body.messages ?? [];
  for (const message of messages) {
    if (message.role === "tool") asked.results.push(text(message.content));
    if (message.role !== "user") continue;
    // Without tools it is a request of the agent's own, such as for a title.
    if (asked.tools.size > 0 || ORDER.test(text(message.content))) asked.user(message.content);
  }
  const edits = messages.some((message) => text(message.content).includes("SEARCH/REPLACE"));
  // Aider offers no tools: it reads blocks of code out of the text.
  if (asked.tools.size === 0 && edits) asked.tools.set("aider", {});
  return asked;
}

function responses(body) {
  const asked = new Asked();
  for (const tool of body.tools ?? []) {
    if (["function", "custom", "local_shell"].includes(tool.type)) {
      asked.tools.set(tool.name ?? tool.type, tool.parameters ?? {});
    }
  }
  const items = typeof body.input === "string" ? [{ role: "user", content: body.input }] : body.input;
  for (const item of items ?? []) {
    if (String(item.type ?? "").endsWith("_output")) asked.results.push(text(item.output));
    else if (item.role === "user") asked.user(item.content);
  }
  return asked;
}

function gemini(body) {
  const asked = new Asked();
  for (const tool of body.tools ?? []) {
    for (const f of tool.functionDeclarations ?? []) {
      asked.tools.set(f.name, f.parametersJsonSchema ?? f.parameters ?? {});
    }
  }
  for (const content of body.contents ?? []) {
    const parts = content.parts ?? [];
    const results = parts.filter((part) => part.functionResponse);
    asked.results.push(...results.map((part) => JSON.stringify(part.functionResponse.response)));
    const texts = parts.map((part) => part.text).filter(Boolean);
    if (results.length === 0 && (content.role ?? "user") === "user" && texts.length > 0) {
      asked.user(texts.at(-1));
    }
  }
  return asked;
}

const READERS = { anthropic, chat, responses, gemini };

/** Which API a path belongs to; none for one that is not asked for an answer. */
export function apiOf(path) {
  if (path.endsWith("/messages")) return "anthropic";
  if (path.endsWith("/chat/completions")) return "chat";
  if (path.endsWith("/responses")) return "responses";
  return /:(streamG|g)enerateContent$/.test(path) ? "gemini" : undefined;
}

export const read = (api, body) => READERS[api](body);
