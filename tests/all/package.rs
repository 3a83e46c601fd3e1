//! What a package contains besides the program.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use regex::Regex;
use sha2::{Digest as _, Sha256};

use crate::project::{Project, Run, copy};
use crate::samples::checkout;

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

/// Runs a script of this repository, or of a copy of it.
fn script(folder: &Path, name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = Command::new("bash");
    command.arg(folder.join(name)).args(arguments).envs(variables.iter().copied());
    Run::of(&command.output().unwrap())
}

/// What a release publishes, with the address of a repository.
fn published(address: &str) -> Project {
    let published = Project::new(&[]);
    for path in ["assets/ci", "assets/guide", "assets/package", ".github"] {
        copy(&checkout().join(path), &published.path(path));
    }
    for path in
        ["Cargo.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", ".pre-commit-hooks.yaml"]
    {
        published.write(path, read(path));
    }
    let folder = published.path("");
    let filled = script(&folder, "assets/package/address", &[address], &[]);
    assert_eq!(filled.code, Some(0), "{}", filled.printed());
    published
}

#[test]
fn no_published_text_has_a_placeholder_for_the_address() {
    let published = published("https://forge.test/team/tool");
    let placeholder =
        Regex::new(r"example\.com/retake|example/retake|com\.example|\bOWNER\b|ADDRESS/|\]\((assets|src|sample)").unwrap();
    let mut texts =
        vec!["README.md".to_owned(), "Cargo.toml".to_owned(), ".pre-commit-hooks.yaml".to_owned()];
    for folder in ["assets/ci", "assets/guide", ".github"] {
        let files = std::fs::read_dir(published.path(folder)).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        texts.extend(names.map(|name| format!("{folder}/{name}")));
    }
    for path in texts.iter().filter(|path| published.path(path).is_file()) {
        let text = std::fs::read_to_string(published.path(path)).unwrap();
        let found: Vec<&str> = placeholder.find_iter(&text).map(|found| found.as_str()).collect();
        assert!(found.is_empty(), "{path}: {found:?}");
    }
    let text = |path: &str| std::fs::read_to_string(published.path(path)).unwrap();
    assert!(text("Cargo.toml").contains("repository = \"https://forge.test/team/tool\""));
    assert!(text("assets/guide/ci.md").contains("uses: team/tool/assets/ci@v"));
    assert!(text("README.md").contains("](https://forge.test/team/tool/blob/v"));
    let wrong = script(&published.path(""), "assets/package/address", &["team/tool"], &[]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.printed());
}

/// The files of a release, whose program prints its arguments.
fn release() -> (Project, String) {
    let release = Project::new(&[("retake", "#!/bin/sh\necho \"ran $*\"\n")]);
    let pack = "chmod +x retake && tar -czf retake.tar.gz retake";
    let packed = Command::new("sh").args(["-c", pack]).current_dir(release.path("")).status();
    assert!(packed.is_ok_and(|status| status.success()), "tar packs it");
    let archive = std::fs::read(release.path("retake.tar.gz")).unwrap();
    let checksum: String =
        Sha256::digest(&archive).iter().map(|byte| format!("{byte:02x}")).collect();
    let targets = [
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
    ];
    let mut sums = String::new();
    for target in targets {
        release.write(&format!("retake-{target}.tar.gz"), &archive);
        sums += &format!("{checksum}  retake-{target}.tar.gz\n");
    }
    release.write("SHA256SUMS", &sums);
    (release, sums)
}

#[test]
fn hooks_and_actions_run_a_downloaded_program_only_if_its_checksum_is_right() {
    let (release, sums) = release();
    let releases = format!("file://{}", release.path("").display());
    let run = |cache: &str| {
        let cache = release.path(cache).display().to_string();
        let variables =
            [("RETAKE_RELEASES", releases.as_str()), ("XDG_CACHE_HOME", cache.as_str())];
        script(checkout(), "assets/ci/retake", &["check", "--staged"], &variables)
    };
    let first = run("cache");
    assert_eq!(
        (first.code, first.stdout.as_str()),
        (Some(0), "ran check --staged\n"),
        "{}",
        first.printed()
    );
    release.write("SHA256SUMS", sums.replace(&sums[..8], "00000000"));
    // It is not downloaded again.
    assert_eq!(run("cache").code, Some(0));
    let wrong = run("other");
    assert_eq!(wrong.code, Some(2), "{}", wrong.printed());
    assert!(wrong.stderr.contains("nothing was run"), "{}", wrong.printed());
    release.write("SHA256SUMS", "");
    assert!(run("other").stderr.contains("does not name"), "{}", run("other").printed());
    let program = release.path("retake").display().to_string();
    let own = script(checkout(), "assets/ci/retake", &["list"], &[("RETAKE_PROGRAM", &program)]);
    assert_eq!(own.stdout, "ran list\n", "{}", own.printed());
}

#[test]
fn the_formula_of_homebrew_has_the_checksum_of_each_platform() {
    let (release, sums) = release();
    let path = release.path("SHA256SUMS").display().to_string();
    let formula = script(checkout(), "assets/package/homebrew", &[&path], &[]);
    assert_eq!(formula.code, Some(0), "{}", formula.printed());
    assert_eq!(formula.stdout.matches(&sums[..64]).count(), 4, "{}", formula.stdout);
    release.write("SHA256SUMS", "");
    let missing = script(checkout(), "assets/package/homebrew", &[&path], &[]);
    assert!(missing.stderr.contains("does not name"), "{}", missing.printed());
}
