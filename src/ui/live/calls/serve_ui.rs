//! The form that starts the server.

use std::collections::BTreeSet;
use std::sync::Arc;

use egui::Ui;

use super::calls_ui::calls_action;
use super::form_ui::{FormInput, consume_enter, fault_ui, foot_ui, general_fault_ui};
use crate::ops::live::serve::Fallback;
use crate::ops::playback::PlaybackMode;
use crate::ops::tape::verify::Strictness;
use crate::text::{counted, visible};
use crate::ui::dialog::{self, DialogHead, dialog, row, small_text};
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{List, Row, RowShape, RowSlot, Segment, StyledText, segmented};
use crate::workbench::{
    Action, CallsAction, ListenerKind, ServableFolder, ServeForm, ServePace, ServeSelection,
    StartField, Workbench,
};

/// Maximum height of the list of folders.
const FOLDERS: f32 = 176.0;

const FOLDER: RowShape = RowShape {
    height: theme::CONTROL + 4.0,
    lines: &[theme::CONTROL / 2.0 + 2.0],
    margins: (dialog::NAMES, 0.0),
    ..RowShape::ONE_LINE
};

/// Draws the form over the desk. `opened` is true in the first frame.
pub fn serve_ui(ui: &mut Ui, workbench: &Workbench, opened: bool, actions: &mut Vec<Action>) {
    let desk = &workbench.live.calls;
    let mut form = desk.serve_form.clone();
    let fault = desk.fault(ListenerKind::Server);
    let head = DialogHead {
        icon: icons::SERVER,
        title: "Serve tapes and sets",
        detail: "A local address answers like the model: chunk by chunk, at the recorded times, from the files on disk.",
    };
    let entered = consume_enter(ui, opened);
    let body = |ui: &mut Ui, _: &mut Vec<Action>| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        sources_ui(ui, workbench, &mut form);
        fault_ui(ui, fault, StartField::Sources);
        rules_ui(ui, &mut form);
        row(ui, "Port", |ui| {
            let input = FormInput::new(StartField::Port, "Port of the server");
            input.show(ui, &mut form.port, 72.0, fault);
            small_text(ui, "on this computer only; 0 picks a free port");
        });
        fault_ui(ui, fault, StartField::Port);
        general_fault_ui(ui, fault);
        ui.add_space(theme::GAP);
    };
    let mut pressed = false;
    dialog(ui, "serve calls", head, actions, body, |ui, actions| {
        pressed = foot_ui(ui, desk, (ListenerKind::Server, opened), actions);
    });
    if form != desk.serve_form {
        // Typed input is applied before clicks.
        actions.insert(0, calls_action(CallsAction::EditServe(form)));
    }
    if pressed || entered {
        actions.push(calls_action(CallsAction::Start(ListenerKind::Server)));
    }
}

/// Adds the choice of what is served.
fn sources_ui(ui: &mut Ui, workbench: &Workbench, form: &mut ServeForm) {
    let found = &workbench.playback.sets.servable;
    let all = |of: fn(&ServableFolder) -> usize| found.iter().map(of).sum::<usize>();
    let totals = counts(all(|it| it.tapes), all(|it| it.recordings));
    row(ui, "Serve", |ui| {
        let segments = ["Everything open", "Selected folders"].map(Segment::text);
        let chosen = usize::from(form.selection != ServeSelection::All);
        match segmented(ui, &segments, chosen) {
            Some(0) => form.selection = ServeSelection::All,
            Some(_) => form.selection = ServeSelection::Paths(BTreeSet::new()),
            None => {}
        }
        small_text(ui, &totals);
    });
    let ServeSelection::Paths(paths) = &mut form.selection else {
        return;
    };
    let files: Vec<Arc<str>> =
        paths.iter().filter(|path| !found.iter().any(|it| it.path == **path)).cloned().collect();
    let rows = files.len() + found.len();
    let height = rows as f32 * (FOLDER.height + theme::GAP) - theme::GAP;
    List::new("Served folders", &FOLDER, rows)
        .max_height(height.clamp(FOLDER.height, FOLDERS))
        .show(ui, |slot| {
            let folder = slot.index.checked_sub(files.len());
            match folder.and_then(|at| found.get(at)) {
                Some(folder) => {
                    let name = match &*folder.folder {
                        "" => "the project's folder",
                        name => name,
                    };
                    let counts = counts(folder.tapes, folder.recordings);
                    choice_ui(slot, paths, &folder.path, (name, &counts));
                }
                None => {
                    let file = &files[slot.index];
                    let name = file.rsplit('/').next().unwrap_or(file);
                    choice_ui(slot, paths, file, (name, "this file"));
                }
            }
        });
}

fn counts(tapes: usize, recordings: usize) -> String {
    let tapes = (tapes > 0).then(|| counted(tapes, "tape", "tapes"));
    let recordings = (recordings > 0).then(|| counted(recordings, "recording", "recordings"));
    let all: Vec<String> = tapes.into_iter().chain(recordings).collect();
    if all.is_empty() { "no tapes and no recordings".to_owned() } else { all.join(", ") }
}

fn choice_ui(
    slot: &mut RowSlot<'_>,
    paths: &mut BTreeSet<Arc<str>>,
    path: &Arc<str>,
    (name, counts): (&str, &str),
) {
    let colors = tokens(slot.ui);
    let (name, small) = (visible(name), theme::regular(theme::ROW));
    let words = StyledText::new()
        .with(&name, theme::regular(theme::BODY), colors.text_strong)
        .after(theme::GAP, counts, small, colors.muted);
    let is_on = paths.contains(path);
    let row = Row::new(&*name).checked(is_on).line(words);
    if slot.show(row).clicked() && !paths.remove(path) {
        paths.insert(Arc::clone(path));
    }
}

/// Adds the match mode and the speed.
fn rules_ui(ui: &mut Ui, form: &mut ServeForm) {
    row(ui, "Tapes match", |ui| {
        let segments = ["Strict", "Loose"].map(Segment::text);
        let all = [Strictness::Strict, Strictness::Loose];
        choose(ui, &segments, &all, &mut form.strictness);
        small_text(
            ui,
            match form.strictness {
                Strictness::Strict => "the same request",
                Strictness::Loose => "ids and dates are ignored",
            },
        );
    });
    row(ui, "Sets match", |ui| {
        let segments = ["Hybrid", "Signature", "Sequential"].map(Segment::text);
        let all = [PlaybackMode::Hybrid, PlaybackMode::Signature, PlaybackMode::Sequential];
        choose(ui, &segments, &all, &mut form.mode);
        small_text(
            ui,
            match form.mode {
                PlaybackMode::Hybrid => "by signature, else the next in order",
                PlaybackMode::Signature => "by signature, else nothing",
                PlaybackMode::Sequential => "one after the other",
            },
        );
    });
    row(ui, "No match", |ui| {
        let segments = ["Refuse", "The next tape"].map(Segment::text);
        let all = [Fallback::Refuse, Fallback::Next];
        choose(ui, &segments, &all, &mut form.fallback);
        small_text(
            ui,
            match form.fallback {
                Fallback::Refuse => "404 that names the nearest recording",
                Fallback::Next => "whatever the request is",
            },
        );
    });
    row(ui, "Speed", |ui| {
        let segments = ["½×", "1×", "2×", "10×", "Instant"].map(Segment::text);
        choose(ui, &segments, &ServePace::ALL, &mut form.pace);
    });
}

/// Adds a choice of one among a few.
fn choose<T: Copy + PartialEq>(ui: &mut Ui, segments: &[Segment<'_>], all: &[T], chosen: &mut T) {
    let at = all.iter().position(|it| it == chosen);
    let pressed = segmented(ui, segments, at.unwrap_or_default());
    if let Some(pressed) = pressed.and_then(|at| all.get(at)) {
        *chosen = *pressed;
    }
}
