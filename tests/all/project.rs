//! A folder to try the program on, and the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

use serde_json::{Value, json};

/// A folder of its own for one test.
pub(crate) struct Project {
    temp: tempfile::TempDir,
}

/// What a run of the program gave.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { temp: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.temp.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn make_read_only(&self, path: &str) {
        let path = self.path(path);
        let mut permissions = std::fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).unwrap();
    }

    /// Every file and folder in it, with its size and its time of change.
    pub(crate) fn snapshot(&self) -> BTreeMap<PathBuf, (u64, Option<SystemTime>)> {
        let mut all = BTreeMap::new();
        let caches = self.temp.path().join("state/index");
        let mut folders = vec![self.temp.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let metadata = entry.metadata().unwrap();
                if entry.path() == caches {
                    continue;
                }
                if metadata.is_dir() {
                    folders.push(entry.path());
                }
                // The folder of the caches is there as soon as something was listed.
                if Some(&*entry.path()) == caches.parent() {
                    continue;
                }
                all.insert(entry.path(), (metadata.len(), metadata.modified().ok()));
            }
        }
        all
    }

    /// A command of the program, run in this folder without a terminal or a display.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_retake"));
        command
            .args(arguments)
            .current_dir(self.temp.path())
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR")
            .env_remove("CLICOLOR_FORCE")
            .env("RETAKE_STATE_DIR", self.temp.path().join("state"));
        for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
            command.env_remove(variable).env_remove(variable.to_lowercase());
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(&self.command(arguments).output().unwrap())
    }

    /// Runs git here, with no configuration but the test's own, and answers what it prints.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_on(None, arguments)
    }

    /// As [`git`](Self::git), on a day: the number of days since the first of 2026.
    pub(crate) fn git_on(&self, day: Option<usize>, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        if let Some(day) = day {
            let date = format!("{} +0000", 1_767_225_600 + day * 86_400);
            command.env("GIT_AUTHOR_DATE", &date);
            command.env("GIT_COMMITTER_DATE", &date);
        }
        let output = command
            .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
            .args(arguments)
            .current_dir(self.temp.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_DIR")
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {complaint}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

impl Run {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The exit code, stdout and stderr.
    pub(crate) fn printed(&self) -> String {
        let code = self.code.unwrap_or(-1);
        format!("{code}\n{}---\n{}", self.stdout, self.stderr)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("{error}\n{}\n{}", self.stdout, self.stderr);
        })
    }
}

/// A wrapped recording; `more` are further members, each with its comma before it.
pub(crate) fn recording(id: &str, more: &str) -> String {
    format!(
        r#"{{
  "request": {{ "type": "llm_invocation_request", "requestId": "{id}", "timestamp": "2026-02-02T02:40:00.000Z",
    "context": {{}}, "messages": [ {{ "role": "user", "content": "Hello" }} ],
    "tools": [ {{ "name": "transition_to_b", "description": "Go", "input_schema": {{}} }} ], "systemPrompt": "" }},
  "response": {{ "type": "llm_invocation_response", "requestId": "{id}", "timestamp": "2026-02-02T02:40:01.000Z",
    "reasoning": "", "response": {{ "stop_reason": "tool_use", "content": [
      {{ "type": "tool_use", "id": "tool-1", "name": "transition_to_b", "input": {{}} }} ] }} }},
  "recordedAt": "2026-02-02T02:40:01.000Z"{more}
}}"#
    )
}

/// A recording of one message that offers these tools and answers with the first of them.
pub(crate) fn recording_offering(id: &str, tools: &[&str]) -> Value {
    let offered: Vec<Value> = tools.iter().map(|name| json!({ "name": name })).collect();
    json!({
        "request": {
            "type": "llm_invocation_request",
            "requestId": id,
            "messages": [{ "role": "user", "content": "x" }],
            "tools": offered,
        },
        "response": { "response": {
            "content": [{ "type": "tool_use", "id": id, "name": tools[0], "input": {} }],
            "stop_reason": "tool_use",
        } },
        "recordedAt": "2026-03-12T14:02:04.911Z",
    })
}

/// The error of a client that finds no recording with these tools, separated by commas, in a set.
pub(crate) fn no_match(set: &str, tools: &str) -> String {
    let count = tools.split(", ").count();
    format!(
        "❌ No matching recording found for request\n\nCurrent Request:\n  Tools ({count}): {tools}\n  Message count: 1\n\n\
         Available Recordings:\n  [0] {set}-1\n      Tools: (other)\n      Messages: 1\n\n  \
         Recordings directory: /ci/app/rec/{set}\n"
    )
}

/// An HTTP archive with a call for each of these: the tool that is offered, the one that the answer calls, and the status.
pub(crate) fn archive(calls: &[(&str, &str, u16)]) -> String {
    let entries = calls.iter().map(|(offered, called, status)| {
        let sent = json!({ "model": "m", "messages": [{ "role": "user", "content": "Hello" }],
            "tools": [{ "type": "function", "function": { "name": offered, "parameters": {} } }] });
        let call = json!({ "id": "t", "function": { "name": called, "arguments": "{\"x\":1}" } });
        let received =
            json!({ "choices": [{ "message": { "content": null, "tool_calls": [call] } }] });
        json!({
            "request": { "method": "POST", "url": "https://api.openai.com/v1/chat/completions",
                "postData": { "text": sent.to_string() } },
            "response": { "status": status, "content": { "text": received.to_string() } },
        })
    });
    let entries: Vec<Value> = entries.collect();
    json!({ "log": { "version": "1.2", "entries": entries } }).to_string()
}

/// `signature` and `sourceMetadata` as a recorder writes them.
pub(crate) fn stamped(source: &str, hash: &str) -> String {
    let source = serde_json::to_string(source).unwrap();
    format!(
        r#",
  "signature": {{ "toolNames": ["transition_to_b"], "messageCount": 1, "contextKeys": [] }},
  "sourceMetadata": {{ "sourceFile": {source}, "contentHash": "{hash}", "fileSize": 3,
    "lastModified": "2026-02-02T02:00:00.000Z" }}"#
    )
}

/// Copies a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Numbers that look random and are the same in every run.
pub(crate) struct RandomNumbers(pub(crate) u64);

impl RandomNumbers {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}
