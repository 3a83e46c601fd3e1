//! Files in, text out.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Receiver;

use super::*;
use crate::{Engine, EngineOptions};
use author::contract::InvariantVerdict;
use check::change::{Change, ConfigEdit};
use protocol::{
    AnswerSource, ConfigListing, ContractEvent, ContractKey, ContractReport, ContractRequest,
    CurrentDocument, DocId, EngineEvent, FindAnswers, FoundAnswers, Items, PlanChange, Request,
    Resolution, Revision, SessionId, SessionsEvent,
};

const CONFIG: &str = "version: '2.0'
agent: { endpoint: http://localhost }
contract:
  name: Helpdesk
  invariants:
    - { id: once, type: excludes_pattern, patterns: [twice], severity: critical }
    - { id: polite, type: contain, pattern: sorry }
    - { id: tone, type: similarity }
replays:
  sessions:
    - file: replays/listed.yaml
    - file: replays/gone.yaml
    - { id: inside, input: hello, contract: Helpdesk }
  sources:
    - { type: langsmith, project: p, filter: { min_latency_ms: 2000 }, auto_import: true }
";

const STRICT: &str =
    "name: strict\ninvariants:\n  - { id: quick, type: latency, max_ms: 1000, severity: low }\n";

const REPORT: &str = r#"{"version": "1.0", "started_at": "t", "statistics": {}, "mutations": [
    {"original_prompt": "a", "mutation": {"id": "m1", "mutated": "hello", "type": "noise"}, "response": "Paid twice.", "latency_ms": 1200, "passed": false},
    {"original_prompt": "b", "mutation": {"id": "m2", "mutated": "other", "type": "noise"}, "response": "Fine.", "passed": true}]}"#;

/// An engine on a folder, its items, and its events.
struct ContractFixture {
    _temp: tempfile::TempDir,
    engine: Engine,
    events: Receiver<EngineEvent>,
    items: Items,
}

impl ContractFixture {
    fn new(files: &[(&str, &str)]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let (mut engine, events) = Engine::start(EngineOptions::default(), || {}).unwrap();
        engine.scan(vec![temp.path().to_owned()]);
        let mut items = Items::default();
        loop {
            match events.recv_timeout(Duration::from_secs(30)).unwrap() {
                EngineEvent::ItemsFound { items: new_items, .. } => {
                    new_items.into_iter().for_each(|item| items.push(item));
                }
                EngineEvent::ScanEnded { .. } => break,
                _ => {}
            }
        }
        Self { _temp: temp, engine, events, items }
    }

    fn doc(&self, path: &str) -> DocId {
        let mut items = self.items.iter();
        items.find(|(_, item)| item.root_path() == path).unwrap().0
    }

    fn next<T>(&self, pick: impl Fn(EngineEvent) -> Option<T>) -> T {
        loop {
            let event = self.events.recv_timeout(Duration::from_secs(30)).unwrap();
            if let Some(found) = pick(event) {
                return found;
            }
        }
    }

    fn next_event(&self) -> ContractEvent {
        self.next(|event| match event {
            EngineEvent::Sessions(SessionsEvent::Contract(event)) => Some(event),
            _ => None,
        })
    }

    fn look(&mut self, path: &str, answer: AnswerSource) -> Arc<ContractReport> {
        self.look_with(path, answer, None)
    }

    fn look_with(
        &mut self,
        path: &str,
        answer: AnswerSource,
        config: Option<DocId>,
    ) -> Arc<ContractReport> {
        let doc = self.doc(path);
        let item = self.items.get(doc).unwrap().clone();
        let document = self.engine.project.as_ref().unwrap().read(doc.index(), &item);
        self.engine.run(Request::from(ContractRequest {
            key: ContractKey {
                id: SessionId::file(doc),
                revision: Revision::default(),
                items: 0,
                config,
                answer,
            },
            document: Arc::new(document.unwrap()),
            items: self.items.clone(),
            texts: Vec::new(),
        }));
        match self.next_event() {
            ContractEvent::Found(_, report) => report.unwrap(),
            other => panic!("{other:?}"),
        }
    }
}

fn session(contract: &str) -> String {
    format!("id: a\ninput: hello\ntool_responses: []\n{contract}")
}

fn describe(look: &ContractReport) -> String {
    let mut lines = vec![match &look.resolution {
        Resolution::Named(spot) => format!("by name, {} line {}", spot.path, spot.line),
        Resolution::File { spot, remark } => {
            let remark = remark.as_ref().map_or("", |_| ", and elsewhere for `replay run`");
            format!("by path, {} line {}{remark}", spot.path, spot.line)
        }
        other => format!("{other:?}"),
    }];
    if let Some(answer) = &look.answer {
        let latency = answer.latency_ms;
        lines.push(format!(
            "on {:?}, {latency:?} ms, {:?}, from {}",
            answer.text, answer.since, answer.place
        ));
    }
    lines.extend(look.invariants.iter().map(|invariant| {
        let check = &invariant.tried;
        let sign = match &check.verdict {
            InvariantVerdict::Passes(_) => "+",
            InvariantVerdict::Fails(_) => "-",
            InvariantVerdict::NeedsModel(_) | InvariantVerdict::Unsupported(_) => "?",
        };
        let suggestion = invariant
            .suggestion
            .as_ref()
            .map_or(String::new(), |suggestion| format!(", meant {suggestion}"));
        let line = invariant.spot.line;
        format!(
            "{sign} {} {} line {line}: {}{suggestion}",
            check.id,
            check.severity,
            check.verdict.reason()
        )
    }));
    lines.join("\n")
}

fn project() -> ContractFixture {
    ContractFixture::new(&[
        ("flakestorm.yaml", CONFIG),
        ("contracts/strict.yaml", STRICT),
        ("reports/june.json", REPORT),
        ("replays/listed.yaml", &session("contract: Helpdesk\n")),
        ("replays/path.yaml", &session("contract: contracts/strict.yaml\n")),
        ("replays/none.yaml", &session("")),
        ("replays/it's -new.yaml", &session("contract: Helpdesc\n")),
    ])
}

#[test]
fn a_contract_is_found_by_name_then_by_path_and_tried_on_what_the_incident_has_left() {
    let mut fixture = project();
    let lines = ["listed", "path", "none", "it's -new"].map(|name| {
        let look = fixture.look(&format!("replays/{name}.yaml"), AnswerSource::Kept);
        format!("# {name}\n{}", describe(&look))
    });
    insta::assert_snapshot!(lines.join("\n"), @r#"
    # listed
    by name, flakestorm.yaml line 4
    on "Paid twice.", Some(1200.0) ms, Failed, from noise m1, reports/june.json
    - once critical line 6: The answer contains “twice”
    - polite medium line 7: Nothing in the answer matches “sorry”, meant contains
    - tone medium line 8: Rejected by Flakestorm
    # path
    by path, contracts/strict.yaml line 1, and elsewhere for `replay run`
    on "Paid twice.", Some(1200.0) ms, Failed, from noise m1, reports/june.json
    - quick low line 3: 1,200 ms, but only 1,000 ms are allowed
    # none
    Missing
    on "Paid twice.", Some(1200.0) ms, Failed, from noise m1, reports/june.json
    # it's -new
    Missing
    on "Paid twice.", Some(1200.0) ms, Failed, from noise m1, reports/june.json
    "#);
}

#[test]
fn an_answer_of_ones_own_and_one_of_a_report_are_tried() {
    let mut fixture = project();
    let own_answer = AnswerSource::Given("Sorry, paid once.".into(), None);
    let report = fixture.doc("reports/june.json");
    let report_answer = AnswerSource::Document(report, "/mutations/1/response".into());
    let lines = [own_answer, report_answer]
        .map(|answer| describe(&fixture.look("replays/listed.yaml", answer)));
    insta::assert_snapshot!(lines.join("\n"), @r#"
    by name, flakestorm.yaml line 4
    on "Sorry, paid once.", None ms, Given, from 
    + once critical line 6: The answer contains none of “twice”
    - polite medium line 7: Nothing in the answer matches “sorry”, meant contains
    - tone medium line 8: Rejected by Flakestorm
    by name, flakestorm.yaml line 4
    on "Fine.", None ms, Recorded, from noise m2, reports/june.json
    + once critical line 6: The answer contains none of “twice”
    - polite medium line 7: Nothing in the answer matches “sorry”, meant contains
    - tone medium line 8: Rejected by Flakestorm
    "#);
}

#[test]
fn a_configuration_shows_what_it_lists_and_what_is_missing() {
    let mut fixture = project();
    let look = fixture.look("replays/listed.yaml", AnswerSource::Kept);
    let config = look.config.as_ref().unwrap();
    assert_eq!(config.listing, ConfigListing::Listed);
    let sessions = config.sessions.iter().map(|session| {
        let missing = session.missing.as_deref().unwrap_or("there");
        format!("{} line {}: {missing}", session.name, session.spot.line)
    });
    let sources =
        config.sources.iter().map(|source| format!("{}: {}", source.name, source.description));
    let offers = look
        .offered
        .iter()
        .map(|offer| format!("{}, {} invariants", offer.reference, offer.invariants));
    let lines: Vec<String> = sessions.chain(sources).chain(offers).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    replays/listed.yaml line 11: there
    replays/gone.yaml line 12: There is no such file
    inside line 13: there
    p: LangSmith project, status error, from 2,000 ms, fetched on each `flakestorm ci`
    Helpdesk, 3 invariants
    contracts/strict.yaml, 1 invariants
    ");

    let look = fixture.look("replays/path.yaml", AnswerSource::Kept);
    let listing = &look.config.as_ref().unwrap().listing;
    assert_eq!(*listing, ConfigListing::Possible("replays/path.yaml".into()));
}

#[test]
fn commands_name_files_so_that_a_shell_takes_them_as_they_are() {
    let mut fixture = project();
    let look = fixture.look("replays/it's -new.yaml", AnswerSource::Kept);
    let folder = look.commands.folder.iter().map(|f| &**f);
    let commands: Vec<&str> = look.commands.one.as_deref().into_iter().chain(folder).collect();
    insta::assert_snapshot!(commands.join("\n"), @r"
    flakestorm replay run 'replays/it'\''s -new.yaml' -c flakestorm.yaml
    flakestorm replay run 'replays/it'\''s -new.yaml' -c flakestorm.yaml
    flakestorm replay run replays/listed.yaml -c flakestorm.yaml
    flakestorm replay run replays/none.yaml -c flakestorm.yaml
    flakestorm replay run replays/path.yaml -c flakestorm.yaml
    ");
    let remarks = &look.commands.remarks;
    assert!(remarks.iter().any(|r| r.contains("passes whatever the agent answers")));
}

#[test]
fn another_configuration_can_be_chosen_and_without_any_nothing_is_judged() {
    let mut fixture = ContractFixture::new(&[
        ("a/flakestorm.yaml", CONFIG),
        ("b/flakestorm.yaml", &CONFIG.replace("name: Helpdesk", "name: Other")),
        ("replays/a.yaml", &session("contract: Other\n")),
    ]);
    let report_without = fixture.look("replays/a.yaml", AnswerSource::Kept);
    let other_config = fixture.doc("b/flakestorm.yaml");
    let report_with = fixture.look_with("replays/a.yaml", AnswerSource::Kept, Some(other_config));
    assert_eq!(report_without.resolution, Resolution::NoConfig);
    assert_eq!(report_without.configs.len(), 2);
    let listing = &report_with.config.as_ref().unwrap().listing;
    assert_eq!(*listing, ConfigListing::Possible("../replays/a.yaml".into()));
    assert!(matches!(report_with.resolution, Resolution::Named(_)));
}

#[test]
fn listing_a_session_changes_no_other_byte() {
    let mut fixture = project();
    let doc = fixture.doc("flakestorm.yaml");
    let item = fixture.items.get(doc).unwrap().clone();
    let current = CurrentDocument { doc, item, text: None };
    let change = Change::Config(ConfigEdit::List {
        path: "replays/path.yaml".to_owned(),
        session: "path".to_owned(),
    });
    fixture.engine.run(PlanChange { generation: 1, documents: vec![current], change }.into());
    let plan = fixture.next(|event| match event {
        EngineEvent::ChangePlanned(_, plan) => Some(plan),
        _ => None,
    });
    assert!(plan.diff.is_some());
    let edit = &plan.edits[0].edit;
    assert_eq!(edit.range.len(), 0);
    insta::assert_snapshot!(edit.new, @"  - { file: replays/path.yaml }");
}

#[test]
fn answers_are_found_by_words_those_to_the_same_question_first() {
    let mut fixture = project();
    let mut find = |words: &str| {
        fixture.engine.run(Request::from(FindAnswers {
            query: words.to_owned(),
            question: "hello".to_owned(),
            items: fixture.items.clone(),
        }));
        match fixture.next_event() {
            ContractEvent::Answers(_, answers) => answers.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let list = |answers: &FoundAnswers| {
        let lines = answers
            .found
            .iter()
            .map(|offer| format!("{} {} {}", offer.title, offer.excerpt, offer.is_same));
        lines.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(list(&find("")), @"
    noise m1 Paid twice. true
    noise m2 Fine. false
    ");
    insta::assert_snapshot!(list(&find("FINE")), @"noise m2 Fine. false");
    assert_eq!(find("no such word").found.len(), 0);
}

#[test]
fn paths_that_lead_out_lead_nowhere() {
    let joined = |folder: &str, path: &str| root_files::joined(folder, path);
    assert_eq!(joined("a/b", "../c.yaml").as_deref(), Some("a/c.yaml"));
    assert_eq!(joined("", "./c.yaml").as_deref(), Some("c.yaml"));
    assert_eq!(joined("a", "../../c.yaml"), None);
}
