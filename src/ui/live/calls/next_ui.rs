//! Paints the actions for a call that was served.

use egui::Ui;

use super::calls_ui::{CallsContext, calls_action};
use crate::ops::live::serve::{MatchedBy, ServeChoice};
use crate::ui::icons;
use crate::ui::widgets::{self, Button};
use crate::workbench::{Action, CallId, CallsAction};

/// Draws a button for each action.
pub(super) fn next_ui(
    ui: &mut Ui,
    context: &CallsContext<'_>,
    (id, choice): (CallId, Option<&ServeChoice>),
    actions: &mut Vec<Action>,
) {
    let has_request = context.desk.request(id).is_some();
    widgets::heading(ui, "", "Next steps", "");
    ui.add_space(8.0);
    if let Some(path) = choice.and_then(set_path) {
        let explain = Button::secondary("Explain in Playback")
            .icon(icons::LIST_CHECKS)
            .trailing(icons::ARROW_RIGHT)
            .width(ui.available_width())
            .tooltip("Plays the request against the set and shows every step and every miss")
            .disabled((!has_request).then_some("its request is no longer available"));
        if ui.add(explain).clicked() {
            actions.push(calls_action(CallsAction::Explain(id, path.into())));
        }
        ui.add_space(8.0);
    }
    let copy = Button::secondary("Copy the request")
        .icon(icons::COPY)
        .trailing("")
        .width(ui.available_width())
        .tooltip("Copies the request in the format of recordings")
        .disabled((!has_request).then_some("it was not read or is no longer available"));
    if ui.add(copy).clicked() {
        actions.push(calls_action(CallsAction::CopyRequest(id)));
    }
    if let Some(chosen) = choice.and_then(|choice| choice.chosen.as_ref()) {
        ui.add_space(8.0);
        let show = Button::secondary("Show the source of the answer")
            .icon(icons::FILE_PLAY)
            .trailing(icons::ARROW_RIGHT)
            .width(ui.available_width())
            .keys(vec!["Enter".to_owned()])
            .tooltip("Shows the tape or recording that was served");
        if ui.add(show).clicked() {
            actions.push(calls_action(CallsAction::ShowFile(chosen.path.clone())));
        }
    }
}

/// Returns the recording whose set the request can be played against: the one that was served, or the nearest.
fn set_path(choice: &ServeChoice) -> Option<&str> {
    match &choice.chosen {
        Some(chosen) => {
            let is_recording =
                matches!(chosen.matched_by, MatchedBy::Signature { .. } | MatchedBy::Position(_));
            is_recording.then_some(&*chosen.path)
        }
        None => {
            let request = choice.request.as_ref()?;
            let near = choice.nearest.first()?;
            (!request.offered.is_empty()).then_some(&*near.path)
        }
    }
}
