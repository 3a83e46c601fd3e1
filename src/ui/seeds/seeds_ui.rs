//! Paints the seeds desk: the filter, the lookup, the grid, and the answer on the right.

use egui::{Align, Frame, Layout, Ui, vec2};

use super::answer_ui::{AnswerState, answer_ui};
use super::form_ui::form_ui;
use super::grid_ui::{GridState, grid_ui};
use super::lookup_ui::{LookupState, lookup_ui};
use super::seeds_data::SeedsData;
use author::seeds::{ProviderMode, SeedRequest};
use widgets::theme::{self, tokens};
use widgets::{Button, SidePanel, StyledText, TextField, fields, icons};
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
        StyledText::new().with("Seeds", theme::semibold(theme::TITLE), tokens.text_strong).show(ui);
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
        let field = TextField::search(fields::seeds(), "Filter seeds", filter)
            .hint("Schema, job, round or text")
            .show(
                ui,
                width,
                |_| {},
                |ui| {
                    let font = theme::mono(theme::LABEL);
                    StyledText::new().with(&count, font, tokens.muted).show(ui);
                },
            );
        if field.changed() {
            actions.push(Action::from(SeedsAction::Filter(filter.clone())));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
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
        if widgets::menu_switch(ui, name, "", (question.mode == mode, true)) {
            let request = SeedRequest { mode, ..question.clone() };
            actions.push(Action::from(SeedsAction::LookUp(request)));
        }
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
    let (command, heading) = (Command::OpenFolder, (icons::SPROUT, "No seeds found"));
    if widgets::empty_desk(ui, heading, words, &[command.name()]).is_some() {
        actions.push(Action::Run(command));
    }
}
