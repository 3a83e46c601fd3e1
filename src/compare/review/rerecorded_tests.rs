//! Re-recordings made for tests, for which the true pairs are known.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;

use super::{Take, TakePair, pair_up};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

const DAY_MILLIS: u64 = 24 * 60 * 60 * 1000;
const START_MILLIS: u64 = 1_764_716_799_596;
const FOLDERS: [&str; 3] = [
    "test/fixtures/recordings/tool-run",
    "test/fixtures/recordings/tool-run-complex",
    "test/fixtures/recordings/tool-run-isolated",
];
const TOPICS: [&str; 6] = [
    "a parcel that is late",
    "an invoice that names the wrong company",
    "a login that fails since Monday",
    "a refund for the second seat",
    "a crash of the export dialog",
    "a question about the price list",
];

/// One model call that is recorded, and recorded again.
#[derive(Clone)]
struct GeneratedCall {
    folder: String,
    topic: usize,
    tool: &'static str,
    /// A sentence that the prompt contains besides.
    besides: &'static str,
    has_signature: bool,
    answer: String,
}

impl GeneratedCall {
    fn new(numbers: &mut Numbers, topic: usize) -> Self {
        Self {
            folder: FOLDERS[numbers.below(3) as usize].to_owned(),
            topic,
            tool: "transition_to_respond",
            besides: "",
            has_signature: numbers.below(2) == 0,
            answer: answer(numbers),
        }
    }

    /// Its file, when it is recorded at a time as the call with this number.
    fn to_file(&self, millis: u64, number: usize) -> (String, String) {
        let id = format!("req-{millis}-{number}");
        let time = jiff::Timestamp::from_millisecond(millis as i64).unwrap();
        let prompt = format!(
            "You are the agent of a help desk and work on one ticket after the other. Read the ticket, decide what \
             it is about, and use one of the tools to go on. {}Never invent a number. The ticket is about {}.",
            self.besides, TOPICS[self.topic]
        );
        let names = ["read_Ticket", self.tool];
        let tool = |name: &&str| json!({"name": name, "description": format!("Goes on with {name}"), "input_schema": {"type": "object"}});
        let mut file = json!({
            "request": {"requestId": id, "timestamp": time.to_string(), "context": {"testName": "run"},
                "messages": [{"role": "user", "content": prompt}], "tools": names.iter().map(tool).collect::<Vec<_>>()},
            "response": {"requestId": id, "response": {"content": [
                {"type": "tool_use", "id": format!("toolu_{millis}a{number}"), "name": self.tool, "input": {"reason": self.answer}}]}},
            "recordedAt": time.to_string(),
        });
        if self.has_signature {
            file["signature"] =
                json!({"toolNames": names, "messageCount": 1, "contextKeys": ["testName"]});
        }
        let path = format!("{}/{id}.json", self.folder);
        (path, serde_json::to_string_pretty(&file).unwrap())
    }
}

fn answer(numbers: &mut Numbers) -> String {
    const WORDS: [&str; 12] = [
        "customer", "waits", "since", "answer", "team", "parcel", "invoice", "urgent", "known",
        "issue", "article", "reply",
    ];
    let words: Vec<&str> = (0..12).map(|_| WORDS[numbers.below(12) as usize]).collect();
    words.join(" ")
}

type CallChange = fn(GeneratedCall) -> GeneratedCall;

/// Old and new files, and for each new one the old one that it replaces.
#[derive(Default)]
struct Rerecording {
    old: BTreeMap<String, String>,
    new: BTreeMap<String, String>,
    truth: BTreeMap<String, String>,
}

impl Rerecording {
    /// Records calls one after the other, and answers their paths.
    fn run(
        files: &mut BTreeMap<String, String>,
        numbers: &mut Numbers,
        calls: &[GeneratedCall],
        start: u64,
    ) -> Vec<String> {
        let mut millis = start;
        let mut paths = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            millis += 100 + numbers.below(900);
            let (path, text) = call.to_file(millis, number + 1);
            files.insert(path.clone(), text);
            paths.push(path);
        }
        paths
    }

    /// Records calls, and records them again some days later after `change`; `None` removes a call.
    fn rerecord(
        &mut self,
        numbers: &mut Numbers,
        calls: &[GeneratedCall],
        mut change: impl FnMut(&mut Numbers, usize, &GeneratedCall) -> Option<GeneratedCall>,
    ) {
        let old = Self::run(&mut self.old, numbers, calls, START_MILLIS);
        let changed: Vec<(usize, GeneratedCall)> = calls
            .iter()
            .enumerate()
            .filter_map(|(at, call)| Some((at, change(numbers, at, call)?)))
            .collect();
        let again: Vec<GeneratedCall> = changed.iter().map(|(_, call)| call.clone()).collect();
        let new = Self::run(&mut self.new, numbers, &again, START_MILLIS + 3 * DAY_MILLIS);
        for ((at, _), new) in changed.iter().zip(new) {
            self.truth.insert(new, old[*at].clone());
        }
    }

    fn pairs(&self) -> Vec<TakePair> {
        let takes = |files: &BTreeMap<String, String>| -> Vec<Arc<Take>> {
            let take = |(path, text): (&String, &String)| {
                Arc::new(Take::new(path, text.clone().into_bytes()))
            };
            files.iter().map(take).collect()
        };
        pair_up(takes(&self.old), takes(&self.new), &[])
    }

    /// Each pair that is not the true one.
    fn describe_wrong_pairs(&self) -> String {
        let mut wrong = String::new();
        for pair in self.pairs() {
            let path = |take: &Option<Arc<Take>>| take.as_ref().map(|take| take.path.to_string());
            let (old, Some(new)) = (path(&pair.old), path(&pair.new)) else { continue };
            let expected = self.truth.get(&new).cloned();
            if old != expected {
                let _ = writeln!(wrong, "{new} <- {old:?} {}, not {expected:?}", pair.by.as_str());
            }
        }
        wrong
    }

    #[track_caller]
    fn check(&self, what: &str, seed: u64) {
        let wrong = self.describe_wrong_pairs();
        assert!(
            wrong.is_empty(),
            "{what}, seed {seed}: {} of {}\n{wrong}",
            wrong.lines().count(),
            self.truth.len()
        );
    }
}

const SEEDS: std::ops::Range<u64> = 0..40;
const CALLS: usize = 33;

fn calls(numbers: &mut Numbers) -> Vec<GeneratedCall> {
    (0..CALLS)
        .map(|_| {
            let topic = numbers.below(TOPICS.len() as u64) as usize;
            GeneratedCall::new(numbers, topic)
        })
        .collect()
}

#[test]
fn equal_requests_keep_their_shape_and_order() {
    for seed in SEEDS {
        let mut numbers = Numbers(seed);
        let calls = calls(&mut numbers);
        let mut rerecording = Rerecording::default();
        rerecording.rerecord(&mut numbers, &calls, |numbers, _, call| {
            let answer = if numbers.below(3) == 0 { answer(numbers) } else { call.answer.clone() };
            Some(GeneratedCall { answer, ..call.clone() })
        });
        assert_eq!(rerecording.truth.len(), CALLS);
        rerecording.check("mixed", seed);
    }
}

#[test]
fn of_several_runs_the_latest_of_the_same_shape_is_replaced() {
    for seed in SEEDS {
        let mut numbers = Numbers(seed);
        let calls = calls(&mut numbers);
        let mut rerecording = Rerecording::default();
        // Runs of the days before, which were not deleted; the oldest without signatures.
        for day in 1..=4 {
            let has_signature = day <= 2;
            let some: Vec<GeneratedCall> =
                calls.iter().filter(|_| numbers.below(3) > 0).cloned().collect();
            let some: Vec<GeneratedCall> =
                some.into_iter().map(|call| GeneratedCall { has_signature, ..call }).collect();
            Rerecording::run(
                &mut rerecording.old,
                &mut numbers,
                &some,
                START_MILLIS - day * DAY_MILLIS,
            );
        }
        let latest: Vec<GeneratedCall> =
            calls.into_iter().map(|call| GeneratedCall { has_signature: true, ..call }).collect();
        rerecording.rerecord(&mut numbers, &latest, |numbers, _, call| {
            Some(GeneratedCall { answer: answer(numbers), ..call.clone() })
        });
        rerecording.check("several runs", seed);
    }
}

#[test]
fn a_new_shape_for_all_keeps_the_order() {
    for seed in SEEDS {
        let mut numbers = Numbers(seed);
        let calls = calls(&mut numbers);
        let mut rerecording = Rerecording::default();
        rerecording.rerecord(&mut numbers, &calls, |numbers, _, call| {
            Some(GeneratedCall { has_signature: true, answer: answer(numbers), ..call.clone() })
        });
        rerecording.check("all with signatures", seed);
    }
}

#[test]
fn removed_and_added_calls_do_not_shift_the_others() {
    for seed in SEEDS {
        let mut numbers = Numbers(seed);
        let calls = calls(&mut numbers);
        let mut rerecording = Rerecording::default();
        rerecording.rerecord(&mut numbers, &calls, |numbers, _, call| {
            // One word of the answer is another.
            let answer = call.answer.replacen("team", "crew", 1);
            (numbers.below(5) > 0).then(|| GeneratedCall { answer, ..call.clone() })
        });
        rerecording.check("removed", seed);
        // The same the other way round: what was removed is added.
        let turned = Rerecording {
            truth: rerecording.truth.iter().map(|(new, old)| (old.clone(), new.clone())).collect(),
            old: rerecording.new,
            new: rerecording.old,
        };
        turned.check("added", seed);
    }
}

#[test]
fn an_edited_prompt_or_tool_or_a_moved_folder_keeps_the_pairs() {
    for seed in SEEDS {
        let edits: [(&str, CallChange); 3] = [
            ("edited prompt", |call| GeneratedCall {
                besides: "Answer in the language of the ticket. ",
                ..call
            }),
            ("renamed tool", |call| GeneratedCall { tool: "transition_to_reply", ..call }),
            ("moved folder", |call| GeneratedCall {
                folder: call.folder.replace("recordings", "takes"),
                ..call
            }),
        ];
        for (what, edit) in edits {
            let mut numbers = Numbers(seed);
            let calls = calls(&mut numbers);
            let mut rerecording = Rerecording::default();
            rerecording.rerecord(&mut numbers, &calls, |numbers, _, call| {
                Some(edit(GeneratedCall { answer: answer(numbers), ..call.clone() }))
            });
            rerecording.check(what, seed);
        }
    }
}

#[test]
fn a_pair_of_different_requests_is_marked() {
    let mut numbers = Numbers(1);
    let call = GeneratedCall::new(&mut numbers, 0);
    let mut rerecording = Rerecording::default();
    rerecording.rerecord(&mut numbers, std::slice::from_ref(&call), |_, _, call| {
        Some(GeneratedCall { topic: 1, ..call.clone() })
    });
    let words = |rerecording: &Rerecording| {
        let pairs = rerecording.pairs();
        pairs[0].by.description(document::FileKind::Recording)
    };
    assert_eq!(words(&rerecording), "Paired by signature: the requests differ");
    let mut rerecording = Rerecording::default();
    rerecording.rerecord(&mut numbers, &[call], |_, _, call| Some(call.clone()));
    assert_eq!(words(&rerecording), "Paired by request and time");
}
