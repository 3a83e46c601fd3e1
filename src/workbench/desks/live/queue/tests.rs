use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::{Action, Command, Effect, LiveAction, Workbench};
use calls::Pool;
use document::text::Source;
use play::live::queue::RuleRequest;
use play::playback::requests;
use protocol::{EngineEvent, QueueCommand, QueueEvent, QueueRequest, Remembered, RequestId};

struct QueueBench {
    workbench: Workbench,
    commands: Vec<QueueCommand>,
}

fn id(name: &str) -> RequestId {
    RequestId { queue: Path::new("/p/queue").into(), name: name.into() }
}

fn at() -> jiff::Timestamp {
    "2026-03-09T11:02:17Z".parse().unwrap()
}

impl QueueBench {
    /// A bench that watches a queue.
    fn watching() -> Self {
        let mut desk =
            Self { workbench: Workbench::new(Remembered::default()), commands: Vec::new() };
        desk.act(QueueAction::Watch("/p/queue/requests".into()));
        desk
    }

    fn take(&mut self, effects: Vec<Effect>) {
        let queue = effects.iter().filter_map(Effect::request);
        let commands = queue.map(|request: &QueueRequest| request.command.clone());
        self.commands.extend(commands);
    }

    fn act(&mut self, action: QueueAction) {
        let effects = self.workbench.apply(Action::from(LiveAction::Queue(action)));
        self.take(effects);
    }

    fn receive(&mut self, event: QueueEvent) {
        let effects = self.workbench.receive(EngineEvent::Queue(event));
        self.take(effects);
    }

    fn waits(&mut self, name: &str, age: u64) {
        let text = format!(
            r#"{{"type": "llm_invocation_request", "requestId": "{name}", "context": {{"currentNode": "n-{name}"}}, "systemPrompt": "",
            "messages": [{{"role": "user", "content": "Hi {name}"}}], "tools": [{{"name": "go", "description": "", "input_schema": {{}}}}]}}"#
        );
        let document = document::read(Source::new(text), "r.json");
        let requests = requests::from_document(&"r.json".into(), &document, &Pool::default());
        let question = RuleRequest::new(requests.unwrap().swap_remove(0), Arc::new(document));
        self.receive(QueueEvent::RequestArrived {
            id: id(name),
            question: Box::new(question),
            at: at(),
            age: Duration::from_secs(age),
        });
    }

    fn fill(&mut self, name: &str, text: &str) {
        let desk = &self.workbench.live.queue;
        let draft = AnswerDraft {
            method: AnswerMethod::Text,
            text: text.to_owned(),
            ..desk.find(&id(name)).unwrap().draft.clone()
        };
        self.act(QueueAction::Fill(id(name), Box::new(draft)));
    }

    /// The waiting requests, with `>` before the selected one, and the outcomes of the others.
    fn shown(&self) -> String {
        let desk = &self.workbench.live.queue;
        let selected_id = desk.selected().map(|request| &request.id);
        let mut text = String::new();
        for request in desk.in_time() {
            let mark = if selected_id == Some(&request.id) { ">" } else { "" };
            writeln!(text, "{mark}{} {:.0} s", request.title(), desk.seconds_left(request))
                .unwrap();
        }
        for log in &desk.log {
            let mark = if selected_id == Some(&log.id) { ">" } else { "" };
            writeln!(text, "{mark}{} {:?}", log.label, log.outcome).unwrap();
        }
        text
    }
}

#[test]
fn the_first_to_run_out_comes_first_and_time_passes() {
    let mut desk = QueueBench::watching();
    desk.waits("a", 2);
    desk.waits("b", 25);
    desk.waits("old", 300);
    insta::assert_snapshot!(desk.shown(), @"
    Hi b 5 s
    >Hi a 28 s
    Hi old TimedOut
    ");
    desk.workbench.set_time(6.0);
    insta::assert_snapshot!(desk.shown(), @"
    >Hi a 22 s
    Hi b TimedOut
    Hi old TimedOut
    ");
    assert_eq!(desk.workbench.live.queue.waiting(), 1);
    // It can still be answered while its file exists.
    desk.act(QueueAction::Select(id("b")));
    desk.fill("b", "late");
    desk.act(QueueAction::Write);
    desk.receive(QueueEvent::Written(id("b"), Ok(at())));
    insta::assert_snapshot!(desk.shown(), @"
    >Hi a 22 s
    Hi b ByHand
    Hi old TimedOut
    ");
}

#[test]
fn after_an_answer_the_next_one_is_shown_and_drafts_stay() {
    let mut desk = QueueBench::watching();
    for (name, age) in [("a", 3), ("b", 2), ("c", 1)] {
        desk.waits(name, age);
    }
    desk.fill("c", "for c");
    desk.act(QueueAction::Select(id("b")));
    desk.fill("b", "for b");
    desk.act(QueueAction::Write);
    assert_eq!(
        desk.workbench.live.queue.blocked_reason().as_deref(),
        Some("the answer is being written")
    );
    desk.receive(QueueEvent::Written(id("b"), Ok(at())));
    insta::assert_snapshot!(desk.shown(), @"
    Hi a 27 s
    >Hi c 29 s
    Hi b ByHand
    ");
    let desk_ = &desk.workbench.live.queue;
    assert_eq!(desk_.selected().unwrap().draft.text, "for c");
    let [QueueCommand::Watch(_), QueueCommand::Write(of, reply)] = &desk.commands[..] else {
        panic!("{:?}", desk.commands);
    };
    assert_eq!((&**of, &*reply.content), ("b", r#"[{"type":"text","text":"for b"}]"#));
}

#[test]
fn what_somebody_else_answers_stays_while_it_is_typed_into_and_goes_else() {
    let mut desk = QueueBench::watching();
    desk.waits("a", 3);
    desk.waits("b", 2);
    desk.fill("a", "half");
    desk.receive(QueueEvent::AnsweredElsewhere(id("a"), at()));
    insta::assert_snapshot!(desk.shown(), @"
    Hi b 28 s
    >Hi a Elsewhere
    ");
    assert_eq!(
        desk.workbench.live.queue.blocked_reason().as_deref(),
        Some("the request is no longer waiting")
    );
    desk.act(QueueAction::Select(id("b")));
    assert!(desk.workbench.live.queue.find(&id("a")).is_none());
    desk.receive(QueueEvent::Withdrawn(id("b"), at()));
    insta::assert_snapshot!(desk.shown(), @"
    Hi b Withdrawn
    Hi a Elsewhere
    ");
}

#[test]
fn a_folder_is_watched_once_and_all_goes_with_it() {
    let mut desk = QueueBench::watching();
    desk.act(QueueAction::Watch("/p/queue".into()));
    desk.waits("a", 1);
    desk.receive(QueueEvent::FolderGone(Path::new("/p/queue").into()));
    assert!(!desk.workbench.live.queue.watched[0].exists);
    let effects = desk.workbench.apply(Action::Run(Command::StopWatching));
    desk.take(effects);
    assert_eq!(desk.workbench.live.queue.watched, []);
    assert_eq!(desk.shown(), "");
    desk.waits("late", 1);
    assert_eq!(desk.shown(), "");
    assert!(matches!(desk.commands[..], [QueueCommand::Watch(_), QueueCommand::Stop]));
}
