//! The settings of one user, in `settings.toml` of the platform's folder for configuration: read at the start, again when the
//! window gets the focus, and written when the user changes one in the window.

mod edit;
mod parse;

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Core, Effect, NoticeEnd};
use document::text::{Place, Source, named_enum, visible};
use document::{Problem, Severity};
use protocol::{
    OpenEditor, ReadUserSettings, Theme, USER_SETTINGS_FILE, UserSettingsFile, WriteUserSettings,
};

pub use parse::UserSettings;

/// The user's settings, with what is wrong in their file.
#[derive(Debug, Default)]
pub struct UserState {
    /// The file, which may not exist yet; `None`: there is no folder for it.
    pub path: Option<PathBuf>,
    pub settings: UserSettings,
    /// Parts that are not understood. Everything else is used.
    pub problems: Vec<Problem>,
    /// The file as it was read last, or why it could not be.
    file: Option<UserSettingsFile>,
    /// Whether the next text is opened in the editor.
    opens_next: bool,
}

impl UserState {
    /// Whether the file exists.
    pub fn exists(&self) -> bool {
        matches!(self.file, Some(Ok(Some(_)) | Err(_)))
    }

    /// Returns the reason the file could not be read.
    pub fn unreadable(&self) -> Option<&str> {
        self.file.as_ref()?.as_ref().err().map(String::as_str)
    }

    fn bytes(&self) -> Option<&Arc<[u8]>> {
        self.file.as_ref()?.as_ref().ok()?.as_ref()
    }
}

named_enum! {
    /// A setting that the window can write.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum UserSetting {
        Theme = "theme",
        Motion = "motion",
        Editor = "editor",
        Difftool = "difftool",
    }

    /// All of them, in the order of the form.
    const ALL;

    /// Returns its key in the file.
    pub fn key;
}

/// An action about the user's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserSettingsAction {
    /// Reads the file again.
    Read,
    /// Writes a value; empty removes it.
    Set(UserSetting, String),
    /// Opens the file in the editor, at its first problem.
    Open,
}

impl Core {
    /// The color theme: the user's setting, or else as chosen in the window.
    pub fn theme(&self) -> Theme {
        self.user.settings.theme.unwrap_or(self.remembered.theme)
    }

    /// Sets the theme: in the file if the user has put one there, else in the window's state.
    pub(crate) fn set_theme(&mut self, theme: Theme) {
        if self.user.settings.theme.is_some() {
            self.write_setting(UserSetting::Theme, theme.name());
        } else {
            self.remembered.theme = theme;
            self.request(Effect::Remember(self.remembered.clone()));
        }
    }

    pub(crate) fn on_user_settings_action(&mut self, action: UserSettingsAction) {
        match action {
            UserSettingsAction::Read => {
                let path = self.user.path.clone();
                self.request(path.map(|path| Effect::run(ReadUserSettings(path))));
            }
            UserSettingsAction::Set(setting, value) => self.write_setting(setting, &value),
            UserSettingsAction::Open if self.user.exists() => self.open_settings(),
            UserSettingsAction::Open => {
                self.user.opens_next = true;
                self.create_settings();
            }
        }
    }

    /// Opens a file in the user's editor.
    pub(crate) fn open_editor(&mut self, file: PathBuf, place: Place) {
        match self.user.settings.editor.clone() {
            Some(editor) => self.request(Effect::run(OpenEditor { editor, file, place })),
            None => self.refuse(Severity::Note, "Set your editor in the settings first."),
        }
    }

    fn create_settings(&mut self) {
        // The template must not replace a file of the user.
        if !self.user.exists() {
            self.write_settings(edit::SETTINGS_TEMPLATE.as_bytes().into());
        }
    }

    fn open_settings(&mut self) {
        let place = self.user.problems.first().map(|problem| problem.place);
        if let Some(path) = self.user.path.clone() {
            self.open_editor(path, place.unwrap_or(Place::START));
        }
    }

    /// Changes a value in the file, and keeps everything else in it.
    fn write_setting(&mut self, setting: UserSetting, value: &str) {
        // A new file has all settings as comments.
        let bytes = self.user.bytes().map_or(edit::SETTINGS_TEMPLATE.as_bytes(), |bytes| bytes);
        let source = Source::from_bytes(bytes.to_vec());
        let result = match self.user.unreadable() {
            Some(reason) => Err(reason.to_owned()),
            None => edit::with_value(&source, setting.key(), (!value.is_empty()).then_some(value)),
        };
        match result {
            Ok(text) => self.write_settings(text.into_bytes().into()),
            Err(reason) => {
                self.refuse_settings(format!("{reason}. {USER_SETTINGS_FILE} was not changed."));
            }
        }
    }

    fn refuse_settings(&mut self, text: String) {
        self.notify_until(NoticeEnd::NextSettings, Severity::Error, text);
    }

    fn write_settings(&mut self, bytes: Arc<[u8]>) {
        let Some(path) = self.user.path.clone() else {
            let text = "There is no folder for settings; set RETAKE_CONFIG_DIR.";
            return self.refuse_settings(text.to_owned());
        };
        self.request(Effect::run(WriteUserSettings {
            path,
            // The write is refused if the file is another one by now.
            before: self.user.bytes().cloned(),
            after: bytes,
        }));
    }

    /// Uses the settings of the file, and reports what is wrong in it.
    pub(crate) fn on_user_settings(&mut self, file: UserSettingsFile) {
        // The file is read whenever the window gets the focus, but its problems are reported once.
        if self.user.file.as_ref() == Some(&file) {
            return;
        }
        self.notices.retain(|notice| notice.until != NoticeEnd::NextSettings);
        let bytes = file.as_ref().ok().and_then(Option::as_ref);
        let source = Source::from_bytes(bytes.map_or_else(Vec::new, |b| b.to_vec()));
        self.user.file = Some(file);
        (self.user.settings, self.user.problems) = parse::parse(&source);
        let problem = self.user.problems.first().map(describe_problem);
        let reason =
            self.user.unreadable().map(|reason| format!("{USER_SETTINGS_FILE}: {reason}."));
        if let Some(mut text) = reason.or(problem) {
            let other_count = self.user.problems.len().saturating_sub(1);
            if other_count > 0 {
                text += &format!(" {other_count} more.");
            }
            self.notify_until(NoticeEnd::NextSettings, Severity::Warning, text);
        }
        if std::mem::take(&mut self.user.opens_next) {
            self.open_settings();
        }
    }
}

/// Returns a problem as a sentence with its place in the file.
pub fn describe_problem(problem: &Problem) -> String {
    let end = if problem.message.ends_with('?') { "" } else { "." };
    let message = visible(&problem.message);
    format!("{USER_SETTINGS_FILE}:{}: {message}{end}", problem.place)
}
