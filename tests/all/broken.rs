//! Hundreds of broken and hostile files: each is reported with its place, nothing outside is read, nothing is written.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::project::{Project, Run, recording, stamped};

/// A text in files that must not be read.
const CANARY: &str = "canary-that-must-not-sing";

/// Longer than any machine needs; a program that hangs needs more.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Makes the folder `project` of broken files beside a folder that must not be read.
struct Folder {
    project: Project,
    /// Files with a fault, from the project.
    broken: BTreeSet<String>,
}

impl Folder {
    fn new() -> Self {
        let mut folder =
            Self { project: Project::new(&[("project/retake.toml", "")]), broken: BTreeSet::new() };
        let secret = recording("req-1", &format!(", \"secret\": \"{CANARY}\""));
        folder.project.write("outside/secret.json", &secret);
        folder.project.write("outside/secret.dygram", CANARY);
        // What does not parse is a broken recording only beside one that is whole.
        for whole in ["bytes/turn-1.json", "names/turn-1.json"] {
            let path = format!("project/{whole}");
            folder.project.write(&path, recording("req-1", ""));
        }
        folder.json();
        folder.types();
        folder.bytes();
        folder.yaml();
        folder.sources();
        folder.names();
        #[cfg(unix)]
        folder.special();
        folder
    }

    fn add(&mut self, path: &str, text: impl AsRef<[u8]>) {
        self.project.write(&format!("project/{path}"), text);
        self.broken.insert(path.to_owned());
    }

    /// A recording cut off everywhere, and texts that are no JSON.
    fn json(&mut self) {
        let whole = recording("req-1", "");
        for (n, end) in (1..whole.len()).step_by(whole.len() / 60).enumerate() {
            self.add(&format!("json/cut-{n}.json"), &whole[..end]);
        }
        let texts = [
            "",
            " \n\t",
            "{",
            "[",
            "\"",
            "nul",
            "{]",
            "{\"a\":}",
            "{\"a\" 1}",
            "{\"a\":1,}",
            "[1,]",
            "[1 2]",
            "{a:1}",
            "{'a':1}",
            "{\"a\":1}}",
            "{\"a\":1} {\"b\":2}",
            "{\"a\":01}",
            "{\"a\":+1}",
            "{\"a\":1.}",
            "{\"a\":.5}",
            "{\"a\":1e}",
            "{\"a\":NaN}",
            "{\"a\":Infinity}",
            "{\"a\":\"\\x\"}",
            "{\"a\":\"\\u12\"}",
            "{\"a\":\"line\nend\"}",
            "{\"a\":\"\u{1}\"}",
            "{\"a\":1 // no\n}",
            "/* no */ {}",
            "{\"a\":\u{a0}1}",
            "\u{feff}{\"a\":",
            "\u{feff}\u{feff}{}",
            "{\"a\":undefined}",
            "<<<<<<< HEAD\n{}\n=======\n{\"a\":1}\n>>>>>>> theirs\n",
            "{\n<<<<<<< HEAD\n\"a\":1\n=======\n\"a\":2\n>>>>>>> theirs\n}\n",
            "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
            "<html>404</html>",
        ];
        for (n, text) in texts.iter().enumerate() {
            self.add(&format!("json/text-{n}.json"), text);
        }
        const DEEP: usize = 100_000;
        for (n, (open, close)) in
            [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")].iter().enumerate()
        {
            let closed = format!("{}1{}", open.repeat(DEEP), close.repeat(DEEP));
            self.add(&format!("json/deep-{n}.json"), closed);
            self.add(&format!("json/deep-{n}-open.json"), open.repeat(DEEP));
            let inside = format!(", \"x\": {}1{}", open.repeat(DEEP), close.repeat(DEEP));
            self.add(&format!("json/deep-{n}-inside.json"), recording("req-1", &inside));
        }
        let twice = recording("req-1", ", \"recordedAt\": \"2026-02-02T02:40:01.000Z\"");
        self.add("json/twice.json", twice);
    }

    /// Every field of a recording, a tape and a session with a value of another kind.
    fn types(&mut self) {
        let whole: Value =
            serde_json::from_str(&recording("req-1", &stamped("a.dygram", "0"))).unwrap();
        let mut pointers = vec![
            "/request",
            "/request/messages",
            "/request/tools",
            "/request/messages/0",
            "/request/messages/0/role",
            "/request/messages/0/content",
            "/request/tools/0",
            "/request/tools/0/name",
            "/response",
            "/signature",
            "/signature/toolNames",
            "/signature/messageCount",
            "/signature/contextKeys",
            "/sourceMetadata",
            "/sourceMetadata/sourceFile",
            "/sourceMetadata/contentHash",
        ];
        for (n, pointer) in pointers.drain(..).enumerate() {
            for (kind, value) in [("bool", "true"), ("number", "1e999"), ("null", "null")] {
                let mut changed = whole.clone();
                *changed.pointer_mut(pointer).unwrap() = Value::String("@@".into());
                let text = changed.to_string().replace("\"@@\"", value);
                self.add(&format!("types/recording-{n}-{kind}.json"), text);
            }
        }
        for (n, chunk) in ["1", "null", "{}", "{\"delayNs\":-1,\"text\":\"\"}"]
            .iter()
            .chain(&["{\"delayNs\":\"1\",\"text\":\"\"}", "{\"delayNs\":1,\"text\":2}"])
            .enumerate()
        {
            let tape = format!(
                r#"{{ "meta": {{ "model": "m", "recordedAt": "2026-01-18T16:00:00Z" }},
                "request": {{ "model": "m", "contents": "x", "config": {{}} }}, "stream": [ {chunk} ] }}"#
            );
            self.add(&format!("types/tape-{n}.json"), tape);
        }
        for (n, response) in ["[]", "1", "true"].iter().enumerate() {
            let session = format!(
                r#"{{ "id": "a", "input": "b", "tool_responses": [ {{ "tool": "t", "response": {response} }} ] }}"#
            );
            self.add(&format!("types/session-{n}.json"), session);
        }
    }

    /// Bytes that are not the UTF-8 they should be.
    fn bytes(&mut self) {
        let whole = recording("req-1", "");
        let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            whole.encode_utf16().flat_map(order).collect()
        };
        self.add("bytes/utf16-le.json", utf16(u16::to_le_bytes));
        self.add("bytes/utf16-be.json", utf16(u16::to_be_bytes));
        let marked = [&[0xff, 0xfe], &utf16(u16::to_le_bytes)[..]].concat();
        self.add("bytes/utf16-bom.json", marked);
        self.add("bytes/gzip.json", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
        self.add("bytes/zeros.json", [0; 4096]);
        self.add("bytes/ones.json", [0xff; 4096]);
        for (n, bytes) in
            [&b"\xff"[..], b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"]
                .iter()
                .enumerate()
        {
            let inside = [b"{\"request\":{\"messages\":\"", *bytes, b"\"}}"].concat();
            self.add(&format!("bytes/invalid-{n}.json"), inside);
        }
    }

    /// Bombs, tags, several documents, and what YAML alone can get wrong.
    fn yaml(&mut self) {
        let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for n in 1..40 {
            let _ =
                writeln!(laughs, "a{n}: &a{n} [{}]", vec![format!("*a{}", n - 1); 10].join(", "));
        }
        self.add("yaml/laughs.yaml", session(&laughs));
        let quadratic = format!(
            "big: &big [{}]\nall: [{}]\n",
            vec!["x"; 30_000].join(", "),
            vec!["*big"; 30_000].join(", ")
        );
        self.add("yaml/quadratic.yaml", session(&quadratic));
        let mut merges = String::from("m0: &m0 { k: v }\n");
        for n in 1..60 {
            let _ = writeln!(merges, "m{n}: &m{n}\n  <<: [*m{0}, *m{0}]\n", n - 1);
        }
        self.project.write("project/yaml/merges.yaml", session(&merges));

        let texts = [
            "id: a\ninput: b\ntool_responses: [\n",
            "id: 'a\ninput: b\n",
            "id: a\n\tinput: b\n",
            "id: a\n input: b\n",
            "id: a: b\n",
            "id: *nowhere\ninput: b\ntool_responses: []\n",
            "id: &a [*a]\ninput: b\ntool_responses: []\n",
            "id: a\ninput: b\ntool_responses: []\n---\nid: c\ninput: d\ntool_responses: []\n",
            "id: a\ninput: !!python/object/apply:os.system [\"touch hacked\"]\ntool_responses: []\n",
            "id: a\ninput: !custom x\ntool_responses: []\n",
            "id: no\ninput: b\ntool_responses: []\n",
            "id: a\ninput: 12:30\ntool_responses: []\n",
            "id: a\nid: b\ninput: c\ntool_responses: []\n",
            "id: a\ninput: b\ntool_responses: [ { tool: t, response: [1] } ]\n",
            "id: a\ntool_responses: []\n",
            "- id: a\n input: b\n",
            "id: a\n<<<<<<< HEAD\ninput: b\n=======\ninput: c\n>>>>>>> theirs\ntool_responses: []\n",
            "\"\\xZZ\"\n",
            "a: }\n",
            "@reserved\n",
        ];
        for (n, text) in texts.iter().enumerate() {
            self.add(&format!("yaml/text-{n}.yaml"), text);
        }
        self.add("yaml/deep.yaml", "[".repeat(100_000));
        self.add("yaml/deep-block.yaml", {
            let mut text = String::new();
            for n in 0..2_000 {
                let _ = writeln!(text, "{}a:", " ".repeat(n));
            }
            text
        });
    }

    /// Recordings that name a source outside.
    fn sources(&mut self) {
        self.project.write("project/sources/inside.dygram", "machine \"In\"\n");
        let outside = self.project.path("outside/secret.dygram");
        let files = [
            "../outside/secret.dygram",
            "../../outside/secret.dygram",
            "sources/../../outside/secret.dygram",
            "./../outside/secret.dygram",
            outside.to_str().unwrap(),
            "/etc/passwd",
            "C:\\outside\\secret.dygram",
            "C:/outside/secret.dygram",
            "c:secret.dygram",
            "..\\outside\\secret.dygram",
            "\\\\host\\share\\secret.dygram",
            "sources//inside.dygram",
            "",
            ".",
            "..",
            "sources/",
            "sources",
            "linked/secret.dygram",
            "sources/linked.dygram",
            "a\0b",
            "::error::x",
            "\u{1b}[2J\u{202e}x",
        ];
        for (n, file) in files.iter().enumerate() {
            let more = stamped(file, &"0".repeat(64));
            self.add(&format!("sources/turn-{n}.json"), recording("req-1", &more));
        }
        let more = stamped(&"x/".repeat(3000), &"0".repeat(64));
        self.add("sources/long.json", recording("req-1", &more));
    }

    /// Names that would command a terminal or a build log.
    fn names(&mut self) {
        for name in [
            "::error::x.json",
            "##[error]x.json",
            "##vso[task.complete]x.json",
            " ::warning::x.json",
            "a b.json",
            "-rf.json",
            "ü😀.json",
        ] {
            self.add(&format!("names/{name}"), "{\"::error::key\": \"##[error]\"");
        }
        if cfg!(unix) {
            for name in [
                "a\nb.json",
                "a\r::error::b.json",
                "\u{1b}[31mred.json",
                "\u{202e}nosj.json",
                "a\\b.json",
            ] {
                self.add(&format!("names/{name}"), "{");
            }
        }
    }

    /// What is no file, and links that lead somewhere else.
    #[cfg(unix)]
    fn special(&mut self) {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        use std::os::unix::fs::symlink;
        let folder = self.project.path("project/special");
        std::fs::create_dir_all(&folder).unwrap();
        let link = |target: &str, name: &str| symlink(target, folder.join(name)).unwrap();
        link("../../outside/secret.json", "out.json");
        link("/etc/passwd", "absolute.json");
        link("self.json", "self.json");
        link("pong.json", "ping.json");
        link("ping.json", "pong.json");
        link("nothing", "dangling.json");
        link("pipe.json", "to-pipe.json");
        link("../../outside", "out");
        link("..", "up");
        link(".", "here");
        mknodat(CWD, folder.join("pipe.json"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        mknodat(CWD, folder.join("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        let socket = std::os::unix::net::UnixListener::bind(folder.join("socket.json"));
        drop(socket.unwrap());
        let large = std::fs::File::create(folder.join("large.json")).unwrap();
        large.set_len((256 << 20) + 1).unwrap();
        for name in [
            "out.json",
            "absolute.json",
            "self.json",
            "ping.json",
            "pong.json",
            "dangling.json",
            "to-pipe.json",
            "out",
            "up",
            "here",
            "pipe.json",
            "pipe",
            "socket.json",
            "large.json",
        ] {
            self.broken.insert(format!("special/{name}"));
        }
        symlink("../outside", self.project.path("project/linked")).unwrap();
        self.broken.insert("linked".to_owned());
        let source = self.project.path("project/sources/linked.dygram");
        symlink("../../outside/secret.dygram", source).unwrap();
        {
            use std::os::unix::ffi::OsStrExt as _;
            let name = std::ffi::OsStr::from_bytes(b"not-\xff-utf8.json");
            std::fs::write(self.project.path("project/names").join(name), "{").unwrap();
            self.broken.insert("names/not-\u{fffd}-utf8.json".to_owned());
        }
    }

    /// Runs the program in the project; it may neither hang nor need a gigabyte.
    fn run(&self, arguments: &[&str]) -> Run {
        let mut command = self.project.command(arguments);
        command.current_dir(self.project.path("project"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let (done, wait) = mpsc::channel();
        std::thread::spawn(move || {
            let _ = done.send(child.wait_with_output());
        });
        let output = wait.recv_timeout(TIMEOUT).expect("the program hangs");
        Run::of(&output.unwrap())
    }
}

fn session(more: &str) -> String {
    format!("{more}id: a\ninput: b\ntool_responses: []\n")
}

#[test]
fn every_broken_file_is_reported_and_nothing_else_happens() {
    let folder = Folder::new();
    assert!(folder.broken.len() >= 200, "{}", folder.broken.len());
    let before = folder.project.snapshot();

    let json = folder.run(&["check", ".", "--json"]);
    assert_eq!(json.code, Some(1), "{}", json.stderr);
    let report = json.json();
    let problems = report["problems"].as_array().unwrap();
    let mut printed = BTreeSet::new();
    for problem in problems {
        assert!(problem["line"].as_u64() >= Some(1) && problem["column"].as_u64() >= Some(1));
        printed.insert(problem["path"].as_str().unwrap().trim_start_matches("./"));
    }
    let unreported: Vec<_> =
        folder.broken.iter().filter(|path| !printed.contains(path.as_str())).collect();
    assert!(unreported.is_empty(), "not reported: {unreported:#?}");

    let outside = problems.iter().filter(|problem| problem["rule"] == "source-outside");
    assert!(outside.count() >= 15);

    let text = folder.run(&["check", "."]);
    let list = folder.run(&["list", "."]);
    let listed = folder.run(&["list", ".", "--json"]);
    let source = folder.run(&["source", "sources/turn-0.json", "--json"]);
    let linked = folder.run(&["source", "sources/turn-18.json"]);
    for run in [&json, &text, &list, &listed, &source, &linked] {
        for output in [&run.stdout, &run.stderr] {
            assert!(!output.contains(CANARY));
            assert!(!output.contains("panicked"), "{output}");
            for line in output.lines() {
                let line = line.trim_start();
                assert!(!line.starts_with("::") && !line.contains("##["), "{line}");
                let raw = line.chars().find(|c| c.is_control() || *c == '\u{202e}');
                assert_eq!(raw, None, "{line:?}");
            }
        }
    }
    assert_eq!((source.code, linked.code), (Some(1), Some(1)));
    assert_eq!(folder.project.snapshot(), before);
}
