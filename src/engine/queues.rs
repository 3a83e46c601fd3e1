//! Watches queues for the window, each on its own thread, which also writes the answers.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use jiff::Timestamp;

use crate::event_sender::EventSender;
use crate::live::ProjectRules;
use crate::live::queue::{POLL_INTERVAL, QueueFolder, WaitingRequest};
use crate::run::{CancelOnDrop, TaskContext, spawn_guarded};
use play::live::queue::{self, AnswerRule, QueueReply};
use protocol::{EngineEvent, QueueCommand, QueueEvent, QueueRequest, RequestId, RuleMode};

/// The watched queues, by folder: what stops each, and where its commands go.
pub(super) type Queues = HashMap<Arc<Path>, (CancelOnDrop, Sender<QueueCommand>)>;

/// Starts or stops watching a queue, or passes a command to what watches it.
pub(super) fn execute(request: &QueueRequest, queues: &mut Queues, context: &TaskContext) {
    match &request.command {
        QueueCommand::Watch(rules) => watch_queue(request, *rules, queues, context),
        QueueCommand::Stop => drop(queues.remove(&request.queue)),
        command => {
            if let Some((_, commands)) = queues.get(&request.queue) {
                // A thread that has ended no longer watches.
                let _ = commands.send(command.clone());
            }
        }
    }
}

pub(super) fn failed(request: &QueueRequest, reason: String) -> EngineEvent {
    let queue = Arc::clone(&request.queue);
    let event = match &request.command {
        QueueCommand::Write(name, _) | QueueCommand::AnswerByRule(name) => {
            QueueEvent::Written(RequestId { queue, name: Arc::clone(name) }, Err(reason))
        }
        _ => QueueEvent::WatchFailed(queue, reason),
    };
    EngineEvent::Queue(event)
}

fn watch_queue(request: &QueueRequest, rules: RuleMode, queues: &mut Queues, env: &TaskContext) {
    let folder = Arc::clone(&request.queue);
    env.services.renew_samples(&folder);
    // Unbounded, since the window's thread sends here and must not wait for the disk.
    let (commands, receiver) = unbounded();
    let project = env.project.as_ref();
    let root = project.and_then(|project| project.shared_root());
    let mut watcher = QueueWatcher {
        queue: QueueFolder::new(&folder, env.root.as_deref()),
        folder: Arc::clone(&folder),
        rules_mode: rules,
        rules: root.map(ProjectRules::new),
        reported_rules: None,
        waiting: Vec::new(),
        sender: env.sender.clone(),
    };
    let stop = CancelOnDrop::default();
    let (cancel, sender) = (Arc::clone(&stop.0), env.sender.clone());
    let (is_closed, watched_request) = (Arc::clone(&cancel), request.clone());
    let fail = move |reason| {
        sender.send(failed(&watched_request, reason), &is_closed);
    };
    let work = move || watcher.run(&receiver, &cancel);
    match spawn_guarded("queue", env.description.clone(), fail, work) {
        // A queue that was watched before is stopped when its entry is replaced.
        Ok(_) => drop(queues.insert(folder, (stop, commands))),
        Err(error) => {
            let reason = format!("Cannot start a thread to watch: {error}");
            env.sender.try_send(failed(request, reason));
        }
    }
}

/// A queue that is watched for the window.
struct QueueWatcher {
    queue: QueueFolder,
    folder: Arc<Path>,
    rules_mode: RuleMode,
    rules: Option<ProjectRules>,
    /// The rules that were last reported to the window.
    reported_rules: Option<(Vec<AnswerRule>, Vec<String>)>,
    /// Reported requests without an answer.
    waiting: Vec<WaitingRequest>,
    sender: EventSender,
}

impl QueueWatcher {
    /// Polls the folder until it is cancelled.
    fn run(&mut self, commands: &Receiver<QueueCommand>, cancel: &AtomicBool) {
        self.report_rules(cancel);
        while !cancel.load(Ordering::Relaxed) {
            match commands.recv_timeout(POLL_INTERVAL) {
                Ok(command) => self.execute(command, cancel),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.poll(cancel);
        }
    }

    fn send(&self, event: QueueEvent, cancel: &AtomicBool) {
        self.sender.send(EngineEvent::Queue(event), cancel);
    }

    fn request_id(&self, name: &Arc<str>) -> RequestId {
        RequestId { queue: Arc::clone(&self.folder), name: Arc::clone(name) }
    }

    fn poll(&mut self, cancel: &AtomicBool) {
        let mut events = Vec::new();
        let requests = self.queue.poll(&mut |event| events.push(event));
        for event in events {
            self.handle_event(event, cancel);
        }
        if requests.is_empty() {
            return;
        }
        self.report_rules(cancel);
        for request in &requests {
            let (at, age) = written_at(request);
            let event = QueueEvent::RequestArrived {
                id: self.request_id(&request.name),
                question: Box::new(request.question.clone()),
                at,
                age,
            };
            self.send(event, cancel);
        }
        let first_new = self.waiting.len();
        self.waiting.extend(requests);
        if self.rules_mode == RuleMode::Automatic {
            // Cloned, since an answered request is removed from the list.
            for request in self.waiting.clone().iter().skip(first_new) {
                self.answer_by_rule(request, cancel);
            }
        }
    }

    /// Reports what happened to a request or the folder.
    fn handle_event(&mut self, event: queue::LiveQueueEvent, cancel: &AtomicBool) {
        let now = Timestamp::now();
        let event_for_window = match event {
            // The window does not answer from sets.
            queue::LiveQueueEvent::Answered(..) | queue::LiveQueueEvent::Unanswered(..) => return,
            queue::LiveQueueEvent::AnsweredByRule(name, rule) => {
                self.forget(&name);
                QueueEvent::AnsweredByRule(self.request_id(&name), now, rule)
            }
            queue::LiveQueueEvent::Failed(name, reason) => {
                QueueEvent::Failed(self.request_id(&name), now, reason)
            }
            queue::LiveQueueEvent::AnsweredByOther(name) => {
                self.forget(&name);
                QueueEvent::AnsweredElsewhere(self.request_id(&name), now)
            }
            queue::LiveQueueEvent::Withdrawn(name) => {
                self.forget(&name);
                QueueEvent::Withdrawn(self.request_id(&name), now)
            }
            queue::LiveQueueEvent::FolderMissing => {
                QueueEvent::FolderGone(Arc::clone(&self.folder))
            }
            queue::LiveQueueEvent::FolderBack => QueueEvent::FolderBack(Arc::clone(&self.folder)),
        };
        self.send(event_for_window, cancel);
    }

    fn forget(&mut self, name: &str) {
        self.waiting.retain(|request| *request.name != *name);
    }

    fn execute(&mut self, command: QueueCommand, cancel: &AtomicBool) {
        match command {
            QueueCommand::Write(name, reply) => {
                let result = self.write(&name, &reply).map(|()| Timestamp::now());
                if result.is_ok() {
                    self.forget(&name);
                }
                self.send(QueueEvent::Written(self.request_id(&name), result), cancel);
            }
            QueueCommand::AnswerByRule(name) => {
                let request = self.waiting.iter().find(|request| request.name == name).cloned();
                let is_answered = request.is_some_and(|w| self.answer_by_rule(&w, cancel));
                if !is_answered {
                    let text = "No rule matches it any longer".to_owned();
                    let event = QueueEvent::Failed(self.request_id(&name), Timestamp::now(), text);
                    self.send(event, cancel);
                }
            }
            QueueCommand::SetRuleMode(rules) => {
                self.rules_mode = rules;
                self.try_rules(cancel);
            }
            QueueCommand::TryRules => {
                self.report_rules(cancel);
                self.try_rules(cancel);
            }
            // The engine does these.
            QueueCommand::Watch(_) | QueueCommand::Stop => {}
        }
    }

    fn write(&mut self, name: &Arc<str>, reply: &QueueReply) -> Result<(), String> {
        let request = self
            .waiting
            .iter()
            .find(|request| request.name == *name)
            .ok_or("Nothing waits for it any longer")?;
        self.queue.write(name, &reply.json(request.id(), Timestamp::now()))
    }

    /// Answers the waiting requests by rules, if rules answer automatically.
    fn try_rules(&mut self, cancel: &AtomicBool) {
        if self.rules_mode == RuleMode::Automatic {
            // Cloned, since an answered request is removed from the list.
            for request in self.waiting.clone() {
                self.answer_by_rule(&request, cancel);
            }
        }
    }

    /// Answers by the first rule that matches. Returns false if none does.
    fn answer_by_rule(&mut self, request: &WaitingRequest, cancel: &AtomicBool) -> bool {
        let event = self.rules.as_ref().and_then(|rules| self.queue.answer_by_rule(request, rules));
        let is_ruled = event.is_some();
        if let Some(event) = event {
            self.handle_event(event, cancel);
        }
        is_ruled
    }

    /// Reports the project's rules if they have changed.
    fn report_rules(&mut self, cancel: &AtomicBool) {
        let Some(rules_and_faults) = self.rules.as_ref().map(ProjectRules::read) else { return };
        if self.reported_rules.as_ref() != Some(&rules_and_faults) {
            let (rules, faults) = rules_and_faults.clone();
            self.send(QueueEvent::Rules(rules.into(), faults.into()), cancel);
            self.reported_rules = Some(rules_and_faults);
        }
    }
}

/// Returns when a request was written, and how long ago: by its file's time, else by its own timestamp.
fn written_at(request: &WaitingRequest) -> (Timestamp, Duration) {
    let now = SystemTime::now();
    // The clock of a network file system may be ahead of this one.
    let file_time = request.written.filter(|t| *t <= now);
    let request_time = || {
        let request = request.question.request()?;
        let request_time: Timestamp = request.timestamp.as_ref()?.value.parse().ok()?;
        Some(SystemTime::from(request_time)).filter(|request_time| *request_time <= now)
    };
    let at = file_time.or_else(request_time).unwrap_or(now);
    let age = now.duration_since(at).unwrap_or_default();
    (Timestamp::try_from(at).unwrap_or_else(|_| Timestamp::now()), age)
}
