//! Where two runs part: the first difference that was planted is found in each of many pairs, and what repeats it is counted.

use serde_json::{Value, json};

use crate::project::{Project, RandomNumbers};

/// Number of pairs of runs.
const PAIR_COUNT: usize = 300;

/// What was changed from one call on.
#[derive(Clone, Copy)]
enum Planted {
    Answer,
    Message,
    Tool,
}

/// A run of some calls, each of which repeats the earlier messages.
struct RunPlan {
    calls: usize,
    /// The change, and the call in which it is first, from 1.
    change: Option<(Planted, usize)>,
    /// Whether the last answer is another one, which nothing repeats.
    has_other_end: bool,
    salt: usize,
}

impl RunPlan {
    fn is_changed(&self, planted: fn(Planted) -> bool, call: usize) -> bool {
        self.change.is_some_and(|(kind, first)| planted(kind) && first == call)
    }

    fn user(&self, call: usize) -> Value {
        let word =
            if self.is_changed(|p| matches!(p, Planted::Message), call) { "please" } else { "now" };
        json!({"role": "user", "content": format!("Look up order {call} {word}.")})
    }

    fn answer(&self, call: usize) -> Value {
        let is_end = self.has_other_end && call == self.calls;
        let is_new = self.is_changed(|p| matches!(p, Planted::Answer), call);
        let words = if is_new {
            "is lost"
        } else if is_end {
            "came back"
        } else {
            "was sent"
        };
        json!({"role": "assistant", "content": format!("Order {call} {words}.")})
    }

    fn cassette(&self) -> String {
        let call = |call: usize| {
            let before = (1..call).flat_map(|earlier| [self.user(earlier), self.answer(earlier)]);
            let messages: Vec<Value> = before.chain([self.user(call)]).collect();
            let is_new_tool = self
                .change
                .is_some_and(|(kind, first)| matches!(kind, Planted::Tool) && call >= first);
            let about = if is_new_tool { "Finds an order." } else { "Looks up an order." };
            let tool = json!({"type": "function", "function": {"name": "find", "description": about, "parameters": {"type": "object"}}});
            let sent = json!({"model": "m", "messages": messages, "tools": [tool]});
            // Ids and numbers of tokens are others in each run.
            let received = json!({"id": format!("chatcmpl-{}{call}aB3dE5fG7", self.salt), "created": 1_780_000_000 + self.salt, "model": "m",
                "choices": [{"index": 0, "message": self.answer(call), "finish_reason": "stop"}]});
            let quoted = |value: &Value| format!("'{value}'");
            format!(
                "- request: {{method: POST, uri: 'https://api.openai.com/v1/chat/completions', headers: {{}}, body: {}}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: {}}}}}\n",
                quoted(&sent),
                quoted(&received)
            )
        };
        format!("interactions:\n{}version: 1\n", (1..=self.calls).map(call).collect::<String>())
    }
}

/// A project with two transcripts of four calls, which part in the second answer.
pub(crate) fn parting_transcripts() -> Project {
    let plan = |change, salt| RunPlan { calls: 4, change, has_other_end: false, salt };
    let old = transcript(&plan(None, 1), false);
    let new = transcript(&plan(Some((Planted::Answer, 2)), 2), false);
    Project::new(&[("runs/a.jsonl", &old), ("runs/b.jsonl", &new)])
}

/// A transcript of an agent: of Claude Code, or of Codex.
fn transcript(plan: &RunPlan, is_codex: bool) -> String {
    let text = |value: Value| value["content"].as_str().unwrap_or_default().to_owned();
    let mut lines = Vec::new();
    let time = |call: usize| format!("2026-03-01T10:{:02}:{:02}Z", call, plan.salt % 60);
    if is_codex {
        let id = format!("s-{}", plan.salt);
        lines.push(json!({"timestamp": time(0), "type": "session_meta", "payload": {"id": id, "cwd": "/srv", "cli_version": "0.171.0"}}));
        lines.push(json!({"timestamp": time(0), "type": "turn_context", "payload": {"cwd": "/srv", "model": "m", "summary": "none"}}));
    }
    for call in 1..=plan.calls {
        let (user, answer) = (text(plan.user(call)), text(plan.answer(call)));
        if is_codex {
            for (role, kind, text) in
                [("user", "input_text", &user), ("assistant", "output_text", &answer)]
            {
                let content = json!([{"type": kind, "text": text}]);
                lines.push(json!({"timestamp": time(call), "type": "response_item", "payload": {"type": "message", "role": role, "content": content}}));
            }
            let usage = json!({"input_tokens": 10 + plan.salt, "cached_input_tokens": 0, "output_tokens": 5});
            lines.push(json!({"timestamp": time(call), "type": "event_msg", "payload": {"type": "token_count", "info": {"total_token_usage": usage, "last_token_usage": usage}}}));
            continue;
        }
        let line = |kind: &str, message: Value| {
            json!({"parentUuid": null, "isSidechain": false, "type": kind, "message": message,
                "uuid": format!("{:032x}", plan.salt * 100 + call), "timestamp": time(call), "cwd": "/srv",
                "sessionId": format!("{:08x}", plan.salt), "version": "2.1.197", "gitBranch": "main"})
        };
        lines.push(line("user", json!({"role": "user", "content": user})));
        lines.push(line("assistant", json!({"id": format!("msg_{}aB{call}", plan.salt), "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": answer}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 10 + plan.salt, "output_tokens": 5}})));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn transcripts_part_in_the_call_in_which_they_differ_first() {
    let mut random = RandomNumbers(52);
    let project = Project::new(&[]);
    let mut expected = Vec::new();
    for number in 0..PAIR_COUNT {
        let calls = 2 + random.below(5);
        let first = 1 + random.below(calls);
        let kind = [Planted::Answer, Planted::Message][random.below(2)];
        let has_other_end = first < calls && random.below(2) == 0;
        let plan = |change, has_other_end, salt| RunPlan { calls, change, has_other_end, salt };
        let path = format!("run-{number:03}.jsonl");
        let is_codex = number % 2 == 1;
        let old = plan(None, false, number);
        project.write(&format!("old/{path}"), transcript(&old, is_codex));
        let new = plan(Some((kind, first)), has_other_end, number + PAIR_COUNT);
        project.write(&format!("new/{path}"), transcript(&new, is_codex));
        let lane = if matches!(kind, Planted::Answer) { "answered" } else { "sent" };
        expected.push(json!({"path": path, "calls": [first, first], "lane": lane}));
    }
    let run = project.run(&["diff", "old", "new", "--first", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let found = run.json();
    let found = found["runs"].as_array().unwrap();
    assert_eq!(found.len(), PAIR_COUNT);
    for (found, expected) in found.iter().zip(&expected) {
        let found =
            json!({"path": found["new"], "calls": found["calls"], "lane": found["first"]["lane"]});
        assert_eq!(found, *expected);
    }
}

#[test]
fn a_planted_difference_is_the_first_one_and_what_repeats_it_is_counted() {
    let mut random = RandomNumbers(51);
    let project = Project::new(&[]);
    let mut expected = Vec::new();
    for number in 0..PAIR_COUNT {
        let calls = 2 + random.below(5);
        let first = 1 + random.below(calls);
        let kind = [Planted::Answer, Planted::Message, Planted::Tool][random.below(3)];
        let has_other_end = first < calls && random.below(2) == 0;
        let plan = |change, has_other_end, salt| RunPlan { calls, change, has_other_end, salt };
        let path = format!("run-{number:03}.yaml");
        project.write(&format!("old/{path}"), plan(None, false, number).cassette());
        let new = plan(Some((kind, first)), has_other_end, number + PAIR_COUNT);
        project.write(&format!("new/{path}"), new.cassette());
        let repeats = calls - first;
        expected.push(json!({
            "path": path, "calls": [first, first],
            "later": repeats + usize::from(has_other_end), "following": repeats,
        }));
    }
    let run = project.run(&["diff", "old", "new", "--first", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let found = run.json();
    let found = found["runs"].as_array().unwrap().iter().map(|row| {
        json!({"path": row["new"], "calls": row["calls"], "later": row["later"], "following": row["following"]})
    });
    for (found, expected) in found.zip(&expected) {
        assert_eq!(found, *expected);
    }
    let run = project.run(&["diff", "old/run-000.yaml", "new/run-000.yaml", "--first"]);
    assert!(
        run.stdout.contains(" parts at call ") && run.stdout.contains("1 run differs"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_conversation_in_many_files_parts_in_its_first_file_that_differs() {
    let project = Project::new(&[]);
    let turn = |number: usize, words: &str| {
        let mut messages = vec![json!({"role": "user", "content": "Start."})];
        for earlier in 1..number {
            messages
                .push(json!({"role": "assistant", "content": format!("Answer {earlier}{words}")}));
            messages.push(json!({"role": "user", "content": format!("Go on {earlier}.")}));
        }
        let content = json!([{"type": "text", "text": format!("Answer {number}{words}")}]);
        json!({
            "request": {"type": "llm_invocation_request", "requestId": format!("req-{number}"), "messages": messages, "tools": []},
            "response": {"type": "llm_invocation_response", "requestId": format!("req-{number}"), "response": {"content": content}},
        })
    };
    for number in 1..=3 {
        project.write(&format!("old/turn-{number}.json"), turn(number, "").to_string());
        let words = if number >= 1 { "!" } else { "" };
        project.write(&format!("new/turn-{number}.json"), turn(number, words).to_string());
    }
    let run = project.run(&["diff", "old", "new", "--first"]);
    assert!(run.stdout.starts_with("turn-1.json parts"), "{}", run.stdout);
    assert_eq!(run.stdout.matches(" parts").count(), 1, "{}", run.stdout);
    assert_eq!(project.run(&["diff", "old", "new", "--first", "--format", "html"]).code, Some(2));
}
