//! The four answer modes: tool call, text, recording, rule.

use egui::{Id, Response, Ui};

use super::form_ui::form_ui;
use super::queue_data::AnswerContext;
use super::queue_list_ui::queue_action;
use crate::inspector::{PrefixedToolName, paint};
use protocol::RuleMode;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, Caps, FormField, Line, StyledText};
use workbench::{Actions, QueueAction};

const CHOICE_HEIGHT: f32 = 36.0;

/// Paints the form for a tool call.
pub(super) fn call_ui(ui: &mut Ui, context: &mut AnswerContext<'_>, actions: &mut Actions) {
    widgets::padded(ui, |ui| {
        if context.data.tools.is_empty() {
            widgets::note(ui, "No tool is offered; answer by text.");
            return;
        }
        let selection = context.draft.tool;
        paint::card(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (index, tool) in context.data.tools.iter().enumerate() {
                let response = choice_ui(ui, index, selection == Some(index), tool);
                // With a tool chosen, the first field of its form takes the focus.
                if index == 0 && context.wants_focus && selection.is_none() {
                    response.request_focus();
                    context.wants_focus = false;
                }
                widgets::on_click(&response, queue_action(QueueAction::Choose(index)), actions);
            }
        });
    });
    if context.draft.tool.is_none() {
        return;
    }
    widgets::hair_line(ui);
    widgets::padded(ui, |ui| {
        form_ui(ui, context);
        let id = Id::unique(("answer before", &context.data.id));
        FormField::text("Text before the call", &mut context.draft.text_before).show(ui, id);
        reasoning_ui(ui, context);
    });
}

fn reasoning_ui(ui: &mut Ui, context: &mut AnswerContext<'_>) {
    let id = Id::unique(("answer reasoning", &context.data.id));
    FormField::text("Reasoning", &mut context.draft.reasoning).note("for people").show(ui, id);
}

/// Paints the form for a text.
pub(super) fn text_ui(ui: &mut Ui, context: &mut AnswerContext<'_>) {
    widgets::padded(ui, |ui| {
        let id = Id::unique(("answer text", &context.data.id));
        let response = FormField::lines("Text", &mut context.draft.text, 8).show(ui, id);
        if std::mem::take(&mut context.wants_focus) {
            response.request_focus();
        }
        reasoning_ui(ui, context);
    });
}

/// Paints the chosen recording. The choice is beside the request.
pub(super) fn recording_ui(ui: &mut Ui, context: &mut AnswerContext<'_>, actions: &mut Actions) {
    widgets::padded(ui, |ui| {
        // The engine is still comparing the request with the recordings.
        let Some(nearest) = &context.data.nearest else {
            return widgets::skeleton_rows(ui, 3, CHOICE_HEIGHT);
        };
        // The draft may have chosen a later recording of a larger set.
        let index = context.draft.recording.min(nearest.lines.len().saturating_sub(1));
        let Some(line) = nearest.lines.get(index) else {
            widgets::note(ui, "No recordings are open.");
            return;
        };
        let heading = widgets::heading(ui, icons::FILE_PLAY, "As recorded", &line.label);
        set_ui(ui, heading.rect, context, actions);
        ui.add_space(6.0);
        for reason in &line.reasons {
            widgets::note(ui, reason);
        }
        let edit = widgets::icon_link(ui, icons::PENCIL, "Edit before writing");
        if std::mem::take(&mut context.wants_focus) {
            edit.request_focus();
        }
        widgets::on_click(&edit, queue_action(QueueAction::EditAnswer), actions);
        ui.add_space(theme::GAP);
        reasoning_ui(ui, context);
    });
}

/// Paints the choice of the set, at the right of its heading.
fn set_ui(ui: &mut Ui, heading: egui::Rect, context: &AnswerContext<'_>, actions: &mut Actions) {
    let Some(nearest) = context.data.nearest.as_ref().filter(|nearest| nearest.sets.len() > 1)
    else {
        return;
    };
    let words = format!("in {}", nearest.set);
    let (response, _) = widgets::place_right(ui, heading, |ui| {
        ui.add(Button::ghost(&words).trailing(icons::CHEVRON_DOWN).tooltip("Choose the set"))
    });
    widgets::menu(&response, |ui| {
        for (folder, name) in &nearest.sets {
            if widgets::menu_action(ui, icons::FOLDER, name, None) {
                actions.push(queue_action(QueueAction::ChooseSet(folder.clone())));
            }
        }
    });
}

/// Paints the matching rule of the project.
pub(super) fn rule_ui(ui: &mut Ui, context: &mut AnswerContext<'_>, actions: &mut Actions) {
    widgets::padded(ui, |ui| {
        widgets::heading(ui, "", "Rule", "the first match in retake.toml");
        ui.add_space(6.0);
        match &context.data.rule {
            Some(toml) => widgets::card(ui, |ui| widgets::data(ui, toml.trim_end())),
            None => widgets::note(
                ui,
                "No rule matches this request. Answer it another way and save that answer as a rule.",
            ),
        };
        for fault in context.desk.rule_faults.iter() {
            ui.add_space(theme::GAP);
            ui.label(theme::text(fault, theme::regular(theme::ROW), tokens(ui).error));
        }
        ui.add_space(theme::GAP);
        let queue = &context.data.id.queue;
        let mut queues = context.desk.watched.iter();
        // A request may be of a queue that is no longer watched.
        let Some(watched_queue) = queues.find(|q| q.folder == *queue) else { return };
        let mut is_automatic = watched_queue.rule_mode == RuleMode::Automatic;
        let words = "Apply rules automatically in this queue";
        if widgets::check_box(ui, &mut is_automatic, words).changed() {
            let mode = if is_automatic { RuleMode::Automatic } else { RuleMode::OnDemand };
            actions.push(queue_action(QueueAction::SetRuleMode(queue.clone(), mode)));
        }
    });
}

/// Adds the choice of a tool: its radio mark, its name and its digit.
fn choice_ui(ui: &mut Ui, index: usize, is_chosen: bool, tool: &PrefixedToolName) -> Response {
    if index > 0 {
        widgets::hair_line(ui);
    }
    let name = format!("{}{}", tool.prefix, tool.rest);
    let text = StyledText::from(paint::tool_name(tool, tokens(ui), f32::INFINITY));
    // There are only nine digits to choose by.
    let digit = (index < 9).then(|| (index + 1).to_string());
    let line = Line::from(text).caps(Caps::new(ui, digit.as_slice()));
    widgets::radio_row(ui, CHOICE_HEIGHT, &name, is_chosen, line)
}
