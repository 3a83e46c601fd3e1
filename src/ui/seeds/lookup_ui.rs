//! Paints the call that is looked up.

use egui::{Id, Ui};

use super::seeds_data::SeedsData;
use author::seeds::SeedRequest;
use widgets::dialog::small_text;
use widgets::theme;
use widgets::{Button, FieldState, TextField, icons};
use workbench::{Action, Actions, SeedsAction, SeedsDesk};

/// The text being typed.
#[derive(Default)]
pub(super) struct LookupState {
    /// The call from which the fields were filled.
    question: SeedRequest,
    model: String,
    job: String,
    round: String,
}

impl LookupState {
    fn sync(&mut self, question: &SeedRequest) {
        // A round that is not valid stays in its field, though the question has the last valid one.
        if self.question == *question && !self.round.is_empty() {
            return;
        }
        self.question = question.clone();
        self.model.clone_from(&question.model);
        self.job = question.job.clone().unwrap_or_default();
        self.round = question.round.to_string();
    }
}

/// Draws the parts of the call; each change looks it up again.
pub(super) fn lookup_ui(
    ui: &mut Ui,
    desk: &SeedsDesk,
    data: &SeedsData,
    state: &mut LookupState,
    actions: &mut Actions,
) {
    state.sync(&desk.question);
    let mut question = desk.question.clone();
    // The width at which all controls fit into one row.
    let is_wide = ui.available_width() >= 800.0;
    let height = if is_wide { theme::TOOL_ROW_SEGMENTS } else { theme::TOOL_ROW };
    widgets::strip(ui, height, |ui| {
        schema_ui(ui, data, &mut question);
        model_ui(ui, state, &mut question, if is_wide { 96.0 } else { 112.0 });
        if is_wide {
            rest_ui(ui, state, &mut question);
        }
    });
    if !is_wide {
        widgets::strip(ui, height, |ui| rest_ui(ui, state, &mut question));
    }
    if question != desk.question {
        // Otherwise the next frame would fill the fields again and remove a space that was just typed.
        state.question = question.clone();
        actions.push(Action::from(SeedsAction::LookUp(question)));
    }
}

fn rest_ui(ui: &mut Ui, state: &mut LookupState, question: &mut SeedRequest) {
    let job_width = (ui.available_width() - 260.0).clamp(120.0, 240.0);
    job_ui(ui, state, question, job_width);
    round_ui(ui, state, question);
}

fn schema_ui(ui: &mut Ui, data: &SeedsData, question: &mut SeedRequest) {
    small_text(ui, "Schema");
    let schema_label = question.schema.clone().unwrap_or_else(|| "none".to_owned());
    let name = format!("Schema: {schema_label}");
    let button = Button::secondary(&schema_label)
        .trailing(icons::CHEVRON_DOWN)
        .tooltip("Choose the schema of the answer");
    let response = ui.add(button);
    widgets::describe(&response, egui::Role::Button, &name);
    widgets::menu(&response, |ui| {
        for schema in &data.schemas {
            let icon = if *schema == schema_label { icons::CHECK } else { "" };
            if widgets::menu_action(ui, icon, schema, None) {
                question.schema = Some(schema.clone());
            }
        }
        let icon = if question.schema.is_none() { icons::CHECK } else { "" };
        if widgets::menu_action(ui, icon, "none", None) {
            question.schema = None;
        }
    });
}

fn model_ui(ui: &mut Ui, state: &mut LookupState, question: &mut SeedRequest, width: f32) {
    small_text(ui, "Model");
    let field = TextField::new(Id::unique("seeds model"), "Model", &mut state.model).mono();
    if field.show(ui, width, |_| {}, |_| {}).changed() {
        state.model.trim().clone_into(&mut question.model);
    }
}

fn job_ui(ui: &mut Ui, state: &mut LookupState, question: &mut SeedRequest, width: f32) {
    small_text(ui, "Job");
    let field = TextField::new(Id::unique("seeds job"), "Job", &mut state.job).mono();
    if field.show(ui, width, |_| {}, |_| {}).changed() {
        let job = state.job.trim();
        question.job = (!job.is_empty()).then(|| job.to_owned());
    }
}

fn round_ui(ui: &mut Ui, state: &mut LookupState, question: &mut SeedRequest) {
    small_text(ui, "Round");
    let round = state.round.trim().parse::<i64>();
    let field_state = if round.is_ok() { FieldState::Valid } else { FieldState::Invalid };
    let field = TextField::new(Id::unique("seeds round"), "Round", &mut state.round);
    let response = field.mono().state(field_state).show(ui, 48.0, |_| {}, |_| {});
    // An invalid round changes nothing: the last answer stays visible while typing.
    if response.changed()
        && let Ok(round) = state.round.trim().parse()
    {
        question.round = round;
    }
}
