//! Paints what is chosen for a fixture of the calls: its kind, its test, and what the source does not hold.

use std::ops::Range;

use egui::{Id, Ui};

use author::fixture::{FixtureTarget, MissingFact};
use calls::api::Api;
use document::text::lower_first;
use widgets::theme;
use widgets::{Button, FormField, icons};
use workbench::{Action, Actions, Command, ImportAction, ImportDesk};

/// Returns the name of a kind of fixture.
fn target_name(target: FixtureTarget) -> &'static str {
    match target {
        FixtureTarget::Vcrpy => "vcrpy cassette",
        FixtureTarget::ParsedBody => "vcrpy cassette, bodies as trees",
        FixtureTarget::Cassetter => "Cassetter cassette",
        FixtureTarget::RubyVcr => "VCR cassette (Ruby)",
        FixtureTarget::GoVcr => "go-vcr cassette",
        FixtureTarget::Httpmock => "httpmock file",
        FixtureTarget::Aimock => "aimock fixture",
        FixtureTarget::Recording => "DyGram recording",
        FixtureTarget::Tape => "tape",
        FixtureTarget::Seeds => "file of seeds",
        FixtureTarget::Session => "session",
    }
}

/// Returns what a kind of fixture is, in a word.
pub(super) fn target_noun(target: FixtureTarget) -> &'static str {
    match target {
        FixtureTarget::Httpmock | FixtureTarget::Aimock => "mocks",
        FixtureTarget::Recording => "recordings",
        FixtureTarget::Tape => "tapes",
        FixtureTarget::Seeds => "seeds",
        FixtureTarget::Session => "sessions",
        _ => "cassette",
    }
}

/// Returns the name of an API, short enough to be beside the others.
fn api_name(api: Api) -> &'static str {
    match api {
        Api::AnthropicMessages => "Anthropic",
        Api::OpenAiChat => "OpenAI chat",
        Api::OpenAiResponses => "Responses",
        Api::Gemini => "Gemini",
    }
}

/// Describes which calls are written.
pub(super) fn range_words(desk: &ImportDesk) -> String {
    format!("{} as a {}", numbered(desk.fixture_range()), target_name(desk.fixture.target))
}

/// Returns calls by their numbers: `Call 1`, `Calls 1 and 2`, `Calls 1 to 3`.
fn numbered(range: Range<usize>) -> String {
    let (first, last) = (range.start + 1, range.end);
    match range.len() {
        1 => format!("Call {last}"),
        2 => format!("Calls {first} and {last}"),
        _ => format!("Calls {first} to {last}"),
    }
}

/// Draws the choice of what is made, at the right of the first line.
pub(super) fn chooser_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let name = target_name(desk.fixture.target);
    let label = format!("Make a {name}");
    let button = Button::secondary(name)
        .trailing(icons::CHEVRON_DOWN)
        .keys_of(Command::ChooseFixture)
        .name_for_readers(&label);
    widgets::desk_menu(ui, button, |ui| {
        for target in desk.targets() {
            let note = if desk.is_offered(target) { "in this project" } else { "" };
            let is_chosen = target == desk.fixture.target;
            if widgets::menu_switch(ui, target_name(target), note, (is_chosen, true)) {
                let form = workbench::FixtureForm { target, ..desk.fixture.clone() };
                actions.push(Action::from(ImportAction::EditFixture(form)));
                ui.close();
            }
        }
    });
    widgets::muted(ui, "Make a");
}

/// Draws the check box of the calls before the chosen one, if there are any in its run.
pub(super) fn earlier_calls_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let call = desk.fixture.call;
    let first = desk.calls.rows.get(call).map_or(call, |row| row.first);
    if call == first {
        return;
    }
    let words = format!("Keep {} before it", lower_first(&numbered(first..call)));
    let mut form = desk.fixture.clone();
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::check_box(ui, &mut form.keeps_earlier, &words);
    });
    if form != desk.fixture {
        actions.push(Action::from(ImportAction::EditFixture(form)));
    }
}

/// Draws the name of the test, and fields for what the source does not hold.
pub(super) fn form_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    if !desk.makes_fixture() {
        return;
    }
    let mut form = desk.fixture.clone();
    widgets::padded(ui, |ui| {
        FormField::data("Test", &mut form.test)
            .hint("tests/test_refund.py::test_limit")
            .tip("Names the file as the project names those of its tests")
            .show(ui, Id::unique("fixture test"));
        let needs_facts = desk.fixture.target.is_of_http();
        for fact in desk.fixture.missing.iter().filter(|_| needs_facts) {
            match fact {
                MissingFact::Api => {
                    let names = Api::ALL.map(api_name);
                    let at = Api::ALL.iter().position(|api| Some(*api) == form.api);
                    let mut index = at.unwrap_or_default();
                    FormField::choice("API", &names, &mut index)
                        .show(ui, Id::unique("fixture API"));
                    if Some(index) != at {
                        form.api = Api::ALL.get(index).copied();
                    }
                }
                MissingFact::Model => {
                    let fault = form.model.trim().is_empty().then_some("The source names no model");
                    FormField::data("Model", &mut form.model)
                        .fault(fault)
                        .show(ui, Id::unique("fixture model"));
                }
                MissingFact::MaxTokens => {
                    let fault = form.limit().is_none().then_some("Expected a number from 1");
                    FormField::data("Max tokens", &mut form.max_tokens)
                        .note("not in the source")
                        .fault(fault)
                        .show(ui, Id::unique("fixture limit"));
                }
            }
        }
    });
    widgets::hair_line(ui);
    if form != desk.fixture {
        actions.push(Action::from(ImportAction::EditFixture(form)));
    }
}
