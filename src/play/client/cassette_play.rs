//! What answers each call of a cassette if a test sends its requests again in their order, by the rules of its client.

use super::call_groups::{CallGroups, NumberedCall};
use super::difference::{differing_words, shortened};
use super::player::{CassettePlayer, CassetteState, RecordedRequest};
use super::rules::ClientRules;
use crate::playback::CassetteAnswer;
use calls::cassette_config::{CassetteFacts, TestPlace};
use calls::reading::all_calls;
use compare::review::RecordedAnswers;
use document::call::ModelCall;
use document::cassette::CassetteClient;
use document::{Document, Node};

/// A cassette as its client plays it.
#[derive(Clone, Debug, PartialEq)]
pub struct CassettePlay {
    pub client: CassetteClient,
    /// The names of what the client compares.
    pub compared: Vec<Box<str>>,
    /// The test that uses the cassette.
    pub test: Option<TestPlace>,
    pub calls: Vec<CassetteCall>,
}

/// A call of a cassette.
#[derive(Clone, Debug, PartialEq)]
pub struct CassetteCall {
    pub answer: CassetteAnswer,
    /// How its request differs from one that the client takes for the same, if their answers differ.
    pub difference: Option<SentDifference>,
    /// The matcher that would distinguish them.
    pub settled_by: Option<&'static str>,
}

/// How a request differs from another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentDifference {
    /// The call of the other request, from 0.
    pub other: usize,
    /// The parts in which they differ, none of which is compared; none if the requests are equal.
    pub parts: Vec<&'static str>,
    /// A value that differs: its name, and what differs of it in the two requests.
    pub value: Option<(&'static str, String, String)>,
}

impl CassettePlay {
    /// Plays the requests of a cassette in their order.
    ///
    /// # Errors
    ///
    /// Returns why it is not known what answers, as a sentence.
    pub fn new(
        document: &Document,
        client: CassetteClient,
        facts: &CassetteFacts,
    ) -> Result<Self, String> {
        let rules = ClientRules::of_played(client.into(), facts)?;
        let calls = all_calls(document);
        let recorded = RecordedRequest::all(document);
        let requests: Vec<_> =
            recorded.iter().map(|call| (call.request.clone(), call.is_in_list)).collect();
        let compared = rules.matcher_names().into_iter().map(Box::from).collect();
        let mut player = CassettePlayer::new(recorded, CassetteState::Loaded, rules)
            .map_err(|error| format!("vcrpy cannot load the cassette: {error}."))?;
        let mut played: Vec<CassetteCall> = requests
            .iter()
            .enumerate()
            .map(|(index, (request, is_in_list))| {
                let mut answer = CassetteAnswer::own(index);
                // Of another call nothing is known but that it has its answer.
                if *is_in_list {
                    answer.call = player.answer(request).outcome.played();
                }
                CassetteCall { answer, difference: None, settled_by: None }
            })
            .collect();
        if let Some(groups) = CallGroups::find(document, client, facts, &calls) {
            judge(&groups, &mut played);
        }
        Ok(Self { client, compared, test: facts.test.clone(), calls: played })
    }

    /// The matcher that would distinguish all calls which depend on their order or get a wrong answer; `None` if there is none.
    pub fn settled_by(&self) -> Option<&'static str> {
        let mut open = self.calls.iter().filter(|call| call.difference.is_some());
        let first = open.next()?.settled_by?;
        open.all(|call| call.settled_by == Some(first)).then_some(first)
    }
}

/// Judges the calls that are equal in all that is compared.
fn judge(groups: &CallGroups<'_>, played: &mut [CassetteCall]) {
    let answers = RecordedAnswers::new(groups.document, groups.calls);
    let is_alike = |first: &NumberedCall<'_>, other: &NumberedCall<'_>| {
        first.1.response.map(Node::raw) == other.1.response.map(Node::raw)
            || answers.are_alike(first.0, other.0)
    };
    for group in &groups.groups {
        let [first, rest @ ..] = &group[..] else { continue };
        let differ = rest.iter().any(|other| !is_alike(first, other));
        let settled_by = differ.then(|| groups.settling_matcher(group, is_alike)).flatten();
        for (at, numbered) in group.iter().enumerate() {
            let Some(call) = played.get_mut(numbered.0 - 1) else { continue };
            // Where calls repeat, the first of equal ones always answers.
            let other = match groups.repeats {
                Some(_) => 0,
                None if at == 0 => 1,
                None => at - 1,
            };
            let is_wrong = groups.repeats.is_some() && !is_alike(first, numbered);
            call.answer.is_wrong = is_wrong;
            if groups.repeats.is_none() && differ {
                call.answer.alike = group.len();
            }
            if is_wrong || call.answer.alike > 1 {
                call.settled_by = settled_by;
                call.difference =
                    Some(difference(groups, &group[at], &group[other.min(group.len() - 1)]));
            }
        }
    }
}

fn difference(
    groups: &CallGroups<'_>,
    sent: &NumberedCall<'_>,
    recorded: &NumberedCall<'_>,
) -> SentDifference {
    let other = recorded.0 - 1;
    let calls = [sent, recorded].map(|(number, _)| groups.calls.get(number - 1));
    let [Some(sent_call), Some(recorded_call)] = calls else {
        return SentDifference { other, ..SentDifference::default() };
    };
    let parts = groups.differing_parts([sent.0, recorded.0]);
    let has_body = parts.contains(&"body");
    let value = has_body.then(|| body_value(sent_call, recorded_call)).flatten();
    SentDifference { other, parts, value }
}

/// Returns the first value that differs in the bodies of two calls of models: of the prompt, else of its settings.
fn body_value(
    sent: &ModelCall<'_>,
    recorded: &ModelCall<'_>,
) -> Option<(&'static str, String, String)> {
    let requests = [sent.document.body.request()?, recorded.document.body.request()?];
    let texts = requests.map(|request| {
        let texts = request.messages.iter().flat_map(|message| message.texts());
        texts.collect::<Vec<&str>>()
    });
    let mut pairs = texts[0].iter().zip(&texts[1]);
    if let Some((a, b)) = pairs.find(|(a, b)| a != b) {
        let (a, b) = differing_words(a, b);
        return Some(("prompt", a, b));
    }
    let [a, b] = requests.map(|request| request.messages.len());
    if a != b {
        return Some(("messages", a.to_string(), b.to_string()));
    }
    let find = |name: &str| {
        let parameter = recorded.facts.parameters.iter().find(|(other, _)| *other == name);
        parameter.map_or("none", |(_, value)| value)
    };
    let mut parameters = sent.facts.parameters.iter();
    let (name, value) = parameters.find(|(name, value)| find(name) != value)?;
    Some((name, shortened(value), shortened(find(name))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::cassette_config::{ConfigOrigin, ConfigTexts};
    use document::text::Source;

    /// A cassette of three calls of a model, of which the last two have one address.
    fn cassette() -> Document {
        let call = |path: &str, prompt: &str, answer: &str| {
            format!(
                "- request: {{method: POST, uri: 'https://api.openai.com/v1/{path}', headers: {{content-type: [application/json]}}, body: '{{\"model\": \"m\", \"messages\": [{{\"role\": \"user\", \"content\": \"{prompt}\"}}]}}'}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: '{{\"choices\": [{{\"message\": {{\"content\": \"{answer}\"}}}}]}}'}}}}\n"
            )
        };
        let calls = [
            call("files", "x", "1"),
            call("chat/completions", "Read Sheet 1, please", "2"),
            call("chat/completions", "Read Sheet 2, please", "3"),
        ];
        let text = format!("interactions:\n{}version: 1\n", calls.concat());
        document::read(Source::new(text), "a.yaml")
    }

    fn origin() -> ConfigOrigin {
        ConfigOrigin { path: "conftest.py".into(), line: 3 }
    }

    fn matchers(names: Option<&[&str]>) -> Option<ConfigTexts> {
        let texts = names.map(|names| names.iter().map(|name| Box::from(*name)).collect());
        Some(ConfigTexts { key: "match_on".into(), texts, origin: origin() })
    }

    /// The answers of the calls: whose they are, with `!` if they are wrong and `?` if their order decides.
    fn answers(facts: &CassetteFacts) -> String {
        let play = match CassettePlay::new(&cassette(), CassetteClient::Vcrpy, facts) {
            Ok(play) => play,
            Err(reason) => return reason,
        };
        let answer = |call: &CassetteCall| {
            let number = call.answer.call.map_or("-".to_owned(), |call| (call + 1).to_string());
            let sign = match call.answer {
                CassetteAnswer { is_wrong: true, .. } => "!",
                CassetteAnswer { alike: 2.., .. } => "?",
                _ => "",
            };
            number + sign
        };
        play.calls.iter().map(answer).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn calls_are_answered_by_the_rules_of_their_client() {
        let facts = CassetteFacts::default;
        let repeats = || CassetteFacts { repeats: Some(origin()), ..facts() };
        let ignored = || matchers(Some(&["api.openai.com"])).into_iter().collect();
        for (facts, expected) in [
            (facts(), "1 2? 3?"),
            (repeats(), "1 2 2!"),
            (CassetteFacts { match_on: matchers(Some(&["uri", "body"])), ..repeats() }, "1 2 3"),
            (CassetteFacts { ignored: ignored(), ..facts() }, "- - -"),
            (
                CassetteFacts { match_on: matchers(None), ..facts() },
                "vcrpy compares requests by code of this project (conftest.py:3), so what answers is not known.",
            ),
        ] {
            assert_eq!(answers(&facts), expected);
        }
    }

    #[test]
    fn what_is_sent_differs_from_what_was_recorded_in_a_value() {
        let facts = CassetteFacts { repeats: Some(origin()), ..CassetteFacts::default() };
        let play = CassettePlay::new(&cassette(), CassetteClient::Vcrpy, &facts).unwrap();
        let difference = SentDifference {
            other: 1,
            parts: vec!["body"],
            value: Some(("prompt", "2,".to_owned(), "1,".to_owned())),
        };
        assert_eq!(play.calls[2].difference.as_ref(), Some(&difference));
        assert_eq!(play.settled_by(), Some("body"));
        assert!(play.calls[..2].iter().all(|call| call.difference.is_none()));
        for (a, b, expected) in [
            ("a b c", "a c", ("b", "nothing")),
            ("x", "y", ("x", "y")),
            ("a a", "a", ("a", "nothing")),
        ] {
            let (left, right) = differing_words(a, b);
            assert_eq!((left.as_str(), right.as_str()), expected, "{a} {b}");
        }
    }
}
