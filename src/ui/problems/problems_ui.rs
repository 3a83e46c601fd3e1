//! Paints the problems desk: rules on the left, the places of the selected one in the middle, what its fix changes on the right.

use egui::{Frame, Panel, Ui, vec2};

use super::places_ui::places_ui;
use super::problems_data::{PreviewText, ProblemPreview, ProblemsData};
use document::diff::fold::OpenFolds;
use document::text::{counted, thousands};
use protocol::DocId;
use widgets::code::{CodeFocus, CodeState, code_ui};
use widgets::sheet::{SheetFocus, sheet_ui};
use widgets::theme::{self, tokens};
use widgets::{Button, Line, List, Row, RowShape, RowSlot, SidePanel, icons};
use workbench::{Action, Actions, Command, FoundRule, ProblemsAction, Workbench};

/// Below this width of the desk the list of rules is a menu above the places.
const LIST_MIN_WIDTH: f32 = 928.0;
/// Minimum width of places and preview together for the preview to be shown.
const PREVIEW_MIN_WIDTH: f32 = 680.0;
const RULE_ROW: RowShape =
    RowShape { height: 40.0, lines: &[20.0], hair: true, ..RowShape::ONE_LINE };

/// State of the desk that is kept between frames.
#[derive(Default)]
pub struct ProblemsState {
    pub(super) code: CodeState,
    /// Folds that were opened in what a fix changes, and its file.
    pub folds: OpenFolds,
    pub(super) folds_of: Option<DocId>,
}

/// Paints the desk.
pub fn problems_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &ProblemsData,
    state: &mut ProblemsState,
    actions: &mut Actions,
) {
    let tokens = tokens(ui);
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    if ui.available_width() >= LIST_MIN_WIDTH {
        SidePanel::left("problem-rules", 320.0, 240.0..=480.0).show(ui, |ui| {
            widgets::strip(ui, theme::DESK_HEADER, |ui| head_ui(ui, workbench, data, actions));
            widgets::hair_line(ui);
            rules_ui(ui, data, actions);
        });
    } else {
        Panel::top("problem-rules-above")
            .exact_size(theme::TOOL_ROW_SEGMENTS)
            .frame(Frame::new().fill(tokens.panel))
            .show(ui, |ui| rules_menu(ui, workbench, data, actions));
    }
    // After the left panel, because its width is the user's.
    if ui.available_width() >= PREVIEW_MIN_WIDTH {
        SidePanel::right("problem-preview", 456.0, 320.0..=800.0)
            .show(ui, |ui| preview_ui(ui, data, state, actions));
    }
    Frame::new().fill(tokens.desk).show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        places_ui(ui, workbench, data, actions);
    });
}

fn head_ui(ui: &mut Ui, workbench: &Workbench, data: &ProblemsData, actions: &mut Actions) {
    widgets::title(ui, &data.title);
    widgets::at_right(ui, |ui| {
        widgets::view_menu(ui, |ui| {
            let (label, look) = (("Notes", ""), (data.shows_notes, false));
            widgets::menu_option(ui, label, look, ProblemsAction::ToggleNotes, actions);
            let enabled = Command::ShowProblems.enabled(workbench);
            widgets::menu_run(ui, Command::ShowProblems, enabled, actions);
        });
    });
}

fn rules_ui(ui: &mut Ui, data: &ProblemsData, actions: &mut Actions) {
    let selection = data.rule.as_ref().map(|detail| (detail.rule, detail.severity));
    if data.rules.is_empty() {
        return widgets::empty_sentence(ui, data.no_rules);
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    // In the menu of a narrow window, the list is only as tall as its rows.
    let height = data.rules.len() as f32 * RULE_ROW.height;
    List::new("Rules", &RULE_ROW, data.rules.len())
        .max_height(height.min(ui.available_height()))
        .selection(selection, |selection| {
            data.rules.iter().position(|(found, _)| (found.rule, found.severity) == selection)
        })
        .show(ui, |slot| {
            let (found, fix) = &data.rules[slot.index];
            let is_selected = selection == Some((found.rule, found.severity));
            rule_ui(slot, *found, fix.as_deref(), is_selected, actions);
        });
}

fn rule_ui(
    slot: &mut RowSlot<'_>,
    FoundRule { rule, severity, count }: FoundRule,
    fix: Option<&str>,
    is_selected: bool,
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let (title, count) = (check::rule(rule).title, thousands(count));
    let (end, font) = (fix.unwrap_or(&count), theme::regular(theme::LABEL));
    let end_width = widgets::line(slot.ui, end, font.clone(), colors.muted, 200.0).size().x;
    let margins = (theme::PADDING, theme::PADDING + end_width + theme::GAP);
    let room = slot.rect.width() - margins.0 - margins.1 - theme::INDENT;
    let (first, rest) = split_title(slot.ui, title, room);
    let icon = icons::severity(severity);
    let color = colors.tone(widgets::severity_tone(severity));
    let mut row = Row::new(format!("{title}, {count}"))
        .selected(is_selected)
        .line(Line::title(first, colors).icon(icon, color))
        .tip(rule.as_str());
    let mut shape = RowShape { margins, ..RULE_ROW };
    if !rest.is_empty() {
        row = row.line(Line::title(rest, colors).under_icon());
        shape.lines = &[12.0, 28.0];
    }
    if fix.is_none() {
        let x = slot.rect.shrink2(vec2(theme::PADDING, 0.0)).x_range();
        row = row.cell(x).line(Line::number(&count, font, colors.muted));
    }
    let response = slot.show_as(&shape, row);
    widgets::on_click(&response, ProblemsAction::SelectRule(rule, Some(severity)), actions);
    if let Some(fix) = fix {
        let rect = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
        let (response, _) = widgets::place_right(slot.ui, rect, |ui| widgets::link(ui, fix));
        widgets::on_click(&response, ProblemsAction::Fix(rule, None), actions);
    }
}

/// Splits a title that is too wide for one line, so that none of its words is cut.
fn split_title<'t>(ui: &Ui, title: &'t str, room: f32) -> (&'t str, &'t str) {
    let fits = |text: &str| {
        let (font, color) = (theme::regular(theme::BODY), tokens(ui).text);
        widgets::line(ui, text, font, color, f32::INFINITY).size().x <= room
    };
    if fits(title) {
        return (title, "");
    }
    let mut ends = title.match_indices(' ').map(|(end, _)| end);
    let end = ends.rfind(|end| fits(&title[..*end]));
    end.map_or((title, ""), |end| (&title[..end], &title[end + 1..]))
}

/// Draws the list of rules as a menu, for a narrow window.
fn rules_menu(ui: &mut Ui, workbench: &Workbench, data: &ProblemsData, actions: &mut Actions) {
    widgets::strip(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        let name = data.rule.as_ref().map_or("", |detail| detail.title);
        let button =
            Button::secondary(name).trailing(icons::CHEVRON_DOWN).tooltip("Choose another rule");
        let response = ui.add_enabled(!data.rules.is_empty(), button);
        egui::Popup::menu(&response).width(320.0).show(|ui| {
            ui.set_max_height(360.0);
            rules_ui(ui, data, actions);
        });
        head_ui(ui, workbench, data, actions);
    });
}

/// Draws the selected place.
fn preview_ui(ui: &mut Ui, data: &ProblemsData, state: &mut ProblemsState, actions: &mut Actions) {
    let Some(preview) = &data.preview else { return };
    // Folds are positions in the changes of one file.
    if state.folds_of != Some(preview.id.doc) {
        (state.folds_of, state.folds) = (Some(preview.id.doc), Default::default());
    }
    preview_head_ui(ui, preview, actions);
    match &preview.text {
        PreviewText::Awaited => widgets::skeleton_rows(ui, 8, theme::TEXT_LINE),
        PreviewText::Failed(reason) => widgets::empty_sentence(ui, reason),
        PreviewText::Fix(sheet, _) => {
            let mut sheet_actions = Vec::new();
            sheet_ui(ui, sheet, &SheetFocus::default(), &mut sheet_actions);
            for action in sheet_actions {
                match action {
                    Action::ToggleFold { fold, .. } => {
                        state.folds.insert(fold);
                    }
                    // Other actions of a sheet go to a comparison, which is not open here.
                    Action::Copy(_) => actions.push(action),
                    _ => {}
                }
            }
        }
        PreviewText::Place(code) => {
            Frame::new().fill(tokens(ui).input).show(ui, |ui| {
                // A short text must not leave a part of the panel in another colour.
                ui.set_min_size(ui.available_size());
                let mut marks = code.marks.iter();
                // Several rules may report the same span.
                let mark = marks.find(|m| m.span == preview.span && *m.message == *preview.message);
                let focus = CodeFocus {
                    span: Some(preview.span),
                    message: Some(&preview.message),
                    severity: mark.map(|mark| mark.severity),
                };
                code_ui(ui, code, focus, &mut state.code);
            });
        }
    }
}

fn preview_head_ui(ui: &mut Ui, preview: &ProblemPreview, actions: &mut Actions) {
    let (title, note) = match &preview.text {
        PreviewText::Fix(_, lines) => ("After the fix", counted(*lines, "line", "lines")),
        _ => ("Place", String::new()),
    };
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::title_note(ui, (title, theme::TITLE), (&note, theme::ROW));
        widgets::at_right(ui, |ui| {
            let button = Button::ghost("Open file").icon(icons::EXTERNAL_LINK);
            let response = ui.add(button.tooltip(&preview.path_line));
            widgets::on_click(&response, Action::Reveal(preview.id.doc, preview.span), actions);
        });
    });
    widgets::hair_line(ui);
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::super::problems_data::tests::project;
    use super::*;
    use document::RuleId::{ResponseNotWrapped, SeedEmpty};
    use document::Severity;
    use workbench::{Action, ProblemId};

    /// Shows the desk, clicks what has a name, and returns the actions.
    fn clicked(workbench: &Workbench, name: &str) -> Actions {
        let mut data = ProblemsData::default();
        data.update(workbench, &OpenFolds::default());
        let (mut state, actions) = (ProblemsState::default(), RefCell::new(Vec::new()));
        let mut harness = Harness::builder().with_size([1368.0, 800.0]).build_ui(|ui| {
            theme::install(ui.ctx(), protocol::Theme::Dark);
            problems_ui(ui, workbench, &data, &mut state, &mut actions.borrow_mut());
        });
        harness.run();
        harness.get_by_label(name).click();
        harness.run();
        drop(harness);
        actions.into_inner()
    }

    #[test]
    fn rules_places_and_fixes_are_chosen_by_name() {
        let workbench =
            project(&[("set/a.json", &[ResponseNotWrapped]), ("set/b.json", &[SeedEmpty])]);
        let doc = DocId::new(0);
        let table = [
            (
                "The seed's response is empty, 1",
                ProblemsAction::SelectRule(SeedEmpty, Some(Severity::Warning)),
            ),
            ("Wrap 1…", ProblemsAction::Fix(ResponseNotWrapped, None)),
            ("a.json, line 2, column 15", ProblemsAction::Select(ProblemId { doc, index: 0 })),
        ];
        for (name, action) in table {
            assert_eq!(clicked(&workbench, name), [Action::from(action)], "{name}");
        }
    }
}
