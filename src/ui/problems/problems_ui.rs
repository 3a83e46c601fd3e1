//! Paints the problems desk: rules on the left, the places of the selected one in the middle, the text around a place on the right.

use egui::{Frame, Panel, Ui, vec2};

use super::detail_ui;
use super::folds::ProblemsState;
use super::preview_ui::preview_ui;
use super::problems_data::ProblemsData;
use super::rules_ui::rules_ui;
use document::Severity;
use document::text::thousands;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, Segment, SidePanel, StyledText};
use workbench::{Action, Actions, Command, Library, ProblemsAction, ProblemsView};

/// The levels in display order.
const LEVELS: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

/// Below this width of the desk the list of rules is a menu above the rule.
const LIST_MIN_WIDTH: f32 = 928.0;
/// Minimum width of rule and preview together for the preview to be shown.
const PREVIEW_MIN_WIDTH: f32 = 680.0;

/// Paints the desk. The texts of the places are read from `library`.
pub fn problems_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    library: &Library,
    state: &mut ProblemsState,
    actions: &mut Actions,
) {
    let tokens = tokens(ui);
    let width = ui.available_width();
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    if width >= LIST_MIN_WIDTH {
        SidePanel::left("problem-rules", 304.0, 240.0..=480.0)
            .show(ui, |ui| list_ui(ui, data, state, actions));
    } else {
        Panel::top("problem-rules-above")
            .exact_size(theme::TOOL_ROW_SEGMENTS)
            .frame(Frame::new().fill(tokens.panel))
            .show(ui, |ui| rules_menu(ui, data, state, actions));
    }
    // After the left panel, because its width is the user's.
    if ui.available_width() >= PREVIEW_MIN_WIDTH {
        SidePanel::right("problem-preview", 456.0, 320.0..=800.0)
            .show(ui, |ui| preview_ui(ui, data, state, actions));
    }
    Frame::new().fill(tokens.desk).show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        detail_ui::detail_ui(ui, data, library, state, actions);
    });
}

fn list_ui(ui: &mut Ui, data: &ProblemsData, state: &mut ProblemsState, actions: &mut Actions) {
    let tokens = tokens(ui);
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let title = theme::semibold(theme::TITLE);
        StyledText::new().with("Problems", title, tokens.text_strong).show(ui);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            grouping_ui(ui, ProblemsView::Rules, actions);
        });
    });
    widgets::strip(ui, theme::TOOL_ROW, |ui| levels_ui(ui, data, actions));
    widgets::hair_line(ui);
    rules_ui(ui, data, state, actions);
}

/// Draws the choice of what the desk lists, and a button that lists the files with problems in the library.
pub fn grouping_ui(ui: &mut Ui, view: ProblemsView, actions: &mut Actions) {
    let files = Button::icon_only(icons::LIBRARY, Command::ShowProblems.name());
    widgets::command_button(ui, files, Command::ShowProblems, actions);
    let choices = [ProblemsView::Rules, ProblemsView::Sources];
    let segments = ["Rules", "Sources"].map(Segment::text);
    let position = choices.iter().position(|choice| *choice == view);
    if let Some(index) = widgets::segmented(ui, &segments, position.unwrap_or(0)) {
        actions.push(Action::from(ProblemsAction::SetView(choices[index])));
    }
}

/// Draws the choice of levels, with their counts.
fn levels_ui(ui: &mut Ui, data: &ProblemsData, actions: &mut Actions) {
    let counts = data.counts.map(thousands);
    let mut segments = vec![Segment::text("All")];
    for (severity, count) in LEVELS.iter().zip(&counts) {
        let tone = widgets::severity_tone(*severity);
        let segment = Segment::default().count(count).name(level_name(*severity));
        segments.push(segment.icon(icons::severity(*severity), Some(tone)));
    }
    // The first segment is *All*.
    let position = LEVELS.iter().position(|severity| Some(*severity) == data.level);
    if let Some(segment) =
        widgets::segmented(ui, &segments, position.map_or(0, |position| position + 1))
    {
        let level = segment.checked_sub(1).and_then(|index| LEVELS.get(index));
        actions.push(Action::from(ProblemsAction::Filter(level.copied())));
    }
}

/// Draws the list of rules as a menu, for a narrow window.
fn rules_menu(ui: &mut Ui, data: &ProblemsData, state: &mut ProblemsState, actions: &mut Actions) {
    widgets::strip(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        grouping_ui(ui, ProblemsView::Rules, actions);
        levels_ui(ui, data, actions);
        let rule = data.rule.as_ref().map_or("", |detail| detail.rule.as_str());
        let button =
            Button::ghost(rule).trailing(icons::CHEVRON_DOWN).tooltip("Choose another rule");
        let menu = egui::Popup::menu(&ui.add_enabled(!data.rules.is_empty(), button))
            .width(296.0)
            // Folding a level is a click inside that must not close the menu.
            .close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        menu.show(|ui| {
            let count_before = actions.len();
            ui.set_max_height(360.0);
            rules_ui(ui, data, state, actions);
            // Only choosing a rule pushes an action; folding changes the state of the view.
            if actions.len() > count_before {
                ui.close();
            }
        });
    });
}

fn level_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Errors only",
        Severity::Warning => "Warnings only",
        Severity::Note => "Notes only",
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use workbench::ProblemsAction;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::super::problems_data::tests::project;
    use super::*;
    use document::RuleId::{ResponseNotWrapped, SeedEmpty};
    use protocol::DocId;
    use workbench::{ProblemId, Workbench};

    /// Shows the desk, runs `act` on it, and returns the actions.
    fn shown(workbench: &Workbench, act: impl FnOnce(&mut Harness<'_>)) -> Actions {
        let mut data = ProblemsData::default();
        data.update(workbench);
        let (mut state, actions) = (ProblemsState::default(), RefCell::new(Vec::new()));
        let mut harness = Harness::builder().with_size([1368.0, 800.0]).build_ui(|ui| {
            theme::install(ui.ctx(), protocol::Theme::Dark);
            let library = &workbench.core.library;
            problems_ui(ui, &data, library, &mut state, &mut actions.borrow_mut());
        });
        harness.run();
        act(&mut harness);
        harness.run();
        drop(harness);
        actions.into_inner()
    }

    #[test]
    fn rules_and_places_are_chosen_by_name_and_files_in_the_library() {
        let workbench =
            project(&[("set/a.json", &[ResponseNotWrapped]), ("set/b.json", &[SeedEmpty])]);
        let actions = shown(&workbench, |harness| {
            harness.get_by_label("warning seed-empty, 1").click();
        });
        assert_eq!(
            actions,
            [Action::from(ProblemsAction::SelectRule(SeedEmpty, Some(Severity::Warning)))]
        );
        let (doc, index) = (DocId::new(0), 0);
        let actions = shown(&workbench, |harness| {
            harness.get_by_label("a.json, line 2, column 15").click();
        });
        assert_eq!(actions, [Action::from(ProblemsAction::Select(ProblemId { doc, index }))]);
        let actions = shown(&workbench, |harness| {
            harness.get_by_label("Show only items with problems").click();
        });
        assert_eq!(actions, [Action::Run(Command::ShowProblems)]);
    }

    #[test]
    fn a_folder_folds() {
        let workbench = project(&[("set/a.json", &[ResponseNotWrapped])]);
        shown(&workbench, |harness| {
            harness.get_by_label("set, 1").click();
            harness.run();
            assert!(harness.query_by_label("a.json, line 2, column 15").is_none());
        });
    }
}
