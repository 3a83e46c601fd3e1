//! An import that is reviewed before anything is written: drafts, which of them already exist, and their secrets.

use super::{
    DraftSecret, Duplicate, ImportKind, Imported, KnownSessions, SecretChoice, SessionDraft,
    make_ids_unique, redaction, secrets,
};
use crate::redact::NameList;
use crate::session::{NewSession, SessionFormat};
use calls::secret::CustomPatterns;

/// Result of an import, and all that is known of it.
#[derive(Clone, Debug, Default)]
pub struct Incident {
    /// Name of the source of the drafts, as people call it: `runs.json`, `Pasted text`.
    pub name: String,
    pub kind: ImportKind,
    /// In the order of the file.
    pub drafts: Vec<SessionDraft>,
    /// For each draft, how it duplicates an existing session.
    pub duplicates: Vec<Option<Duplicate>>,
    /// The secrets of all drafts, each once. Nothing is decided on them here.
    pub secrets: Vec<DraftSecret>,
    /// Number of runs or mutations that were skipped.
    pub skipped: usize,
    /// Notes on parts that could not be imported, one sentence each without a full stop.
    pub notes: Vec<String>,
    /// For each draft, the last tool response that is kept, unless all are.
    last_calls: Vec<Option<usize>>,
    /// For each draft, the positions of its secrets among all.
    secrets_of: Vec<Vec<usize>>,
    /// The project's own forms of secrets, and its key for placeholders.
    own: CustomPatterns,
}

impl Incident {
    /// Looks through what an import gave. `known_sessions` are the sessions that are there, `own` is what the project calls a secret, and
    /// `names` are personal data as well.
    pub fn new(
        name: &str,
        what: ImportKind,
        imported: Imported,
        known_sessions: &KnownSessions,
        own: &CustomPatterns,
        names: &NameList,
    ) -> Self {
        let Imported { mut drafts, skipped: passed_over, notes } = imported;
        make_ids_unique(&mut drafts);
        let secrets = secrets(&drafts, own, names);
        let mut secrets_of = vec![Vec::new(); drafts.len()];
        for (at, secret) in secrets.iter().enumerate() {
            for (draft, _) in &secret.places {
                let of: &mut Vec<usize> = &mut secrets_of[*draft];
                // Several places of one secret in a draft follow each other.
                if of.last() != Some(&at) {
                    of.push(at);
                }
            }
        }
        let duplicates = duplicates(&drafts, &secrets, known_sessions, own);
        Self {
            name: name.to_owned(),
            kind: what,
            last_calls: vec![None; drafts.len()],
            drafts,
            duplicates,
            secrets,
            skipped: passed_over,
            notes,
            secrets_of,
            own: own.clone(),
        }
    }

    /// Returns the positions of a draft's secrets among all.
    pub fn secrets_of(&self, draft: usize) -> &[usize] {
        self.secrets_of.get(draft).map_or(&[], Vec::as_slice)
    }

    /// Returns the session that a draft becomes with these decisions.
    pub fn session(&self, draft: usize, decided: &[DraftSecret]) -> Option<NewSession> {
        Some(self.decided(draft, decided)?.0)
    }

    /// Returns the session that a draft becomes, and the reason if a value remains that has to be replaced.
    fn decided(
        &self,
        draft: usize,
        decided: &[DraftSecret],
    ) -> Option<(NewSession, Result<(), String>)> {
        let mut draft_of = self.drafts.get(draft)?.clone();
        if let Some(last) = self.last_call(draft) {
            draft_of.session.tool_responses.truncate(last + 1);
        }
        let has_any = decided.iter().any(|secret| secret.choice == SecretChoice::Redact);
        // With the secrets of all drafts, so that one has the same placeholder everywhere.
        let result = if has_any { draft_of.redact(&redaction(decided, &self.own)) } else { Ok(()) };
        Some((draft_of.session, result))
    }

    /// Returns the text of the file that a draft becomes with these decisions; empty where there is no such draft.
    ///
    /// # Errors
    ///
    /// The reason that the file cannot be written, as a sentence without a full stop.
    pub fn text(
        &self,
        draft: usize,
        decided: &[DraftSecret],
        form: SessionFormat,
    ) -> Result<String, String> {
        let Some((session, result)) = self.decided(draft, decided) else {
            return Ok(String::new());
        };
        result.and_then(|()| session.render(form))
    }

    /// Leaves out the tool responses of a draft after this one, counted from 0; `None` keeps all.
    pub fn keep_calls_to(&mut self, draft: usize, last: Option<usize>) {
        if let Some(last_call) = self.last_calls.get_mut(draft) {
            *last_call = last;
        }
    }

    /// Returns the last tool response that a draft keeps, counted from 0, unless it keeps all.
    pub fn last_call(&self, draft: usize) -> Option<usize> {
        self.last_calls.get(draft).copied().flatten()
    }
}

/// Returns for each draft how it duplicates an existing session: unchanged, or with its secrets redacted.
fn duplicates(
    drafts: &[SessionDraft],
    secrets: &[DraftSecret],
    known_sessions: &KnownSessions,
    own: &CustomPatterns,
) -> Vec<Option<Duplicate>> {
    let mut all = secrets.to_vec();
    all.iter_mut().for_each(|secret| secret.choice = SecretChoice::Redact);
    let redaction = redaction(&all, own);
    let one = |draft: &SessionDraft| match known_sessions.find(&draft.session) {
        Some(Duplicate::Content(place)) => Some(Duplicate::Content(place)),
        other => {
            // The session of an earlier import was mostly written with its secrets redacted.
            let mut redacted = draft.clone();
            let is_redacted = redacted.redact(&redaction).is_ok();
            let found = is_redacted.then(|| known_sessions.find(&redacted.session)).flatten();
            found.filter(|duplicate| matches!(duplicate, Duplicate::Content(_))).or(other)
        }
    };
    drafts.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{ImportInput, ImportOptions, drafts};
    use document::text::Source;
    use document::{DocumentBody, read};

    const RUNS: &str = r#"[
      {"id": "run-1", "name": "Agent", "run_type": "chain", "trace_id": "1", "inputs": {"input": "Write to ada@private.dev"},
       "outputs": {"output": "No"}, "error": "Boom", "start_time": "2026-06-11T10:00:00Z", "end_time": "2026-06-11T10:00:02Z",
       "child_runs": [{"id": "t", "name": "mail", "run_type": "tool", "inputs": {}, "outputs": {"to": "ada@private.dev"}}]},
      {"id": "run-2", "run_type": "chain", "trace_id": "2", "inputs": {"input": "Hi"}, "outputs": null, "error": "Boom"}]"#;

    fn incident(known_sessions: &KnownSessions) -> Incident {
        let document = read(Source::new(RUNS), "runs.json");
        let input = ImportInput { file: "runs.json", document: &document };
        let imported = drafts(input, &ImportOptions::default()).unwrap();
        Incident::new(
            "runs.json",
            ImportKind::LangSmith,
            imported,
            known_sessions,
            &CustomPatterns::default(),
            &NameList::default(),
        )
    }

    #[test]
    fn calls_after_the_one_that_went_wrong_are_left_out() {
        let mut incident = incident(&KnownSessions::default());
        let response = incident.drafts[0].session.tool_responses[0].clone();
        incident.drafts[0].session.tool_responses = vec![response; 3];
        for (last, count) in [(None, 3), (Some(0), 1), (Some(2), 3), (Some(9), 3)] {
            incident.keep_calls_to(0, last);
            let session = incident.session(0, &incident.secrets).unwrap();
            assert_eq!(session.tool_responses.len(), count, "{last:?}");
        }
    }

    #[test]
    fn what_is_decided_on_a_secret_shows_in_the_text() {
        let incident = incident(&KnownSessions::default());
        assert_eq!((incident.secrets_of(0), incident.secrets_of(1)), (&[0][..], &[][..]));
        let mut decided = incident.secrets.clone();
        decided[0].choice = SecretChoice::Redact;
        let text = incident.text(0, &decided, SessionFormat::Yaml).unwrap();
        assert!(text.contains("input: Write to redacted-1@example.com\n"), "{text}");
        assert!(text.contains("{to: redacted-1@example.com}"), "{text}");
        assert!(
            incident
                .text(0, &incident.secrets, SessionFormat::Yaml)
                .unwrap()
                .contains("ada@private.dev")
        );
        assert_eq!(incident.text(2, &decided, SessionFormat::Yaml), Ok(String::new()));
    }

    #[test]
    fn what_was_imported_before_is_known_again_redacted_or_not() {
        let first = incident(&KnownSessions::default());
        let mut decided = first.secrets.clone();
        decided[0].choice = SecretChoice::Redact;
        let mut known_sessions = KnownSessions::default();
        let texts = [
            first.text(0, &decided, SessionFormat::Yaml).unwrap(),
            "id: run-2\ninput: Other\ntool_responses: []\n".to_owned(),
        ];
        for (number, text) in texts.into_iter().enumerate() {
            let document = read(Source::new(text), "a.yaml");
            let DocumentBody::Session(session) = &document.body else { panic!("no session") };
            known_sessions.add(&document, session, &format!("replays/{number}.yaml"));
        }
        assert_eq!(
            incident(&known_sessions).duplicates,
            [
                Some(Duplicate::Content("replays/0.yaml".to_owned())),
                Some(Duplicate::Id("replays/1.yaml".to_owned()))
            ]
        );
    }
}
