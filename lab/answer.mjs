// An answer in the words of each API, at once or as a stream of events.
import { setTimeout as pause } from "node:timers/promises";

/** The words of a turn, each after its share of the time. */
async function* pieces(turn) {
  const words = turn.text.match(/\S+\s*/g) ?? [""];
  for (const word of words) {
    if (turn.seconds) await pause((turn.seconds * 1000) / words.length);
    yield word;
  }
}

async function anthropic(out, body, turn, id) {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const block = turn.tool
    ? { type: "tool_use", id: `toolu_${id}`, name: turn.tool, input: turn.input }
    : { type: "text", text: turn.text };
  const stop_reason = turn.tool ? "tool_use" : "end_turn";
  const message = {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content: [block],
    stop_reason,
    stop_sequence: null,
    usage,
  };
  if (!body.stream) return out.whole(message);
  const tell = (type, rest) => out.event({ type, ...rest }, type);
  tell("message_start", { message: { ...message, content: [], stop_reason: null } });
  const empty = turn.tool ? { ...block, input: {} } : { type: "text", text: "" };
  tell("content_block_start", { index: 0, content_block: empty });
  const delta = (delta) => tell("content_block_delta", { index: 0, delta });
  if (turn.tool) {
    delta({ type: "input_json_delta", partial_json: JSON.stringify(turn.input) });
  } else {
    for await (const word of pieces(turn)) delta({ type: "text_delta", text: word });
  }
  tell("content_block_stop", { index: 0 });
  tell("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  tell("message_stop", {});
}

async function chat(out, body, turn, id) {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const call = turn.tool && {
    index: 0,
    id: `call_${id}`,
    type: "function",
    function: { name: turn.tool, arguments: JSON.stringify(turn.input) },
  };
  const finish_reason = call ? "tool_calls" : "stop";
  const head = { id: `chatcmpl-${id}`, created: 0, model: body.model };
  if (!body.stream) {
    const message = call
      ? { role: "assistant", content: null, tool_calls: [call] }
      : { role: "assistant", content: turn.text };
    const choices = [{ index: 0, message, finish_reason }];
    return out.whole({ ...head, object: "chat.completion", choices, usage });
  }
  const chunk = (choices, rest) =>
    out.event({ ...head, object: "chat.completion.chunk", choices, ...rest });
  const delta = (delta, finish_reason = null) => chunk([{ index: 0, delta, finish_reason }]);
  if (call) delta({ role: "assistant", tool_calls: [call] });
  else for await (const word of pieces(turn)) delta({ role: "assistant", content: word });
  delta({}, finish_reason);
  chunk([], { usage });
  out.event("[DONE]");
}

async function responses(out, body, turn, id) {
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  const item = turn.tool
    ? {
        type: "function_call",
        id: `fc_${id}`,
        call_id: `call_${id}`,
        name: turn.tool,
        arguments: JSON.stringify(turn.input),
        status: "completed",
      }
    : {
        type: "message",
        id: `msg_${id}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: turn.text, annotations: [] }],
      };
  const response = {
    id: `resp_${id}`,
    object: "response",
    created_at: 0,
    model: body.model,
    status: "completed",
    output: [item],
    usage,
  };
  if (!body.stream) return out.whole(response);
  let sequence_number = 0;
  const tell = (type, rest) =>
    out.event({ type, sequence_number: sequence_number++, ...rest }, type);
  tell("response.created", {
    response: { ...response, status: "in_progress", output: [], usage: null },
  });
  const at = { item_id: item.id, output_index: 0 };
  if (turn.tool) {
    const begun = { ...item, arguments: "", status: "in_progress" };
    tell("response.output_item.added", { output_index: 0, item: begun });
    tell("response.function_call_arguments.delta", { ...at, delta: item.arguments });
  } else {
    const begun = { ...item, content: [], status: "in_progress" };
    tell("response.output_item.added", { output_index: 0, item: begun });
    for await (const word of pieces(turn)) {
      tell("response.output_text.delta", { ...at, content_index: 0, delta: word });
    }
  }
  tell("response.output_item.done", { output_index: 0, item });
  tell("response.completed", { response });
}

async function gemini(out, body, turn, id, path) {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const frame = (part, finishReason) => ({
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason }],
    modelVersion: "scripted",
    responseId: id,
    usageMetadata,
  });
  const call = turn.tool && {
    functionCall: { id: `call_${id}`, name: turn.tool, args: turn.input },
  };
  if (!path.includes(":stream")) return out.whole(frame(call ?? { text: turn.text }, "STOP"));
  if (call) return out.event(frame(call, "STOP"));
  for await (const word of pieces(turn)) out.event(frame({ text: word }));
  out.event(frame({ text: "" }, "STOP"));
}

export const ANSWERS = { anthropic, chat, responses, gemini };
