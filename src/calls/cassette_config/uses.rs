//! Finds the test that uses a cassette, and says whether there is none.

use std::sync::Arc;

use super::names::{is_file_of, is_in, is_of_test, may_mean, split_path, without_ending};
use super::{CassetteSources, PythonFile, TestPlace, conftests, fixture_value, full_name};
use crate::python::{PythonClass, PythonExpression, PythonFunction, PythonModule, PythonValue};

/// A test that uses a cassette.
#[derive(Debug)]
pub(super) struct TestUse<'a> {
    pub(super) file: &'a PythonFile,
    pub(super) function: &'a PythonFunction,
    pub(super) kind: UseKind<'a>,
}

/// The way in which a test names its cassette.
#[derive(Debug)]
pub(super) enum UseKind<'a> {
    /// By a plugin of pytest.
    Plugin,
    /// By this `use_cassette`, as a decorator or in `with`.
    Call(&'a PythonExpression),
}

/// Tests of a cassette, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct FoundTests<'a> {
    pub(super) test: Option<TestUse<'a>>,
    /// Further tests that use it.
    pub(super) others: Vec<TestPlace>,
    pub(super) orphan: Option<Arc<str>>,
    pub(super) missing: Vec<TestPlace>,
}

/// Finds the test that uses a cassette.
pub(super) fn find<'a>(sources: &'a CassetteSources<'_>) -> FoundTests<'a> {
    let files = sources.files.iter().map(|file| &**file);
    let mut tests = files
        // pytest collects no tests from `conftest.py`.
        .filter(|file| split_path(&file.path).1 != "conftest.py")
        .flat_map(|file| tests_in(file, sources));
    let test = tests.next();
    let others = tests.map(|test| test.file.test_place(test.function)).collect();
    let (folder, name) = split_path(sources.path);
    let (parent, stem) = split_path(folder);
    let mut found_tests = FoundTests { test, others, ..FoundTests::default() };
    let (test_folder, cassettes) = split_path(parent);
    // Another folder is configured somewhere, so nothing is certain about its tests.
    if cassettes != "cassettes" {
        return found_tests;
    }
    let path = match test_folder {
        "" => format!("{stem}.py"),
        test_folder => format!("{test_folder}/{stem}.py"),
    };
    let mut files = sources.files.iter().map(|file| &**file);
    let Some(file) = files.find(|file| *file.path == *path) else {
        let is_test_name = stem.starts_with("test_") || stem.ends_with("_test");
        // Without a file beside it, all tests may be in another folder.
        let has_tests = sources.files.iter().any(|file| split_path(&file.path).0 == test_folder);
        if found_tests.test.is_none() && is_test_name && has_tests {
            found_tests.orphan = Some(format!("there is no {path}").into());
        }
        return found_tests;
    };
    if !has_default_names(file, sources) {
        return found_tests;
    }
    let name = without_ending(name);
    if found_tests.test.is_none() && lacks(&file.module, name) {
        let name = name.split('[').next().unwrap_or(name);
        found_tests.orphan = Some(format!("{path} has no test {name}").into());
    }
    // The missing cassettes of a folder are listed once, not once for each of its cassettes.
    let is_first = sources.siblings.iter().all(|sibling| **sibling >= *split_path(sources.path).1);
    if is_first {
        let tests = file.module.functions.iter();
        let bare_tests = tests.filter(|test| needs_cassette(&file.module, test, sources));
        found_tests.missing = bare_tests.map(|test| file.test_place(test)).collect();
    }
    found_tests
}

fn tests_in<'a>(file: &'a PythonFile, sources: &'a CassetteSources<'_>) -> Vec<TestUse<'a>> {
    let module = &file.module;
    let (test_folder, _) = split_path(&file.path);
    let test_use = |function, kind| TestUse { file, function, kind };
    let call_uses = module.functions.iter().filter_map(|function| {
        let call = function.decorators.iter().chain(&function.contexts).find(|call| {
            let path = called_path(call, function, file, sources);
            path.is_some_and(|path| {
                let is_full_path = may_mean(&path, sources.path, test_folder);
                // A `path_transformer` such as `VCR.ensure_suffix` adds the ending.
                is_full_path || may_mean(&path, without_ending(sources.path), test_folder)
            })
        })?;
        Some(test_use(function, UseKind::Call(call)))
    });
    let call_uses: Vec<_> = call_uses.collect();
    if !call_uses.is_empty() || overrides_names(file, sources) {
        return call_uses;
    }
    let Some(name) = name_below(file, sources.path, sources) else { return Vec::new() };
    let is_of_cassette = |function: &&PythonFunction| {
        let is_extra = marks(module, function, "vcr").into_iter().any(|mark| {
            let mut paths = mark.call().into_iter().flat_map(|call| &call.positional);
            paths.any(|path| path.text() == Some(name))
        });
        match default_name(module, function) {
            Some(set) => set.text().is_some_and(|set| is_file_of(name, set)) || is_extra,
            None => is_of_test(without_ending(name), &full_name(module, function)) || is_extra,
        }
    };
    let is_test = |function: &&PythonFunction| function.name.starts_with("test");
    let tests = module.functions.iter().filter(is_test).filter(is_of_cassette);
    tests.map(|function| test_use(function, UseKind::Plugin)).collect()
}

/// Returns the path that `use_cassette` is given, or the one that it makes of the name of its function; `None` if it is no such call, or
/// the path is no literal.
fn called_path(
    call: &PythonExpression,
    function: &PythonFunction,
    file: &PythonFile,
    sources: &CassetteSources<'_>,
) -> Option<String> {
    let name = file.module.full_name(call.name()?);
    if name.rsplit('.').next() != Some("use_cassette") {
        return None;
    }
    let first =
        call.call().and_then(|call| call.positional.first().or_else(|| call.argument("path")));
    let path = match first {
        Some(path) => path.text()?,
        // Without a path vcrpy names the file after the function.
        None => &function.name,
    };
    let recorder = recorder(call, file, sources)?;
    let library = recorder.and_then(|(recorder, _)| recorder.entry("cassette_library_dir"));
    match library {
        None => Some(path.to_owned()),
        Some(library) => {
            let library = library.text()?;
            if path.starts_with(library) {
                return Some(path.to_owned());
            }
            Some(format!("{}/{path}", library.trim_end_matches('/')))
        }
    }
}

/// Returns the recorder of which `use_cassette` is called, and the file that makes it, `None` within for that of vcrpy itself; `None`
/// if it is not known.
pub(super) fn recorder<'a>(
    call: &PythonExpression,
    file: &'a PythonFile,
    sources: &'a CassetteSources<'_>,
) -> Option<Option<(&'a PythonExpression, &'a PythonFile)>> {
    let full_name = file.module.full_name(call.name()?);
    let (name, _) = full_name.rsplit_once('.')?;
    // The module has a recorder of its own, with default settings.
    if ["vcr", "cassetter"].contains(&name) {
        return Some(None);
    }
    let (value, file) = match file.module.value(name) {
        Some(value) => (value, file),
        None => {
            let (module, name) = name.rsplit_once('.')?;
            let file = imported_file(module, file, sources)?;
            (file.module.value(name)?, file)
        }
    };
    let callee = file.module.full_name(&value.call()?.callee);
    let is_recorder = ["VCR", "Cassetter"].iter().any(|class| callee.ends_with(class));
    is_recorder.then_some(Some((value, file)))
}

/// Returns the file of a module that a file imports, if it is one of those around the cassette and no other has its name.
fn imported_file<'a>(
    module: &str,
    file: &PythonFile,
    sources: &'a CassetteSources<'_>,
) -> Option<&'a PythonFile> {
    let (folder, _) = split_path(&file.path);
    let name = module.trim_start_matches('.').replace('.', "/");
    let name = format!("{name}.py");
    let mut matches = sources.files.iter().chain(&sources.helpers).filter(|file| {
        file.path.strip_suffix(&*name).is_some_and(|prefix| {
            let is_whole = prefix.is_empty() || prefix.ends_with('/');
            is_whole && is_in(folder, prefix.trim_end_matches('/'))
        })
    });
    let first = matches.next()?;
    matches.next().is_none().then_some(first)
}

/// Returns the marks of pytest with this name on a test, the closest first.
pub(super) fn marks<'a>(
    module: &'a PythonModule,
    function: &'a PythonFunction,
    name: &str,
) -> Vec<&'a PythonExpression> {
    let class = function.class.and_then(|class| module.classes.get(class));
    let class_marks = class
        .into_iter()
        .flat_map(|class| class.decorators.iter().rev().chain(class.marks.iter().flat_map(listed)));
    let module_marks = module.value("pytestmark").into_iter().flat_map(listed);
    // The decorator next to the function is applied first, and is the closest mark.
    let marks = function.decorators.iter().rev().chain(class_marks).chain(module_marks);
    // A mark may be assigned to a variable.
    let marks = marks.map(|mark| match &mark.value {
        PythonValue::Name(name) => module.value(name).unwrap_or(mark),
        _ => mark,
    });
    marks.filter(|mark| is_mark(mark, name)).collect()
}

fn listed(marks: &PythonExpression) -> &[PythonExpression] {
    match &marks.value {
        PythonValue::List(items) => items,
        _ => std::slice::from_ref(marks),
    }
}

fn is_mark(mark: &PythonExpression, name: &str) -> bool {
    let parts = mark.name().and_then(|name| name.rsplit_once('.'));
    parts.is_some_and(|(prefix, last)| last == name && prefix.ends_with("mark"))
}

/// Returns the name that the mark `default_cassette` sets.
fn default_name<'a>(
    module: &'a PythonModule,
    function: &'a PythonFunction,
) -> Option<&'a PythonExpression> {
    let mark = *marks(module, function, "default_cassette").first()?;
    mark.call().and_then(|call| call.positional.first()).or(Some(mark))
}

/// Returns the path of a cassette from the folder in which the plugins look for those of a file; `None` if it is not below it. A name
/// that a mark sets may have folders, and so may parameters with pytest-vcr.
fn name_below<'p>(
    file: &PythonFile,
    path: &'p str,
    sources: &CassetteSources<'_>,
) -> Option<&'p str> {
    let (test_folder, name) = split_path(&file.path);
    let stem = name.strip_suffix(".py").unwrap_or(name);
    let shared_folder = match test_folder {
        "" => "cassettes".to_owned(),
        folder => format!("{folder}/cassettes"),
    };
    let own_folder = format!("{shared_folder}/{stem}");
    let fixture = fixture_value("vcr_cassette_dir", file, sources);
    let is_folder = |folder: &str| match &fixture {
        Some((value, _)) => value.text().is_some_and(|text| may_mean(text, folder, test_folder)),
        None => folder == shared_folder || folder == own_folder,
    };
    let end = path.match_indices('/').map(|(end, _)| end).rfind(|end| is_folder(&path[..*end]))?;
    Some(&path[end + 1..])
}

/// Returns whether a fixture sets the names of the cassettes.
fn overrides_names(file: &PythonFile, sources: &CassetteSources<'_>) -> bool {
    let mut fixtures = ["default_cassette_name", "vcr_cassette_name"].iter();
    fixtures.any(|name| fixture_value(name, file, sources).is_some())
}

/// Returns whether the names of all cassettes of a file follow from its text.
fn has_default_names(file: &PythonFile, sources: &CassetteSources<'_>) -> bool {
    let module = &file.module;
    let is_known = |function: &PythonFunction| {
        let set = default_name(module, function);
        let mut paths = marks(module, function, "vcr")
            .into_iter()
            .filter_map(PythonExpression::call)
            .flat_map(|call| &call.positional);
        let mut calls = function.decorators.iter().chain(&function.contexts);
        set.is_none_or(|set| set.text().is_some())
            && paths.all(|path| path.text().is_some())
            && calls.all(|call| {
                let is_use = call.name().is_some_and(|n| n.ends_with("use_cassette"));
                !is_use || called_path(call, function, file, sources).is_some()
            })
    };
    let mut hooks = conftests(sources, &file.path).flat_map(|file| &file.module.functions);
    !overrides_names(file, sources)
        && fixture_value("vcr_cassette_dir", file, sources).is_none()
        && hooks.all(|hook| *hook.name != *"pytest_recording_configure")
        && module.functions.iter().all(is_known)
}

/// Returns whether a module certainly has no test for a cassette, whose name is without its ending.
fn lacks(module: &PythonModule, cassette: &str) -> bool {
    let test = cassette.split('[').next().unwrap_or(cassette);
    let is_shortened = cassette.contains("...");
    let (first, method) =
        test.split_once('.').map_or((test, None), |(class, method)| (class, Some(method)));
    let is_bound = |name: &str| {
        let mut names = module.assignments.iter().map(|(name, _)| name);
        let mut functions = module.functions.iter();
        // `import *` may bring any test.
        module.imported.iter().any(|(n, _)| **n == *name || **n == *"*")
            || names.any(|n| **n == *name)
            || functions.any(|f| f.class.is_none() && *f.name == *name)
    };
    if is_shortened || is_bound(first) {
        return false;
    }
    let Some(method) = method else { return true };
    let class = module.classes.iter().position(|class| *class.name == *first);
    class.is_none_or(|class| class_lacks(module, class, method, 0))
}

/// Returns whether a class certainly has no method of a name, not even by inheritance.
fn class_lacks(module: &PythonModule, class: usize, method: &str, depth: usize) -> bool {
    let mut methods = module.functions.iter();
    // In a text that would not run, bases may form a circle.
    if depth > 8 || methods.any(|m| m.class == Some(class) && *m.name == *method) {
        return false;
    }
    module.classes.get(class).map_or(&[][..], |c| &c.bases).iter().all(|base| match base.name() {
        // These classes have no tests of their own.
        Some("object" | "unittest.TestCase" | "TestCase") => true,
        Some(name) => {
            let is_base = |c: &PythonClass| *c.name == *name;
            let base = module.classes.iter().position(is_base);
            base.is_some_and(|base| class_lacks(module, base, method, depth + 1))
        }
        None => false,
    })
}

/// Returns whether a test that is itself marked with `vcr` has no cassette in the folder. A mark of its class or module may be on tests
/// that call nothing.
fn needs_cassette(
    module: &PythonModule,
    test: &PythonFunction,
    sources: &CassetteSources<'_>,
) -> bool {
    let has_mark = |name: &str| test.decorators.iter().any(|d| is_mark(d, name));
    let has_extra = || {
        let mut calls = marks(module, test, "vcr").into_iter().filter_map(PythonExpression::call);
        calls.any(|call| !call.positional.is_empty())
    };
    // Such a test need not have recorded anything.
    let is_skipped = ["skip", "skipif", "xfail"].into_iter().any(has_mark);
    if !has_mark("vcr") || !test.name.starts_with("test") || is_skipped || has_extra() {
        return false;
    }
    let mut siblings = sources.siblings.iter();
    match default_name(module, test) {
        Some(set) => set
            .text()
            .is_some_and(|set| !set.contains('/') && !siblings.any(|s| is_file_of(s, set))),
        None => {
            let name = full_name(module, test);
            !siblings.any(|sibling| is_of_test(without_ending(sibling), &name))
        }
    }
}
