//! Pictures of the selected tape.

use std::path::PathBuf;
use std::sync::Arc;

use super::action::TapesAction;
use super::desk::TapesDesk;
use crate::format::Severity;
use crate::ops::tape::picture::{PictureOptions, PictureTheme};
use crate::ops::tape::prepared_tape::PreparedTape;
use crate::text::quoted;
use crate::workbench::core::dialog::DialogKind;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::state::Core;
use crate::workbench::core::task::TaskRequest;
use crate::workbench::core::view::Theme;

/// Draws a tape into a file that the user chose in a dialog, which confirms replacing an existing one.
#[derive(Debug)]
pub struct DrawPicture {
    pub path: PathBuf,
    pub tape: Arc<PreparedTape>,
    pub options: PictureOptions,
}

impl TaskRequest for DrawPicture {
    fn describe(&self) -> String {
        format!("drawing {}", quoted(&self.path.to_string_lossy()))
    }
}

/// An event of a picture.
#[derive(Clone, Debug)]
pub enum PictureEvent {
    /// The path of the written file, or why it was not written: a sentence without a full stop.
    Drawn(Result<String, String>),
}

impl TapesDesk {
    /// Opens a dialog to choose the file of a picture. Without `theme`, it gets the colors of the window.
    pub(in crate::workbench) fn export_picture(&self, core: &mut Core, look: Option<PictureTheme>) {
        let Some(item) = self.selected.and_then(|doc| core.library.get(doc)) else {
            return;
        };
        let look = look.unwrap_or(match core.theme() {
            Theme::Dark => PictureTheme::Dark,
            Theme::Light | Theme::System => PictureTheme::Light,
        });
        let name = item.file_name();
        let stem = name.strip_suffix(".json").unwrap_or(name);
        let proposal = DialogKind::Save(format!("{stem}.svg").into());
        let draw = move |path| TapesAction::DrawPicture(path, look);
        let title = "Export the picture as SVG or PNG";
        core.request(Effect::pick(title, proposal, draw));
    }

    pub(super) fn on_picture_event(core: &mut Core, event: PictureEvent) {
        match event {
            PictureEvent::Drawn(Ok(path)) => {
                core.notify(Severity::Note, format!("Saved the picture as {path}."));
            }
            PictureEvent::Drawn(Err(reason)) => {
                core.notify(Severity::Error, format!("{reason}."));
            }
        }
    }

    pub(super) fn draw(&self, core: &mut Core, path: PathBuf, look: PictureTheme) {
        let (Some(doc), Some(tape)) = (self.selected, self.prepared().cloned()) else {
            return;
        };
        let item = core.library.get(doc);
        let options = PictureOptions {
            title: item.map_or_else(String::new, |item| item.label().to_owned()),
            shown: Some(self.shown()),
            pace: self.transport.pace,
            silence_nanos: self.silence_nanos(),
            theme: look,
        };
        let request = DrawPicture {
            path,
            tape,
            options,
        };
        core.request(Effect::run(request));
    }
}
