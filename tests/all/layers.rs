//! Holds the order of the layers: who may use whom.

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
    (
        "app",
        &["ui", "engine", "workbench", "ops", "format", "text"],
    ),
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

/// Every layer that a file names after `crate::`, in a `use` (braces too) or in a path, with its line.
fn uses(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let is_other = text[..at].ends_with(|before: char| before == '$' || is_name(before));
        let line = text[..at].lines().count();
        let comment = text[..at].rsplit('\n').next().unwrap_or_default();
        if is_other && !text[..at].ends_with('$') || comment.trim_start().starts_with("//") {
            continue;
        }
        let rest = &text[at + "crate::".len()..];
        let named = match rest.strip_prefix('{') {
            Some(group) => top_names(group),
            None => vec![rest],
        };
        for name in named {
            let name: String = name
                .trim_start()
                .chars()
                .take_while(|c| is_name(*c))
                .collect();
            found.push((line.max(1), name));
        }
    }
    found
}

/// The names of a group of a `use`, without those in nested groups.
fn top_names(group: &str) -> Vec<&str> {
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(&group[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    names
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
        for (line, used) in uses(&text) {
            let is_layer = LAYERS.iter().any(|(name, _)| *name == used);
            if is_layer && used != layer && !allowed.contains(&used.as_str()) {
                let file = inside.display();
                wrong.push(format!("{file}:{line}: {layer} may not use {used}"));
            }
        }
        let is_data = layer == "ui" && inside.ends_with("data.rs");
        let mentions_egui = text
            .lines()
            .any(|line| !line.trim_start().starts_with("//") && line.contains("egui"));
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

/// The text up to its tests: those may write files to be read.
fn code(text: &str) -> &str {
    let tests = text.find("#[cfg(test)]").unwrap_or(text.len());
    &text[..tests]
}

#[test]
fn groups_and_paths_are_seen() {
    let text = "use crate::format::{text, Kind};\nuse crate::{ops::{a, b}, ui, text::Span};\nlet x = crate::cli::run();\n// crate::app\n";
    let names: Vec<String> = uses(text).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["format", "ops", "ui", "text", "cli"]);
}
