use std::fmt::Write as _;

use super::*;
use document::text::Source;

fn facts(cassette: &str, files: &[(&str, &str)], siblings: &[&str]) -> CassetteFacts {
    let files = files.iter().map(|(path, text)| {
        Arc::new(PythonFile {
            path: (*path).into(),
            module: PythonModule::parse(&Source::new(*text)),
        })
    });
    configure(&CassetteSources {
        path: cassette,
        files: files.collect(),
        siblings: siblings.iter().map(|name| Box::from(*name)).collect(),
        ..CassetteSources::default()
    })
}

fn describe(facts: &CassetteFacts) -> String {
    let mut description = String::new();
    let place = |test: &TestPlace| format!("{} {}", test.name, test.origin);
    if let Some(test) = &facts.test {
        let _ = writeln!(description, "test {}", place(test));
    }
    for test in &facts.other_tests {
        let _ = writeln!(description, "also {}", place(test));
    }
    if facts.expects_error {
        description.push_str("expects an error\n");
    }
    let texts = facts.match_on.iter().chain(&facts.record_mode);
    for texts in texts.chain(&facts.ignored) {
        let joined_texts = texts.texts.as_ref().map(|texts| texts.join(", "));
        let values = joined_texts.as_deref().unwrap_or("not known");
        let _ = writeln!(description, "{} {values} {}", texts.key, texts.origin);
    }
    if let Some(origin) = &facts.repeats {
        let _ = writeln!(description, "repeats {origin}");
    }
    if let Some((client, origin)) = &facts.client {
        let _ = writeln!(description, "client {} {origin}", client.as_str());
    }
    if let Some(origin) = &facts.expires {
        let _ = writeln!(description, "expires {origin}");
    }
    if let Some(orphan) = &facts.orphan {
        let _ = writeln!(description, "orphan: {orphan}");
    }
    for test in &facts.missing {
        let _ = writeln!(description, "missing {}", place(test));
    }
    description
}

fn shown(cassette: &str, files: &[(&str, &str)]) -> String {
    let (_, name) = split_path(cassette);
    describe(&facts(cassette, files, &[name])).trim_end().to_owned()
}

#[test]
fn all_tests_of_a_shared_cassette_are_found() {
    let marked = "import pytest\n@pytest.mark.vcr('b.yaml')\ndef test_a(): ...\n@pytest.mark.vcr\n@pytest.mark.default_cassette('b.yaml')\ndef test_c(): ...\n@pytest.mark.vcr\ndef test_b(): ...\n@pytest.mark.vcr\ndef test_d(): ...\n";
    insta::assert_snapshot!(shown("tests/cassettes/test_m/b.yaml", &[("tests/test_m.py", marked)]), @"
    test test_a tests/test_m.py:3
    also test_c tests/test_m.py:6
    missing test_b tests/test_m.py:8
    missing test_d tests/test_m.py:10
    ");
    let called = "import vcr\n@vcr.use_cassette('tests/c/s.yaml')\ndef test_a(): ...\ndef test_b():\n    with vcr.use_cassette('tests/c/s.yaml'): ...\n";
    let other = called.replace("test_b", "test_c").replace("test_a", "test_e");
    let files = [("tests/test_m.py", called), ("tests/test_n.py", other.as_str())];
    insta::assert_snapshot!(shown("tests/c/s.yaml", &files), @"
    test test_a tests/test_m.py:3
    also test_b tests/test_m.py:4
    also test_e tests/test_n.py:3
    also test_c tests/test_n.py:4
    client vcrpy tests/test_m.py:1
    ");
}

#[test]
fn repeats_are_allowed_where_that_is_a_literal() {
    let config = "import pytest\n@pytest.fixture\ndef vcr_config():\n    return {\n        'allow_playback_repeats': True,\n    }\n";
    let test = |mark: &str| format!("import pytest\n@pytest.mark.vcr({mark})\ndef test_a(): ...\n");
    let in_test = |mark: &str| {
        let files = [("tests/conftest.py", config), ("tests/test_m.py", &test(mark))];
        shown("tests/cassettes/test_m/test_a.yaml", &files)
    };
    insta::assert_snapshot!(in_test(""), @"
    test test_a tests/test_m.py:3
    repeats tests/conftest.py:5
    ");
    insta::assert_snapshot!(in_test("allow_playback_repeats=True"), @"
    test test_a tests/test_m.py:3
    repeats tests/test_m.py:2
    ");
    insta::assert_snapshot!(in_test("allow_playback_repeats=REPEATS"), @"test test_a tests/test_m.py:3");
    let called = "import vcr\nmine = vcr.VCR(allow_playback_repeats=True)\n@mine.use_cassette('c/a.yaml')\ndef test_a(): ...\n";
    insta::assert_snapshot!(shown("tests/c/a.yaml", &[("tests/test_m.py", called)]), @"
    test test_a tests/test_m.py:4
    repeats tests/test_m.py:2
    client vcrpy tests/test_m.py:1
    ");
}

const MARKED: &str = r#"import pytest
pytestmark = pytest.mark.vcr(match_on=["method"], ignore_localhost=True)

@pytest.mark.vcr(match_on=["method", "body"])
@pytest.mark.parametrize("a", [1])
def test_a(a): ...

class TestMail:
    @pytest.mark.default_cassette("mail.yaml")
    def test_b(self): ...
    @pytest.mark.vcr("shared.yaml", match_on=MATCHERS)
    def test_c(self): ...
"#;

#[test]
fn a_test_is_found_by_the_names_of_the_plugins() {
    let marked = [("tests/test_m.py", MARKED)];
    let in_folder = |name| shown(&format!("tests/cassettes/test_m/{name}"), &marked);
    insta::assert_snapshot!(in_folder("test_a[1-x].yaml"), @"
    test test_a tests/test_m.py:6
    match_on method, body tests/test_m.py:4
    ignore_localhost localhost, 0.0.0.0, 127.0.0.1, ::1 tests/test_m.py:2
    ");
    insta::assert_snapshot!(in_folder("mail.yaml"), @"
    test TestMail.test_b tests/test_m.py:10
    match_on method tests/test_m.py:2
    ignore_localhost localhost, 0.0.0.0, 127.0.0.1, ::1 tests/test_m.py:2
    missing test_a tests/test_m.py:6
    ");
    insta::assert_snapshot!(in_folder("TestMail.test_c.yaml"), @"
    test TestMail.test_c tests/test_m.py:12
    match_on not known tests/test_m.py:11
    ignore_localhost localhost, 0.0.0.0, 127.0.0.1, ::1 tests/test_m.py:2
    missing test_a tests/test_m.py:6
    ");
    insta::assert_snapshot!(in_folder("shared.yaml"), @"
    test TestMail.test_c tests/test_m.py:12
    match_on not known tests/test_m.py:11
    ignore_localhost localhost, 0.0.0.0, 127.0.0.1, ::1 tests/test_m.py:2
    missing test_a tests/test_m.py:6
    ");
    let folders = MARKED.replace("mail.yaml", "m/x");
    assert!(
        shown("tests/cassettes/test_m/m/x.yaml", &[("tests/test_m.py", &*folders)])
            .contains("TestMail.test_b")
    );
    // pytest-vcr has one folder for all files, and replaces nothing in parameters.
    assert!(shown("tests/cassettes/test_a[p/q:*].yaml", &marked).contains("test test_a"));
    insta::assert_snapshot!(shown("tests/cassettes/test_a[1].yaml", &marked), @"
    test test_a tests/test_m.py:6
    match_on method, body tests/test_m.py:4
    ignore_localhost localhost, 0.0.0.0, 127.0.0.1, ::1 tests/test_m.py:2
    ");
    let long = format!("test_{}", "a".repeat(300));
    let text = format!("def {long}(): ...\n");
    let name =
        format!("tests/cassettes/test_l/{}...{}.yaml", &long[..215], "0123456789abcdef".repeat(2));
    assert!(shown(&name, &[("tests/test_l.py", &*text)]).ends_with("tests/test_l.py:1"));
}

#[test]
fn the_configuration_is_that_of_the_nearest_fixture() {
    let conftest = "import vcr\n@pytest.fixture\ndef vcr_config():\n    return {'match_on': ('uri',), 'ignore_hosts': [HOST]}\n";
    let dir =
        "@fixture(scope='module')\ndef vcr_cassette_dir(request):\n    return 'tests/data/vcr'\n";
    let test = "def test_a(): ...\n";
    let files =
        [("tests/api/test_m.py", test), ("tests/conftest.py", conftest), ("conftest.py", dir)];
    insta::assert_snapshot!(shown("tests/data/vcr/test_a.yaml", &files), @"
    test test_a tests/api/test_m.py:1
    match_on uri tests/conftest.py:4
    ignore_hosts not known tests/conftest.py:4
    client vcrpy tests/conftest.py:1
    ");
    // The folder is set elsewhere, so that its test is not known, but what all tests compare is.
    assert_eq!(
        shown("tests/api/cassettes/test_m/test_a.yaml", &files),
        "match_on uri tests/conftest.py:4"
    );
    let two = format!("{conftest}    return other\n");
    let files = [("tests/test_m.py", test), ("tests/conftest.py", &*two)];
    insta::assert_snapshot!(shown("tests/cassettes/test_m/test_a.yaml", &files), @"
        test test_a tests/test_m.py:1
        match_on not known tests/conftest.py:3
        record_mode not known tests/conftest.py:3
        ignore_hosts not known tests/conftest.py:3
        ignore_localhost not known tests/conftest.py:3
        client vcrpy tests/conftest.py:1
        expires tests/conftest.py:3
        ");
}

#[test]
fn use_cassette_names_the_file_itself() {
    let text = r#"
my_vcr = vcr.VCR(match_on=["uri"], cassette_library_dir="tests/tapes")
@my_vcr.use_cassette("a.yaml")
def test_a(): ...
@my_vcr.use_cassette
def test_b(): ...
def test_c():
    with vcr.use_cassette("tapes/c.yaml", match_on=["method", "body"]) as tape: ...
def test_d():
    with other.use_cassette("tests/tapes/d.yaml"): ...
@my_vcr.use_cassette(PATH)
def test_e(): ...
"#;
    let files = [("tests/test_u.py", text)];
    let in_folder = |name| shown(&format!("tests/tapes/{name}"), &files);
    insta::assert_snapshot!(in_folder("a.yaml"), @"
    test test_a tests/test_u.py:4
    match_on uri tests/test_u.py:2
    ");
    insta::assert_snapshot!(in_folder("test_b"), @"
    test test_b tests/test_u.py:6
    match_on uri tests/test_u.py:2
    ");
    insta::assert_snapshot!(in_folder("c.yaml"), @"
    test test_c tests/test_u.py:7
    match_on method, body tests/test_u.py:8
    ");
    // Its recorder is in another file, and this path is no literal.
    assert_eq!(in_folder("d.yaml"), "");
    assert_eq!(in_folder("e.yaml"), "");
}

#[test]
fn a_recorder_may_be_renamed_or_imported() {
    let test = "import vcr as V\nfrom vcr import use_cassette as use, VCR as Recorder\nfrom .helpers import recorder as other\nmine = Recorder(match_on=['path'])\n@V.use_cassette('c/a.yaml', match_on=['uri'])\ndef test_a(): ...\n@use('c/b.yaml', match_on=['host'])\ndef test_b(): ...\n@mine.use_cassette('c/c.yaml')\ndef test_c(): ...\n@other.use_cassette('d.yaml')\ndef test_d(): ...\n";
    let helper =
        "import vcr\n\nrecorder = vcr.VCR(match_on=['body'], cassette_library_dir='tests/c')\n";
    let file = |path: &str, text: &str| {
        Arc::new(PythonFile { path: path.into(), module: PythonModule::parse(&Source::new(text)) })
    };
    let describe_test = |name: &str| {
        let facts = configure(&CassetteSources {
            path: &format!("tests/c/{name}.yaml"),
            files: vec![file("tests/test_m.py", test)],
            helpers: vec![file("tests/helpers.py", helper)],
            ..CassetteSources::default()
        });
        describe(&facts)
    };
    insta::assert_snapshot!(["a", "b", "c", "d"].map(describe_test).concat(), @"
    test test_a tests/test_m.py:6
    match_on uri tests/test_m.py:5
    client vcrpy tests/test_m.py:1
    test test_b tests/test_m.py:8
    match_on host tests/test_m.py:7
    client vcrpy tests/test_m.py:1
    test test_c tests/test_m.py:10
    match_on path tests/test_m.py:4
    client vcrpy tests/test_m.py:1
    test test_d tests/test_m.py:12
    match_on body tests/helpers.py:3
    client vcrpy tests/test_m.py:1
    ");
}

#[test]
fn an_orphan_is_reported_only_if_the_names_are_known() {
    let orphan = |name: &str, text: &str| {
        let path = format!("tests/cassettes/test_m/{name}.yaml");
        shown(&path, &[("tests/test_m.py", text)])
    };
    insta::assert_snapshot!(orphan("test_old[1]", "def test_new(): ...\n"), @"orphan: tests/test_m.py has no test test_old");
    insta::assert_snapshot!(orphan("TestA.test_b", "class TestA(Base):\n    x = 1\nclass Base:\n    def test_c(self): ...\n"), @"orphan: tests/test_m.py has no test TestA.test_b");
    for (name, text) in [
        ("test_a", "from other import *\n"),
        ("test_a", "from other import test_a\n"),
        ("test_a", "test_a = make()\n"),
        ("test_a", "if x:\n    async def test_a(): ...\n"),
        ("TestA.test_b", "class TestA(Base): ...\n"),
        ("TestA.test_b", "class TestA(Base): ...\nclass Base:\n    def test_b(self): ...\n"),
        ("test_a.other", "def test_a(): ...\n"),
        ("test_a", "@pytest.mark.default_cassette(NAME)\ndef test_b(): ...\n"),
        ("test_a", "@pytest.fixture\ndef vcr_cassette_dir(request):\n    return make(request)\n"),
        ("test_a", "@pytest.fixture\ndef default_cassette_name(request):\n    return 'x'\n"),
        ("test_a", "def test_b():\n    with my_vcr.use_cassette(path): ...\n"),
    ] {
        assert!(!orphan(name, text).contains("orphan"), "{text}");
    }
    let other_files = [("tests/test_other.py", "")];
    insta::assert_snapshot!(shown("tests/cassettes/test_m/test_a.yaml", &other_files), @"orphan: there is no tests/test_m.py");
    assert_eq!(shown("tests/cassettes/mail/test_a.yaml", &other_files), "");
    assert_eq!(shown("cassettes/test_m/test_a.yaml", &other_files), "");
}

#[test]
fn a_marked_test_without_a_cassette_is_missing() {
    let text = "@pytest.mark.vcr\ndef test_a(): ...\n@pytest.mark.vcr()\ndef test_b(): ...\n@pytest.mark.vcr\n@pytest.mark.skip\ndef test_c(): ...\ndef test_d(): ...\n@pytest.mark.vcr\n@pytest.mark.default_cassette('e')\ndef test_e(): ...\n@pytest.mark.vcr('x.yaml')\ndef test_f(): ...\n";
    let missing = |name: &str| {
        let path = format!("cassettes/test_m/{name}");
        let siblings = ["test_a[1].yaml", "test_d.yaml"];
        describe(&facts(&path, &[("test_m.py", text)], &siblings))
    };
    insta::assert_snapshot!(missing("test_a[1].yaml"), @"
    test test_a test_m.py:2
    missing test_b test_m.py:4
    missing test_e test_m.py:11
    ");
    assert!(!missing("test_d.yaml").contains("missing"));
}

#[test]
fn the_age_that_the_program_compares_is_known() {
    let test = |mark: &str| {
        let test = format!("import pytest\n@pytest.mark.vcr({mark})\ndef test_a(): ...\n");
        let found = shown("cassettes/test_m/test_a.yaml", &[("test_m.py", &*test)]);
        found.contains("expires test_m.py:2")
    };
    let marks = ["max_age=timedelta(days=9)", "max_age=60", "max_age=None", ""];
    assert_eq!(marks.map(test), [true, true, false, false]);
}

#[test]
fn the_record_mode_is_that_of_the_test_its_fixture_or_the_options() {
    let config = "import pytest, vcr\n@pytest.fixture\ndef vcr_config():\n    return {'record_mode': vcr.mode.NEW_EPISODES}\n";
    let by_plugin = |mark: &str, config: &str, options: &str| {
        let test = format!("import pytest\n@pytest.mark.vcr({mark})\ndef test_a(): ...\n");
        let files =
            [("tests/conftest.py", config), ("tests/test_m.py", &*test)].map(|(path, text)| {
                let module = PythonModule::parse(&Source::new(text));
                let path = path.into();
                Arc::new(PythonFile { path, module })
            });
        let found = configure(&CassetteSources {
            path: "tests/cassettes/test_m/test_a.yaml",
            files: files.to_vec(),
            named_mode: record_mode_in("pytest.ini", options),
            siblings: Arc::new([Box::from("test_a.yaml")]),
            ..CassetteSources::default()
        });
        let found = describe(&found);
        let mut lines = found.lines().filter(|line| line.contains("record"));
        lines.next().unwrap_or("-").to_owned()
    };
    let called = |argument: &str, recorder: &str| {
        let test = format!(
            "import vcr\nmine = vcr.VCR({recorder})\ndef test_a():\n    with mine.use_cassette('c/a.yaml'{argument}): ...\n"
        );
        let found = shown("c/a.yaml", &[("test_m.py", &test)]);
        let mut lines = found.lines().filter(|line| line.contains("record"));
        lines.next().unwrap_or("-").to_owned()
    };
    let lines = [
        by_plugin("", "", ""),
        by_plugin("record_mode='all'", config, "addopts = --record-mode=once"),
        by_plugin("", config, "addopts = --record-mode=once"),
        by_plugin("", "", "[pytest]\naddopts = -q --record-mode=once # --record-mode=all"),
        by_plugin("", "", "addopts = [\"--vcr-record\", \"none\"]"),
        by_plugin("record_mode=MODE", "", ""),
        called(", record_mode='none'", ""),
        called("", "record_mode=vcr.record_mode.RecordMode.ONCE"),
        called("", ""),
    ];
    insta::assert_snapshot!(lines.join("\n"), @"
        -
        record_mode all tests/test_m.py:2
        record_mode new_episodes tests/conftest.py:4
        --record-mode once pytest.ini:2
        --vcr-record none pytest.ini:1
        record_mode not known tests/test_m.py:2
        record_mode none test_m.py:4
        record_mode once test_m.py:2
        -
        ");
}

#[test]
fn a_client_is_named_by_dependencies_and_plugins() {
    let text = "[project]\ndependencies = [\"requests\"] # not vcrpy\n[dependency-groups]\ntest = [\"pytest-recording>=0.13\"]\naddopts = \"-p pytest_recording\"\n";
    let clients: Vec<_> = clients_named_in("pyproject.toml", text)
        .iter()
        .map(|(client, origin)| format!("{} {origin}", client.as_str()))
        .collect();
    assert_eq!(clients, ["vcrpy pyproject.toml:4", "vcrpy pyproject.toml:5"]);
}

#[test]
fn a_test_that_expects_an_error_says_so_anywhere_in_its_function() {
    let expects_error = |test: &str| {
        let text = format!("import pytest\nfrom pytest import raises\n{test}");
        let shown = shown("tests/cassettes/test_m/test_a.yaml", &[("tests/test_m.py", &text)]);
        assert!(shown.starts_with("test test_a"), "{test}");
        shown.contains("expects an error")
    };
    for test in [
        "def test_a():\n    with pytest.raises(ValueError):\n        call()\n",
        "async def test_a(allow):\n    if allow:\n        with raises(\n            ValueError, match='x'\n        ) as info:\n            call()\n",
        "def test_a():\n    def inner():\n        self.assertRaises(ValueError, call)\n    inner()\n",
        "def test_a(case, expected_error):\n    call()\n",
        "@pytest.mark.parametrize('case', [Supported(), ExpectError(400)])\ndef test_a(case): call()\n",
        "@pytest.mark.parametrize('how', [does_not_raise(), pytest.raises(ValueError)])\ndef test_a(how):\n    with how: call()\n",
        "def test_a():\n    assert call().status_code == 404\n",
    ] {
        assert!(expects_error(test), "{test}");
    }
    for test in [
        "def test_a():\n    assert call().status_code == 200\n",
        "def test_a():\n    'pytest.raises is not used'\n    call()\n\n\ndef test_b():\n    with raises(ValueError): call()\n",
        "@pytest.mark.parametrize('case', [raises(ValueError)])\ndef test_b(case): ...\n\n\ndef test_a():\n    call()\n",
        "class TestB:\n    def test_b(self):\n        with raises(ValueError): call()\n\ndef test_a():\n    assert call() == 400\n",
    ] {
        assert!(!expects_error(test), "{test}");
    }
}

#[test]
fn a_configuration_in_a_variable_is_read_and_never_guessed() {
    let config = |body: &str| {
        format!(
            "import pytest\nMODULE = {{'match_on': ['method', 'path']}}\n@pytest.fixture(scope='module')\ndef vcr_config(vcr_cassette_dir):\n{body}"
        )
    };
    let read = |cassette: &str, body: &str| {
        let config = config(body);
        let config = format!(
            "{config}\n@pytest.fixture\ndef vcr_cassette_dir(request):\n    return str(folder(request))\n"
        );
        let test = "import pytest\n@pytest.mark.vcr\ndef test_a(): ...\n";
        shown(cassette, &[("conftest.py", &config), ("lib/tests/test_m.py", test)])
    };
    let config_text = "    config = {\n        'record_mode': os.getenv('MODE', 'once'),\n        'match_on': ['method', 'host'],\n    }\n";
    let describe_module = |body: &str| read("lib/tests/cassettes/deep/test_a.yaml", body);
    let unknown_at = |line: u32| format!("match_on not known conftest.py:{line}");
    for (tail, expected) in [
        (
            "    if ci:\n        config['record_mode'] = 'none'\n",
            "match_on method, host conftest.py:7".to_owned(),
        ),
        ("    config['match_on'] = other()\n", unknown_at(9)),
        ("    config.update(other())\n", unknown_at(5)),
        ("    config = dict(config)\n", unknown_at(5)),
    ] {
        assert_eq!(
            describe_module(&format!("{config_text}{tail}    return config\n")),
            expected,
            "{tail}"
        );
    }
    assert_eq!(describe_module("    return MODULE\n"), "match_on method, path conftest.py:2");
    assert_eq!(describe_module("    return other\n"), unknown_at(5));
    assert_eq!(describe_module("    return {'record_mode': 'once'}\n"), "");
}

#[test]
fn the_hook_of_the_plugin_configures_the_recorder() {
    let hook = "def pytest_recording_configure(config, vcr):\n    vcr.register_matcher('mine', mine)\n    vcr.match_on = ['method', 'mine']\n";
    let fixture =
        "import pytest\n@pytest.fixture\ndef vcr_config():\n    return {'match_on': ['uri']}\n";
    let test = "import pytest\n@pytest.mark.vcr\ndef test_a(): ...\n";
    let conftest_text = format!("{fixture}{hook}");
    for (conftest, expected) in [
        (hook, "match_on method, mine tests/conftest.py:3"),
        (&conftest_text, "match_on uri tests/conftest.py:4"),
        (
            &hook.replace("['method', 'mine']", "matchers()"),
            "match_on not known tests/conftest.py:3",
        ),
        (&hook.replace("match_on", "other"), ""),
    ] {
        let files = [("tests/conftest.py", conftest), ("tests/test_m.py", test)];
        let facts_text = shown("tests/cassettes/test_m/test_a.yaml", &files);
        let lines: Vec<&str> =
            facts_text.lines().filter(|line| line.starts_with("match_on")).collect();
        assert_eq!(lines.concat(), expected);
        assert_eq!(shown("tests/tapes/other.yaml", &files), expected);
    }
}

#[test]
fn what_is_compared_beside_the_matchers_and_how_requests_are_filtered() {
    let call = |module: &str, arguments: &str| {
        let text = format!(
            "import {module}\n@{module}.use_cassette('c/a.yaml', {arguments})\ndef test_a(): ...\n"
        );
        let facts = facts("tests/c/a.yaml", &[("tests/test_m.py", &text)], &["a.yaml"]);
        let matchers = facts.match_on.map(|set| set.texts.map_or("?".to_owned(), |t| t.join(",")));
        let names = facts.filters.iter().map(|filter| {
            let entries = filter.entries.iter().flatten().map(|entry| &*entry.name);
            format!("{}={}", filter.key, entries.collect::<Vec<_>>().join(","))
        });
        let hooks = facts.hooks.iter().map(|(key, _)| key.to_string());
        matchers.into_iter().chain(names).chain(hooks).collect::<Vec<_>>().join(" ")
    };
    for (module, arguments, expected) in [
        ("vcr", "additional_matchers=['body']", "method,scheme,host,port,path,query,body"),
        ("vcr", "match_on=('uri',), additional_matchers=['body']", "uri,body"),
        ("vcr", "match_on=('uri',), additional_matchers=mine()", "?"),
        ("vcr", "filter_nested_post_data_parameters=True", "filter_nested_post_data_parameters="),
        ("vcr", "filter_nested_post_data_parameters=False, filter_headers=None", ""),
        ("vcr", "filter_sensitive_data={'<K>': KEY}", "filter_sensitive_data"),
        (
            "cassetter",
            "body_scrub_patterns=['id'], filter_replacement='F'",
            "filter_replacement=F body_scrub_patterns",
        ),
    ] {
        assert_eq!(call(module, arguments), expected, "{arguments}");
    }
}
