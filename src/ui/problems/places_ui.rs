//! Paints the selected rule and the places where it applies.

use egui::{Response, Ui, vec2};

use super::problems_data::{PlaceFix, PlaceRow, ProblemsData, RuleDetail};
use crate::source;
use calls::Item;
use check::change::fix_at;
use document::text::{upper_first, visible};
use document::{FileKind, Problem, RuleId};
use widgets::code::sentence;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, DistinctName, Line, List, Row, RowShape, RowSlot, StyledText, icons};
use workbench::{
    Action, Actions, Command, Library, ProblemId, ProblemsAction, RecordingFit, Workbench,
};

/// A place: what was called and its words, and why.
const PLACE_ROW: RowShape = RowShape {
    height: 48.0,
    lines: &[16.0, 34.0],
    margins: (44.0, theme::PADDING),
    hair: true,
    radius: 0,
};
/// Width of the button of a row.
const FIX_WIDTH: f32 = 120.0;

/// Draws the rule, and its places.
pub(super) fn places_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &ProblemsData,
    actions: &mut Actions,
) {
    let Some(detail) = &data.rule else {
        // The heading of the rules says why there is none.
        return;
    };
    rule_ui(ui, data, detail, actions);
    ui.spacing_mut().item_spacing.y = 0.0;
    let library = &workbench.core.library;
    let selected = data.preview.as_ref().map(|preview| preview.id);
    List::new("Places of the rule", &PLACE_ROW, data.rows.len())
        .of((detail.rule, detail.severity))
        .selection(selected, |_| data.selected_row())
        .show(ui, |slot| match &data.rows[slot.index] {
            PlaceRow::Group { fit, name, fix } => {
                group_ui(slot, (*fit, name), fix.as_ref(), actions);
            }
            PlaceRow::Place(id) => {
                let item = |row: usize| match data.rows.get(row)? {
                    PlaceRow::Place(other) => library.get(other.doc),
                    PlaceRow::Group { .. } => None,
                };
                let rows = [slot.index.wrapping_sub(1), slot.index + 1];
                let neighbors: Vec<&Item> = rows.into_iter().filter_map(item).collect();
                let is_selected = selected == Some(*id);
                place_ui(slot, library, (*id, is_selected), (detail, &neighbors), actions);
            }
        });
}

fn rule_ui(ui: &mut Ui, data: &ProblemsData, detail: &RuleDetail, actions: &mut Actions) {
    let preview = data.preview.as_ref();
    let fix = detail.fix.as_ref().or_else(|| preview?.source_fix.as_ref());
    widgets::padded(ui, |ui| {
        let colors = tokens(ui);
        ui.horizontal(|ui| {
            widgets::title(ui, detail.title).on_hover_text(&detail.about);
            widgets::at_right(ui, |ui| {
                if let Some(fix) = fix {
                    let button = with_key(Button::primary(&fix.label), detail.fix.is_some());
                    fix_ui(ui, button, fix, actions);
                }
                if let Some(preview) = preview.filter(|_| detail.is_about_source) {
                    let button = Button::secondary(Command::CompareSource.name());
                    let response = ui.add(button.icon(icons::COLUMNS_2));
                    widgets::on_click(&response, Action::CompareSource(preview.id.doc), actions);
                }
            });
        });
        let advice = preview.map_or("", |preview| &*preview.advice);
        // What breaks has a button at its heading.
        let is_stale = detail.rule == RuleId::SourceStale;
        let advice = if fix.is_some() || is_stale { "" } else { advice };
        for text in [&*detail.sentence, advice].into_iter().filter(|text| !text.is_empty()) {
            ui.add_space(theme::ICON_GAP);
            let font = theme::regular(theme::BODY);
            let width = ui.available_width();
            ui.label(sentence(text, font, colors.text, colors.text_strong, width));
        }
    });
    widgets::hair_line(ui);
}

/// Shows the key that fixes all places, on the button that it clicks.
fn with_key(button: Button<'_>, has_key: bool) -> Button<'_> {
    if has_key { button.keys_of(Command::FixRule).show_keys() } else { button }
}

fn fix_ui(ui: &mut Ui, button: Button<'_>, fix: &PlaceFix, actions: &mut Actions) {
    let response = ui.add(button.tooltip(&fix.tip));
    widgets::on_click(&response, fix.action.clone(), actions);
}

fn group_ui(
    slot: &mut RowSlot<'_>,
    (fit, name): (Option<RecordingFit>, &str),
    fix: Option<&PlaceFix>,
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let (icon, tone) = match fit {
        Some(fit) => source::fit_look(fit),
        None => (icons::FOLDER, Tone::Plain),
    };
    let words = match fit {
        Some(_) => Line::new(name, theme::semibold(theme::BODY), colors.text_strong),
        // Folders differ at their ends.
        None => Line::distinct(&DistinctName::new(name, []), true),
    };
    let line = words.icon(icon, colors.tone_or(tone, colors.muted));
    let shape = RowShape { margins: (theme::PADDING, theme::PADDING), lines: &[24.0], ..PLACE_ROW };
    slot.show_as(&shape, Row::new(name).line(line).fill(colors.panel));
    if let Some(fix) = fix {
        let rect = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
        let button = match fit {
            Some(RecordingFit::Matches) => Button::primary(&fix.label).icon(icons::STAMP),
            _ => Button::secondary(&fix.label).icon(icons::RADIO),
        };
        let button = with_key(button, fit == Some(RecordingFit::Matches));
        widgets::place_right(slot.ui, rect, |ui| fix_ui(ui, button, fix, actions));
    }
}

fn place_ui(
    slot: &mut RowSlot<'_>,
    library: &Library,
    (id, is_selected): (ProblemId, bool),
    (detail, neighbors): (&RuleDetail, &[&Item]),
    actions: &mut Actions,
) {
    let (Some(item), Some(problem)) = (library.get(id.doc), library.problem(id)) else { return };
    let colors = tokens(slot.ui);
    let name = visible(item.file_name());
    let call = item.calls.iter().find(|call| call.has_problem(problem));
    let summary = call.map(|call| &call.summary).or(item.summary.as_deref());
    let (icon, tool, words) = source::called(summary);
    let title = if item.kind == FileKind::Recording && !tool.is_empty() {
        let title = StyledText::new()
            .with(&tool, theme::semibold(theme::BODY), colors.text_strong)
            .after(theme::GAP, &words, theme::regular(theme::BODY), colors.text);
        Line::from(title).icon(icon, colors.muted)
    } else {
        // The part that differs from the neighbours is never cut.
        let label = visible(item.label());
        let others: Vec<_> = neighbors.iter().map(|item| visible(item.label())).collect();
        let name = DistinctName::new(label, others.iter().map(|other| &**other));
        Line::distinct(&name, is_selected).icon(icons::kind(item.kind), colors.muted)
    };
    let why = why(library, detail, item, problem);
    let label = format!("{name}, line {}, column {}", problem.place.line, problem.place.column);
    let fix = fix_at(problem, item);
    let is_lit = is_selected || slot.ui.rect_contains_pointer(slot.rect);
    let fix = fix.filter(|_| is_lit);
    let font = theme::regular(theme::LABEL);
    let why = sentence(&why, font, colors.muted, colors.text, f32::INFINITY);
    let row = Row::new(label)
        .selected(is_selected)
        .line(title)
        .line(Line::from(StyledText::from(why)).under_icon())
        .tip(format!(
            "{} {}:{}",
            problem.rule,
            library.shown_path(item.root_path()),
            problem.place
        ));
    let room = fix.map_or(0.0, |_| FIX_WIDTH);
    let shape = RowShape { margins: (44.0, theme::PADDING + room), ..PLACE_ROW };
    let response = slot.show_as(&shape, row);
    widgets::on_click(&response, ProblemsAction::Select(id), actions);
    if let Some(fix) = fix {
        let rect = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
        let label = fix.row_label();
        let (response, _) = widgets::place_right(slot.ui, rect, |ui| {
            ui.add(Button::secondary(&label).tooltip(fix.leaves))
        });
        widgets::on_click(&response, ProblemsAction::Fix(fix.rule, Some(id.doc)), actions);
    }
    place_menu(&response, id, item, problem, actions);
}

/// Returns why a place is reported: for a changed source whether the recording matches, and nothing that all places have in common.
fn why(library: &Library, detail: &RuleDetail, item: &Item, problem: &Problem) -> String {
    let because = item.source.as_ref().and_then(|source| source.because.as_deref());
    if let Some(because) = because.filter(|_| detail.rule == RuleId::SourceStale) {
        return source::reason(because);
    }
    if detail.has_one_message {
        return visible(library.shown_path(item.root_path())).into_owned();
    }
    upper_first(&visible(&library.shown_sentence(&problem.message)))
}

/// Opens a place on a double click, and its menu on a right click.
fn place_menu(
    response: &Response,
    id: ProblemId,
    item: &Item,
    problem: &Problem,
    actions: &mut Actions,
) {
    if response.double_clicked() {
        actions.push(Action::Reveal(id.doc, problem.span));
    }
    widgets::context_menu(response, |ui| {
        for (name, text) in [
            ("Copy as path:line:column", format!("{}:{}", item.path, problem.place)),
            ("Copy JSON Pointer", problem.pointer.to_string()),
            ("Copy message", format!("{}: {}", problem.rule, problem.message)),
        ] {
            widgets::menu_choice(ui, icons::COPY, name, Action::Copy(text), actions);
        }
    });
}
