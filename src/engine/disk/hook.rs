//! The hook that has git check what is committed.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::git_files::check_git_files;
use crate::disk::root::{MAX_FILE_BYTES, describe_error};
use crate::disk::save::{self, SaveTarget};
use author::saving::Expected;
use document::text::{lower_first, visible};

/// The start of a line that every hook written by any version of Retake contains.
const HOOK_MARK: &str = "# Written by `retake hook install`";

/// The result of installing the hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookInstall {
    pub place: PathBuf,
    /// Whether it replaced an earlier one of ours.
    pub is_update: bool,
    /// Side effects of writing it.
    pub remarks: Vec<String>,
}

/// Writes the pre-commit hook of the repository that encloses a folder. It runs the `retake` on the search path, else
/// `program`. Returns remarks about the writing.
///
/// # Errors
///
/// A message when the hook was not installed: no repository, or a hook that another program wrote, which is not changed.
pub fn install(folder: &Path, program: Option<&Path>) -> Result<HookInstall, String> {
    let hooks = hooks_folder(folder)?;
    let place = hooks.join("pre-commit");
    let text = place.to_string_lossy();
    let text = visible(&text);
    let fail =
        |doing: &str, error: &io::Error| format!("{doing}: {}: {text}", describe_error(error));
    let (is_update, expected) = match read_present(&place) {
        Ok(Some(bytes)) if is_ours(&bytes) => (true, Expected::from_bytes(Some(&bytes))),
        Ok(Some(_)) => {
            return Err(format!(
                "A pre-commit hook that Retake did not write already exists, and was not changed: {text}\n\
                 To check recordings with it, add this line to it: retake check --staged || exit 1"
            ));
        }
        Ok(None) => (false, Expected::Nothing),
        Err(error) => return Err(fail("The existing hook cannot be read", &error)),
    };
    std::fs::create_dir_all(&hooks).map_err(|e| fail("The hooks folder cannot be created", &e))?;
    // A git directory may be anywhere, also behind a link.
    let real_hooks = std::fs::canonicalize(&hooks)
        .map_err(|error| fail("The hooks folder cannot be opened", &error))?;
    // Not bounded by a project, since hooks may be shared by several.
    let target = SaveTarget::chosen(&real_hooks.join("pre-commit"), None);
    let saved_hook = target
        .and_then(|target| save::write(target, script(program).as_bytes(), expected))
        .map_err(|fault| fault.to_string())?;
    make_executable(&place).map_err(|error| fail("The hook cannot be made executable", &error))?;
    let remarks = saved_hook.remarks.iter().map(ToString::to_string).collect();
    Ok(HookInstall { place, is_update, remarks })
}

/// Returns the folder of git's hooks: `core.hooksPath`, which counts from the work tree, else beside what all work trees share.
fn hooks_folder(folder: &Path) -> Result<PathBuf, String> {
    let no_repository = |error: &dyn std::error::Error| {
        let (folder, reason) = (folder.to_string_lossy(), lower_first(&error.to_string()));
        format!("Cannot open the git repository of {}: {reason}", visible(&folder))
    };
    check_git_files(folder)?;
    let repository = gix::discover(folder).map_err(|error| no_repository(&error))?;
    let no_work_tree = || "A repository without a work tree has no commits to check".to_owned();
    let work_tree = repository.workdir().ok_or_else(no_work_tree)?;
    let configured_path = repository
        .config_snapshot()
        // A repository that belongs to another user must not choose where this writes.
        .trusted_path("core.hooksPath")
        .map_err(|error| no_repository(&error))?;
    let hooks = match configured_path {
        Some(path) => work_tree.join(path),
        None => repository.common_dir().join("hooks"),
    };
    // Not canonical, since the folder may not exist yet.
    std::path::absolute(hooks).map_err(|error| no_repository(&error))
}

/// Reads an existing hook. A broken link counts as existing.
fn read_present(place: &Path) -> io::Result<Option<Vec<u8>>> {
    match place.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_FILE_BYTES => {}
        // A link may lead to a file that others share.
        Ok(_) => return Ok(Some(Vec::new())),
    }
    std::fs::read(place).map(Some)
}

fn is_ours(hook: &[u8]) -> bool {
    String::from_utf8_lossy(hook).lines().any(|line| line.starts_with(HOOK_MARK))
}

/// Returns the hook's text, for a POSIX shell. Git passes the location of the index in the environment.
fn script(program: Option<&Path>) -> String {
    let fallback = match program.and_then(Path::to_str) {
        Some(program) => format!("retake={}", shell_word(program)),
        // Then the script below finds no program, and stops the commit with the reason.
        None => "retake=retake".to_owned(),
    };
    format!(
        "#!/bin/sh\n{HOOK_MARK}, which replaces this file; delete it to remove the hook.\n\
         retake=$(command -v retake) || {fallback}\n\
         if ! command -v \"$retake\" >/dev/null; then\n\
         \x20 echo 'retake is not on the PATH, so the recordings are not checked; git commit --no-verify skips this check' >&2\n\
         \x20 exit 1\n\
         fi\n\
         \"$retake\" check --staged && exit 0\n\
         echo 'The commit was stopped; git commit --no-verify skips this check.' >&2\n\
         exit 1\n"
    )
}

/// Quotes a word for the shell.
fn shell_word(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(unix)]
fn make_executable(place: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = std::fs::metadata(place)?.permissions();
    // Everyone who may read the hook may run it.
    let mode = permissions.mode();
    permissions.set_mode(mode | (mode & 0o444) >> 2);
    std::fs::set_permissions(place, permissions)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_any_name_is_one_word() {
        insta::assert_snapshot!(script(Some(Path::new("/opt/it's $HOME/retake"))), @r#"
        #!/bin/sh
        # Written by `retake hook install`, which replaces this file; delete it to remove the hook.
        retake=$(command -v retake) || retake='/opt/it'\''s $HOME/retake'
        if ! command -v "$retake" >/dev/null; then
          echo 'retake is not on the PATH, so the recordings are not checked; git commit --no-verify skips this check' >&2
          exit 1
        fi
        "$retake" check --staged && exit 0
        echo 'The commit was stopped; git commit --no-verify skips this check.' >&2
        exit 1
        "#);
        assert!(is_ours(script(None).as_bytes()));
        assert!(!is_ours(b"#!/bin/sh\nretake check --staged\n"));
    }
}
