//! The hooks of Claude Code, as version 2.1.332 calls them.

use qd_core::HookEvent;
use serde_json::{Map, Value, json};

/// The hooks that are asked for.
pub(super) const NAMES: [&str; 13] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "StopFailure",
    "SessionEnd",
];
/// How long it waits for one, in seconds. What is called gives up long before.
const LIMIT: u32 = 10;

/// Settings that have every hook call a line of shell.
pub(super) fn settings(command: &str) -> String {
    let hooks: Map<String, Value> = NAMES
        .iter()
        .map(|name| {
            let command = format!("{command} {name}");
            let call = json!({"type": "command", "command": command, "timeout": LIMIT});
            ((*name).to_owned(), json!([{"hooks": [call]}]))
        })
        .collect();
    json!({ "hooks": hooks }).to_string()
}

/// What a call reports; none for a hook that is not asked for.
pub(super) fn read(name: &str, body: &Value) -> Option<HookEvent> {
    let text = |field: &str| body[field].as_str();
    let tool = || text("tool_name").unwrap_or("a tool").to_owned();
    let id = || text("tool_use_id").map(str::to_owned);
    Some(match name {
        // It goes on after its conversation was made shorter.
        "SessionStart" if text("source") == Some("compact") => HookEvent::Alive,
        "SessionStart" => {
            HookEvent::Began { instead: matches!(text("source"), Some("clear" | "resume")) }
        }
        "UserPromptSubmit" => HookEvent::Prompted,
        "PreToolUse" => HookEvent::ToolBegins { id: id(), name: tool() },
        "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" => {
            HookEvent::ToolEnds { id: id(), name: tool() }
        }
        "PermissionRequest" => asks(&tool(), &body["tool_input"]),
        "Notification" => match text("notification_type") {
            Some("permission_prompt") => HookEvent::AsksPermission {
                tool: None,
                what: text("message").unwrap_or("It needs your permission.").to_owned(),
            },
            Some("elicitation_dialog") => HookEvent::AsksQuestion {
                tool: None,
                what: text("message").unwrap_or("It asks a question.").to_owned(),
            },
            Some("idle_prompt") => HookEvent::Waits,
            _ => HookEvent::Alive,
        },
        "SubagentStart" | "SubagentStop" => HookEvent::Alive,
        "Stop" => HookEvent::Stopped {
            background: body["background_tasks"].as_array().map_or(0, Vec::len),
        },
        "StopFailure" => HookEvent::Failed {
            why: text("last_assistant_message")
                .or_else(|| text("error"))
                .unwrap_or("it does not say why.")
                .to_owned(),
        },
        "SessionEnd" => HookEvent::Ended,
        _ => return None,
    })
}

/// What it asks. A question of its own comes by the same hook.
fn asks(tool: &str, input: &Value) -> HookEvent {
    let named = Some(tool.to_owned());
    let text = |field: &str| input[field].as_str();
    if tool == "AskUserQuestion" {
        let asked = input["questions"][0]["question"].as_str().unwrap_or("It asks a question.");
        return HookEvent::AsksQuestion { tool: named, what: asked.to_owned() };
    }
    let what = match (text("command"), text("file_path"), text("url")) {
        _ if tool == "ExitPlanMode" => "It asks you to approve its plan.".to_owned(),
        (Some(command), ..) => format!("It asks to run: {command}"),
        (_, Some(path), _) => format!("It asks to use {tool} on {path}"),
        (.., Some(url)) => format!("It asks to use {tool} on {url}"),
        _ => format!("It asks to use {tool}."),
    };
    HookEvent::AsksPermission { tool: named, what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_is_read() {
        let run = json!({"tool_name": "Bash", "tool_input": {"command": "make"},
                         "tool_use_id": "t"});
        let bash = || "Bash".to_owned();
        let id = || Some("t".to_owned());
        for (name, body, event) in [
            ("SessionStart", json!({"source": "startup"}), HookEvent::Began { instead: false }),
            ("SessionStart", json!({"source": "clear"}), HookEvent::Began { instead: true }),
            ("SessionStart", json!({"source": "compact"}), HookEvent::Alive),
            ("UserPromptSubmit", json!({}), HookEvent::Prompted),
            ("PreToolUse", run.clone(), HookEvent::ToolBegins { id: id(), name: bash() }),
            ("PostToolUse", run.clone(), HookEvent::ToolEnds { id: id(), name: bash() }),
            (
                "PermissionRequest",
                run,
                HookEvent::AsksPermission {
                    tool: Some(bash()),
                    what: "It asks to run: make".to_owned(),
                },
            ),
            (
                "PermissionRequest",
                json!({"tool_name": "AskUserQuestion",
                       "tool_input": {"questions": [{"question": "Which?"}]}}),
                HookEvent::AsksQuestion {
                    tool: Some("AskUserQuestion".to_owned()),
                    what: "Which?".to_owned(),
                },
            ),
            ("Notification", json!({"notification_type": "idle_prompt"}), HookEvent::Waits),
            ("Notification", json!({"notification_type": "new"}), HookEvent::Alive),
            ("Stop", json!({"background_tasks": [{}]}), HookEvent::Stopped { background: 1 }),
            ("Stop", json!({}), HookEvent::Stopped { background: 0 }),
            (
                "StopFailure",
                json!({"error": "unknown", "last_assistant_message": "API Error: 400"}),
                HookEvent::Failed { why: "API Error: 400".to_owned() },
            ),
            ("SessionEnd", json!({"reason": "other"}), HookEvent::Ended),
        ] {
            assert_eq!(read(name, &body), Some(event), "{name}: {body}");
        }
        assert_eq!(read("PreCompact", &json!({})), None);
        // Whatever it sends, it is read without a fault.
        for name in NAMES {
            for body in [json!(null), json!([]), json!("x"), json!({"tool_input": 3})] {
                assert!(read(name, &body).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn the_settings_call_each_hook_by_its_name() {
        let settings: Value = serde_json::from_str(&settings("'/a b/qd' internal hook")).unwrap();
        for name in NAMES {
            let call = &settings["hooks"][name][0]["hooks"][0];
            assert_eq!(call["command"], format!("'/a b/qd' internal hook {name}"));
        }
    }
}
