//! Tests of the nodes that call a model, and of their tools.

use super::super::testing::machine;
use super::super::{Graph, Machine};

/// Lists each node that calls a model with its tools, then the others.
fn prompting_nodes(machine: &Machine) -> String {
    use super::super::ModelUse;
    let graph = Graph::new(machine);
    let mut silent = Vec::new();
    let mut lines = Vec::new();
    for id in graph.ids() {
        let offer = graph.offer(id);
        let uncertain = offer.uncertain.map(|why| format!(" ({why:?})"));
        let uncertain = uncertain.unwrap_or_default();
        match offer.model_use {
            ModelUse::Model => {
                lines.push(format!(
                    "{}: {}{uncertain}",
                    graph.qualified(id),
                    offer.tools.join(" ")
                ));
            }
            _ => silent.push(format!("{}{uncertain}", graph.qualified(id))),
        }
    }
    if !silent.is_empty() {
        lines.push(format!("silent: {}", silent.join(", ")));
    }
    lines.join("\n")
}

fn table(machines: &[&str]) -> String {
    let describe = |text: &&str| format!("{text}\n{}", prompting_nodes(&machine(text)));
    machines.iter().map(describe).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn a_node_that_may_edit_the_machine_offers_the_tools_for_that() {
    insta::assert_snapshot!(table(&[
        r#"machine "A" @meta task a { prompt: "x"; } state b; a -> b;"#,
        r#"machine "A" task a @Meta { prompt: "x"; } task b { prompt: "y"; } a -> b; b -> a;"#,
        r#"task a @meta("false") { prompt: "x"; } task b @meta(enabled: false) { prompt: "x"; } a -> b; b -> a;"#,
        r#"machine "A" @meta state a; task b; c; context d; a -> b; b -> c; c -> a; d -> c;"#,
        r#"machine "A" @meta c; c -> a; c -> b;"#,
    ]), @r#"
    machine "A" @meta task a { prompt: "x"; } state b; a -> b;
    a: build_tool_from_node construct_tool get_machine_definition get_tool_nodes list_available_tools propose_tool_improvement transition_to_b update_definition
    silent: b

    machine "A" task a @Meta { prompt: "x"; } task b { prompt: "y"; } a -> b; b -> a;
    a: build_tool_from_node construct_tool get_machine_definition get_tool_nodes list_available_tools propose_tool_improvement transition_to_b update_definition
    silent: b

    task a @meta("false") { prompt: "x"; } task b @meta(enabled: false) { prompt: "x"; } a -> b; b -> a;
    silent: a, b

    machine "A" @meta state a; task b; c; context d; a -> b; b -> c; c -> a; d -> c;
    silent: a, b, c, d

    machine "A" @meta c; c -> a; c -> b;
    c: build_tool_from_node construct_tool get_machine_definition get_tool_nodes list_available_tools propose_tool_improvement transition_to_a transition_to_b update_definition
    silent: a, b
    "#);
}

#[test]
fn tasks_with_a_prompt_call_the_model_and_states_do_not() {
    insta::assert_snapshot!(table(&[
        r#"task a { prompt: "x"; }"#,
        r#"a { prompt: "x"; } state b { prompt: "x"; }"#,
        r#"Task a { prompt: "x"; } a -> b; a -> c; State s; s -> a; s -> b;"#,
        r#"task a { prompt: "x"; } a -> b;"#,
        r#"task a; a -> b; a -> c; task b; b -> c;"#,
        r#"context C; state end; C -> end; task done; C -> done;"#,
        r#"context C; state s; task t; task p { prompt: "x"; } n; C -> s, t, p, n; s -> a; t -> a; p -> a; n -> a;"#,
        r#"task t; context C; t -writes-> C; t -> a;"#,
    ]), @r#"
    task a { prompt: "x"; }
    a: 

    a { prompt: "x"; } state b { prompt: "x"; }
    a: 
    silent: b

    Task a { prompt: "x"; } a -> b; a -> c; State s; s -> a; s -> b;
    a: transition_to_b transition_to_c
    silent: s, b, c

    task a { prompt: "x"; } a -> b;
    silent: a, b

    task a; a -> b; a -> c; task b; b -> c;
    a: transition_to_b transition_to_c
    silent: b, c

    context C; state end; C -> end; task done; C -> done;
    silent: C, end, done

    context C; state s; task t; task p { prompt: "x"; } n; C -> s, t, p, n; s -> a; t -> a; p -> a; n -> a;
    p: read_C transition_to_a
    silent: C, s, t, n, a

    task t; context C; t -writes-> C; t -> a;
    t: transition_to_a write_C
    silent: C, a
    "#);
}

#[test]
fn where_a_machine_begins_it_takes_the_only_way() {
    insta::assert_snapshot!(table(&[
        "init i; i -> a;",
        "init i; i -> a; i -now-> a;",
        "init i; i -> a; i -> b;",
        "task t; t -> a; t -now-> a;",
    ]), @"
    init i; i -> a;
    silent: i, a

    init i; i -> a; i -now-> a;
    silent: i, a

    init i; i -> a; i -> b;
    i: transition_to_a transition_to_b
    silent: a, b

    task t; t -> a; t -now-> a;
    t: transition_to_a transition_to_a
    silent: a
    ");
}

#[test]
fn data_nodes_call_the_model_only_where_a_run_reaches_them() {
    insta::assert_snapshot!(table(&[
        "context C; C -> a; C -> b;",
        "context C; state s; s -> C; C -> a; C -> b;",
        "context C; task t; t -writes-> C; C -> a; C -> b;",
        "context C; task t; t -@auto-> C; t -> a; C -> a; C -> b;",
        "context start; start -> a; start -> b;",
        "context C; module { state inside; } module -> C; C -> a; C -> b;",
    ]), @"
    context C; C -> a; C -> b;
    silent: C, a, b

    context C; state s; s -> C; C -> a; C -> b;
    C: transition_to_a transition_to_b
    silent: s, a, b

    context C; task t; t -writes-> C; C -> a; C -> b;
    C: transition_to_a transition_to_b
    silent: t, a, b

    context C; task t; t -@auto-> C; t -> a; C -> a; C -> b;
    C: transition_to_a transition_to_b
    silent: t, a, b

    context start; start -> a; start -> b;
    start: transition_to_a transition_to_b
    silent: a, b

    context C; module { state inside; } module -> C; C -> a; C -> b;
    C: transition_to_a transition_to_b
    silent: module, module.inside, a, b
    ");
}

#[test]
fn conditions_are_offered_and_may_make_the_machine_go_on() {
    insta::assert_snapshot!(table(&[
        r#"task t { prompt: "x"; } t -when: "n > 3"-> a; t -> b;"#,
        r#"task t; t -if: "n > 3"-> a; t -unless: "n > 3"-> b;"#,
        r#"task t { prompt: "x"; } t -when: "true"-> a; t -> b;"#,
        r#"task t { prompt: "x"; } t -when: "false"-> a; t -unless: "true"-> b;"#,
        r#"task t { prompt: "x"; } t -when: "apiResult == 1"-> a; t -> b;"#,
        r#"state s; s -when: "n > 3"-> a; s -> b;"#,
        r#"task t { prompt: "x"; } t -@auto-> a; t -> b; t -> c;"#,
        r#"task t { prompt: "x"; } t -@auto when: "n > 3"-> a; t -> b; t -> c;"#,
        r#"task t { prompt: "x"; } t -@parallel-> a; t -@parallel-> b;"#,
        r#"task t { prompt: "x"; } t -@async-> a; t -@fork("false")-> b;"#,
    ]), @r#"
    task t { prompt: "x"; } t -when: "n > 3"-> a; t -> b;
    t: transition_to_a transition_to_b (Condition)
    silent: a, b

    task t; t -if: "n > 3"-> a; t -unless: "n > 3"-> b;
    t: transition_to_a transition_to_b (Condition)
    silent: a, b

    task t { prompt: "x"; } t -when: "true"-> a; t -> b;
    silent: t, a, b

    task t { prompt: "x"; } t -when: "false"-> a; t -unless: "true"-> b;
    t: transition_to_a transition_to_b
    silent: a, b

    task t { prompt: "x"; } t -when: "apiResult == 1"-> a; t -> b;
    t: transition_to_a transition_to_b
    silent: a, b

    state s; s -when: "n > 3"-> a; s -> b;
    silent: s, a, b

    task t { prompt: "x"; } t -@auto-> a; t -> b; t -> c;
    silent: t, a, b, c

    task t { prompt: "x"; } t -@auto when: "n > 3"-> a; t -> b; t -> c;
    t: transition_to_b transition_to_c (Condition)
    silent: a, b, c

    task t { prompt: "x"; } t -@parallel-> a; t -@parallel-> b;
    silent: t, a, b

    task t { prompt: "x"; } t -@async-> a; t -@fork("false")-> b;
    t: spawn_async_to_a transition_to_b
    silent: a, b
    "#);
}

#[test]
fn a_node_without_edges_goes_the_ways_of_the_node_around() {
    insta::assert_snapshot!(table(&[
        r#"state m { task a { prompt: "Go."; } task b; } m -> x; m -> y;"#,
        r#"state m { task a { prompt: "Go."; } } m -> x;"#,
        r#"state m { task a { prompt: "Go."; } task b; }"#,
    ]), @r#"
    state m { task a { prompt: "Go."; } task b; } m -> x; m -> y;
    m.a: transition_to_x transition_to_y
    m.b: transition_to_x transition_to_y
    silent: m, x, y

    state m { task a { prompt: "Go."; } } m -> x;
    silent: m, m.a, x

    state m { task a { prompt: "Go."; } task b; }
    m.a: 
    silent: m, m.b
    "#);
}

#[test]
fn attributes_that_name_a_node_are_edges() {
    insta::assert_snapshot!(table(&[
        r#"task build { prompt: "x"; stage: "test"; } state test; state done; build -> done;"#,
        r#"task build { prompt: "x"; next: other; } state other; build -> done;"#,
        r#"task build { prompt: "x"; stage<string>: "test"; n<Integer>: test; } state test; build -> done;"#,
        r#"task build { prompt: "x"; stage<Stage>: "test"; } state test; build -> done;"#,
        r#"task build { prompt: "x"; all: [a, "b", 3]; o: { a: b; }; } a; b;"#,
        r#"task build { prompt: "x"; stage: "build"; } build -> done;"#,
        r#"task build { prompt: "Read. Then write."; } Read; build -> done;"#,
        r#"task t { prompt: "x"; path: "m.a.size"; } m { a; } t -> done;"#,
        r#"task t { prompt: "x"; stage: "later"; } t -> done; done -> later;"#,
        r#"machine "M" @StrictMode task t { prompt: "x"; stage: "later"; } t -> done; done -> later;"#,
        r#"task t { prompt: "x"; stage: "a"; } a; t -stage-> a; t -> b;"#,
        r#"task t { prompt: "x"; reads: "C"; } context C; t -> b;"#,
        r#"style s { x: "a"; } a;"#,
    ]), @r#"
    task build { prompt: "x"; stage: "test"; } state test; state done; build -> done;
    build: transition_to_done transition_to_test
    silent: test, done

    task build { prompt: "x"; next: other; } state other; build -> done;
    build: transition_to_done transition_to_other
    silent: other, done

    task build { prompt: "x"; stage<string>: "test"; n<Integer>: test; } state test; build -> done;
    silent: build, test, done

    task build { prompt: "x"; stage<Stage>: "test"; } state test; build -> done;
    build: transition_to_done transition_to_test
    silent: test, done

    task build { prompt: "x"; all: [a, "b", 3]; o: { a: b; }; } a; b;
    build: 
    silent: a, b

    task build { prompt: "x"; stage: "build"; } build -> done;
    build: transition_to_build transition_to_done
    silent: done

    task build { prompt: "Read. Then write."; } Read; build -> done;
    build: transition_to_Read transition_to_done
    silent: Read, done

    task t { prompt: "x"; path: "m.a.size"; } m { a; } t -> done;
    t: transition_to_a transition_to_done
    silent: m, m.a, done

    task t { prompt: "x"; stage: "later"; } t -> done; done -> later;
    t: transition_to_done transition_to_later
    silent: done, later

    machine "M" @StrictMode task t { prompt: "x"; stage: "later"; } t -> done; done -> later;
    silent: t, done, later

    task t { prompt: "x"; stage: "a"; } a; t -stage-> a; t -> b;
    t: transition_to_a transition_to_b
    silent: a, b

    task t { prompt: "x"; reads: "C"; } context C; t -> b;
    t: read_C transition_to_b
    silent: C, b

    style s { x: "a"; } a;
    silent: s, a
    "#);
}

#[test]
fn paths_are_nodes_inside_of_nodes() {
    insta::assert_snapshot!(table(&[
        r#"node Services.Auth; task a { prompt: "x"; } a -> Services.Auth; a -> b;"#,
        r#"task m.a { prompt: "x"; } m -> x; m -> y; state m;"#,
        r#"task a { prompt: "x"; } a -> p.q; a -> p.r;"#,
        r#"task a { prompt: "x"; } p { q: 1; } a -> p.q; a -> b;"#,
        r#"task a { prompt: "x"; } p { q; } a -> p.r; a -> b;"#,
        r#"machine "M" @strict task a { prompt: "x"; } a -> p.q; a -> b;"#,
        r#"import { far } from "./far" task a { prompt: "x"; } a -> far; a -> b; far -> b; far -> c;"#,
    ]), @r#"
    node Services.Auth; task a { prompt: "x"; } a -> Services.Auth; a -> b;
    a: transition_to_Auth transition_to_b
    silent: Services, Services.Auth, b

    task m.a { prompt: "x"; } m -> x; m -> y; state m;
    silent: m, m.a, x, y

    task a { prompt: "x"; } a -> p.q; a -> p.r;
    a: transition_to_q transition_to_r
    silent: p, p.q, p.r

    task a { prompt: "x"; } p { q: 1; } a -> p.q; a -> b;
    a: transition_to_b transition_to_p
    silent: p, b

    task a { prompt: "x"; } p { q; } a -> p.r; a -> b;
    a: transition_to_b transition_to_r
    silent: p, p.q, p.r, b

    machine "M" @strict task a { prompt: "x"; } a -> p.q; a -> b;
    a: transition_to_b transition_to_p.q
    silent: p.q, b

    import { far } from "./far" task a { prompt: "x"; } a -> far; a -> b; far -> b; far -> c;
    a: transition_to_b transition_to_far
    far: transition_to_b transition_to_c (Imported)
    silent: b, c
    "#);
}

#[test]
fn names_are_those_of_all_nodes() {
    let names = |text: &str| {
        let machine = machine(text);
        let nodes = machine.nodes.iter().map(|node| &*node.qualified);
        let declared: Vec<&str> = nodes.collect();
        format!("{}; {}", declared.join(" "), machine.node_names().join(" "))
    };
    assert_eq!(names("node S.Auth; S -> x;"), "S S.Auth; S Auth x");
    assert_eq!(
        names("a.b.c { d; } e; a.b { f; } a.b.c { g; }"),
        "a a.b a.b.c a.b.c.d a.b.c.g a.b.f e; a b c d g f e"
    );
    assert_eq!(names("a { b.c; } b;"), "a a.b a.b.c b; a b c b");
    assert_eq!(names("a -> b.c; c -> d;"), "; a b c d");
    assert_eq!(names("machine \"M\" @StrictMode a; a -> b;"), "a; a");
    assert_eq!(names("a; note for a \"t\" note b \"t\" note a \"u\""), "a; a for b");
    assert_eq!(names("node A.B.c; note for A.B.c \"t\""), "A A.B A.B.c; A B c for");
}

#[test]
fn what_is_declared_twice_is_merged() {
    let machine =
        machine("task m.a \"One\" @x { n: 1; k: 2; } m.a \"Two\" @x @y { n: 3; } state m.b;");
    insta::assert_snapshot!(super::describe_machine(&machine), @r#"
    without title
    state m
    task m.a "Two" @x @y
      n: 3 Number
      k: 2 Number
    state m.b
    "#);
}

#[test]
fn a_start_whose_conditions_are_true_is_uncertain_and_lists_name_no_nodes() {
    insta::assert_snapshot!(table(&[
        r#"start "S" { prompt: "x"; } state a; state b; start -when: "true"-> a; start -when: "true"-> b;"#,
        r#"task start { prompt: "x"; } state a; start -when: "true"-> a;"#,
        r#"start "S" { prompt: "x"; } state a; start -@auto-> a;"#,
        r#"task f { prompt: "x"; dependencies: ["d"]; by: { n: d; }; } state d; state e; f -> e;"#,
        r#"task f { prompt: "x"; stage: d; } state d; state e; f -> e;"#,
    ]), @r#"
    start "S" { prompt: "x"; } state a; state b; start -when: "true"-> a; start -when: "true"-> b;
    start: transition_to_a transition_to_b (Condition)
    silent: a, b

    task start { prompt: "x"; } state a; start -when: "true"-> a;
    silent: start, a

    start "S" { prompt: "x"; } state a; start -@auto-> a;
    silent: start, a

    task f { prompt: "x"; dependencies: ["d"]; by: { n: d; }; } state d; state e; f -> e;
    silent: f, d, e

    task f { prompt: "x"; stage: d; } state d; state e; f -> e;
    f: transition_to_d transition_to_e
    silent: d, e
    "#);
}
