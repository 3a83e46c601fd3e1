//! Cassettes whose bodies are YAML trees, as projects that record agents keep them: with texts that are plain, in quotes, folded at 80
//! columns or in blocks, of all lengths.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};

/// How many cassettes there are, with about 160 MB together.
pub(crate) const TREE_COUNT: usize = 1400;
/// Where a plain text goes on in the next line.
const WIDTH: usize = 80;

const SENTENCES: [&str; 4] = [
    "The customer asks where the order is and when it will arrive at the new address.",
    "Look up the order before you answer, and never promise a refund that no one has approved.",
    "It left the warehouse on Monday; the carrier has scanned it twice since then.",
    "If the parcel is lost, offer a replacement and say how long it takes.",
];

pub(crate) fn write(root: &Path) -> io::Result<()> {
    fs::write(root.join("retake.toml"), "")?;
    for number in 0..TREE_COUNT {
        let folder = root.join(format!("tests/cassettes/test_{}", number / 20));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("test_case_{number}.yaml")), cassette(number))?;
    }
    Ok(())
}

/// Returns a cassette of one to six calls, each of which repeats the conversation before it. Every fourth has a streamed answer.
fn cassette(number: usize) -> String {
    let mut text = "interactions:\n".to_owned();
    let mut messages =
        vec![json!({ "role": "system", "content": text_of(number, 12 + number % 40) })];
    for call in 0..1 + number % 6 {
        let place = number * 7 + call;
        messages.push(json!({ "role": "user", "content": [{ "type": "text", "text": text_of(place, 3 + place % 60) }] }));
        let request = json!({ "model": "gpt-5", "temperature": 0.2, "messages": messages, "tools": tools(place) });
        let answer = paragraphs(place);
        let result = json!({
            "id": format!("chatcmpl-{place:029}"), "object": "chat.completion", "created": 1_760_000_000 + place,
            "choices": [{ "index": 0, "finish_reason": "stop", "logprobs": null,
                "message": { "role": "assistant", "content": answer, "refusal": null } }],
            "usage": { "prompt_tokens": 900 + place, "completion_tokens": 300, "total_tokens": 1200 + place },
        });
        text += "- request:\n    headers:\n      content-type:\n      - application/json\n      host:\n      - api.openai.com\n";
        text += "    method: POST\n    parsed_body:\n";
        members(&mut text, &request, 6);
        text += "    uri: https://api.openai.com/v1/chat/completions\n  response:\n";
        if number % 4 == 3 {
            text += "    body:\n      string: |+\n";
            for word in answer.split(' ').map(|word| word.replace('\n', "\\n")) {
                let _ = write!(
                    text,
                    "        data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{word} \"}}}}]}}\n\n"
                );
            }
        } else {
            text += "    parsed_body:\n";
            members(&mut text, &result, 6);
        }
        text += "    headers:\n      content-type:\n      - application/json\n    status:\n      code: 200\n      message: OK\n";
        messages.push(json!({ "role": "assistant", "content": answer }));
    }
    text + "version: 1\n"
}

fn text_of(seed: usize, count: usize) -> String {
    let sentences = (0..count.div_ceil(3)).map(|at| SENTENCES[(seed + at) % SENTENCES.len()]);
    sentences.collect::<Vec<_>>().join(" ")
}

fn paragraphs(seed: usize) -> String {
    let paragraphs = (0..1 + seed % 9).map(|at| text_of(seed + at, 3 + (seed + at) % 30));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

fn tools(seed: usize) -> Value {
    let tool = |number: usize| {
        json!({ "type": "function", "function": { "name": format!("tool_{number}"), "description": text_of(number, 9), "strict": true,
            "parameters": { "type": "object", "additionalProperties": false, "required": ["order", "note: optional"],
                "properties": { "order": { "type": "string", "description": text_of(number + 1, 3) }, "note": { "type": "string" } } } } })
    };
    (0..2 + seed % 8).map(tool).collect()
}

/// Writes the members of an object or the elements of a list, in lines with this many spaces.
fn members(text: &mut String, value: &Value, indent: usize) {
    let spaces = " ".repeat(indent);
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let _ = write!(text, "{spaces}{key}:");
                self::value(text, value, indent);
            }
        }
        Value::Array(items) => {
            for item in items {
                let mut inner = String::new();
                members(&mut inner, item, indent + 2);
                match item {
                    Value::Object(_) => {
                        let _ = write!(text, "{spaces}- {}", inner.trim_start());
                    }
                    _ => {
                        let _ = write!(text, "{spaces}-");
                        self::value(text, item, indent);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Writes a value after its key or its dash.
fn value(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Array(items) if items.is_empty() => *text += " []\n",
        Value::Object(object) if *object == Map::new() => *text += " {}\n",
        Value::Array(_) => {
            text.push('\n');
            members(text, value, indent);
        }
        Value::Object(_) => {
            text.push('\n');
            members(text, value, indent + 2);
        }
        Value::String(content) => scalar(text, content, indent + 2),
        _ => {
            let _ = writeln!(text, " {value}");
        }
    }
}

/// Writes a text as PyYAML does: in a block if it has lines, else plain or in quotes, folded.
fn scalar(text: &mut String, content: &str, indent: usize) {
    let spaces = " ".repeat(indent);
    if content.contains('\n') {
        *text += " |-\n";
        for line in content.lines() {
            let _ = if line.is_empty() { writeln!(text) } else { writeln!(text, "{spaces}{line}") };
        }
        return;
    }
    let quote = if content.contains(": ") { "'" } else { "" };
    let mut column = indent;
    let _ = write!(text, " {quote}");
    for (at, word) in content.split(' ').enumerate() {
        if column > WIDTH {
            let _ = write!(text, "\n{spaces}");
            column = indent;
        } else if at > 0 {
            text.push(' ');
        }
        *text += word;
        column += word.len() + 1;
    }
    let _ = writeln!(text, "{quote}");
}
