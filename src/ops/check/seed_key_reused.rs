//! `seed-key-reused`: one key is seeded more than once.

use std::collections::HashMap;

use super::document::{MAX_PER_RULE, ProblemCollector};
use super::phrases;
use super::project::ProjectIndex;
use crate::format::code::is_code;
use crate::format::seeds::Seeds;
use crate::format::{NodeId, Problem, RuleId, Severity, Syntax};
use crate::ops::source::sha256_hex;
use crate::ops::{Item, SeedKey};
use crate::text::{Place, count, quoted, visible};

rule! {
    /// The same key is seeded more than once. The last seed wins; the others are never used, and there is no warning.
    ///
    /// If the seeds are in different files, it depends on which files a test loads, and in what order. This is a warning for
    /// files in the same folder, which are usually loaded together, and a note for other files. For calls in test code it is
    /// a note, because each call may be in a separate test.
    SeedKeyReused {
        title: "The same key is seeded twice",
        fix: "Remove one of the seeds, or give it a different round or job.",
    }
}

pub(super) fn judge(seeds: &Seeds, findings: &mut ProblemCollector<'_>) {
    let keyed = seeds.seeds.iter().map(|seed| (seed.key(), seed.node));
    let hashed = seeds.hash_seeds.iter().map(|seed| (seed.key(), seed.node));
    let all: Vec<(String, NodeId)> =
        keyed.chain(hashed).filter_map(|(key, node)| Some((key?, node))).collect();
    let winners: HashMap<&str, NodeId> =
        all.iter().map(|(key, node)| (key.as_str(), *node)).collect();
    for (key, node) in &all {
        let Some(winner) = winners.get(key.as_str()).filter(|winner| *winner != node) else {
            continue;
        };
        let (winner, node) = (findings.tree().node(*winner), findings.tree().node(*node));
        let (key, place) = (quoted(key), phrases::format_place(winner));
        if node.tree().syntax() != Syntax::Code {
            let message = format!("This seed is never used: {key} is seeded again at {place}");
            findings.add_at(RuleId::SeedKeyReused, node, message);
            continue;
        }
        let message = format!(
            "{key} is seeded again at {place}; if both calls run in one test, this seed is never used"
        );
        if let Some(problem) = findings.add_at(RuleId::SeedKeyReused, node, message) {
            problem.severity = Severity::Note;
        }
    }
}

/// Checks the files of a project together and adds one problem for each key and file.
pub(super) fn judge_project(project: &ProjectIndex<'_>, found: &mut Vec<(usize, Problem)>) {
    let mut files = Vec::new();
    for (index, item) in project.items() {
        let seeds: Vec<&SeedKey> = last_seeds(item).collect();
        if !seeds.is_empty() {
            files.push((*index, item, seeds));
        }
    }
    let keys = files.iter().map(|(_, item, seeds)| {
        let keys = seeds.iter().map(|seed| &*seed.key).collect();
        (&*item.root_path, keys)
    });
    for (file, clashes) in compare(&keys.collect::<Vec<_>>()) {
        let (index, _, seeds) = &files[file];
        let problems = clashes.listed.iter().map(|clash| {
            let seed = seeds[clash.seed];
            let message = clash.message(&quoted(&seed.key));
            let problem = seed.mark.problem(RuleId::SeedKeyReused, seed.pointer.clone(), message);
            (*index, problem.with_severity(clash.severity))
        });
        found.extend(problems);
        if let Some((_, last)) = found.last_mut() {
            last.add_unlisted_count(clashes.unlisted);
        }
    }
}

/// What this rule needs to know of a seed to compare its file with files that were read elsewhere. Shows no secret of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedFact {
    /// A hash of the key.
    pub key: String,
    /// The key as messages show it.
    pub shown: String,
    /// The seed's JSON Pointer.
    pub pointer: String,
    /// The seed's place.
    pub place: Place,
}

/// Returns what is to be known of the seeds in a file, for [`judge_seed_facts`].
pub fn seed_facts(item: &Item) -> Vec<SeedFact> {
    let facts = last_seeds(item).map(|seed| {
        let mut problem =
            seed.mark.problem(RuleId::SeedKeyReused, seed.pointer.clone(), quoted(&seed.key));
        if let Some(secrets) = &item.secrets {
            secrets.hide_in(&mut problem);
        }
        SeedFact {
            key: sha256_hex(seed.key.as_bytes()).into(),
            shown: problem.message.to_string(),
            pointer: problem.pointer.to_string(),
            place: problem.place,
        }
    });
    facts.collect()
}

/// Compares files by their paths from the project root and their seeds, as [`check_project`](super::check_project) does.
/// Returns the problems with the positions of their files.
pub fn judge_seed_facts(files: &[(&str, &[SeedFact])]) -> Vec<(usize, Problem)> {
    let keys = files.iter().map(|(path, seeds)| {
        let keys = seeds.iter().map(|seed| &*seed.key).collect();
        (*path, keys)
    });
    let mut found = Vec::new();
    for (file, clashes) in compare(&keys.collect::<Vec<_>>()) {
        let (_, seeds) = &files[file];
        let problems = clashes.listed.iter().map(|clash| {
            let seed = &seeds[clash.seed];
            let problem = Problem {
                place: seed.place,
                pointer: seed.pointer.as_str().into(),
                ..Problem::whole_file(RuleId::SeedKeyReused, clash.message(&seed.shown))
            };
            (file, problem.with_severity(clash.severity))
        });
        found.extend(problems);
        if let Some((_, last)) = found.last_mut() {
            last.add_unlisted_count(clashes.unlisted);
        }
    }
    found
}

/// Seeds of a file with a key that another file has, too.
struct SeedClashes<'a> {
    listed: Vec<SeedClash<'a>>,
    unlisted: usize,
}

struct SeedClash<'a> {
    /// The position of the seed in its file.
    seed: usize,
    /// The path of another file with the key.
    other: &'a str,
    /// How many files have the key.
    files: usize,
    severity: Severity,
}

impl SeedClash<'_> {
    fn message(&self, key: &str) -> String {
        let more = match self.files {
            0..=2 => String::new(),
            files => format!(" and {} more", count(files - 2, "file")),
        };
        format!(
            "{key} is also seeded in {}{more}; the file that is loaded last wins",
            visible(self.other)
        )
    }
}

/// Finds the keys that several files have. Each file is its path and its keys, without repetitions; the result names a file by its
/// position.
fn compare<'a>(files: &[(&'a str, Vec<&str>)]) -> Vec<(usize, SeedClashes<'a>)> {
    let folder = |path: &'a str| path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut sorted: Vec<(&'a str, usize)> =
        (files.iter().enumerate()).map(|(file, (path, _))| (*path, file)).collect();
    // Which other file is named must not depend on which was read first.
    sorted.sort_unstable();
    let mut everywhere: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut beside: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (path, file) in sorted {
        for key in &files[file].1 {
            everywhere.entry(key).or_default().push(file);
            beside.entry((folder(path), key)).or_default().push(file);
        }
    }
    let mut found = Vec::new();
    for (file, (path, keys)) in files.iter().enumerate() {
        let mut clashes = SeedClashes { listed: Vec::new(), unlisted: 0 };
        let other = |files: &[usize]| files.iter().copied().find(|other| *other != file);
        for (seed, key) in keys.iter().enumerate() {
            let all = &everywhere[key];
            let near = other(&beside[&(folder(path), *key)]);
            let Some(named) = near.or_else(|| other(all)) else {
                continue;
            };
            if clashes.listed.len() == MAX_PER_RULE {
                clashes.unlisted += 1;
                continue;
            }
            let named = files[named].0;
            let is_loaded_together = near.is_some() && !is_code(path) && !is_code(named);
            clashes.listed.push(SeedClash {
                seed,
                other: named,
                files: all.len(),
                severity: if is_loaded_together { Severity::Warning } else { Severity::Note },
            });
        }
        if !clashes.listed.is_empty() {
            found.push((file, clashes));
        }
    }
    found
}

/// Returns the seeds of a file that are used: for each key, the last one.
fn last_seeds(item: &Item) -> impl Iterator<Item = &SeedKey> {
    let last_of: HashMap<&str, usize> = (item.seed_keys.iter().enumerate())
        .map(|(position, seed)| (&*seed.key, position))
        .collect();
    let seeds = item.seed_keys.iter().enumerate();
    seeds
        .filter(move |(position, seed)| last_of.get(&*seed.key) == Some(position))
        .map(|(_, seed)| seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::check::testing::{found, project};

    fn seeds(jobs: &[&str]) -> String {
        let seed = |job: &&str| {
            format!(
                r#"{{ "schema": "critique", "model": "m", "jobId": "{job}", "response": "{{}}" }}"#
            )
        };
        let all: Vec<String> = jobs.iter().map(seed).collect();
        format!("{{ \"seeds\": [\n{}\n] }}", all.join(",\n"))
    }

    #[test]
    fn an_unused_seed_is_reported_with_the_place_of_the_used_one() {
        let text = seeds(&["a", "b", "a", "a"]);
        insta::assert_snapshot!(found(RuleId::SeedKeyReused, "a.seeds.json", &text).join("\n"), @"
        warning 2:1 /seeds/0 This seed is never used: `critique:m:a:0` is seeded again at `/seeds/3`
        warning 4:1 /seeds/2 This seed is never used: `critique:m:a:0` is seeded again at `/seeds/3`
        ");
    }

    #[test]
    fn files_of_one_folder_warn_and_others_are_noted() {
        let files = [
            ("seeds/a.seeds.json", seeds(&["a", "a"])),
            ("seeds/b.seeds.json", seeds(&["b", "a"])),
            ("other/c.seeds.json", seeds(&["b"])),
        ];
        insta::assert_snapshot!(project(RuleId::SeedKeyReused, &files), @"
        seeds/a.seeds.json: warning 3:1 /seeds/1 `critique:m:a:0` is also seeded in seeds/b.seeds.json; the file that is loaded last wins
        seeds/b.seeds.json: note 2:1 /seeds/0 `critique:m:b:0` is also seeded in other/c.seeds.json; the file that is loaded last wins
        seeds/b.seeds.json: warning 3:1 /seeds/1 `critique:m:a:0` is also seeded in seeds/a.seeds.json; the file that is loaded last wins
        other/c.seeds.json: note 2:1 /seeds/0 `critique:m:b:0` is also seeded in seeds/b.seeds.json; the file that is loaded last wins
        ");
    }

    #[test]
    fn calls_in_code_are_noted_for_each_may_be_a_test_of_its_own() {
        let text = "it('a', () => {\n  seedMemoryTraceResponse('critique', 'm', 'a', 0, '{}');\n});\n\
                    it('b', () => {\n  seedMemoryTraceResponse('critique', 'm', 'a', 0, '[]');\n});\n";
        insta::assert_snapshot!(found(RuleId::SeedKeyReused, "a.test.ts", text).join("\n"), @"note 2:3 /0 `critique:m:a:0` is seeded again at line 5; if both calls run in one test, this seed is never used");
        let files = [("tests/a.seeds.json", seeds(&["a"])), ("tests/a.test.ts", text.to_owned())];
        insta::assert_snapshot!(project(RuleId::SeedKeyReused, &files), @"
        tests/a.seeds.json: note 2:1 /seeds/0 `critique:m:a:0` is also seeded in tests/a.test.ts; the file that is loaded last wins
        tests/a.test.ts: note 5:3 /1 `critique:m:a:0` is also seeded in tests/a.seeds.json; the file that is loaded last wins
        ");
    }

    #[test]
    fn of_two_files_with_the_same_keys_not_each_key_is_reported() {
        let jobs: Vec<String> = (0..1_500).map(|n| format!("j{n}")).collect();
        let jobs: Vec<&str> = jobs.iter().map(String::as_str).collect();
        let files = ["a.seeds.json", "b.seeds.json"].map(|path| (path, seeds(&jobs)));
        let reported = project(RuleId::SeedKeyReused, &files);
        assert_eq!(reported.lines().count(), 2_000);
        let last = reported.lines().last().unwrap_or_default();
        assert!(last.ends_with("(and 500 more like this)"), "{last}");
    }
}
