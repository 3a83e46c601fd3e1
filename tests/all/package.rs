//! What a package contains besides the program.

use std::collections::BTreeSet;
use std::path::Path;

use crate::project::Project;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The packages that the program and its members depend on, without what only tests use.
fn dependencies() -> BTreeSet<String> {
    let parse = |path: &str| read(path).parse::<toml::Table>().unwrap();
    let root = parse("Cargo.toml");
    let known = root["workspace"]["dependencies"].as_table().unwrap();
    let members = root["workspace"]["members"].as_array().unwrap().iter();
    let manifests = members.map(|member| format!("{}/Cargo.toml", member.as_str().unwrap()));
    let mut packages = BTreeSet::new();
    for manifest in manifests.chain(["Cargo.toml".to_owned()]).map(|path| parse(&path)) {
        let unix = manifest.get("target").and_then(|it| it.get("cfg(unix)")?.get("dependencies"));
        let tables = [manifest.get("dependencies"), unix].into_iter().flatten();
        for (name, value) in tables.flat_map(|it| it.as_table().unwrap()) {
            let declared = &known[name];
            if value.get("optional").is_none() && declared.get("path").is_none() {
                let package = declared.get("package").and_then(toml::Value::as_str);
                packages.insert(package.unwrap_or(name).to_owned());
            }
        }
    }
    packages
}

#[test]
fn the_notices_name_every_library_in_its_version_and_every_font() {
    let lock: toml::Table = read("Cargo.lock").parse().unwrap();
    let notices = read("assets/package/notices.txt");
    let locked = lock["package"].as_array().unwrap();
    let missing: Vec<String> = dependencies()
        .into_iter()
        .filter(|name| {
            let mut versions = locked
                .iter()
                .filter(|it| it["name"].as_str() == Some(name))
                .map(|it| it["version"].as_str().unwrap());
            !versions.any(|version| notices.contains(&format!("  {name} {version}")))
        })
        .collect();
    assert!(missing.is_empty(), "run assets/package/notices, because it lacks {missing:?}");
    for font in ["Inter", "JetBrainsMono", "Lucide", "NotoEmoji"] {
        assert!(notices.contains(&format!("The font {font}\n")), "{font}");
    }
}

#[test]
fn every_command_has_a_manual_page_that_names_its_options() {
    let project = Project::new(&[]);
    let list = project.run(&["man", "--list"]).stdout;
    let commands: Vec<&str> = list.lines().collect();
    assert!(commands.contains(&"check") && commands.len() > 20, "{list}");
    for command in commands {
        let page = project.run(&["man", command]).stdout;
        assert!(page.contains(&format!(".TH retake-{command} 1")), "{page}");
        assert!(page.contains("\\-\\-help"), "{command}: {page}");
    }
    let page = project.run(&["man"]).stdout;
    assert!(page.contains("retake\\-check(1)"), "{page}");
    let wrong = project.run(&["man", "chek"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("There is no command \"chek\""), "{}", wrong.stderr);
}

#[test]
fn completions_name_the_commands_and_their_options() {
    let project = Project::new(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = project.run(&["completions", shell]).stdout;
        for word in ["triage", "dry-run"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
}
