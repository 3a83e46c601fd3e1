//! Pictures of the tape that is shown.

use std::path::PathBuf;
use std::sync::Arc;

use super::action::TapesEffect;
use crate::format::Severity;
use crate::ops::tape::picture::{Ask, Look};
use crate::ops::tape::reel::Reel;
use crate::workbench::action::Theme;
use crate::workbench::event::Effect;
use crate::workbench::state::Workbench;

/// What a picture asks of the engine and of the shell.
#[derive(Clone, Debug)]
pub enum PictureEffect {
    /// Let the user choose the file; its name at first, and the colours.
    Choose(String, Look),
    /// Draw this tape into a file that was chosen.
    Draw(PathBuf, Arc<Reel>, Box<Ask>),
}

/// Tapes that are ready are not compared by what is in them.
impl PartialEq for PictureEffect {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Choose(name, look), Self::Choose(other, theirs)) => {
                (name, look) == (other, theirs)
            }
            (Self::Draw(path, reel, ask), Self::Draw(other, theirs, asked)) => {
                (path, ask) == (other, asked) && Arc::ptr_eq(reel, theirs)
            }
            _ => false,
        }
    }
}

/// What comes back.
#[derive(Clone, Debug)]
pub enum PictureEvent {
    /// A file was chosen, for these colours.
    Chosen(PathBuf, Look),
    /// It was written, or not: a sentence without a full stop.
    Drawn(Result<String, String>),
}

impl Workbench {
    /// Has the user choose where a picture goes. Without a word on its colours it has those of the window.
    pub(in crate::workbench) fn export_picture(&mut self, look: Option<Look>) -> Vec<Effect> {
        let Some(item) = self.tapes.selected.and_then(|doc| self.library.get(doc)) else {
            return Vec::new();
        };
        let look = look.unwrap_or(match self.remembered.theme {
            Theme::Dark => Look::Dark,
            Theme::Light | Theme::System => Look::Light,
        });
        let name = item.file_name();
        let stem = name.strip_suffix(".json").unwrap_or(name);
        vec![drawn(PictureEffect::Choose(format!("{stem}.svg"), look))]
    }

    pub(super) fn picture_told(&mut self, event: PictureEvent) -> Vec<Effect> {
        match event {
            PictureEvent::Chosen(path, look) => return self.draw(path, look),
            PictureEvent::Drawn(Ok(path)) => {
                self.notify(Severity::Note, format!("The picture is in {path}."));
            }
            PictureEvent::Drawn(Err(reason)) => {
                self.notify(Severity::Error, format!("{reason}."));
            }
        }
        Vec::new()
    }

    fn draw(&mut self, path: PathBuf, look: Look) -> Vec<Effect> {
        let (Some(doc), Some(reel)) = (self.tapes.selected, self.tapes.reel().cloned()) else {
            return Vec::new();
        };
        let item = self.library.get(doc);
        let ask = Ask {
            title: item.map_or_else(String::new, |item| item.label().to_owned()),
            shown: Some(self.tapes.shown()),
            pace: self.tapes.transport.pace(),
            silence_nanos: self.tapes.silence_nanos(),
            look,
        };
        vec![drawn(PictureEffect::Draw(path, reel, Box::new(ask)))]
    }
}

fn drawn(effect: PictureEffect) -> Effect {
    Effect::Tapes(TapesEffect::Picture(effect))
}
