//! Promises of a save that can be shown without a fault of the system; those are in the tests of the program.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::temporary::{TempFileAccess, TemporaryFile};
use super::*;
use crate::Project;
use crate::disk::root::Root;
use author::saving::Fingerprint;

/// A folder with files, and saves in it.
struct SaveFixture {
    temp: tempfile::TempDir,
    root: Root,
}

fn desk(files: &[(&str, &str)]) -> SaveFixture {
    let temp = tempfile::tempdir().unwrap();
    std::fs::create_dir(temp.path().join("root")).unwrap();
    let root = Root::open(&temp.path().join("root")).unwrap();
    let desk = SaveFixture { temp, root };
    for (path, text) in files {
        desk.write(path, text);
    }
    desk
}

impl SaveFixture {
    fn place(&self, path: &str) -> PathBuf {
        self.temp.path().join("root").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.place(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.place(path)).unwrap()
    }

    fn request(&self, path: &str, base: Option<&str>, text: &str) -> SaveRequest {
        SaveRequest {
            target: SaveTarget::beneath(&self.root, path).unwrap(),
            bytes: text.as_bytes().into(),
            expected: match base {
                Some(base) => Expected::File(Fingerprint::from_bytes(base.as_bytes())),
                None => Expected::Nothing,
            },
            read_only: ReadOnly::Refuse,
        }
    }

    /// Saves, and says how it went.
    fn save(&self, path: &str, base: Option<&str>, text: &str) -> String {
        describe(save(&self.request(path, base, text)))
    }

    /// The names in a folder.
    fn names(&self, folder: &str) -> Vec<String> {
        names(&self.place(folder))
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn describe(result: Result<Saved, SaveFault>) -> String {
    match result {
        Ok(saved) => {
            let remarks = saved.remarks.iter().map(|remark| format!(". {remark}"));
            format!("saved{}", remarks.collect::<String>())
        }
        Err(fault) => fault.to_string(),
    }
}

#[test]
fn a_file_is_replaced_or_made_and_nothing_else_is_left() {
    let desk = desk(&[("set/a.json", "old")]);
    assert_eq!(desk.save("set/a.json", Some("old"), "new"), "saved");
    assert_eq!(desk.save("set/b.json", None, "made"), "saved");
    assert_eq!((desk.read("set/a.json"), desk.read("set/b.json")), ("new".into(), "made".into()));
    assert_eq!(desk.names("set"), ["a.json", "b.json"]);
}

#[test]
fn a_compressed_file_stays_one_and_a_plain_one_with_its_ending_stays_plain() {
    let desk = desk(&[("plain.json.gz", "old")]);
    std::fs::write(desk.place("packed.json.gz"), document::body::gzip(b"old").unwrap()).unwrap();
    for name in ["packed.json.gz", "plain.json.gz", "new.json.gz"] {
        let base = (name != "new.json.gz").then_some("old");
        assert!(save(&desk.request(name, base, "new")).is_ok(), "{name}");
        let bytes = std::fs::read(desk.place(name)).unwrap();
        match name {
            "plain.json.gz" => assert_eq!(bytes, b"new"),
            _ => assert_eq!(document::body::gunzip(&bytes, 100).unwrap(), b"new", "{name}"),
        }
        // What was expected is the content, not the bytes on disk.
        assert!(save(&desk.request(name, Some("old"), "newer")).is_err(), "{name}");
    }
}

#[test]
fn what_changed_on_disk_is_not_overwritten() {
    let desk = desk(&[("a.json", "theirs")]);
    insta::assert_snapshot!(desk.save("a.json", Some("base"), "ours"), @"The file changed on disk since it was read, so it was not overwritten. Compare both versions, then choose one or merge them: a.json");
    insta::assert_snapshot!(desk.save("a.json", None, "ours"), @"A file with this name already exists and was not overwritten. Choose another name, or replace the file: a.json");
    insta::assert_snapshot!(desk.save("b.json", Some("base"), "ours"), @"The file was deleted or moved since it was read, so nothing was written. Save it as a new file, here or in another folder: b.json");
    insta::assert_snapshot!(desk.save("gone/b.json", Some("base"), "ours"), @"The folder does not exist any more, so nothing was written. Save to another folder, or restore this one and save again: gone/b.json");
    assert_eq!(desk.read("a.json"), "theirs");

    // A save that has read their version may overwrite it, and nothing else.
    let Err(fault) = save(&desk.request("a.json", Some("base"), "ours")) else {
        panic!("it changed");
    };
    let SaveFailure::Changed { now, theirs } = fault.reason else {
        panic!("{fault:?}");
    };
    assert_eq!(*theirs, *b"theirs");
    let expected = Expected::File(now);
    let request = SaveRequest { expected, ..desk.request("a.json", None, "ours") };
    assert_eq!(describe(save(&request)), "saved");
    assert_eq!(desk.names(""), ["a.json"]);
}

#[test]
fn a_file_that_has_the_text_already_is_saved() {
    let desk = desk(&[("a.json", "new")]);
    let old_metadata = std::fs::metadata(desk.place("a.json")).unwrap();
    assert_eq!(desk.save("a.json", Some("old"), "new"), "saved");
    let new_metadata = std::fs::metadata(desk.place("a.json")).unwrap();
    assert_eq!(old_metadata.modified().unwrap(), new_metadata.modified().unwrap());
}

#[test]
fn nothing_is_written_outside_the_root_but_where_the_user_says() {
    let desk = desk(&[]);
    let refusal = |path| match SaveTarget::beneath(&desk.root, path) {
        Ok(_) => panic!("{path}"),
        Err(fault) => fault.to_string(),
    };
    insta::assert_snapshot!(refusal("../a.json"), @"The path leads out of the project (the path contains `..`), so nothing was written. Save to a folder inside it: ../a.json");
    insta::assert_snapshot!(refusal("/a.json"), @"The path leads out of the project (the path is absolute), so nothing was written. Save to a folder inside it: /a.json");

    let path = desk.temp.path().join("elsewhere.json");
    let request = SaveRequest {
        target: SaveTarget::chosen(&path, None).unwrap(),
        expected: Expected::Anything,
        ..desk.request("a.json", None, "text")
    };
    assert_eq!(describe(save(&request)), "saved");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
    let nowhere = desk.temp.path().join("none/a.json");
    let fault = SaveTarget::chosen(&nowhere, None).unwrap_err();
    assert_eq!(fault.reason, SaveFailure::FolderGone);
    assert_eq!(*fault.path, *nowhere.to_str().unwrap());
    let root = Some(desk.root.path());
    let fault = SaveTarget::chosen(&path, root).unwrap_err();
    assert!(matches!(fault.reason, SaveFailure::Outside(_)), "{fault}");
    let fault = SaveTarget::below(desk.temp.path(), "a.json".as_ref(), root).unwrap_err();
    assert!(matches!(fault.reason, SaveFailure::Outside(_)), "{fault}");
}

#[cfg(unix)]
#[test]
fn what_is_written_to_a_folder_stays_in_it() {
    use std::os::unix::fs::symlink;
    let desk = desk(&[("a.json", "old")]);
    let folder = desk.place("to");
    std::fs::create_dir(&folder).unwrap();
    symlink("../a.json", folder.join("b.json")).unwrap();
    symlink("..", folder.join("up")).unwrap();
    symlink("here", folder.join("twin")).unwrap();
    let write = |name: &str| {
        let target = SaveTarget::below(&folder, name.as_ref(), None).unwrap();
        target.make_folder()?;
        save(&SaveRequest {
            target,
            expected: Expected::Anything,
            ..desk.request("a.json", None, "new")
        })
    };
    for name in ["b.json", "up/a.json", "up/new/c.json"] {
        let fault = write(name).unwrap_err().to_string();
        assert!(fault.contains("a link leads out of") && fault.contains(", to "), "{fault}");
    }
    assert_eq!(desk.read("a.json"), "old");
    write("here/deep/d.json").unwrap();
    write("twin/deep/e.json").unwrap();
    assert_eq!(desk.read("to/here/deep/e.json"), "new");
}

#[test]
fn a_read_only_file_is_replaced_only_when_requested_and_stays_read_only() {
    let desk = desk(&[("a.json", "old")]);
    let mut permissions = std::fs::metadata(desk.place("a.json")).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(desk.place("a.json"), permissions).unwrap();
    insta::assert_snapshot!(desk.save("a.json", Some("old"), "new"), @"The file is read-only and was not changed. Save under another name, or replace the file anyway: a.json");
    assert_eq!(desk.read("a.json"), "old");

    let request =
        SaveRequest { read_only: ReadOnly::Replace, ..desk.request("a.json", Some("old"), "new") };
    assert_eq!(describe(save(&request)), "saved");
    assert_eq!(desk.read("a.json"), "new");
    let metadata = std::fs::metadata(desk.place("a.json")).unwrap();
    assert!(metadata.permissions().readonly());
}

#[test]
fn of_many_who_save_the_same_file_at_the_same_time_no_one_loses_a_change() {
    const SAVES_OF_EACH: usize = 50;
    let desk = desk(&[("a.json", "")]);
    let add = &|letter: char| {
        loop {
            let base = desk.read("a.json");
            let request = desk.request("a.json", Some(&base), &format!("{base}{letter}"));
            match save(&request) {
                Ok(_) => break,
                Err(fault) => assert!(
                    matches!(fault.reason, SaveFailure::Changed { .. } | SaveFailure::Denied(_)),
                    "{fault}"
                ),
            }
        }
    };
    let letters = ['a', 'b', 'c', 'd'];
    std::thread::scope(|scope| {
        for letter in letters {
            scope.spawn(move || (0..SAVES_OF_EACH).for_each(|_| add(letter)));
        }
    });
    let text = desk.read("a.json");
    let counts = letters.map(|letter| text.matches(letter).count());
    assert_eq!(counts, [SAVES_OF_EACH; 4]);
    assert_eq!(desk.names(""), ["a.json"]);
}

#[test]
fn what_killed_saves_have_left_goes_when_a_project_is_opened() {
    let leftover = ".a.json.retake-0123456789abcdef.tmp";
    let desk = desk(&[("a.json", "{}"), ("set/b.json", "{}")]);
    let no_cancel = AtomicBool::new(false);
    let leftovers = |path: &str| {
        desk.write(leftover, "");
        desk.write(&format!("set/{leftover}"), "");
        let project = Project::open(&[desk.place(path)], None).unwrap();
        project.clean_leftovers(&no_cancel);
        (desk.names("").contains(&leftover.to_owned()), desk.names("set").len() > 1)
    };
    assert_eq!(leftovers("."), (false, false));
    assert_eq!(leftovers("set"), (true, false));
    // Beside a file that was opened alone, and no further.
    assert_eq!(leftovers("a.json"), (false, true));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use rustix::fs::{XattrFlags, getxattr, setxattr};

    use super::*;

    #[test]
    fn a_link_keeps_pointing_and_its_target_is_replaced() {
        let desk = desk(&[("real/a.json", "old")]);
        symlink("real/a.json", desk.place("link.json")).unwrap();
        symlink("real", desk.place("folder")).unwrap();
        assert_eq!(desk.save("link.json", Some("old"), "new"), "saved");
        assert_eq!(desk.save("folder/b.json", None, "made"), "saved");
        assert_eq!(desk.read("real/a.json"), "new");
        assert!(desk.place("link.json").is_symlink());
        assert_eq!(desk.names("real"), ["a.json", "b.json"]);
        assert_eq!(desk.names(""), ["folder", "link.json", "real"]);
    }

    #[test]
    fn no_link_leads_out_and_none_to_nothing_is_replaced() {
        let desk = desk(&[]);
        std::fs::write(desk.temp.path().join("outside.json"), "old").unwrap();
        symlink("../outside.json", desk.place("out.json")).unwrap();
        symlink("nothing.json", desk.place("nowhere.json")).unwrap();
        let real_folder = std::fs::canonicalize(desk.temp.path()).unwrap();
        let result = desk.save("out.json", Some("old"), "new");
        insta::assert_snapshot!(result.replace(&*real_folder.to_string_lossy(), "…"), @"The path leads out of the project (a link leads out of …/root, to …/outside.json), so nothing was written. Save to a folder inside it: out.json");
        insta::assert_snapshot!(desk.save("nowhere.json", None, "new"), @"The file could not be replaced, so it was not changed (it is a broken link). Save again, or save to another folder: nowhere.json");
        let outside_text = std::fs::read_to_string(desk.temp.path().join("outside.json"));
        assert_eq!(outside_text.unwrap(), "old");
        assert_eq!(desk.names(""), ["nowhere.json", "out.json"]);
    }

    #[test]
    fn mode_and_attributes_are_kept_and_a_broken_hard_link_is_announced() {
        let desk = desk(&[("a.json", "old")]);
        let place = desk.place("a.json");
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o640)).unwrap();
        setxattr(&place, "user.note", b"kept", XattrFlags::empty()).unwrap();
        std::fs::hard_link(&place, desk.place("other.json")).unwrap();
        insta::assert_snapshot!(desk.save("a.json", Some("old"), "new"), @"saved. The file had another name (a hard link), which keeps the old text");
        let metadata = std::fs::metadata(&place).unwrap();
        assert_eq!(metadata.mode() & 0o7777, 0o640);
        let mut value = Vec::with_capacity(16);
        getxattr(&place, "user.note", rustix::buffer::spare_capacity(&mut value)).unwrap();
        assert_eq!(value, b"kept");
        assert_eq!(desk.read("other.json"), "old");
    }

    #[test]
    fn a_new_file_is_readable_by_everyone_who_may_read_new_files() {
        let desk = desk(&[("by-the-system.json", "")]);
        desk.save("ours.json", None, "{}");
        let mode = |path: &str| std::fs::metadata(desk.place(path)).unwrap().mode();
        assert_eq!(mode("ours.json"), mode("by-the-system.json"));
    }

    #[test]
    fn what_is_no_file_is_left_alone() {
        let desk = desk(&[("folder/a.json", "")]);
        insta::assert_snapshot!(desk.save("folder", Some("old"), "new"), @"The file could not be replaced, so it was not changed (it is a folder, not a file). Save again, or save to another folder: folder");
        let (folder, mode) = (rustix::fs::CWD, rustix::fs::Mode::RWXU);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(folder, desk.place("pipe.json"), kind, mode, 0).unwrap();
        insta::assert_snapshot!(desk.save("pipe.json", Some("old"), "new"), @"The file could not be read, so it was not changed (it is a FIFO (named pipe), not a file). Save again, or save to another folder: pipe.json");
    }

    /// A new text for `a.json` that is written beside it, and only has to be put in its place; `meanwhile` comes first.
    fn put_in_place(
        desk: &SaveFixture,
        old: &str,
        meanwhile: impl FnOnce(),
    ) -> Result<(), SaveFailure> {
        let place = desk.request("set/a.json", None, "").target.resolve()?;
        let mut temporary =
            TemporaryFile::create(&place.folder, &place.name, TempFileAccess::Private).unwrap();
        temporary.write(b"ours").unwrap();
        meanwhile();
        replace::swap(&place, &mut temporary, old.as_bytes(), &mut Vec::new()).map(drop)
    }

    #[test]
    fn what_changes_or_vanishes_while_it_is_saved_is_seen() {
        let desk = desk(&[("set/a.json", "old")]);
        let result = put_in_place(&desk, "old", || desk.write("set/a.json", "theirs"));
        assert!(
            matches!(result, Err(SaveFailure::Changed { theirs, .. }) if *theirs == *b"theirs")
        );
        assert_eq!(desk.read("set/a.json"), "theirs");

        let file = desk.place("set/a.json");
        let result = put_in_place(&desk, "theirs", || std::fs::remove_file(file).unwrap());
        assert_eq!(result, Err(SaveFailure::FileGone));
        assert_eq!(desk.names("set"), [""; 0]);

        desk.write("set/a.json", "old");
        let folder = desk.place("set");
        let result = put_in_place(&desk, "old", || std::fs::remove_dir_all(folder).unwrap());
        assert_eq!(result, Err(SaveFailure::FileGone));
        assert_eq!(
            desk.save("set/a.json", Some("old"), "new").split(',').next(),
            Some("The folder does not exist any more")
        );
    }

    #[test]
    fn who_is_quicker_in_the_moment_of_the_swap_keeps_his_file() {
        let desk = desk(&[("a.json", "theirs")]);
        let target = SaveTarget::beneath(&desk.root, "a.json").unwrap();
        let place = target.resolve().unwrap();
        let mut temporary =
            TemporaryFile::create(&place.folder, &place.name, TempFileAccess::Private).unwrap();
        temporary.write(b"ours").unwrap();
        let fault = replace::exchange_if(&place, &mut temporary, b"old").unwrap_err();
        assert!(matches!(fault, SaveFailure::Changed { theirs, .. } if *theirs == *b"theirs"));
        drop(temporary);
        assert_eq!(desk.read("a.json"), "theirs");
        assert_eq!(desk.names(""), ["a.json"]);
    }

    #[test]
    fn what_replaces_the_file_in_the_moment_of_the_swap_stays_whatever_it_is() {
        use rustix::fs::{CWD, Mode};
        let desk = desk(&[("other.json", "old")]);
        let path = desk.place("a.json");
        for kind in ["a folder", "a link", "a FIFO (named pipe)"] {
            match kind {
                "a folder" => desk.write("a.json/inside.json", "theirs"),
                "a link" => std::os::unix::fs::symlink("other.json", &path).unwrap(),
                _ => rustix::fs::mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap(),
            }
            let place = super::super::target::SavePlace {
                folder: SaveTarget::beneath(&desk.root, "other.json")
                    .unwrap()
                    .resolve()
                    .unwrap()
                    .folder,
                name: "a.json".into(),
            };
            let mut temporary =
                TemporaryFile::create(&place.folder, &place.name, TempFileAccess::Private).unwrap();
            temporary.write(b"ours").unwrap();
            let fault = replace::exchange_if(&place, &mut temporary, b"old").unwrap_err();
            let message = format!("another program put {kind} in its place");
            assert_eq!(fault, SaveFailure::Denied(message.as_str().into()));
            drop(temporary);
            assert_eq!(desk.names(""), ["a.json", "other.json"]);
            assert!(!path.symlink_metadata().unwrap().is_file(), "{kind}");
            match kind {
                "a folder" => std::fs::remove_dir_all(&path).unwrap(),
                _ => std::fs::remove_file(&path).unwrap(),
            }
        }
        assert_eq!(desk.read("other.json"), "old");
    }

    #[test]
    fn a_mode_and_a_link_that_are_new_when_the_file_is_replaced_are_respected() {
        use std::os::unix::fs::PermissionsExt as _;
        let desk = desk(&[("a.json", "old")]);
        let target = SaveTarget::beneath(&desk.root, "a.json").unwrap();
        let place = target.resolve().unwrap();
        let mut temporary =
            TemporaryFile::create(&place.folder, &place.name, TempFileAccess::AsNew).unwrap();
        temporary.write(b"new").unwrap();
        let path = desk.place("a.json");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::fs::hard_link(&path, desk.place("b.json")).unwrap();
        let mut remarks = Vec::new();
        replace::swap(&place, &mut temporary, b"old", &mut remarks).unwrap();
        assert_eq!(remarks, [author::saving::SaveRemark::HardLinkBroken { others: 1 }]);
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode, &*desk.read("a.json")), (0o640, "new"));
    }
}
