//! Tests of reading machines.

mod covered;
mod offers;
mod properties;

use super::testing::{describe_machine, machine};
use super::{Graph, MachineDiff, RecordingFacts, StoredNames, affected};

/// A machine with something of everything.
const ALL: &str = r#"
import { review, close as shut } from "./shared.dygram"
machine "Orders" @StrictMode @version("2.0") {
    model: "m-1";
}

/* What is known
   of an order. */
context Order {
    total<number>: -12.5e1; tags<Array<string>>: ["new", 'it\'s', #gift];
    owner?<string>: {{ Customer.name }};
    limits: { high: 10; low: 1 };
}
Task check "Look at it" @async(id: "x"; retries: 3) {
    prompt: "Say \"yes\"
or no.";
    state waiting;
    task ask "Ask" { prompt: 'Ask.'; }
    waiting -"again"-> ask;
}
#external "Elsewhere";
note for check "Checks are cheap."
note check @x "So are notes";

Order -> check; // in
check -writes-> Order;
check -"fine"-> ship, shut -> done;
check "1" -when: "total > 3"; weight: 2;-> "0..*" review;
check =fat=> done; check --@auto "by itself"--> done;
a <|-- b; c *--> d; e o--> f; g <--> h; i <--both-> j;
k -if: count >= 3 && ready;-> l { colour: "red"; };
"#;

#[test]
fn everything_is_read() {
    insta::assert_snapshot!(describe_machine(&machine(ALL)), @r#"
    Orders @StrictMode @version(2.0)
    import ["review as review", "close as shut"] from ./shared.dygram
      model: m-1
    context Order
      total: -12.5e1 <number> Number
      tags: ["new", 'it\'s', #gift] <Array<string>> List
      owner: {{ Customer.name }} <string> Template
      limits: {high: 10; low: 1} Object
    Task check "Look at it" @async(id: "x"; retries: 3)
      prompt: Say "yes"
    or no. String
    state check.waiting
    task check.ask "Ask"
      prompt: Ask. String
    node external "Elsewhere"
    waiting -> ask "again"
    Order -> check
    check -> Order "writes"
    check -> ship, shut "fine"
    ship, shut -> done
    check -> review [when: total > 3] [weight: 2] 1 to 0..*
    check => done "fat"
    check --> done "by itself" @auto
    a <|-- b
    c *--> d
    e o--> f
    g <--> h
    i <--> j "both"
    k -> l [if: count>=3&&ready] [colour: red]
    note for check: Checks are cheap.
    note for check: So are notes
    "#);
}

#[test]
fn titles_names_and_labels_are_as_recorders_store_them() {
    let machine = machine(
        "machine 'T'; task a { state b; }\na -x-> c; a -\"y z\"-> d; c -x-> d; d -when: 'q'-> a;",
    );
    assert_eq!(machine.title(), Some("T"));
    assert_eq!(machine.node_names(), ["a", "b", "c", "d"]);
    assert_eq!(machine.edge_labels(), ["x", "y z", "when: q"]);
}

#[test]
fn problems_are_reported_and_the_rest_is_read() {
    insta::assert_snapshot!(describe_machine(&machine("machine \"M\"\ntask a\ntask b { prompt \"x\"; limit: ; c: 1\n}}\na -> ;\na -\"x\" }\nb -> a\n? b -> c -> ;\n@ a -> d;\nx y -> z;\ntask e {")), @r#"
    M
    task a
    task b
      limit
    node b.prompt "x"
    task e
    b -> a
    y -> z
    3:29 Skipped Expected a value, found `;`
    4:2 Skipped `}` without a `{` before it
    5:6 Skipped Expected the name of a node, found `;`
    6:8 Skipped Expected the end of an arrow, found `}`
    6:8 Skipped `}` without a `{` before it
    8:1 Skipped Expected a name, found `?`
    9:1 Skipped Expected a name, found `@`
    10:1 Skipped Unexpected `x` before `y`
    11:8 Unended `{` without a `}` behind it
    "#);
}

#[test]
fn lines_end_statements_where_no_semicolon_does() {
    insta::assert_snapshot!(describe_machine(&machine("machine \"M\" {\n  steps: 10\n  log: \"all\"\n}\n\nstart \"Begin\" {\n  prompt: \"Go.\"\n}\nstate one \"1\"\nend \"Done\"\n\nstart -> one @option(\"o\")\nstart -when: \"a.b == 1\"-> end\none -> end")), @r#"
    M
      steps: 10
      log: all
    node start "Begin"
      prompt: Go. String
    state one "1"
    node end "Done"
    start -> one @option(o)
    start -> end [when: a.b == 1]
    one -> end
    "#);
}

#[test]
fn names_lead_to_the_nearest_node_and_paths_to_the_node_they_start_at() {
    insta::assert_snapshot!(offers("a { x; y { part: 1; } x -> y; } b { x; y { deep; } x -> y.deep; x -> a.y; } x -> a.y.part; c -> b.y.deep; o -> p.q; o -> p.r; p -> o;"), @"
    a: Never 
    a.x: Model transition_to_y transition_to_y
    a.y: Never 
    b: Never 
    b.x: Model transition_to_deep transition_to_y
    b.y: Never 
    b.y.deep: Never 
    c: PassedThrough transition_to_deep
    o: Model transition_to_q transition_to_r
    p: PassedThrough transition_to_o
    p.q: PassedThrough transition_to_o
    p.r: PassedThrough transition_to_o
    ");
}

fn offers(text: &str) -> String {
    let machine = machine(text);
    let graph = Graph::new(&machine);
    let lines = graph.ids().map(|id| {
        let offer = graph.offer(id);
        let uncertain = offer.uncertain.map(|why| format!(" ({why:?})"));
        format!(
            "{}: {:?} {}{}",
            graph.qualified(id),
            offer.model_use,
            offer.tools.join(" "),
            uncertain.unwrap_or_default()
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_node_offers_the_tools_of_its_edges() {
    insta::assert_snapshot!(offers(r#"
        context C; state userContext; task t { prompt: "p"; } task p { prompt: "p"; } state s; task m @Meta;
        C -> t; t -reads-> userContext; t -" Stores "-> C; userContext -> t;
        t -"either"-> a; t -"or"-> b; t -> a;
        t -@auto-> c; t -when: "x"-> d; t -IF: "x";-> d; t -"unless: x"-> e;
        t -@async-> f; t -@map("C.items")-> g; t -@spawn @each-> h; t -@fork("false")-> i;
        p -> t; s -> a; s -> b; m -> a;
    "#), @"
    C: Never transition_to_t
    userContext: PassedThrough transition_to_t
    t: PassedThrough map_spawn_to_g map_spawn_to_h read_C read_userContext spawn_async_to_f spawn_async_to_h transition_to_a transition_to_a transition_to_b transition_to_d transition_to_d transition_to_e transition_to_i transition_to_p write_C
    p: Model transition_to_p transition_to_t
    s: Never transition_to_a transition_to_b
    m: PassedThrough transition_to_a
    a: Never 
    b: Never 
    c: Never 
    d: Never 
    e: Never 
    f: Never 
    g: Never 
    h: Never 
    i: Never
    ");
}

#[test]
fn nodes_without_edges_offer_what_the_node_around_offers() {
    insta::assert_snapshot!(offers(r#"
        state module { task first; task second { path: 1; } task third { task deep; } }
        module -> good; module -> bad;
        module.first -> module.second.path.of.attribute;
        second -> third;
    "#), @"
    module: Never transition_to_bad transition_to_good
    module.first: PassedThrough transition_to_second
    module.second: PassedThrough transition_to_third
    module.third: Model transition_to_bad transition_to_good
    module.third.deep: Never 
    good: Never 
    bad: Never
    ");
}

fn diff(then: &str, now: &str) -> String {
    let diff = MachineDiff::new(&machine(then), &machine(now));
    let mut lines = vec![diff.describe()];
    for change in &diff.changes {
        let offers = if change.offers.is_empty() {
            String::new()
        } else {
            format!(" [{}]", change.offers.join(", "))
        };
        lines.push(format!("{change}{offers}"));
    }
    lines.extend(diff.remark.map(str::to_owned));
    lines.join("\n")
}

const THEN: &str = r#"machine "Triage" @v("1")
context Ticket { subject: ""; }
task classify "Choose" { prompt: "Decide who should handle this ticket, and be quick."; limit<number>: 50; }
task respond "Answer" { prompt: "Be kind."; }
state close;
Ticket -> classify;
classify -"known issue"-> respond;
classify -"hopeless"-> close;
respond -> close;
"#;

const NOW: &str = r#"machine "Triage and refunds" @v("2")
context Ticket { subject: ""; }
task classify "Choose" { prompt: "Decide who can handle the ticket, and be quick."; limit<number>: 60; }
task reply "Answer" { prompt: "Be kind."; }
task escalate { prompt: "Sum up."; }
state close "Closed";
Ticket -> classify;
classify -"known issue"-> reply;
classify -"needs a person"-> escalate;
reply -"done"-> close;
escalate -> close;
"#;

#[test]
fn changes_are_listed_with_the_affected_nodes() {
    insta::assert_snapshot!(diff(THEN, NOW), @"
    11 changes
    Title of the machine is now `Triage and refunds`, was `Triage`
    Annotations of the machine are now `@v(2)`, were `@v(1)`
    Prompt of `classify` changed, 2 words
    Attribute `limit` of `classify` is now `60`, was `50`
    Node `respond` renamed to `reply` [classify]
    Node `escalate` added
    Title of `close` added: `Closed`
    Edge `classify` → `escalate` added [classify]
    Label of `reply` → `close` added: `done`
    Edge `escalate` → `close` added
    Edge `classify` → `close` removed [classify]
    ");
}

#[test]
fn only_names_are_compared_where_only_names_were_stored() {
    let then = machine(THEN);
    let stored = StoredNames {
        title: then.title().map(str::to_owned),
        nodes: then.node_names().into_iter().map(str::to_owned).collect(),
        labels: then.edge_labels(),
    };
    let diff = MachineDiff::from_stored(&stored, &machine(NOW));
    let lines: Vec<String> = diff.changes.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    Title of the machine is now `Triage and refunds`, was `Triage`
    Node `reply` added
    Node `escalate` added
    Node `respond` removed
    Label `needs a person` added
    Label `done` added
    Label `hopeless` removed
    ");
    assert!(diff.remark.is_some());
    assert!(MachineDiff::from_stored(&StoredNames::default(), &then).changes.is_empty());
}

#[test]
fn small_changes_have_their_words() {
    let base = "task a; a -x-> b; note for a \"n\"; import { c } from \"./c\"";
    insta::assert_snapshot!(diff(base, "state a; a -\"y\"-> b; note for a \"m\"; import { c as d } from \"./c\""), @"
    4 changes
    Names of the import of `./c` are now `c as d`, were `c`
    Type of `a` is now `state`, was `task`
    Label of `a` → `b` is now `y`, was `x`
    Text of the note for `a` is now `m`, was `n`
    ");
    insta::assert_snapshot!(diff(base, "task a \"T\" @auto; a \"1\" --@auto x--> b;"), @"
    7 changes
    The import of `./c` removed
    Title of `a` added: `T`
    Annotations of `a` added: `@auto` [a]
    Arrow of `a` → `b` is now `-->`, was `->`
    Multiplicity of `a` → `b` added: `1 to any`
    Annotations of `a` → `b` added: `@auto` [a]
    The note for `a` removed
    ");
    insta::assert_snapshot!(diff("task a { x: 1; y<int>: 2; z; w: 3; }", "task a { x: \"1\"; y<float>: 2; v: 4; }"), @r#"
    5 changes
    Attribute `x` of `a` is now `"1"`, was `1`
    Attribute `y` of `a` is now `<float>`, was `<int>`
    Attribute `v` of `a` added: `4`
    Attribute `w` of `a` removed, was `3`
    Node `a.z` removed
    "#);
    insta::assert_snapshot!(diff("task m { task a; } m -> x; m -> y;", "task a; task m {} m -> x; m -> y;"), @"
    1 change
    Node `m.a` renamed to `a` [a]
    ");
    insta::assert_snapshot!(diff("a -> b; // c", "a -> b; // d"), @"only comments changed");
    insta::assert_snapshot!(diff("a -> b;", "a\n  ->  b ;"), @"only the layout changed");
    insta::assert_snapshot!(diff("context C; C -> a;", "C; C -> a;"), @"
    1 change
    Type of `C` removed, was `context` [a]
    ");
    insta::assert_snapshot!(diff("task a; a -> b; a -> c;", "machine \"M\" @meta task a; a -> b; a -> c;"), @"
    2 changes
    Title of the machine added: `M`
    Annotations of the machine added: `@meta` [a]
    ");
}

fn judged(tools: &[&str], node: Option<&str>, text: &str, then: Option<&str>, now: &str) -> String {
    let facts = RecordingFacts { tools: tools.to_vec(), current_node: node, texts: vec![text] };
    let then = then.map(machine);
    affected(&facts, then.as_ref(), &machine(now)).to_string()
}

const CLASSIFY: [&str; 3] = ["read_Ticket", "transition_to_close", "transition_to_respond"];

#[test]
fn what_no_request_shows_leaves_recordings_unaffected() {
    for (old, new) in [
        ("should handle this", "can handle that"),
        ("\"Choose\"", "\"Pick\""),
        ("\"known issue\"", "\"known\""),
        ("state close;", "// done\nstate close; state other;"),
        ("respond -> close;", "respond -> other;"),
        ("\"Triage\"", "\"Sorting\""),
        ("task classify", "task sort"),
    ] {
        let now = THEN.replacen(old, new, 1);
        let now = if new == "task sort" { THEN.replace("classify", "sort") } else { now };
        assert_ne!(now, THEN);
        let verdict = judged(&CLASSIFY, Some("classify"), "", Some(THEN), &now);
        assert!(verdict.ends_with("today offers the same tools"), "{new}: {verdict}");
    }
}

#[test]
fn a_recording_is_affected_by_what_its_node_offers() {
    insta::assert_snapshot!(judged(&CLASSIFY, Some("classify"), "", Some(THEN), NOW), @"A request made at `classify` today offers `transition_to_escalate` and `transition_to_reply` in place of `transition_to_close` and `transition_to_respond`");
    insta::assert_snapshot!(judged(&CLASSIFY, None, "# Role\n- **Node**: classify\n", None, NOW), @"A request made at `classify` today offers `transition_to_escalate` and `transition_to_reply` in place of `transition_to_close` and `transition_to_respond`");
    insta::assert_snapshot!(judged(&CLASSIFY, None, "", Some(THEN), NOW), @"A request made at `classify` today offers `transition_to_escalate` and `transition_to_reply` in place of `transition_to_close` and `transition_to_respond`");
    insta::assert_snapshot!(judged(&CLASSIFY, None, "", None, NOW), @"No node offers these tools today: `read_Ticket`, `transition_to_close` and `transition_to_respond`");
    insta::assert_snapshot!(judged(&["transition_to_close"], Some("respond"), "", Some(THEN), NOW), @"A request made at `reply` today offers the same tools");
    insta::assert_snapshot!(judged(&["transition_to_close"], None, "", None, NOW), @"It cannot be said whether it is affected: no model is asked at `reply` today, and whether one was asked there before is not known");
    insta::assert_snapshot!(judged(&CLASSIFY, Some("classify"), "", Some(THEN), &THEN.replace("respond;", "respond; classify -> more;")), @"A request made at `classify` today also offers `transition_to_more`");
    insta::assert_snapshot!(judged(&CLASSIFY, Some("gone"), "", Some(THEN), NOW), @"Node `gone` is gone, so no request is made there today");
}

#[test]
fn a_recording_is_affected_where_no_model_is_called_any_more() {
    let prompting = "task a { prompt: \"p\"; }";
    insta::assert_snapshot!(judged(&[], Some("a"), "", Some(prompting), "task a;"), @"No request is made at `a` today: the machine asks no model there");
    insta::assert_snapshot!(judged(&[], Some("a"), "", Some(prompting), "task a { prompt: \"q\"; }"), @"A request made at `a` today offers the same tools");
    let chooses = "task a; a -> b; a -> c;";
    let tools = ["transition_to_b", "transition_to_c"];
    insta::assert_snapshot!(judged(&tools, Some("a"), "", Some(chooses), "state a; a -> b; a -> c;"), @"No request is made at `a` today: the machine asks no model there");
    insta::assert_snapshot!(judged(&tools, None, "", None, "state a; a -> b; a -> c;"), @"It cannot be said whether it is affected: no model is asked at `a` today, and whether one was asked there before is not known");
    insta::assert_snapshot!(judged(&tools, None, "", None, "context C; C -> b; C -> c; task a; a -> b; a -> c;"), @"A request made at `a` today offers the same tools");
    let conditions = "task a; a -when: \"n > 1\"-> b; a -> c;";
    insta::assert_snapshot!(judged(&tools, Some("a"), "", Some(chooses), conditions), @"A request made at `a` today offers the same tools");
    let stage = "task a { stage: \"s\"; } a -> b; a -> c; state s;";
    insta::assert_snapshot!(judged(&tools, Some("a"), "", Some(chooses), stage), @"A request made at `a` today also offers `transition_to_s`");
    // An older version of the program called the model there; nothing that is unchanged since affects recordings.
    let state = "state a; a -> b; a -> c;";
    insta::assert_snapshot!(judged(&tools, Some("a"), "", Some(state), "state a \"A\"; a -> b; a -> c;"), @"A request made at `a` today offers the same tools");
}

#[test]
fn undecidable_cases_are_reported_as_unknown() {
    insta::assert_snapshot!(judged(&CLASSIFY, Some("gone"), "", None, &format!("import {{ gone }} from \"./x\"\n{NOW}")), @"It cannot be said whether it is affected: its node may stand in a machine that is imported");
    insta::assert_snapshot!(judged(&CLASSIFY, Some("classify"), "", None, &format!("{NOW} }} -> ;")), @"It cannot be said whether it is affected: the source as it is now could not be read whole");
    let far = "import { far } from \"./x\" far -> b; far -> c;";
    insta::assert_snapshot!(judged(&["transition_to_b"], Some("far"), "", None, far), @"It cannot be said whether it is affected: the tools of `far` are not certain: it is imported, and only the file that it is in says what it offers");
    insta::assert_snapshot!(judged(&["transition_to_b", "transition_to_c"], Some("far"), "", None, far), @"A request made at `far` today offers the same tools");
    insta::assert_snapshot!(judged(&["transition_to_close"], Some("respond"), "", None, NOW), @"It cannot be said whether it is affected: node `respond` is gone, but `reply` offers the same tools");
    insta::assert_snapshot!(judged(&[], None, "", None, NOW), @"It cannot be said whether it is affected: it names no node, and offers no tools to know it by");
    let twins = "a -> x; a -> y; b -> x; b -> y;";
    insta::assert_snapshot!(judged(&["transition_to_x", "transition_to_y"], None, "", Some(twins), "a -> x; a -> z; b -> x; b -> y;"), @"It cannot be said whether it is affected: it may be of `a` or `b`, which offered the same tools");
    insta::assert_snapshot!(judged(&["transition_to_x", "transition_to_y"], None, "", Some(twins), "a -> x; a -> y; b -> x; b -> y; c -> d;"), @"A request made at `a` today offers the same tools");
}
