//! The fixture of the calls of an incident: its kind, the facts chosen for it, and how it is written.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::{ImportDesk, ImportState};
use crate::{Core, Effect};
use author::fixture::{
    FixtureOptions, FixtureRefusal, FixtureTarget, IncidentCalls, IncidentFixture, MissingFact,
    fixture_path, offered,
};
use author::import::DraftSecret;
use author::redact::NameList;
use calls::Item;
use calls::api::Api;
use document::Severity;
use document::files::FileStep;
use document::text::{Source, counted};
use protocol::{DraftPreview, IncidentSource, SessionSteps};

/// The limit of tokens that is proposed where the source has none and the API requires it.
const PROPOSED_MAX_TOKENS: &str = "4096";

/// Most numbers that are tried for the name of a test.
const MAX_NAME_TRIES: usize = 100;

/// Choices for the fixture of an incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixtureForm {
    pub target: FixtureTarget,
    /// The test that plays it, as pytest names it.
    pub test: String,
    pub api: Option<Api>,
    pub model: String,
    pub max_tokens: String,
    /// Position of the call that went wrong.
    pub call: usize,
    /// Whether the calls of its run before it are in the fixture, too.
    pub keeps_earlier: bool,
    /// Facts that the source does not hold.
    pub missing: BTreeSet<MissingFact>,
}

impl Default for FixtureForm {
    fn default() -> Self {
        Self {
            target: FixtureTarget::Session,
            test: String::new(),
            api: None,
            model: String::new(),
            max_tokens: String::new(),
            call: 0,
            keeps_earlier: true,
            missing: BTreeSet::new(),
        }
    }
}

impl FixtureForm {
    /// Returns the limit of tokens, if it is one.
    pub fn limit(&self) -> Option<u32> {
        self.max_tokens.trim().parse().ok().filter(|limit| *limit > 0)
    }
}

impl ImportDesk {
    /// Whether a fixture is made of calls, not sessions of drafts.
    pub fn makes_fixture(&self) -> bool {
        self.fixture.target != FixtureTarget::Session
    }

    /// Targets that can be made, those that the project has first.
    pub fn targets(&self) -> Vec<FixtureTarget> {
        let is_possible = |target: &FixtureTarget| match target {
            FixtureTarget::Session => !self.incident.drafts.is_empty(),
            _ => !self.calls.rows.is_empty(),
        };
        let others = FixtureTarget::ALL.iter().filter(|target| !self.offered.contains(target));
        self.offered.iter().chain(others).copied().filter(is_possible).collect()
    }

    /// Whether the project has files of a target.
    pub fn is_offered(&self, target: FixtureTarget) -> bool {
        self.offered.contains(&target)
    }

    /// The positions of the calls in the fixture.
    pub fn fixture_range(&self) -> Range<usize> {
        let FixtureForm { call, keeps_earlier, .. } = self.fixture;
        let first = self.calls.rows.get(call).map_or(call, |row| row.first);
        if keeps_earlier { first..call + 1 } else { call..call + 1 }
    }

    /// Chooses the kind that the project has files of, the call that went wrong, and a name that is free.
    pub(super) fn preset_fixture(&mut self, core: &Core) {
        let mut counts = BTreeMap::new();
        for target in core.library.iter().flat_map(|(_, item)| offered(std::iter::once(item))) {
            *counts.entry(target).or_insert(0usize) += 1;
        }
        self.offered = counts.keys().copied().collect();
        // What most files are is what the project plays.
        self.offered.sort_by_key(|target| Reverse(counts[target]));
        let is_of_recordings = matches!(self.source, Some(IncidentSource::Recordings(_)));
        let has_calls = !self.calls.rows.is_empty() && !is_of_recordings;
        // In a project with sessions, incidents became sessions until now.
        let target = match self.offered.first() {
            Some(first) if has_calls && !self.offered.contains(&FixtureTarget::Session) => *first,
            None if has_calls && self.incident.drafts.is_empty() => FixtureTarget::Vcrpy,
            _ => FixtureTarget::Session,
        };
        self.fixture = FixtureForm { target, call: self.calls.wrong_call(), ..Default::default() };
        let stem = self.incident.name.split('.').next().unwrap_or_default();
        let stem = match &self.source {
            Some(IncidentSource::Files(paths)) if paths.len() == 1 => stem,
            _ => "incident",
        };
        let word = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let name = format!("test_{}", stem.chars().map(word).collect::<String>().to_lowercase());
        let names = (2..MAX_NAME_TRIES).map(|number| format!("{name}_{number}"));
        for test in std::iter::once(name.clone()).chain(names) {
            self.fixture.test = test;
            self.fixture_path = self.fixture_path(core);
            if core.library.find(&self.fixture_path).is_none() {
                break;
            }
        }
    }

    pub(super) fn edit_fixture(&mut self, core: &Core, form: FixtureForm) {
        self.fixture = form;
        self.fixture_path = self.fixture_path(core);
        self.decisions_revision += 1;
    }

    /// Moves the fixture to another call.
    pub(super) fn choose_fixture_call(&mut self, call: usize) {
        self.fixture.call = call.min(self.calls.rows.len().saturating_sub(1));
        self.decisions_revision += 1;
    }

    /// Returns what the preview of the fixture is made from.
    pub(super) fn fixture_input(&self) -> FixtureInput {
        let form = &self.fixture;
        let model = Some(form.model.trim()).filter(|model| !model.is_empty());
        let options = FixtureOptions {
            target: form.target,
            path: self.fixture_path.clone(),
            api: form.api,
            is_stream: None,
            model: model.map(str::to_owned),
            max_tokens: form.limit(),
            schema: None,
            now: self.calls.now.clone(),
        };
        FixtureInput {
            key: self.preview_key(),
            calls: Arc::clone(&self.calls),
            range: self.fixture_range(),
            options,
            names: self.name_list(),
            decided: self.fixture_secrets.iter().chain(&self.secrets).cloned().collect(),
        }
    }

    fn fixture_path(&self, core: &Core) -> String {
        let items = core.library.iter().map(|(_, item): (_, &Item)| (item.root_path(), item));
        fixture_path(self.fixture.target, self.fixture.test.trim(), items)
    }

    /// Takes what a preview found: missing facts, with proposals, and personal data.
    pub(super) fn take_fixture(&mut self, preview: &DraftPreview) {
        let form = &mut self.fixture;
        for fact in &preview.missing {
            // Proposed once: a field that was emptied stays empty.
            if !form.missing.insert(*fact) {
                continue;
            }
            self.decisions_revision += 1;
            match fact {
                MissingFact::Api => {
                    form.api = form.api.or(self.calls.likely_api()).or(Some(Api::OpenAiChat));
                }
                MissingFact::MaxTokens if form.max_tokens.is_empty() => {
                    PROPOSED_MAX_TOKENS.clone_into(&mut form.max_tokens);
                }
                MissingFact::MaxTokens | MissingFact::Model => {}
            }
        }
        // Without a file the decisions stay for the next one.
        if preview.missing.is_empty() {
            self.fixture_secrets.clone_from(&preview.fixture.secrets);
        }
    }

    fn is_preview_current(&self) -> bool {
        self.preview.key == Some(self.preview_key())
    }

    /// Reason the fixture cannot be written, in a few words. One that is still planned is written as soon as it is.
    pub(super) fn fixture_fault(&self) -> Option<&'static str> {
        match &self.preview.value {
            _ if self.undecided() > 0 => Some("decide about the personal data first"),
            _ if !self.is_preview_current() => None,
            Some(Ok(preview)) if preview.missing.is_empty() => None,
            Some(Ok(_)) => Some("fill in what the source does not hold first"),
            _ => Some("there is no file to write"),
        }
    }

    /// Writes the files of the preview. The step that creates one refuses if it exists.
    pub(super) fn write_fixture(&mut self, core: &mut Core) {
        if let Some(reason) = self.fixture_fault() {
            return core.refuse(Severity::Warning, format!("Cannot write: {reason}."));
        }
        if !self.is_preview_current() {
            self.writes_when_planned = true;
            return;
        }
        let Some(Ok(preview)) = &self.preview.value else { return };
        let files = &preview.fixture.fixture.files;
        if let Some((path, _)) = files.iter().find(|(path, _)| core.library.find(path).is_some()) {
            let words = format!("{path} already exists; name another test.");
            return core.refuse(Severity::Warning, words);
        }
        let step = |(path, text): &(String, String)| FileStep::Create {
            path: path.as_str().into(),
            bytes: text.as_bytes().into(),
        };
        let message = match &files[..] {
            [(path, _)] => format!("Wrote {path}"),
            _ => format!("Wrote {}", counted(files.len(), "file", "files")),
        };
        let steps = files.iter().map(step).collect();
        core.request(Effect::run(SessionSteps { steps, message, is_undo: false }));
    }

    /// Returns whether there is something to make a fixture of.
    pub(crate) fn has_calls(&self) -> bool {
        matches!(self.state, ImportState::Ready) && !self.calls.rows.is_empty()
    }
}

/// Inputs of the preview of a fixture.
pub(super) struct FixtureInput {
    pub(super) key: (u64, usize),
    pub(super) calls: Arc<IncidentCalls>,
    pub(super) range: Range<usize>,
    pub(super) options: FixtureOptions,
    pub(super) names: NameList,
    pub(super) decided: Vec<DraftSecret>,
}

/// Plans the fixture, or returns why there is none, as a sentence without a full stop.
pub(super) fn preview_fixture(input: &FixtureInput) -> Result<Arc<DraftPreview>, String> {
    let planned =
        input.calls.fixture(input.range.clone(), &input.options, &input.names, &input.decided);
    let (fixture, missing) = match planned {
        Ok(fixture) => (fixture, BTreeSet::new()),
        Err(FixtureRefusal::Missing(missing)) => (IncidentFixture::default(), missing),
        Err(FixtureRefusal::Reason(reason)) => return Err(reason),
    };
    let (path, text) = fixture.fixture.files.first().cloned().unwrap_or_default();
    let name = if path.is_empty() { input.options.path.clone() } else { path };
    let document = Arc::new(document::read(Source::new(text), &name));
    Ok(Arc::new(DraftPreview { name, document, fixture, missing }))
}
