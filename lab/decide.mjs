// What the model answers: a function of the last prompt and of how many results of tools came
// after it, so that a run is the same each time.
//
//   say: TEXT          answers "said: TEXT"
//   run: COMMAND       calls the shell, then says "done: OUTPUT"
//   write: PATH TEXT   writes a file, then says "done: ..."
//   slow: SECONDS TEXT answers TEXT a word at a time
//   error: STATUS      the request fails with this HTTP status
//   anything else      "echo: PROMPT"
import { ORDER } from "./read.mjs";

const SHELLS = ["Bash", "bash", "shell", "shell_command", "exec_command", "run_shell_command"];
const WRITERS = ["Write", "write", "write_file"];

/** A turn: `{text, seconds}`, `{tool, input}` or `{error}`. */
export function decide({ prompt, results, tools }) {
  const order = ORDER.exec(prompt);
  const word = order?.[1];
  const rest = (order ? order[2].trim() : prompt).split("\n")[0].trim();
  switch (word) {
    case "run":
      if (results.length > 0) return { text: `done: ${results.at(-1).trim().slice(0, 400)}` };
      return run(rest, tools);
    case "write": {
      if (results.length > 0) return { text: `done: ${results.at(-1).trim().slice(0, 400)}` };
      const [, path, content] = /^(\S+)\s*(.*)$/.exec(rest) ?? ["", "file", ""];
      return write(path, content, tools);
    }
    case "slow": {
      const [, seconds, words] = /^(\S+)\s*(.*)$/.exec(rest) ?? ["", "1", ""];
      return { text: words || "the slow answer is over", seconds: Number(seconds) };
    }
    case "error":
      return { error: Number(rest) || 500 };
    case "say":
      return { text: `said: ${rest}` };
    default:
      return { text: `echo: ${rest.slice(0, 200)}` };
  }
}

function run(command, tools) {
  if (tools.has("aider")) return { text: `\`\`\`bash\n${command}\n\`\`\`\n` };
  const tool = SHELLS.find((name) => tools.has(name));
  // A request for a title or a summary, not for work.
  if (!tool) return { text: "title: scripted session" };
  const known = tools.get(tool).properties ?? {};
  const input = known.cmd ? { cmd: command } : { command };
  if (Array.isArray(known.command?.type) || known.command?.type === "array") {
    input.command = ["bash", "-lc", command];
  }
  // Codex asks the person only for what is to leave its sandbox.
  if (known.sandbox_permissions) {
    input.sandbox_permissions = "require_escalated";
    input.justification = "the script of the test says so";
  } else if (known.description) {
    input.description = "Run what the script says";
  }
  return { tool, input };
}

function write(path, content, tools) {
  if (tools.has("aider")) {
    const block = `<<<<<<< SEARCH\n=======\n${content}\n>>>>>>> REPLACE`;
    return { text: `${path}\n\`\`\`\n${block}\n\`\`\`\n` };
  }
  const tool = WRITERS.find((name) => tools.has(name));
  if (!tool) return run(`printf '%s\\n' '${content}' > ${path}`, tools);
  const key = tool === "write" ? "filePath" : "file_path";
  return { tool, input: { [key]: path, content } };
}
