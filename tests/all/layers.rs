//! Holds the order of the layers: who may use whom, and that no modules of a layer use each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each layer with the layers it may use, from the lowest up.
const LAYERS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("format", &["text"]),
    ("ops", &["format", "text"]),
    ("workbench", &["ops", "format", "text"]),
    ("engine", &["workbench", "ops", "format", "text"]),
    ("ui", &["workbench", "ops", "format", "text"]),
    ("cli", &["engine", "ops", "format", "text"]),
    ("app", &["ui", "engine", "workbench", "ops", "format", "text"]),
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

#[test]
fn every_layer_uses_only_those_it_may() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let layer = inside.components().next().unwrap().as_os_str();
        let layer = layer.to_str().unwrap().trim_end_matches(".rs");
        if matches!(layer, "lib" | "main") {
            continue;
        }
        let allowed = LAYERS.iter().find(|(name, _)| *name == layer);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{layer} is no layer"));
        let text = fs::read_to_string(&file).unwrap();
        for (line, used) in used_paths(&text, &module(inside)) {
            let used = used.into_iter().next().unwrap_or_default();
            let is_layer = LAYERS.iter().any(|(name, _)| *name == used);
            if is_layer && used != layer && !allowed.contains(&used.as_str()) {
                let file = inside.display();
                wrong.push(format!("{file}:{line}: {layer} may not use {used}"));
            }
        }
        let is_data = layer == "ui" && inside.ends_with("data.rs");
        let mentions_egui =
            text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains("egui"));
        if is_data && mentions_egui {
            wrong.push(format!("{}: data without egui", inside.display()));
        }
        let touches_files = ["std::fs", "File::open", "cap_std", "std::process::Command"]
            .iter()
            .any(|way| code(&text).contains(way));
        let is_tests = inside.ends_with("tests.rs");
        if touches_files && !is_tests && layer != "engine" {
            wrong.push(format!("{}: only engine touches files", inside.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The path of the module in a file below `src`.
fn module(file: &Path) -> Vec<&str> {
    let names = file.iter().filter_map(|name| name.to_str());
    let names = names.map(|name| name.trim_end_matches(".rs"));
    names.filter(|name| *name != "mod").collect()
}

/// The text up to its tests: those may write files to be read, and use everything.
fn code(text: &str) -> &str {
    let tests = text.find("#[cfg(test)]\nmod tests {");
    &text[..tests.unwrap_or(text.len())]
}

/// Which modules at the top of a layer each other one uses, with a place for each.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

fn uses_within(layer: &Path, name: &str) -> Uses {
    let mut files = Vec::new();
    sources(layer, &mut files);
    let src = layer.parent().unwrap();
    let own_file = fs::read_to_string(layer.join("mod.rs")).unwrap();
    // What the layer re-exports belongs to the module where it is.
    let mut homes: BTreeMap<String, String> = BTreeMap::new();
    for part in own_file.split("use ").skip(1) {
        let mut paths = Vec::new();
        read_paths(part, Vec::new(), &mut paths);
        for path in paths.iter().filter(|path| path.len() > 1) {
            homes.insert(path[path.len() - 1].clone(), path[0].clone());
        }
    }
    let mut uses = Uses::new();
    let tops: BTreeSet<String> = files.iter().filter_map(|file| top_of(src, file)).collect();
    for file in &files {
        let file_name = file.file_name().unwrap().to_string_lossy();
        let is_test = file_name.ends_with("tests.rs") || file_name == "testing.rs";
        let (Some(top), false) = (top_of(src, file), is_test) else {
            continue;
        };
        let inside = file.strip_prefix(src).unwrap();
        let text = fs::read_to_string(file).unwrap();
        for (line, path) in used_paths(code(&text), &module(inside)) {
            let (true, Some(used)) = (path[0] == name, path.get(1)) else {
                continue;
            };
            let used = tops.get(used).or_else(|| homes.get(used));
            if let Some(used) = used.filter(|used| **used != top) {
                let place = format!("{}:{line}", inside.display());
                let of_top = uses.entry(top.clone()).or_default();
                of_top.entry(used.clone()).or_insert(place);
            }
        }
    }
    uses
}

/// The module at the top of its layer that a file belongs to.
fn top_of(src: &Path, file: &Path) -> Option<String> {
    Some((*module(file.strip_prefix(src).ok()?).get(1)?).to_owned())
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
fn no_modules_of_a_layer_use_each_other_in_a_circle() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = LAYERS.iter().map(|(layer, _)| (src.join(layer), layer));
    let mut wrong = Vec::new();
    for (folder, layer) in folders.filter(|(folder, _)| folder.join("mod.rs").exists()) {
        for (user, used) in circles(uses_within(&folder, layer)) {
            let used = used.iter().map(|(used, place)| format!("{used} ({place})"));
            let used: Vec<String> = used.collect();
            wrong.push(format!("{layer}: {user} uses {}", used.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_engine_and_requests_name_only_requests_of_the_workbench() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src.join("engine"), &mut files);
    sources(&src.join("workbench/requests"), &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        // A visibility uses nothing.
        let text = fs::read_to_string(&file).unwrap().replace("(in crate::workbench)", "");
        for (line, path) in used_paths(&text, &module(inside)) {
            if path[0] == "workbench" && path.get(1).is_none_or(|used| used != "requests") {
                wrong.push(format!("{}:{line} uses {}", inside.display(), path.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_desk_names_another_one() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src.join("workbench/desks"), &mut files);
    let mut desk_of: BTreeMap<String, String> = BTreeMap::new();
    let exported = fs::read_to_string(src.join("workbench/mod.rs")).unwrap();
    for part in exported.split("use ").skip(1) {
        let mut paths = Vec::new();
        read_paths(part, Vec::new(), &mut paths);
        for path in paths.iter().filter(|path| path[0] == "desks") {
            desk_of.insert(path[path.len() - 1].clone(), path[1].clone());
        }
    }
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
        let inside = file.strip_prefix(&src).unwrap();
        let own_path = module(inside);
        let Some(own) = own_path.get(2) else { continue };
        let text = fs::read_to_string(file).unwrap();
        for (line, path) in used_paths(code(&text), &own_path) {
            let used = match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["workbench", "desks", desk, _, ..] => Some(desk),
                ["workbench", name, ..] => desk_of.get(name).map(String::as_str),
                _ => None,
            };
            if let Some(used) = used.filter(|used| used != own) {
                wrong.push(format!("{}:{line} uses {used}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files outside of `format/` and `ops/edit/` that use the source text of values: they edit it, compare spellings, or show
/// code. Every other one needs the values, which in YAML and TOML are not written as they read.
const SOURCE_TEXT_USERS: &[&str] = &[
    "cli/edit.rs",
    "engine/contract/lookup.rs",
    "ops/change.rs",
    "ops/check/delay_invalid.rs",
    "ops/check/document.rs",
    "ops/decoded_view/walk.rs",
    "ops/import/recordings.rs",
    "ops/playback/fixes/wrap.rs",
    "ops/replace/texts.rs",
    "ops/review/align.rs",
    "ops/review/cassette/call_texts.rs",
    "ops/review/keep_noise/chunks.rs",
    "ops/review/similarity.rs",
    "ops/review/structure.rs",
    "ops/seeds/edit.rs",
    "ops/seeds/seed.rs",
    "ops/session/edit.rs",
    "ops/stable/collect.rs",
    "ui/inspector/carry_over.rs",
    "ui/inspector/copy.rs",
    "ui/inspector/edit.rs",
    "ui/inspector/seeds.rs",
    "ui/inspector/tree.rs",
    "workbench/desks/sessions/edits.rs",
];

#[test]
fn only_what_edits_or_compares_source_text_takes_it_from_a_value() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut users = BTreeSet::new();
    for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
        let inside = file.strip_prefix(&src).unwrap().to_string_lossy();
        let inside = inside.replace('\\', "/");
        let is_outside = !["format/", "ops/edit/"].iter().any(|at| inside.starts_with(at));
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
