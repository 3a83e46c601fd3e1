//! The secrets of drafts, and the decision on each: the same in every field of every draft.

use super::SessionDraft;
use crate::redact::{NameList, ValueKind, find_personal_data, scan_personal};
use calls::decoded_view::{DocumentTexts, MarkedSecret};
use calls::reading::listed_calls;
use calls::secret::{CustomPatterns, Redaction, SecretClass, SecretKind, common_spelling};
use document::{Document, Node};

#[derive(Clone, PartialEq, Eq)]
pub struct DraftSecret {
    pub kind: SecretKind,
    /// As much of it as may be shown.
    pub hint: String,
    /// Its places: the number of the draft or file, from 0, and the JSON Pointer of the value in it. Sorted, without duplicates.
    pub places: Vec<(usize, String)>,
    /// The decision on it.
    pub choice: SecretChoice,
    /// Its spellings, such as an account with and without spaces, in order of occurrence.
    texts: Vec<String>,
}

/// Decision on a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SecretChoice {
    /// Not decided: files that contain it are not written.
    #[default]
    Open,
    /// It is replaced by a placeholder.
    Redact,
    /// It is kept.
    Keep,
}

/// Selection of secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretSelector {
    All,
    /// Those of a kind, by its label, such as `address`, or by the name that `retake redact` has for it, such as `email`.
    Kind(String),
    /// Those in a value: its pointer, and the session's id or the file's path unless it is meant in all.
    Place(Option<String>, String),
}

impl DraftSecret {
    /// Returns whether it is the same secret as one that was found in another run.
    pub fn is_same(&self, other: &Self) -> bool {
        self.is(other.kind, other.text())
    }

    fn is(&self, kind: SecretKind, text: &str) -> bool {
        // The case of a key counts, and so do all of its signs.
        let is_spelled = || {
            kind.class != SecretClass::Key
                && common_spelling(kind, text) == common_spelling(kind, self.text())
        };
        self.text() == text || self.kind.label == kind.label && is_spelled()
    }

    fn text(&self) -> &str {
        self.texts.first().map_or("", |text| text)
    }

    /// The value for the person who decides on it. Of what gives access, only its kind is shown.
    pub fn shown(&self) -> &str {
        match self.kind.class {
            SecretClass::Key | SecretClass::Address => &self.hint,
            SecretClass::Account | SecretClass::Personal => self.text(),
        }
    }
}

impl SecretSelector {
    /// Reads `all`, a kind's label, `/input` or `run-1:/input`.
    pub fn parse(words: &str) -> Self {
        match words.find('/') {
            None if words == "all" => Self::All,
            None => Self::Kind(words.to_owned()),
            Some(start) => {
                let id = words[..start].strip_suffix(':').map(str::to_owned);
                Self::Place(id, words[start..].to_owned())
            }
        }
    }

    fn matches(&self, secret: &DraftSecret, ids: &[&str]) -> bool {
        match self {
            Self::All => true,
            Self::Kind(name) => {
                [secret.kind.label, ValueKind::of(secret.kind).as_str()].contains(&&**name)
            }
            Self::Place(id, pointer) => secret.places.iter().any(|(number, place)| {
                let is_there = |id: &String| ids.get(*number) == Some(&&**id);
                place == pointer && id.as_ref().is_none_or(is_there)
            }),
        }
    }
}

/// Finds the secrets of drafts and the names of a list, in order of occurrence, all undecided.
pub fn secrets(
    drafts: &[SessionDraft],
    own: &CustomPatterns,
    names: &NameList,
) -> Vec<DraftSecret> {
    let mut secrets = Vec::new();
    for (number, draft) in drafts.iter().enumerate() {
        let value = draft.session.value_with_comments();
        add(&mut secrets, number, find_personal_data(value.tree(), own, names));
    }
    secrets
}

/// Finds the secrets of files, as [`secrets`] does those of drafts; also those that the events of a stream split.
pub fn secrets_of_files(
    files: &[Document],
    own: &CustomPatterns,
    names: &NameList,
) -> Vec<DraftSecret> {
    let mut secrets = Vec::new();
    for (number, file) in files.iter().enumerate() {
        add(
            &mut secrets,
            number,
            scan_personal(&DocumentTexts::new(file, &listed_calls(file)), own, names),
        );
    }
    secrets
}

fn add(secrets: &mut Vec<DraftSecret>, number: usize, found: Vec<MarkedSecret<'_>>) {
    for marked in found {
        let place = (number, marked.node.map(Node::pointer).unwrap_or_default());
        match secrets.iter_mut().find(|secret| secret.is(marked.kind, &marked.text)) {
            Some(secret) => {
                // One value may contain it several times.
                if !secret.places.contains(&place) {
                    secret.places.push(place);
                }
                if !secret.texts.contains(&marked.text) {
                    secret.texts.push(marked.text);
                }
            }
            None => secrets.push(DraftSecret {
                kind: marked.kind,
                hint: marked.hint,
                places: vec![place],
                choice: SecretChoice::Open,
                texts: vec![marked.text],
            }),
        }
    }
}

/// Decides on the secrets that are meant; `ids` are those of the drafts, or the paths of the files. False when none is.
pub fn choose(
    secrets: &mut [DraftSecret],
    which: &SecretSelector,
    ids: &[&str],
    choice: SecretChoice,
) -> bool {
    let mut is_any = false;
    for secret in secrets {
        if which.matches(secret, ids) {
            secret.choice = choice;
            is_any = true;
        }
    }
    is_any
}

/// Returns the placeholders of redacted secrets. The placeholder of a secret does not depend on the choices for others.
pub fn redaction(secrets: &[DraftSecret], own: &CustomPatterns) -> Redaction {
    let mut redaction = own.redaction();
    let texts = || secrets.iter().flat_map(|s| s.texts.iter().map(move |text| (s, text)));
    texts().for_each(|(secret, text)| redaction.add(secret.kind, text));
    for (secret, text) in texts() {
        if secret.choice != SecretChoice::Redact {
            redaction.exclude(text);
        }
    }
    redaction
}

/// Not the secret itself.
impl std::fmt::Debug for DraftSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {:?}", self.kind.label, self.hint, self.places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::redact_text;
    use crate::session::NewSession;
    use document::edit::JsonValue;

    fn draft(id: &str, input: &str, name: &str) -> SessionDraft {
        SessionDraft {
            session: NewSession {
                id: id.to_owned(),
                name: Some(name.to_owned()),
                input: input.to_owned(),
                ..NewSession::default()
            },
            ..SessionDraft::default()
        }
    }

    fn drafts() -> Vec<SessionDraft> {
        let key = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
        vec![
            draft("one", &format!("ask ada@private.dev, {key}"), &key),
            draft("two", "ask jun@private.dev or ada@private.dev", "no secret"),
        ]
    }

    #[test]
    fn a_secret_is_one_wherever_it_is() {
        let secrets = secrets(&drafts(), &CustomPatterns::default(), &NameList::default());
        insta::assert_debug_snapshot!(secrets, @r#"
        [
            github-token ghp_… [(0, "/name"), (0, "/input")],
            address …@private.dev [(0, "/input"), (1, "/input")],
            address …@private.dev [(1, "/input")],
        ]
        "#);
    }

    #[test]
    fn secrets_are_chosen_by_place_by_kind_or_all_and_keep_their_words() {
        let drafts = drafts();
        let reported = |options: &[(&str, SecretChoice)]| {
            let mut secrets = secrets(&drafts, &CustomPatterns::default(), &NameList::default());
            for (which, choice) in options {
                choose(&mut secrets, &SecretSelector::parse(which), &["one", "two"], *choice);
            }
            let redaction = redaction(&secrets, &CustomPatterns::default());
            redact_text(&drafts[1].session.input, &redaction.finder().unwrap())
        };
        insta::assert_snapshot!(reported(&[("all", SecretChoice::Redact)]), @"ask redacted-2@example.com or redacted-1@example.com");
        insta::assert_snapshot!(reported(&[("one:/input", SecretChoice::Redact)]), @"ask jun@private.dev or redacted-1@example.com");
        insta::assert_snapshot!(reported(&[("/input", SecretChoice::Redact), ("one:/input", SecretChoice::Keep)]), @"ask redacted-2@example.com or ada@private.dev");
        insta::assert_snapshot!(reported(&[("all", SecretChoice::Redact), ("address", SecretChoice::Keep)]), @"ask jun@private.dev or ada@private.dev");
        insta::assert_snapshot!(reported(&[("email", SecretChoice::Redact)]), @"ask redacted-2@example.com or redacted-1@example.com");
    }

    #[test]
    fn what_names_nothing_is_reported() {
        let drafts = drafts();
        let mut secrets = secrets(&drafts, &CustomPatterns::default(), &NameList::default());
        let mut names = |which| {
            choose(&mut secrets, &SecretSelector::parse(which), &["one", "two"], SecretChoice::Keep)
        };
        assert_eq!(
            ["one:/input", "three:/input", "/id", "adress", "address"].map(&mut names),
            [true, false, false, false, true]
        );
    }

    #[test]
    fn spellings_have_one_decision_and_what_cannot_be_replaced_is_refused() {
        let mut draft = draft("one", "IBAN DE89 3704 0044 0532 0130 00, call +48 601 234 567", "n");
        draft.push_response(
            "look_up",
            JsonValue::parse(r#"{"iban": "DE89370400440532013000", "phone": 601234567}"#).unwrap(),
        );
        let mut drafts = vec![draft];
        let own = CustomPatterns::default();
        let mut found = secrets(&drafts, &own, &NameList::default());
        insta::assert_debug_snapshot!(found, @r#"
        [
            account … [(0, "/input"), (0, "/tool_responses/0/response/iban")],
            phone … [(0, "/input"), (0, "/tool_responses/0/response/phone")],
        ]
        "#);
        choose(&mut found, &SecretSelector::All, &[], SecretChoice::Redact);
        assert_eq!(drafts[0].redact(&redaction(&found, &own)), Ok(()));
        let session = &drafts[0].session;
        assert_eq!(session.input, "IBAN [redacted-account-1], call [redacted-phone-1]");
        let response = session.tool_responses[0].response.json();
        assert_eq!(response, r#"{"iban": "[redacted-account-1]", "phone": "[redacted-phone-1]"}"#);

        drafts[0].session.contract = Some("of ada@private.dev".to_owned());
        let mut found = secrets(&drafts, &own, &NameList::default());
        choose(&mut found, &SecretSelector::All, &[], SecretChoice::Redact);
        let reason = "A value that has to be replaced remains at /contract, where it cannot be replaced; change it in the source, or keep it";
        assert_eq!(drafts[0].redact(&redaction(&found, &own)), Err(reason.to_owned()));
        choose(&mut found, &SecretSelector::All, &[], SecretChoice::Keep);
        assert_eq!(drafts[0].redact(&redaction(&found, &own)), Ok(()));
    }
}
