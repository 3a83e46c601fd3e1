//! Paints the seeds desk: the filter, the lookup, the grid, and the answer on the right.

use egui::{Frame, Id, Ui, vec2};

use super::answer_ui::{AnswerState, answer_ui};
use super::form_ui::form_ui;
use super::grid_ui::{GridState, grid_ui};
use super::seeds_data::SeedsData;
use author::seeds::{ProviderMode, SeedRequest};
use widgets::theme::{self, tokens};
use widgets::{Button, FieldState, SidePanel, StyledText, TextField, fields, icons};
use workbench::{Action, Actions, Command, SeedsAction, SeedsDesk};

/// State of the seeds desk that is kept between frames.
#[derive(Default)]
pub struct SeedsState {
    filter: String,
    lookup: LookupState,
    grid: GridState,
    answer: AnswerState,
}

/// Paints the desk.
pub fn seeds_ui(
    ui: &mut Ui,
    desk: &SeedsDesk,
    data: &SeedsData,
    state: &mut SeedsState,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let Some(seeds) = desk.loaded.value.as_ref() else {
        ui.add_space(theme::DESK_HEADER);
        return widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
    };
    if seeds.is_empty() {
        return empty_ui(ui, actions);
    }
    let panel = SidePanel::right("seeds answer", 376.0, 280.0..=640.0);
    panel.show(ui, |ui| match desk.form.as_ref() {
        // In place of the answer: both need the whole panel, and the form is short-lived.
        Some(form) => form_ui(ui, form, data, actions),
        None => answer_ui(ui, desk, data, &mut state.answer, actions),
    });
    Frame::new().show(ui, |ui| {
        header_ui(ui, desk, &mut state.filter, actions);
        widgets::hair_line(ui);
        lookup_ui(ui, desk, data, &mut state.lookup, actions);
        widgets::hair_line(ui);
        if desk.grid.rows.is_empty() {
            if widgets::empty_state(ui, "No seeds match the filter.", Some("Clear filter")) {
                actions.push(Action::from(SeedsAction::Filter(String::new())));
            }
            return;
        }
        grid_ui(ui, desk, &mut state.grid, actions);
    });
}

fn header_ui(ui: &mut Ui, desk: &SeedsDesk, filter: &mut String, actions: &mut Actions) {
    let tokens = tokens(ui);
    let is_narrow = ui.available_width() < 620.0;
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::title(ui, "Seeds");
        ui.add_space(theme::GAP);
        // The button below the grid and commands clear it, too.
        if *filter != desk.filter {
            desk.filter.clone_into(filter);
        }
        let width = (ui.available_width() - if is_narrow { 150.0 } else { 320.0 }).min(360.0);
        let count = match &*desk.filter {
            "" => String::new(),
            // The number is useful only while a filter hides seeds.
            _ => desk.grid.count.to_string(),
        };
        let count_ui = |ui: &mut Ui| {
            let font = theme::mono(theme::LABEL);
            StyledText::new().with(&count, font, tokens.muted).show(ui);
        };
        let field = TextField::search(fields::seeds(), "Filter seeds", filter)
            .hint("Schema, job, round or text");
        if field.show(ui, width, |_| {}, count_ui).changed() {
            actions.push(Action::from(SeedsAction::Filter(filter.clone())));
        }
        widgets::at_right(ui, |ui| {
            let button = Button::secondary("New seed…").icon(icons::PLUS).icon_only_if(is_narrow);
            let response = ui.add(button.tooltip(Command::NewSeed.tooltip()));
            widgets::on_click(&response, SeedsAction::New, actions);
            widgets::view_menu(ui, |ui| view_ui(ui, &desk.question, actions));
        });
    });
}

/// Draws the menu of how a call is looked up, and what is copied of the seeds.
fn view_ui(ui: &mut Ui, question: &SeedRequest, actions: &mut Actions) {
    widgets::menu_heading(ui, "Provider");
    for (mode, name) in [(ProviderMode::Test, "Test mode"), (ProviderMode::Live, "Live mode")] {
        let lookup = SeedsAction::LookUp(SeedRequest { mode, ..question.clone() });
        widgets::menu_option(ui, (name, ""), (question.mode == mode, true), lookup, actions);
    }
    widgets::menu_heading(ui, "Seeds");
    widgets::menu_run(ui, Command::CopySeed, Ok(()), actions);
}

/// Draws the placeholder if there are no seeds.
fn empty_ui(ui: &mut Ui, actions: &mut Actions) {
    let words = "A seed is an answer that a memory provider stores under a key of schema, model, job and round. A test gets \
                 this answer instead of calling a model.\n\nSeeds are read from *.seeds.json files and from test code that \
                 calls seedMemoryTraceResponse. Open a folder with such files, or create seeds from recordings and sessions \
                 with retake export seeds.";
    let heading = (icons::SPROUT, "No seeds found");
    widgets::empty_desk_commands(ui, heading, words, &[Command::OpenFolder], actions);
}

/// The text being typed.
#[derive(Default)]
struct LookupState {
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
fn lookup_ui(
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
        let width = if is_wide { 96.0 } else { 112.0 };
        if part_ui(ui, "Model", &mut state.model, width, FieldState::Valid) {
            state.model.trim().clone_into(&mut question.model);
        }
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
    let width = (ui.available_width() - 260.0).clamp(120.0, 240.0);
    if part_ui(ui, "Job", &mut state.job, width, FieldState::Valid) {
        let job = state.job.trim();
        question.job = (!job.is_empty()).then(|| job.to_owned());
    }
    let is_valid = state.round.trim().parse::<i64>().is_ok();
    let field_state = if is_valid { FieldState::Valid } else { FieldState::Invalid };
    // An invalid round changes nothing: the last answer stays visible while typing.
    if part_ui(ui, "Round", &mut state.round, 48.0, field_state)
        && let Ok(round) = state.round.trim().parse()
    {
        question.round = round;
    }
}

fn schema_ui(ui: &mut Ui, data: &SeedsData, question: &mut SeedRequest) {
    widgets::muted(ui, "Schema");
    let label = question.schema.clone().unwrap_or_else(|| "none".to_owned());
    let name = format!("Schema: {label}");
    let button = Button::secondary(&label)
        .trailing(icons::CHEVRON_DOWN)
        .tooltip("Choose the schema of the answer");
    let response = ui.add(button);
    widgets::describe(&response, egui::Role::Button, &name);
    widgets::menu(&response, |ui| {
        let chosen = question.schema.clone();
        for schema in data.schemas.iter().map(Some).chain([None]) {
            let icon = if chosen.as_ref() == schema { icons::CHECK } else { "" };
            if widgets::menu_action(ui, icon, schema.map_or("none", String::as_str), None) {
                question.schema = schema.cloned();
            }
        }
    });
}

/// Draws a part of the call; returns whether it was changed.
fn part_ui(ui: &mut Ui, name: &str, text: &mut String, width: f32, state: FieldState) -> bool {
    widgets::muted(ui, name);
    let field = TextField::new(Id::unique(("seeds", name)), name, text).mono().state(state);
    field.show(ui, width, |_| {}, |_| {}).changed()
}
