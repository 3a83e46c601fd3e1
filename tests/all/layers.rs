//! Holds what the compiler cannot: which members a manifest may name, that modules of a member do not use each other in a circle,
//! and who touches files, egui and source text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every member, in the order of `members` in Cargo.toml, with those below it that its manifest must not name.
const MEMBERS: &[(&str, &[&str])] = &[
    ("document", &[]),
    ("calls", &[]),
    ("machine", &[]),
    ("compare", &[]),
    ("play", &[]),
    ("author", &[]),
    ("check", &[]),
    ("protocol", &[]),
    ("workbench", &[]),
    // The window must be able to work without an engine, and the engine without a window.
    ("engine", &["workbench"]),
    ("widgets", &["engine"]),
    ("ui", &["engine"]),
    ("cli", &["workbench", "widgets", "ui"]),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// A path that a file names, from the crate's root, with its line.
type UsedPath = (usize, Vec<String>);

/// Every path in a `use` (groups too) or in the code that begins with `crate::`, `super::` or `self::`. `module` is the file's own path.
fn used_paths(text: &str, module: &[&str]) -> Vec<UsedPath> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        let line_start = line.as_ptr() as usize - text.as_ptr() as usize;
        for start in ["crate::", "super::", "self::"] {
            for (at, _) in line.match_indices(start) {
                let before = &line[..at];
                let goes_on = before.ends_with(|c: char| is_name(c) || c == ':' || c == '$');
                if goes_on {
                    continue;
                }
                let mut paths = Vec::new();
                read_paths(&text[line_start + at..], Vec::new(), &mut paths);
                let absolute = paths.into_iter().map(|path| absolute(path, module));
                found.extend(absolute.map(|path| (number + 1, path)));
            }
        }
    }
    found
}

/// Reads a path, or all paths of a group; returns how many bytes they take.
fn read_paths(text: &str, mut path: Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let space = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        at += space;
        if rest.starts_with('{') {
            at += 1;
            while !text[at..].trim_start().starts_with('}') {
                let read = read_paths(&text[at..], path.clone(), found);
                at += read;
                let after = text[at..].trim_start();
                at = text.len() - after.len() + usize::from(after.starts_with(','));
                if read == 0 {
                    return at;
                }
            }
            return at + text[at..].find('}').map_or(0, |end| end + 1);
        }
        let name: String = rest.chars().take_while(|c| is_name(*c)).collect();
        if name.is_empty() {
            found.push(path);
            return at;
        }
        at += name.len();
        path.push(name);
        match text[at..].strip_prefix("::") {
            Some(_) => at += 2,
            None => {
                let after = text[at..].trim_start();
                if after.starts_with("as ") {
                    at = text.len() - after.len() + 3;
                    at += text[at..].chars().take_while(|c| is_name(*c)).count();
                }
                found.push(path);
                return at;
            }
        }
    }
}

/// The path from the crate's root, without `crate`.
fn absolute(path: Vec<String>, module: &[&str]) -> Vec<String> {
    let mut from: Vec<String> = module.iter().map(|&name| name.to_owned()).collect();
    for name in path {
        match name.as_str() {
            "crate" => from.clear(),
            "super" => drop(from.pop()),
            "self" => {}
            _ => from.push(name),
        }
    }
    from
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file below `src` with its path from there, with `/`.
fn all_sources() -> Vec<(PathBuf, String)> {
    let src = src();
    let mut files = Vec::new();
    sources(&src, &mut files);
    let inside =
        |file: &Path| file.strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
    files.into_iter().map(|file| (file.clone(), inside(&file))).collect()
}

#[test]
fn each_manifest_names_only_members_above_it_and_none_that_its_member_must_not_know() {
    let manifest =
        |folder: &str| fs::read_to_string(src().join(folder).join("Cargo.toml")).unwrap();
    let root = manifest("..");
    let listed: Vec<&str> = root
        .lines()
        .filter_map(|line| line.trim().strip_prefix("\"src/")?.strip_suffix("\","))
        .collect();
    let names: Vec<&str> = MEMBERS.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed, names);
    let mut wrong = Vec::new();
    for (number, (member, forbidden)) in MEMBERS.iter().enumerate() {
        for line in manifest(member).lines() {
            // `calls.workspace = true`, or `calls = { workspace = true, … }` in tests.
            let used = line.split(['.', ' ']).next().unwrap_or_default();
            let at =
                names.iter().position(|name| *name == used && line.contains("workspace = true"));
            if at.is_some_and(|at| at >= number || forbidden.contains(&used)) {
                wrong.push(format!("{member} may not use {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_engine_touches_files_and_data_of_views_knows_no_egui() {
    let mut wrong = Vec::new();
    for (file, inside) in all_sources() {
        let text = fs::read_to_string(&file).unwrap();
        let mentions_egui =
            text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains("egui"));
        if inside.starts_with("ui/") && inside.ends_with("_data.rs") && mentions_egui {
            wrong.push(format!("{inside}: data without egui"));
        }
        let touches_files = ["std::fs", "File::open", "cap_std", "std::process::Command"]
            .iter()
            .any(|way| code(&text).contains(way));
        // The program starts itself again without a console.
        let may =
            inside.starts_with("engine/") || inside.ends_with("tests.rs") || inside == "main.rs";
        if touches_files && !may {
            wrong.push(format!("{inside}: only engine touches files"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The path of a module, from the file of its member.
fn module(file: &Path) -> Vec<&str> {
    let names = file.iter().filter_map(|name| name.to_str());
    let names = names.map(|name| name.trim_end_matches(".rs"));
    names.filter(|name| !matches!(*name, "mod" | "lib")).collect()
}

/// The text up to its tests: those may write files to be read, and use everything.
fn code(text: &str) -> &str {
    let tests = text.find("#[cfg(test)]\nmod tests {");
    &text[..tests.unwrap_or(text.len())]
}

/// The modules at the top of a member that each other one uses, with a place for each.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

fn uses_within(member: &Path) -> Uses {
    let mut files = Vec::new();
    sources(member, &mut files);
    let own_file = fs::read_to_string(member.join("lib.rs")).unwrap();
    // What the member re-exports belongs to the module where it is.
    let mut homes: BTreeMap<String, String> = BTreeMap::new();
    for part in own_file.split("use ").skip(1) {
        let mut paths = Vec::new();
        read_paths(part, Vec::new(), &mut paths);
        for path in paths.iter().filter(|path| path.len() > 1) {
            homes.insert(path[path.len() - 1].clone(), path[0].clone());
        }
    }
    let mut uses = Uses::new();
    let tops: BTreeSet<String> = files.iter().filter_map(|file| top_of(member, file)).collect();
    for file in &files {
        let file_name = file.file_name().unwrap().to_string_lossy();
        let is_test = file_name.ends_with("tests.rs") || file_name == "testing.rs";
        let (Some(top), false) = (top_of(member, file), is_test) else {
            continue;
        };
        let inside = file.strip_prefix(member).unwrap();
        let text = fs::read_to_string(file).unwrap();
        for (line, path) in used_paths(code(&text), &module(inside)) {
            let Some(used) = path.first() else { continue };
            let used = tops.get(used).or_else(|| homes.get(used).and_then(|home| tops.get(home)));
            if let Some(used) = used.filter(|used| **used != top) {
                let place = format!("{}:{line}", inside.display());
                uses.entry(top.clone()).or_default().entry(used.clone()).or_insert(place);
            }
        }
    }
    uses
}

/// The module at the top of its member that a file belongs to.
fn top_of(member: &Path, file: &Path) -> Option<String> {
    Some((*module(file.strip_prefix(member).ok()?).first()?).to_owned())
}

/// Removes modules that use none of the rest, or that none of the rest use, until only circles are left.
fn circles(mut uses: Uses) -> Uses {
    loop {
        let before = uses.values().map(BTreeMap::len).sum::<usize>();
        let users: BTreeSet<String> = uses.keys().cloned().collect();
        let used: BTreeSet<String> = uses.values().flat_map(|it| it.keys().cloned()).collect();
        uses.retain(|user, _| used.contains(user));
        uses.values_mut().for_each(|it| it.retain(|used, _| users.contains(used)));
        uses.retain(|_, used| !used.is_empty());
        if uses.values().map(BTreeMap::len).sum::<usize>() == before {
            return uses;
        }
    }
}

#[test]
fn no_modules_of_a_member_use_each_other_in_a_circle() {
    let mut wrong = Vec::new();
    for (member, _) in MEMBERS {
        for (user, used) in circles(uses_within(&src().join(member))) {
            let used = used.iter().map(|(used, place)| format!("{used} ({place})"));
            let used: Vec<String> = used.collect();
            wrong.push(format!("{member}: {user} uses {}", used.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_desk_names_another_one() {
    let workbench = src().join("workbench");
    let mut files = Vec::new();
    sources(&workbench.join("desks"), &mut files);
    // The desk of each public name; of one that several desks have, none.
    let mut desks_of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in &files {
        let inside = file.strip_prefix(&workbench).unwrap();
        let Some(desk) = module(inside).get(1).map(|desk| (*desk).to_owned()) else { continue };
        for line in fs::read_to_string(file).unwrap().lines() {
            let mut words = line.split(|c: char| !is_name(c));
            let is_public = words.next() == Some("pub");
            let kind = words.next();
            let name = words.next().filter(|name| name.starts_with(char::is_uppercase));
            if let (true, Some("struct" | "enum" | "type"), Some(name)) = (is_public, kind, name) {
                desks_of.entry(name.to_owned()).or_default().insert(desk.clone());
            }
        }
    }
    let desk_of = |name: &str| {
        desks_of.get(name).filter(|desks| desks.len() == 1)?.first().map(String::as_str)
    };
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
        let inside = file.strip_prefix(&workbench).unwrap();
        let own_path = module(inside);
        let Some(own) = own_path.get(1) else { continue };
        let text = fs::read_to_string(file).unwrap();
        for (line, path) in used_paths(code(&text), &own_path) {
            let used = match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["desks", desk, _, ..] => Some(desk),
                [name, ..] => desk_of(name),
                _ => None,
            };
            if let Some(used) = used.filter(|used| used != own) {
                wrong.push(format!("{}:{line} uses {used}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files outside of `document/` that use the source text of values: they edit it, compare spellings, or show
/// code. Every other one needs the values, which in YAML and TOML are not written as they read.
const SOURCE_TEXT_USERS: &[&str] = &[
    "author/import/recordings.rs",
    "author/replace/texts.rs",
    "author/seeds/edit.rs",
    "author/seeds/seed.rs",
    "author/session/edit.rs",
    "calls/decoded_view/walk.rs",
    "calls/stable/collect.rs",
    "check/change.rs",
    "check/check_document.rs",
    "check/delay_invalid.rs",
    "cli/edit.rs",
    "compare/review/align.rs",
    "compare/review/cassette/call_texts.rs",
    "compare/review/keep_noise/chunks.rs",
    "compare/review/similarity.rs",
    "compare/review/structure.rs",
    "engine/contract/lookup.rs",
    "play/playback/fixes/wrap.rs",
    "ui/inspector/decoded.rs",
    "ui/inspector/seeds.rs",
    "ui/inspector/tree.rs",
    "workbench/core/value_draft.rs",
    "workbench/desks/sessions/edits.rs",
];

#[test]
fn only_what_edits_or_compares_source_text_takes_it_from_a_value() {
    let mut users = BTreeSet::new();
    for (file, inside) in all_sources() {
        let is_outside = !inside.starts_with("document/") && !inside.ends_with("tests.rs");
        if is_outside && code(&fs::read_to_string(file).unwrap()).contains(".raw()") {
            users.insert(inside);
        }
    }
    let known = SOURCE_TEXT_USERS.iter().map(|&file| file.to_owned());
    assert_eq!(
        users,
        known.collect(),
        "`Node::raw` is source text; values are `as_str`, `scalar_text`, `utf16`, `json::text`"
    );
}

#[test]
fn the_map_names_files_and_folders_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let src = root.join("src");
    let map = fs::read_to_string(src.join("lib.rs")).unwrap();
    // A name alone is beside what was named before it.
    let named = map.split('`').skip(1).step_by(2);
    let paths = named.filter(|name| name.trim_end_matches('/').contains('/'));
    let paths: Vec<&str> = paths.filter(|it| it.ends_with(".rs") || it.ends_with('/')).collect();
    let missing: Vec<_> =
        paths.iter().filter(|path| !src.join(path).exists() && !root.join(path).exists()).collect();
    assert!(paths.len() > 40, "{paths:?}");
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_circle_is_found_and_what_hangs_on_it_is_not() {
    let uses = |edges: &[(&str, &str)]| {
        let mut uses = Uses::new();
        for (user, used) in edges {
            let of_user = uses.entry((*user).to_owned()).or_default();
            of_user.insert((*used).to_owned(), String::new());
        }
        circles(uses).into_keys().collect::<Vec<_>>()
    };
    assert_eq!(uses(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]), ["b", "c"]);
    assert!(uses(&[("a", "b"), ("b", "c"), ("a", "c")]).is_empty());
}

#[test]
fn groups_and_paths_are_seen() {
    let text = "use crate::format::{text, Kind};\nuse crate::{ops::{a, b as c}, ui, text::Span};\nlet x = super::super::run();\n// crate::app\nuse self::d::*;\n";
    let paths = used_paths(text, &["cli", "live", "log"]).into_iter();
    let paths: Vec<String> =
        paths.map(|(line, path)| format!("{line} {}", path.join("::"))).collect();
    assert_eq!(
        paths.join("\n"),
        "1 format::text\n1 format::Kind\n2 ops::a\n2 ops::b\n2 ui\n2 text::Span\n3 cli::run\n5 cli::live::log::d"
    );
}
