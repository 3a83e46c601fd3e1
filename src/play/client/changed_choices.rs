//! Checks that the client of a cassette chooses the same answers after the file was changed.

use super::player::{CassettePlayer, CassetteState, RecordedRequest};
use super::rules::ClientRules;
use calls::cassette_config::CassetteFacts;
use document::Document;
use document::cassette::CassetteClient;
use document::text::listed;

/// Calls of a changed cassette that its client answers otherwise than before, by their numbers from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedChoices {
    /// Those whose own requests, as the file has them now, get another answer.
    pub changed: Vec<usize>,
    /// Those whose requests, as they were recorded, get another answer: the client compares what was changed in them.
    pub compared: Vec<usize>,
}

impl ChangedChoices {
    /// Returns whether the client answers as before, whatever the tested program sends.
    pub fn is_same(&self) -> bool {
        self.changed.is_empty() && self.compared.is_empty()
    }

    /// Describes what a client of this name answers after the change, as a sentence without a full stop.
    pub fn sentence(&self, client: &str) -> String {
        let calls = |numbers: &[usize]| {
            let names: Vec<String> = numbers.iter().map(usize::to_string).collect();
            let noun = if names.len() == 1 { "call" } else { "calls" };
            format!("{noun} {}", listed(&names))
        };
        match (&*self.changed, &*self.compared) {
            ([], []) => format!("{client} still chooses the same answers"),
            ([], compared) => format!(
                "{client} compares what was replaced in {}, so the tested program has to send the same",
                calls(compared)
            ),
            (changed, _) => format!("{client} answers {} otherwise than before", calls(changed)),
        }
    }

    /// Plays the requests of a cassette by the rules of its client, before and after a change.
    ///
    /// # Errors
    ///
    /// Returns why it is not known what answers, as a sentence.
    pub fn find(
        before: &Document,
        after: &Document,
        client: CassetteClient,
        facts: &CassetteFacts,
    ) -> Result<Self, String> {
        let rules = ClientRules::of_played(client.into(), facts)?;
        if let Some((key, origin)) = rules.origins.unread.first() {
            return Err(format!("{key} is set by code of this project ({origin})."));
        }
        let [old, new] = [before, after].map(RecordedRequest::all);
        let answered = choices(&old, &old, &rules)?;
        let differing = |choices: Vec<Option<usize>>| -> Vec<usize> {
            let pairs = answered.iter().zip(choices).enumerate();
            pairs.filter(|(_, (old, new))| *old != new).map(|(index, _)| index + 1).collect()
        };
        Ok(Self {
            changed: differing(choices(&new, &new, &rules)?),
            compared: differing(choices(&new, &old, &rules)?),
        })
    }
}

/// Returns which recorded call answers each request, in their order.
fn choices(
    recorded: &[RecordedRequest],
    requests: &[RecordedRequest],
    rules: &ClientRules,
) -> Result<Vec<Option<usize>>, String> {
    let mut player = CassettePlayer::new(recorded.to_vec(), CassetteState::Loaded, rules.clone())
        .map_err(|error| format!("The client cannot load the cassette: {error}."))?;
    let played = requests.iter().filter(|call| call.is_in_list);
    Ok(played.map(|call| player.answer(&call.request).outcome.played()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::cassette_config::{ConfigOrigin, ConfigTexts};
    use document::text::Source;

    fn cassette(prompts: [&str; 2]) -> Document {
        let call = |prompt: &str| {
            format!(
                "- request: {{method: POST, uri: 'https://api.openai.com/v1/chat/completions', headers: {{}}, body: '{{\"model\": \"m\", \"messages\": [{{\"role\": \"user\", \"content\": \"{prompt}\"}}]}}'}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: '{{}}'}}}}\n"
            )
        };
        let text = format!("interactions:\n{}version: 1\n", prompts.map(call).concat());
        document::read(Source::new(text), "a.yaml")
    }

    #[test]
    fn what_is_compared_and_was_changed_is_found() {
        let origin = || ConfigOrigin { path: "conftest.py".into(), line: 3 };
        let matched = |names: Option<&[&str]>| CassetteFacts {
            match_on: Some(ConfigTexts {
                key: "match_on".into(),
                texts: names.map(|names| names.iter().map(|name| Box::from(*name)).collect()),
                origin: origin(),
            }),
            ..CassetteFacts::default()
        };
        let before = cassette(["Read /home/ada/a", "Read b"]);
        let find = |after: [&str; 2], facts: CassetteFacts| {
            ChangedChoices::find(&before, &cassette(after), CassetteClient::Vcrpy, &facts)
        };
        let after = ["Read /home/[x]/a", "Read b"];
        let of = |changed: &[usize], compared: &[usize]| {
            Ok(ChangedChoices { changed: changed.into(), compared: compared.into() })
        };
        assert_eq!(find(after, CassetteFacts::default()), of(&[], &[]));
        assert_eq!(find(after, matched(Some(&["uri", "body"]))), of(&[], &[1]));
        // Two requests that became the same are answered in their order.
        let same = ["Read b", "Read b"];
        assert_eq!(find(same, matched(Some(&["body"]))), of(&[], &[1, 2]));
        assert!(find(after, matched(None)).is_err());
    }
}
