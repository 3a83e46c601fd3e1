//! The dialogs of the desktop, and the events that follow from their answers.

use std::path::PathBuf;

use crossbeam_channel::Sender;

use crate::ops::tape::picture::PictureTheme;
use crate::workbench::{
    DocId, EngineEvent, ImportEvent, LiveEvent, NewTapeEvent, PickKind, PictureEvent,
    PlaybackEvent, QueueEvent, TapeFileUse, TapesEvent,
};

/// What a dialog chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// Folders.
    Folder,
    /// Single files.
    Files,
    /// The files of an incident.
    Incident,
    /// A folder that sessions are saved to.
    SessionFolder,
    /// Requests to be played: a folder, or a file.
    Requests(PickKind),
    /// The folder of a queue that is to be watched.
    Queue,
    /// A file for a picture. Confirms replacing an existing one.
    Picture {
        /// The suggested name.
        name: String,
        /// The colours of the picture.
        look: PictureTheme,
    },
    /// A file for the tape that is shown.
    ForTape(TapeFileUse),
    /// A file that a new tape is made from.
    Material,
    /// A file to save a document in. Confirms replacing an existing one.
    SaveAs {
        /// The document.
        doc: DocId,
        /// The path of the file it was read from.
        near: String,
    },
}

/// Where the answer to a dialog goes.
#[derive(Debug)]
pub struct DialogAnswer {
    pub(super) to_shell: Sender<EngineEvent>,
    pub(super) dialog: Dialog,
    pub(super) ctx: egui::Context,
}

impl DialogAnswer {
    /// Sends what was chosen; may be called on any thread.
    pub fn send(self, picked: Vec<PathBuf>) {
        // If the answer to an earlier dialog still waits, that one counts.
        let event = match self.dialog {
            Dialog::Folder | Dialog::Files => EngineEvent::Picked(picked),
            Dialog::Incident => EngineEvent::Import(ImportEvent::PickedFiles(picked)),
            Dialog::SessionFolder => match picked.into_iter().next() {
                Some(path) => EngineEvent::Import(ImportEvent::PickedFolder(path)),
                None => return,
            },
            Dialog::Requests(_) => match picked.into_iter().next() {
                Some(path) => EngineEvent::Playback(PlaybackEvent::Picked(path)),
                None => return,
            },
            Dialog::Queue => match picked.into_iter().next() {
                Some(path) => EngineEvent::Live(LiveEvent::Queue(QueueEvent::Picked(path))),
                None => return,
            },
            Dialog::Picture { look, .. } => match picked.into_iter().next() {
                Some(path) => {
                    EngineEvent::Tapes(TapesEvent::Picture(PictureEvent::Chosen(path, look)))
                }
                None => return,
            },
            Dialog::ForTape(what) => match picked.into_iter().next() {
                Some(path) => EngineEvent::Tapes(TapesEvent::Picked(what, path)),
                None => return,
            },
            Dialog::Material => match picked.into_iter().next() {
                Some(path) => EngineEvent::Tapes(TapesEvent::NewTape(NewTapeEvent::Chosen(path))),
                None => return,
            },
            Dialog::SaveAs { doc, .. } => match picked.into_iter().next() {
                Some(path) => EngineEvent::PickedTarget(doc, path),
                None => return,
            },
        };
        let _ = self.to_shell.try_send(event);
        self.ctx.request_repaint();
    }
}
