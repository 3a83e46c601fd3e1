//! The window's state that is kept between starts, in the platform's state folder.

use std::path::{Path, PathBuf};
use std::{fs, io};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use etcetera::HomeDirError;
use etcetera::base_strategy::{BaseStrategy, choose_base_strategy, choose_native_strategy};

use crate::disk::root::describe_error;
use crate::disk::save::write_private;
use protocol::{Remembered, USER_SETTINGS_FILE, WindowSize};

/// The environment variable that replaces the platform's state folder.
const STATE_VARIABLE: &str = "RETAKE_STATE_DIR";

/// The environment variable that replaces the folder of the user's settings.
const CONFIG_VARIABLE: &str = "RETAKE_CONFIG_DIR";

/// The environment variable that disables copies of sources when it is set.
const NO_SNAPSHOTS_VARIABLE: &str = "RETAKE_NO_SNAPSHOTS";

/// The environment variable that disables undo for the command line when it is set.
const NO_UNDO_VARIABLE: &str = "RETAKE_NO_UNDO";

/// The environment variable that disables the index caches when it is set.
const NO_CACHE_VARIABLE: &str = "RETAKE_NO_CACHE";

const FILE_NAME: &str = "window.json";

/// The largest state file that is read.
// Retake writes far less; something larger is not its file.
const MAX_BYTES: u64 = 1 << 20;

/// Makes paths absolute, since the next start may be in another folder; those that are not Unicode are not stored.
fn make_storable(paths: &mut Vec<PathBuf>) {
    let absolute = paths.iter().filter_map(|path| std::path::absolute(path).ok());
    *paths = absolute.filter(|path| path.to_str().is_some()).collect();
}

/// Reads the state. A missing or invalid file counts as empty.
pub fn load() -> Remembered {
    folder().map_or_else(Remembered::default, |folder| load_from(&folder))
}

/// Saves this for the next start.
///
/// # Errors
///
/// A message that says why it could not be written; the program continues without it.
pub fn save(remembered: &Remembered) -> Result<(), String> {
    let folder =
        folder().ok_or("No folder for Retake's state is available; set RETAKE_STATE_DIR")?;
    let complaint = |error: io::Error| {
        let folder = folder.display();
        format!("The list of open files cannot be saved: {} at {folder}", describe_error(&error))
    };
    save_to(&folder, remembered).map_err(complaint)
}

/// Returns the state folder: the platform's, or the one in `RETAKE_STATE_DIR`.
pub fn folder() -> Option<PathBuf> {
    platform_folder(|platform| platform.state_dir().unwrap_or_else(|| platform.data_dir()))
}

/// Returns the file with the user's settings: in the platform's folder for configuration, or in the folder in
/// `RETAKE_CONFIG_DIR` or `RETAKE_STATE_DIR`.
pub fn settings_file() -> Option<PathBuf> {
    let folder = std::env::var_os(CONFIG_VARIABLE).filter(|folder| !folder.is_empty());
    let folder = match folder.or_else(|| std::env::var_os(STATE_VARIABLE)) {
        Some(folder) => folder.into(),
        None => {
            let platform = choose_native_strategy().ok()?;
            // A Mac's folder for preferences is for property lists only.
            let folder =
                if cfg!(target_os = "macos") { platform.data_dir() } else { platform.config_dir() };
            absolute(folder)?.join("retake")
        }
    };
    Some(folder.join(USER_SETTINGS_FILE))
}

/// Returns the folder in `RETAKE_STATE_DIR`, else Retake's folder in one of the platform's. On a Mac, earlier versions used the
/// folders of Linux, and one that is still there stays in use, so that nothing in it is lost.
fn platform_folder(choose: fn(&dyn BaseStrategy) -> PathBuf) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(STATE_VARIABLE) {
        return Some(folder.into());
    }
    let system = choose_native_strategy().ok()?;
    let folder = absolute(choose(&system))?.join("retake");
    if !cfg!(target_os = "macos") {
        return Some(folder);
    }
    Some(existing_or(choose_base_strategy().map(|system| choose(&system).join("retake")), folder))
}

/// A folder of the platform, unless it is relative, as with `HOME=relative`: that would be another one in each current folder.
fn absolute(folder: PathBuf) -> Option<PathBuf> {
    folder.is_absolute().then_some(folder)
}

fn existing_or(old_folder: Result<PathBuf, HomeDirError>, new_folder: PathBuf) -> PathBuf {
    old_folder.ok().filter(|f| f.is_dir()).unwrap_or(new_folder)
}

/// Returns where [snapshots](crate::disk::snapshots) of sources are stored: in the platform's data folder, or in the folder in
/// `RETAKE_STATE_DIR`. `None` when `RETAKE_NO_SNAPSHOTS` disables it.
pub fn sources() -> Option<PathBuf> {
    if is_set(NO_SNAPSHOTS_VARIABLE) { None } else { Some(data()?.join("sources")) }
}

/// Returns where the [steps](crate::disk::undo) of the command line are kept: beside the copies of sources. `None` when
/// `RETAKE_NO_UNDO` disables it.
///
/// # Errors
///
/// Returns an error if there is no such folder, as a sentence without a full stop.
pub fn undo() -> Result<Option<PathBuf>, String> {
    if is_set(NO_UNDO_VARIABLE) {
        return Ok(None);
    }
    let folder = data().ok_or("no folder for Retake's data is available; set RETAKE_STATE_DIR")?;
    Ok(Some(folder.join("undo")))
}

/// Returns where the index caches are: in the platform's cache folder, or in the folder in
/// `RETAKE_STATE_DIR`. `None` when `RETAKE_NO_CACHE` disables them.
pub fn caches() -> Option<PathBuf> {
    if is_set(NO_CACHE_VARIABLE) {
        return None;
    }
    let cache_folder = match std::env::var_os(STATE_VARIABLE) {
        Some(folder) => folder.into(),
        None => absolute(choose_native_strategy().ok()?.cache_dir())?.join("retake"),
    };
    Some(cache_folder.join("index"))
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// Returns the platform's data folder, or the one in `RETAKE_STATE_DIR`.
fn data() -> Option<PathBuf> {
    platform_folder(|platform| platform.data_dir())
}

fn load_from(folder: &Path) -> Remembered {
    let path = folder.join(FILE_NAME);
    let is_ours = fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= MAX_BYTES);
    if !is_ours {
        return Remembered::default();
    }
    let stored_state = fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let mut remembered: Remembered = stored_state.unwrap_or_default();
    // A folder that was deleted since would be an error at each start.
    remembered.opened.retain(|path| path.exists());
    remembered.window = remembered.window.map(WindowSize::repaired);
    remembered
}

fn save_to(folder: &Path, remembered: &Remembered) -> io::Result<()> {
    let mut stored_state = remembered.clone();
    make_storable(&mut stored_state.opened);
    make_storable(&mut stored_state.recent);
    stored_state.projects.iter_mut().for_each(|project| make_storable(&mut project.opened));
    let mut bytes = serde_json::to_vec_pretty(&stored_state)?;
    bytes.push(b'\n');
    fs::create_dir_all(folder)?;
    write_private(&Dir::open_ambient_dir(folder, ambient_authority())?, FILE_NAME.as_ref(), &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{BlockVerdict, Desk, Grouping, ProjectView, Sort, Theme};

    #[test]
    fn what_was_opened_from_here_is_found_from_elsewhere() {
        let temp = tempfile::tempdir().unwrap();
        let name = "lib.rs";
        let remembered = Remembered { opened: vec![name.into()], ..Remembered::default() };
        save_to(temp.path(), &remembered).unwrap();
        let folder = std::env::current_dir().unwrap();
        assert_eq!(load_from(temp.path()).opened, [folder.join(name)]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_an_earlier_version_is_read_and_written_as_before() {
        let golden = include_str!("../../../tests/all/golden/window.json");
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join(FILE_NAME);
        fs::write(&file, golden).unwrap();
        let remembered = load_from(temp.path());
        assert_eq!(remembered.opened, [Path::new("/")]);
        assert_eq!(remembered.recent, [Path::new("/"), Path::new("/gone")]);
        assert_eq!(remembered.theme, Theme::Dark);
        fs::remove_file(&file).unwrap();
        save_to(temp.path(), &remembered).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), golden);
    }

    #[test]
    fn a_window_without_a_valid_size_or_zoom_has_the_default() {
        let temp = tempfile::tempdir().unwrap();
        for (window, size, zoom) in [
            ("{}", (1440, 900), 100),
            (r#"{"size":[1000,300],"zoom":150}"#, (1440, 900), 150),
            (r#"{"size":[640,400]}"#, (640, 400), 100),
        ] {
            let text = format!("{{\"window\":{window}}}");
            fs::write(temp.path().join(FILE_NAME), text).unwrap();
            let expected = WindowSize { size, place: None, is_maximized: false, zoom };
            assert_eq!(load_from(temp.path()).window, Some(expected), "{window}");
        }
    }

    #[test]
    fn a_folder_of_an_earlier_version_stays_in_use() {
        let temp = tempfile::tempdir().unwrap();
        let (old_folder, new_folder) = (temp.path().join("before"), temp.path().join("ours"));
        let chosen_folder = || existing_or(Ok(old_folder.clone()), new_folder.clone());
        assert_eq!(chosen_folder(), new_folder);
        fs::create_dir(&old_folder).unwrap();
        assert_eq!(chosen_folder(), old_folder);
    }

    #[test]
    fn what_was_kept_comes_back_and_a_broken_file_is_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("deep/retake");
        assert_eq!(load_from(&folder), Remembered::default());

        let existing_path = temp.path().join("ünïcode");
        let missing_path = temp.path().join("gone");
        fs::create_dir(&existing_path).unwrap();
        let mut remembered = Remembered {
            opened: vec![existing_path.clone(), missing_path.clone()],
            recent: vec![existing_path.clone(), missing_path],
            theme: Theme::Dark,
            projects: vec![ProjectView {
                opened: vec![existing_path.clone()],
                desk: Desk::Review,
                filter: "kind:tape".to_owned(),
                verdict: Some(BlockVerdict::Breaks),
                sort: Sort::Newest,
                grouping: Grouping::Status,
                selected: Some("a/turn-1.json".into()),
                sizes: [("inspector".to_owned(), 480)].into(),
            }],
            window: Some(WindowSize {
                size: (1000, 700),
                place: Some((-1200, 40)),
                is_maximized: true,
                zoom: 125,
            }),
        };
        save_to(&folder, &remembered).unwrap();
        remembered.opened = vec![existing_path];
        assert_eq!(load_from(&folder), remembered);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);

        fs::write(folder.join(FILE_NAME), "{ \"opened\": 3").unwrap();
        assert_eq!(load_from(&folder), Remembered::default());
    }

    #[test]
    fn what_another_version_wrote_counts_as_the_default_and_the_rest_is_read() {
        let temp = tempfile::tempdir().unwrap();
        let text = r#"{"theme":"sepia","projects":[{"opened":["/a"],"desk":"Gone","filter":"x","sort":"Id","verdict":""}]}"#;
        fs::write(temp.path().join(FILE_NAME), text).unwrap();
        let project = ProjectView {
            opened: vec!["/a".into()],
            filter: "x".to_owned(),
            ..ProjectView::default()
        };
        let expected = Remembered { projects: vec![project], ..Remembered::default() };
        assert_eq!(load_from(temp.path()), expected);
    }
}
