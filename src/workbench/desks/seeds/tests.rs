use super::*;
use crate::testing::doc;
use crate::{Action, Bench, Command};
use protocol::ResponsePreview;

const FILE: &str = r#"{
  "seeds": [
    { "schema": "critique", "model": "router", "jobId": "a", "round": 0, "response": "{\"score\":0.5}" },
    { "schema": "critique", "model": "router", "jobId": "a", "round": 2, "response": "{\"score\":0.6}" },
    { "schema": "copy_proposal", "model": "router", "jobId": "a", "round": 2, "response": "{ half" }
  ],
  "hashSeeds": [
    { "step": "critique", "model": "router", "userTextHash": "1a", "response": "{}" }
  ]
}
"#;

const CALLS: &str = "seedMemoryTraceResponse('critique', 'router', 'b', 2, '');\n\
                     seedMemoryTraceResponse('critique', 'router', 'a', 0, JSON.stringify({ score: 0.7 }));\n\
                     seedMemoryTraceResponse('critique', MODEL, 'b', round, text);\n";

fn bench() -> Bench {
    let mut bench = Bench::open(&[("b.test.ts", CALLS), ("a.seeds.json", FILE), ("c.json", "{}")]);
    bench.press(Command::GoSeeds);
    bench
}

fn act(bench: &mut Bench, action: SeedsAction) {
    bench.act(Action::from(action));
}

/// The grid as text: a line for each heading and each row, the selected cell in brackets.
fn shown(bench: &Bench) -> String {
    let desk = &bench.workbench.seeds;
    let seeds = desk.loaded.value.as_ref().unwrap();
    let cursor = desk.cursor();
    let face = |at: SeedIndex| {
        let face = match seeds.preview(at) {
            ResponsePreview::Summary(summary) => summary.title.clone(),
            ResponsePreview::NotJson(place) => format!("not JSON at {place}"),
            ResponsePreview::Empty => "empty".to_owned(),
            ResponsePreview::Code(code) => format!("code {code}"),
        };
        if cursor == Some(at) { format!("[{face}]") } else { face }
    };
    let rows = desk.grid.rows.iter().map(|row| match row {
        GridRow::Heading { job, count, files, folded } => {
            let job = job.as_deref().unwrap_or("by hash");
            let mark = if *folded { "+" } else { "-" };
            format!("{mark} {job} ({count}) {}", files.join(" "))
        }
        GridRow::Seeds { schema, model, cells } => {
            let cells: Vec<String> = cells
                .iter()
                .map(|cell| match cell {
                    Some(SeedCell { at, count: 1 }) => face(*at),
                    Some(SeedCell { at, count: times }) => format!("{} x{times}", face(*at)),
                    None => ".".to_owned(),
                })
                .collect();
            format!("  {schema} {model} | {}", cells.join(" | "))
        }
        GridRow::Hash(at) => format!("  {} | {}", seeds.memory.seed(*at).key, face(*at)),
    });
    let rounds: Vec<String> = desk
        .grid
        .rounds
        .iter()
        .map(|round| round.map_or("?".to_owned(), |round| round.to_string()))
        .collect();
    let rows: Vec<String> = rows.collect();
    format!("rounds {}\n{}", rounds.join(" "), rows.join("\n"))
}

#[test]
fn seeds_are_grouped_by_job_with_a_column_for_each_round() {
    insta::assert_snapshot!(shown(&bench()), @"
    rounds 0 2 ?
    - a (4) a.seeds.json b.test.ts
      critique router | [Score 0.7] x2 | Score 0.6 | .
      copy_proposal router | . | not JSON at 5:91 | .
    - b (2) b.test.ts
      critique router | . | empty | .
      critique {MODEL} | . | . | code text
    - by hash (1) a.seeds.json
      critique:router:1a | { }
    ");
}

#[test]
fn the_selection_moves_from_seed_to_seed_and_looks_up_each() {
    let mut bench = bench();
    let key = |bench: &Bench| bench.workbench.seeds.question.key().unwrap_or_default();
    let mut keys = vec![key(&bench)];
    for command in [
        Command::NextColumn,
        Command::NextRow,
        Command::NextRow,
        Command::PreviousRow,
        Command::PreviousColumn,
    ] {
        bench.press(command);
        keys.push(key(&bench));
    }
    bench.press(Command::LastRow);
    let last = bench.workbench.seeds.selected;
    assert_eq!(last, Some(SeedId { doc: doc(1), index: 3 }));
    insta::assert_snapshot!(keys.join("\n"), @"
    critique:router:a:0
    critique:router:a:2
    copy_proposal:router:a:2
    critique:router:b:2
    copy_proposal:router:a:2
    copy_proposal:router:a:2
    ");
    bench.press(Command::OpenSelected);
    assert_eq!(bench.workbench.core.here().desk, Desk::Library);
    let place = bench.workbench.core.reveal.map(|(doc, span)| (doc, &FILE[span.range()][..19]));
    assert_eq!(place, Some((doc(1), "{ \"step\": \"critique")));
}

#[test]
fn a_filter_and_folds_hide_rows() {
    let mut bench = bench();
    act(&mut bench, SeedsAction::Filter("schema:crit job:a round:0".to_owned()));
    insta::assert_snapshot!(shown(&bench), @"
    rounds 0
    - a (2) a.seeds.json b.test.ts
      critique router | [Score 0.7] x2
    ");
    act(&mut bench, SeedsAction::Filter("half".to_owned()));
    act(&mut bench, SeedsAction::Fold(Some("a".into())));
    insta::assert_snapshot!(shown(&bench), @"
    rounds 2
    + a (1) a.seeds.json
    ");
}

#[test]
fn a_job_is_seeded_from_what_another_gets_and_undo_takes_it_back() {
    let mut bench = bench();
    let question = SeedRequest {
        job: Some("new".to_owned()),
        round: 2,
        ..bench.workbench.seeds.question.clone()
    };
    act(&mut bench, SeedsAction::LookUp(question));
    let step = |bench: &Bench| bench.workbench.seeds.answer.as_ref().and_then(|answer| answer.step);
    assert_eq!(step(&bench), Some(author::seeds::LookupStep::Wildcard));
    act(&mut bench, SeedsAction::FromAnswer);
    assert_eq!(bench.workbench.seeds.form.as_ref().and_then(|form| form.file), Some(doc(1)));
    act(&mut bench, SeedsAction::Apply);
    assert_eq!(step(&bench), Some(author::seeds::LookupStep::Exact));
    assert_eq!(bench.workbench.seeds.form.as_ref(), None);
    assert_eq!(bench.steps(), ["Seed critique:router:new:2"]);
    insta::assert_snapshot!(bench.text(doc(1)).replace(FILE.split("\n  ],").next().unwrap(), "…"), @r#"
    …,
        { "schema": "critique", "model": "router", "jobId": "new", "round": 2, "response": "{\"score\":0.6}" }
      ],
      "hashSeeds": [
        { "step": "critique", "model": "router", "userTextHash": "1a", "response": "{}" }
      ]
    }
    "#);
    assert_eq!(bench.notice_texts(), ["Added to a.seeds.json, not saved yet."]);

    bench.press(Command::Undo);
    assert_eq!(bench.text(doc(1)), FILE);
    bench.press(Command::GoSeeds);
    assert_eq!(step(&bench), Some(author::seeds::LookupStep::Wildcard));
}

#[test]
fn a_deprecated_seed_gets_a_trace_key_once_its_job_is_named() {
    let mut bench = bench();
    act(&mut bench, SeedsAction::Replace(SeedId { doc: doc(1), index: 3 }));
    act(&mut bench, SeedsAction::Apply);
    assert_eq!(bench.notice_texts(), ["Enter a job."]);
    let form = bench.workbench.seeds.form.as_ref().cloned().unwrap();
    let job = "c".to_owned();
    act(&mut bench, SeedsAction::Edit(Some(SeedForm { job, ..form })));
    act(&mut bench, SeedsAction::Apply);
    assert!(bench.text(doc(1)).contains("\"hashSeeds\": []"));
    assert!(bench.text(doc(1)).contains("\"jobId\": \"c\""), "{}", bench.text(doc(1)));
    bench.press(Command::Close);
}

#[test]
fn what_changes_elsewhere_is_read_again_while_the_desk_is_shown() {
    let mut bench = bench();
    let old_revision = bench.workbench.seeds.revision;
    bench.press(Command::GoLibrary);
    bench.act(Action::Select(doc(1)));
    bench.set(doc(1), "/seeds/0/jobId", "\"z\"");
    assert_eq!(bench.workbench.seeds.revision, old_revision);
    bench.press(Command::GoSeeds);
    assert!(shown(&bench).contains("- z (1)"), "{}", shown(&bench));
}

#[test]
fn calls_are_copied_as_typescript() {
    let mut bench = bench();
    let effects = bench.workbench.apply(Action::from(SeedsAction::CopyCalls));
    insta::assert_snapshot!(format!("{effects:?}"), @r#"[Copy("seedMemoryTraceResponse(\"critique\", \"router\", \"a\", 0, JSON.stringify({ score: 0.7 }));\n")]"#);
}
