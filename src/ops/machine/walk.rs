//! The path of a run through a machine: the nodes of its calls, and the edges between them.

use std::collections::{HashMap, VecDeque};

use super::map::{MachineMap, MapNodeKind, MapVersion};

/// How a run comes to a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkStep {
    /// Its node on the map; `None` if the machine does not have it.
    pub node: Option<usize>,
    /// The nodes without a call on the way from the call before.
    pub passed: Vec<usize>,
    /// The edges on the way from the call before; none if no edges lead here.
    pub edges: Vec<usize>,
}

/// The part of a map that a run has walked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapTrail {
    /// Whether each node was visited.
    pub nodes: Vec<bool>,
    /// Whether each edge was walked.
    pub edges: Vec<bool>,
    /// Where the run is.
    pub node: Option<usize>,
}

impl MachineMap {
    /// Returns a step for each call of a run, by the nodes that they name. Between two calls the machine walks the shortest way through
    /// nodes that call no model; where the node stays the same, along its loop to itself, if it has one.
    pub fn walk<'a>(
        &self,
        version: &MapVersion,
        calls: impl IntoIterator<Item = Option<&'a str>>,
    ) -> Vec<WalkStep> {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (at, edge) in self.edges.iter().enumerate() {
            if version.edges[at].is_some() {
                leaving[edge.from].push(at);
            }
        }
        let mut found: HashMap<&str, Option<usize>> = HashMap::new();
        let mut ways: HashMap<(usize, usize), WalkStep> = HashMap::new();
        let mut before: Option<usize> = None;
        let steps = calls.into_iter().map(|name| {
            let node = name.and_then(|name| {
                let found = found.entry(name);
                *found.or_insert_with(|| self.find_node(version, name))
            });
            let step = match (before, node) {
                (Some(from), Some(to)) if from != to => ways
                    .entry((from, to))
                    .or_insert_with(|| self.way(version, &leaving, from, to))
                    .clone(),
                (Some(from), Some(_)) => WalkStep {
                    node,
                    passed: Vec::new(),
                    edges: leaving[from]
                        .iter()
                        .copied()
                        .find(|edge| self.edges[*edge].to == from)
                        .into_iter()
                        .collect(),
                },
                _ => WalkStep { node, ..WalkStep::default() },
            };
            before = node.or(before);
            step
        });
        steps.collect()
    }

    /// Finds a node by its qualified name, else by its name; also one that has this name in another version.
    fn find_node(&self, version: &MapVersion, name: &str) -> Option<usize> {
        let all = || std::iter::once(version).chain(self.versions.iter().rev());
        let find = |version: &MapVersion, is_qualified: bool| {
            let mut nodes = version.nodes.iter();
            nodes.position(|node| {
                let node = node.as_ref();
                node.is_some_and(|node| {
                    let known = if is_qualified { &node.qualified } else { &node.name };
                    **known == *name
                })
            })
        };
        all().find_map(|version| find(version, true).or_else(|| find(version, false)))
    }

    /// Returns the shortest way from a node to another one through nodes that call no model and contain no data.
    fn way(
        &self,
        version: &MapVersion,
        leaving: &[Vec<usize>],
        from: usize,
        to: usize,
    ) -> WalkStep {
        let mut reached_by: HashMap<usize, usize> = HashMap::new();
        let mut waiting = VecDeque::from([from]);
        while let Some(at) = waiting.pop_front() {
            if at == to {
                break;
            }
            if at != from && !self.is_passed(version, at) {
                continue;
            }
            for edge in &leaving[at] {
                let next = self.edges[*edge].to;
                if next != from && !reached_by.contains_key(&next) {
                    reached_by.insert(next, *edge);
                    waiting.push_back(next);
                }
            }
        }
        let mut step = WalkStep { node: Some(to), ..WalkStep::default() };
        let mut at = to;
        while let Some(edge) = reached_by.get(&at) {
            step.edges.push(*edge);
            at = self.edges[*edge].from;
            if at != from {
                step.passed.push(at);
            }
        }
        step.edges.reverse();
        step.passed.reverse();
        step
    }

    /// Whether a machine walks through a node without a call.
    fn is_passed(&self, version: &MapVersion, at: usize) -> bool {
        let state = version.nodes[at].as_ref();
        state.is_some_and(|state| !state.is_task) && self.nodes[at].kind != MapNodeKind::Data
    }
}

impl MapTrail {
    /// Collects what was walked in steps.
    pub fn new(map: &MachineMap, steps: &[WalkStep]) -> Self {
        let mut trail = Self {
            nodes: vec![false; map.nodes.len()],
            edges: vec![false; map.edges.len()],
            node: steps.last().and_then(|step| step.node),
        };
        for step in steps {
            for node in step.passed.iter().chain(&step.node) {
                trail.nodes[*node] = true;
            }
            step.edges.iter().for_each(|edge| trail.edges[*edge] = true);
        }
        trail
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::testing::machine;
    use super::super::{CallAtNode, MachineVersion};
    use super::*;

    fn map_of(text: &str) -> MachineMap {
        let version =
            MachineVersion { commit: None, machine: Arc::new(machine(text)), older: Vec::new() };
        let calls: [(CallAtNode, _); 0] = [];
        MachineMap::new(&[version], &calls).unwrap()
    }

    fn name(map: &MachineMap, at: usize) -> &str {
        map.versions[0].nodes[at].as_ref().map_or("-", |it| &it.name)
    }

    fn describe(map: &MachineMap, calls: &[&str]) -> String {
        let steps = map.walk(&map.versions[0], calls.iter().map(|it| Some(*it)));
        let steps = steps.iter().map(|step| {
            let edges = step.edges.iter().map(|edge| {
                let edge = map.edges[*edge];
                format!("{}-{}", name(map, edge.from), name(map, edge.to))
            });
            let node = step.node.map_or("?", |node| name(map, node));
            format!("{node}: {}", edges.collect::<Vec<_>>().join(" "))
        });
        steps.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_run_walks_from_call_to_call_through_nodes_that_call_no_model() {
        let map = map_of(
            r#"context Ticket {} task intake { prompt: "x"; } task classify { prompt: "y"; } state route; task reply { prompt: "z"; } state close;
            intake -writes-> Ticket; Ticket -> reply; intake -> classify; classify -> route; classify -> close; route -> reply; route -> close;
            reply -> intake; reply -> close; intake -> close;"#,
        );
        let calls = ["intake", "intake", "classify", "reply", "gone", "intake", "reply"];
        insta::assert_snapshot!(describe(&map, &calls), @"
        intake: 
        intake: 
        classify: intake-classify
        reply: classify-route route-reply
        ?: 
        intake: reply-intake
        reply: 
        ");
        let steps = map.walk(&map.versions[0], calls.map(Some));
        let trail = MapTrail::new(&map, &steps[..4]);
        let visited = (0..map.nodes.len()).filter(|at| trail.nodes[*at]);
        let visited: Vec<&str> = visited.map(|at| name(&map, at)).collect();
        assert_eq!(visited, ["intake", "classify", "route", "reply"]);
        assert_eq!(trail.edges.iter().filter(|it| **it).count(), 3);
        assert_eq!(trail.node.map(|at| name(&map, at)), Some("reply"));
        assert_eq!(MapTrail::new(&map, &[]).node, None);
    }

    #[test]
    fn a_run_that_stays_at_a_node_walks_along_its_loop() {
        let map = map_of(
            r#"task ask { prompt: "x"; } task close { prompt: "y"; } ask -"more needed"-> ask; ask -> close;"#,
        );
        let calls = ["ask", "ask", "ask", "close", "close"];
        insta::assert_snapshot!(describe(&map, &calls), @"
        ask: 
        ask: ask-ask
        ask: ask-ask
        close: ask-close
        close: 
        ");
    }

    /// The length of the shortest way, found by trying every way without a repeated node.
    fn shortest(map: &MachineMap, seen: &mut Vec<usize>, to: usize) -> Option<usize> {
        let at = *seen.last()?;
        if at == to {
            return Some(0);
        }
        let is_first = seen.len() == 1;
        let state = map.versions[0].nodes[at].as_ref()?;
        let is_passed = !state.is_task && map.nodes[at].kind != MapNodeKind::Data;
        if !is_first && !is_passed {
            return None;
        }
        let mut best: Option<usize> = None;
        for edge in map.edges.iter().filter(|edge| edge.from == at) {
            if !seen.contains(&edge.to) {
                seen.push(edge.to);
                let rest = shortest(map, seen, to);
                seen.pop();
                best = best.into_iter().chain(rest.map(|rest| rest + 1)).min();
            }
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn ways_are_the_shortest_of_all(
            kinds in proptest::collection::vec(0usize..4, 2..7),
            edges in proptest::collection::vec((0usize..7, 0usize..7), 0..14),
            calls in proptest::collection::vec(0usize..7, 2..8),
        ) {
            let kind = ["task n# { prompt: \"x\"; } ", "task n# {} ", "state n#; ", "context n# {} "];
            let nodes = kinds.iter().enumerate().map(|(at, of)| kind[*of].replace('#', &at.to_string()));
            let count = kinds.len();
            let links = edges.iter().map(|(from, to)| format!("n{} -> n{}; ", from % count, to % count));
            let map = map_of(&nodes.chain(links).collect::<String>());
            let names: Vec<String> = calls.iter().map(|at| format!("n{}", at % count)).collect();
            let version = &map.versions[0];
            let steps = map.walk(version, names.iter().map(|it| Some(&**it)));
            prop_assert_eq!(steps.len(), names.len());
            for (at, step) in steps.iter().enumerate() {
                let to = step.node.unwrap();
                prop_assert_eq!(name(&map, to), &*names[at]);
                let from = at.checked_sub(1).and_then(|at| steps[at].node);
                let Some(from) = from else {
                    prop_assert!(step.edges.is_empty());
                    continue;
                };
                if from == to {
                    let has_loop = map.edges.iter().any(|edge| (edge.from, edge.to) == (from, from));
                    prop_assert_eq!(step.edges.len(), usize::from(has_loop));
                    continue;
                }
                let best = shortest(&map, &mut vec![from], to);
                prop_assert_eq!(step.edges.len(), best.unwrap_or(0));
                let mut here = from;
                for edge in &step.edges {
                    prop_assert_eq!(map.edges[*edge].from, here);
                    here = map.edges[*edge].to;
                }
                prop_assert!(best.is_none() || here == to);
                prop_assert_eq!(step.passed.len(), step.edges.len().saturating_sub(1));
            }
        }
    }
}
