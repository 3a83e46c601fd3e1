//! `cache-prefix`: the prompt cache of a provider cannot serve a conversation that goes on.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use calls::reading::calls;
use calls::tape::verify::ignore::masked;
use document::call::ModelCall;
use document::recording::{MessageBlock, Request};
use document::text::{Span, some_and_others, thousands};
use document::{Document, NodeId, Problem, RuleId, json};

rule! {
    /// A conversation goes on, and its beginning is not what was sent before: the tools are in another order, the system prompt has the time,
    /// or an earlier message is written again. Providers keep the beginning of a prompt in a cache, and read it from there at a part of the price, as far as
    /// it is the same: tools first, then the system prompt, then the messages. From the first difference on, everything is paid for again in every run.
    ///
    /// A call continues an earlier one of the same file, or of the same folder of recordings, if it has the same model, more messages, and at least half of those that the
    /// other had; or if its message behind those is the answer of the other. Marks of the cache (`cache_control`) do not count. The number of tokens is that of the earlier call from the difference on, by its share of the text.
    /// The rule is off unless `retake.toml` or `--rule` sets its level. Only `retake check` reports it, and only of the whole project: not
    /// when staged or changed files are checked. `retake audit` looks for it unless it is set to `off`.
    CachePrefix {
        title: "The prompt cache cannot serve the conversation",
        fix: "Keep the beginning of the prompt the same in every call: tools in one order, times and ids in the last message, and earlier messages as they were sent.",
        before: "Paid for in every call" => "\"system\": \"You are an agent. It is 10:31.\"",
        after: "Read from the cache" => "\"system\": \"You are an agent.\"",
    }
}

/// The most calls that a message names.
const MAX_NUMBERS: usize = 6;

/// The least bytes of an answer by which a conversation is recognised.
// Other conversations have short ones such as `Yes.`, too.
const MIN_ANSWER_BYTES: usize = 8;

/// The first difference between the beginnings of two prompts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PrefixBreak {
    ToolOrder,
    /// Names of the tools that differ.
    Tools(String),
    System {
        is_volatile: bool,
    },
    /// Its number, from 1.
    Message {
        number: usize,
        is_volatile: bool,
    },
}

impl fmt::Display for PrefixBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = |is_volatile| if is_volatile { "has another time or id" } else { "is another" };
        match self {
            Self::ToolOrder => f.write_str("the tools are in another order"),
            Self::Tools(names) => write!(f, "the tools differ: {names}"),
            Self::System { is_volatile } => write!(f, "the system prompt {}", cause(*is_volatile)),
            Self::Message { number, is_volatile } => {
                write!(f, "message {number} {}", cause(*is_volatile))
            }
        }
    }
}

/// The beginning of a prompt, in the order in which providers cache it.
struct Prompt<'a> {
    model: Option<&'a str>,
    input_tokens: Option<u64>,
    /// Names, each with its definition.
    tools: Vec<(&'a str, Cow<'a, str>)>,
    system: &'a str,
    messages: Vec<Cow<'a, str>>,
    /// Texts of each message, and of the answer.
    texts: Vec<String>,
    answer: String,
}

impl<'a> Prompt<'a> {
    fn read(call: &'a ModelCall<'_>) -> Option<Self> {
        let request: &Request = call.document.body.request()?;
        let text = |node: NodeId| without_marks(&call.document, node);
        let tools = request.tools.iter();
        Some(Self {
            model: call.facts.model.as_deref(),
            input_tokens: call.facts.input_tokens,
            tools: tools
                .map(|t| (t.name.as_ref().map_or("", |n| &*n.value), text(t.node)))
                .collect(),
            system: request.system_prompt.as_ref().map_or("", |prompt| &prompt.value),
            messages: request.messages.iter().map(|message| text(message.node)).collect(),
            texts: request.messages.iter().map(|message| text_of(&message.blocks)).collect(),
            answer: call.answer().map_or_else(String::new, |answer| text_of(&answer.blocks)),
        })
    }

    /// Returns how many messages of an earlier prompt are in this one; `None` if it does not continue that.
    fn continues(&self, earlier: &Self) -> Option<usize> {
        let has_grown = self.model == earlier.model && self.messages.len() > earlier.messages.len();
        let is_same = |message: &&Cow<'_, str>| self.messages.contains(message);
        let count = || earlier.messages.iter().filter(is_same).count();
        let is_most = |count: &usize| *count > 0 && count * 2 >= earlier.messages.len();
        has_grown.then(count).filter(|count| is_most(count) || self.repeats_answer(earlier))
    }

    /// Returns whether the message behind those of an earlier prompt is the answer to that.
    fn repeats_answer(&self, earlier: &Self) -> bool {
        let next = self.texts.get(earlier.messages.len());
        earlier.answer.len() >= MIN_ANSWER_BYTES && next == Some(&earlier.answer)
    }

    fn first_break(&self, earlier: &Self) -> Option<PrefixBreak> {
        if self.tools != earlier.tools {
            let differs = |others: &[(&str, Cow<'_, str>)], tool: &(&str, Cow<'_, str>)| {
                !others.contains(tool)
            };
            let new = self.tools.iter().filter(|tool| differs(&earlier.tools, tool));
            let old = earlier.tools.iter().filter(|tool| differs(&self.tools, tool));
            let mut names: Vec<&str> = new.chain(old).map(|(name, _)| *name).collect();
            names.sort_unstable();
            names.dedup();
            return Some(match names.as_slice() {
                [] => PrefixBreak::ToolOrder,
                names => PrefixBreak::Tools(some_and_others(
                    names.iter().map(|name| format!("`{name}`")),
                    3,
                )),
            });
        }
        let is_volatile = |new: &str, old: &str| masked(new).0 == masked(old).0;
        if self.system != earlier.system {
            return Some(PrefixBreak::System {
                is_volatile: is_volatile(self.system, earlier.system),
            });
        }
        let pairs = self.messages.iter().zip(&earlier.messages);
        let (index, (new, old)) = pairs.enumerate().find(|(_, (new, old))| new != old)?;
        Some(PrefixBreak::Message { number: index + 1, is_volatile: is_volatile(new, old) })
    }

    /// Returns how many tokens of this prompt follow a difference, by their share of its text.
    fn tokens_from(&self, place: &PrefixBreak) -> Option<u64> {
        let sizes = |texts: &[Cow<'_, str>]| texts.iter().map(|text| text.len()).sum::<usize>();
        let tools: usize = self.tools.iter().map(|(_, text)| text.len()).sum();
        let all = tools + self.system.len() + sizes(&self.messages);
        let kept = match place {
            PrefixBreak::ToolOrder | PrefixBreak::Tools(_) => 0,
            PrefixBreak::System { .. } => tools,
            PrefixBreak::Message { number, .. } => {
                tools + self.system.len() + sizes(&self.messages[..number - 1])
            }
        };
        let tokens = u128::from(self.input_tokens?) * (all - kept) as u128 / all.max(1) as u128;
        u64::try_from(tokens).ok()
    }
}

/// Returns the texts and the ids of tool calls in a message or an answer.
fn text_of(blocks: &[MessageBlock]) -> String {
    let part = |block: &MessageBlock| match block {
        MessageBlock::ToolUse(call) => Some(call.id.as_ref()?.value.to_string()),
        block => block.text().map(|text| text.trim().to_owned()),
    };
    blocks.iter().filter_map(part).collect::<Vec<String>>().join("\n")
}

/// Returns a value as it is written, without marks of the cache.
fn without_marks(document: &Document, node: NodeId) -> Cow<'_, str> {
    let raw = json::text(document.node(node));
    if !raw.contains("cache_control") {
        return raw;
    }
    let Ok(mut value) = serde_json::from_str::<serde_json::Value>(&raw) else { return raw };
    remove_marks(&mut value);
    Cow::Owned(value.to_string())
}

fn remove_marks(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(members) => {
            members.remove("cache_control");
            members.values_mut().for_each(remove_marks);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(remove_marks),
        _ => {}
    }
}

/// A place from which the prompt cache cannot serve a conversation.
#[derive(Clone, Debug)]
pub struct CacheBreak {
    /// The number of its document.
    pub number: usize,
    pub problem: Problem,
    /// Tokens that are paid for again in each run; 0 if no answer says how many there are.
    pub tokens: u64,
}

/// Finds the breaks between calls that may continue each other: those of one file, or of a folder with a recording in each file.
pub fn judge(documents: &[(usize, Document)]) -> Vec<CacheBreak> {
    let all_calls: Vec<_> =
        documents.iter().map(|(number, doc)| (number, doc, calls(doc))).collect();
    let prompts: Vec<_> = all_calls
        .iter()
        .flat_map(|(number, document, calls)| {
            calls.iter().filter_map(|call| Some((**number, *document, call, Prompt::read(call)?)))
        })
        .collect();
    let mut breaks: BTreeMap<PrefixBreak, Vec<(usize, Option<u64>)>> = BTreeMap::new();
    for (index, (.., prompt)) in prompts.iter().enumerate() {
        let earlier = prompts[..index].iter().map(|(.., earlier)| earlier);
        // Of several the last one that has the most in common.
        let continued = earlier.filter_map(|earlier| Some((prompt.continues(earlier)?, earlier)));
        let Some((_, earlier)) = continued.max_by_key(|(count, _)| *count) else { continue };
        if let Some(place) = prompt.first_break(earlier) {
            let tokens = earlier.tokens_from(&place);
            breaks.entry(place).or_default().push((index, tokens));
        }
    }
    let problem = |(place, places): (PrefixBreak, Vec<(usize, Option<u64>)>)| {
        let (number, document, call, _) = &prompts[places[0].0];
        let node = document.node(call.node);
        let span = Span::new(node.span().start as usize, node.span().start as usize);
        let tokens = places.iter().filter_map(|(_, tokens)| *tokens);
        let tokens = tokens.fold(0, u64::saturating_add);
        let message = message(&place, &places, tokens);
        let pointer = node.bounded_pointer();
        let problem = Problem::at(RuleId::CachePrefix, document.source(), span, pointer, message);
        CacheBreak { number: *number, problem, tokens }
    };
    breaks.into_iter().map(problem).collect()
}

/// Returns the message about calls with the same difference: the number of each in the conversation, and the tokens of all.
fn message(place: &PrefixBreak, places: &[(usize, Option<u64>)], tokens: u64) -> String {
    let numbers = places.iter().map(|(index, _)| (index + 1).to_string());
    let numbers = some_and_others(numbers, MAX_NUMBERS);
    let calls = match places {
        [_] => format!("Call {numbers} continues"),
        _ => format!("Calls {numbers} continue"),
    };
    let cost = match usize::try_from(tokens).unwrap_or(usize::MAX) {
        0 => String::new(),
        tokens => format!("; about {} tokens are paid for again", thousands(tokens)),
    };
    format!("{calls} an earlier one, but {place}{cost}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;
    use document::text::Source;

    /// A cassette with these requests, each with 1,000 tokens.
    fn cassette(requests: &[&str]) -> String {
        let call = |request: &&str| {
            format!(
                "- request: {{method: POST, uri: 'https://api.openai.com/v1/chat/completions', headers: {{}}, body: '{{\"model\":\"m\",{request}}}'}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: '{{\"model\":\"m\",\"choices\":[{{\"message\":{{\"role\":\"assistant\",\"content\":\"Yes.\"}}}}],\"usage\":{{\"prompt_tokens\":1000,\"completion_tokens\":2}}}}'}}}}\n"
            )
        };
        format!("interactions:\n{}version: 1\n", requests.iter().map(call).collect::<String>())
    }

    fn message(role: &str, content: &str) -> String {
        format!(r#"{{"role":"{role}","content":"{content}"}}"#)
    }

    /// Names of the tools, and texts of the messages; the first is the system prompt.
    type Sent<'a> = (&'a str, &'a [&'a str]);

    /// Returns what is reported of a conversation of two calls.
    fn reported(old: Sent<'_>, new: Sent<'_>) -> String {
        let request = |(tools, messages): Sent<'_>| {
            let roles = ["system", "user", "assistant"];
            let role = |index: usize| if index == 0 { "system" } else { roles[2 - index % 2] };
            let messages: Vec<String> = messages
                .iter()
                .enumerate()
                .map(|(index, text)| message(role(index), text))
                .collect();
            let tools: Vec<String> = tools
                .split_whitespace()
                .map(|name| {
                    format!(
                        r#"{{"type":"function","function":{{"name":"{name}","parameters":{{}}}}}}"#
                    )
                })
                .collect();
            format!(r#""tools":[{}],"messages":[{}]"#, tools.join(","), messages.join(","))
        };
        let text = cassette(&[&request(old), &request(new)]);
        let problems = judge(&[(0, read(Source::new(text), "a.yaml"))]);
        let lines: Vec<String> = problems
            .iter()
            .map(|CacheBreak { problem: p, .. }| format!("{} {} {}", p.place, p.pointer, p.message))
            .collect();
        lines.join("\n")
    }

    #[test]
    fn the_first_difference_of_the_beginning_is_reported() {
        let old: Sent<'_> = ("a b", &["Be kind.", "Hi", "Yes."]);
        let at = |minute: &str| format!("It is 2026-06-08T10:{minute}:00Z.");
        let (then, now) = (at("31"), at("32"));
        let cases: [(Sent<'_>, Sent<'_>, &str); 6] = [
            (
                old,
                ("b a", &["Be kind.", "Hi", "Yes.", "More"]),
                "the tools are in another order; about 1,000",
            ),
            (
                old,
                ("a c", &["Be kind.", "Hi", "Yes.", "More"]),
                "the tools differ: `b` and `c`; about 1,000",
            ),
            (
                old,
                ("a b", &["Be good.", "Hi", "Yes.", "More"]),
                "the system prompt is another; about ",
            ),
            (old, ("a b", &["Be kind.", "Hi!", "Yes.", "More"]), "message 1 is another; about "),
            (
                ("", &[&then, "Hi"]),
                ("", &[&now, "Hi", "Yes."]),
                "the system prompt has another time or id; about ",
            ),
            (
                ("", &["", "Hi", &then]),
                ("", &["", "Hi", &now, "More"]),
                "message 2 has another time or id; about ",
            ),
        ];
        for (old, new, expected) in cases {
            let line = reported(old, new);
            let start =
                format!("4:3 /interactions/1 Call 2 continues an earlier one, but {expected}");
            assert!(line.starts_with(&start), "{expected}: {line}");
        }
        assert_eq!(reported(old, ("a b", &["Be kind.", "Hi", "Yes.", "More"])), "");
    }

    #[test]
    fn numbers_of_tokens_that_no_prompt_has_are_added() {
        let request = |tool: &str, count: usize| {
            let tool = format!(r#"{{"type":"function","function":{{"name":"{tool}"}}}}"#);
            let messages = vec![message("user", "Hi"); count].join(",");
            format!(r#""tools":[{tool}],"messages":[{messages}]"#)
        };
        let text = cassette(&[&request("a", 1), &request("b", 2), &request("a", 3)]);
        let text = text.replace("1000", &u64::MAX.to_string());
        let breaks = judge(&[(0, read(Source::new(text), "a.yaml"))]);
        let tokens: Vec<u64> = breaks.iter().map(|found| found.tokens).collect();
        assert_eq!(tokens, [u64::MAX]);
    }

    /// The calls that are reported, by their numbers in the cassette.
    fn reported_calls(requests: &[(Vec<String>, String)]) -> Vec<usize> {
        let call = |(messages, answer): &(Vec<String>, String)| {
            let request = format!(r#""messages":[{}]"#, messages.join(","));
            cassette(&[&request]).replace("Yes.", answer)
        };
        let calls: String = requests.iter().map(call).collect();
        let text = calls.replace("version: 1\n", "").replace("interactions:\n", "");
        let document = read(Source::new(format!("interactions:\n{text}version: 1\n")), "a.yaml");
        let problems = judge(&[(0, document)]);
        let numbers = problems.iter().flat_map(|found| {
            let (calls, _) = found.problem.message.split_once(" continue").unwrap();
            let words = calls.split(|c: char| !c.is_ascii_digit());
            words.filter_map(|word| word.parse().ok()).collect::<Vec<usize>>()
        });
        let mut numbers: Vec<usize> = numbers.collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn each_conversation_whose_beginning_changes_is_found_and_no_other() {
        let mut seed = 7_u64;
        let mut below = move |limit: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % limit) as usize
        };
        let mut found = 0;
        for number in 0..219 {
            let (mut calls, mut changed) = (Vec::new(), Vec::new());
            for conversation in 0..1 + below(2) {
                let name = format!("{number}.{conversation}");
                let mut messages = vec![message("user", &format!("Question {name}"))];
                let mut sent = messages.len();
                for turn in 0..2 + below(2) {
                    if turn > 0 && below(3) == 0 {
                        messages[below(sent as u64)] =
                            message("user", &format!("Rewritten {name}.{turn}"));
                        changed.push(calls.len() + 1);
                    }
                    sent = messages.len();
                    let answer = format!("The answer {name}.{turn}");
                    calls.push((messages.clone(), answer.clone()));
                    messages.push(message("assistant", &answer));
                    messages.push(message("user", &format!("More {name}.{turn}")));
                }
            }
            assert_eq!(reported_calls(&calls), changed, "conversation {number}");
            found += changed.len();
        }
        assert!(found > 100, "{found}");
    }

    #[test]
    fn another_conversation_is_no_continuation() {
        let old: Sent<'_> = ("", &["Be kind.", "Hi", "Yes."]);
        assert_eq!(reported(old, ("a", &["Be kind.", "One", "Two", "Three"])), "");
        assert_eq!(reported(old, ("a", &["Be good.", "Hi", "Yes."])), "");
    }
}
