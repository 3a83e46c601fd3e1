//! Paints the list on the left: rules grouped by level, or files.

use egui::{Response, Ui};

use super::data::{ListRow, ProblemsData};
use super::problems_ui::ProblemsState;
use crate::format::Severity;
use crate::text::{thousands, visible};
use crate::ui::icons;
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::widgets::{self, Line, List, Row, RowShape, RowSlot, StyledText};
use crate::workbench::{Action, FileRow, FoundRule, Library, ProblemsAction};

/// Draws the rules with problems, grouped by level.
pub(super) fn rules_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    state: &mut ProblemsState,
    actions: &mut Vec<Action>,
) {
    if data.rules.is_empty() {
        widgets::empty_state(ui, data.no_rules, None);
        return;
    }
    let chosen = data.rule.as_ref();
    let chosen = chosen.map(|detail| (detail.rule, detail.severity));
    let is_folded = |row: &&ListRow| match row {
        ListRow::Level { .. } => false,
        ListRow::Rule(found) => state.folded_levels.contains(&found.severity),
    };
    let rows: Vec<_> = data.rules.iter().filter(|row| !is_folded(row)).collect();
    ui.spacing_mut().item_spacing.y = 0.0;
    let height = rows.len() as f32 * theme::ROW_HEIGHT;
    List::new("Rules", &RowShape::ONE_LINE, rows.len())
        .max_height(height.min(ui.available_height()))
        .selection(chosen, |chosen| {
            let is_chosen = |row: &&ListRow| {
                matches!(row, ListRow::Rule(it) if (it.rule, it.severity) == chosen)
            };
            rows.iter().position(is_chosen)
        })
        .levels(&|row| match rows[row] {
            ListRow::Level { .. } => 0,
            ListRow::Rule(_) => 1,
        })
        .show(ui, |slot| match *rows[slot.index] {
            ListRow::Level { severity, count } => level_ui(slot, severity, count, state),
            ListRow::Rule(found) => {
                let is_selected = chosen == Some((found.rule, found.severity));
                rule_ui(slot, &found, is_selected, actions);
            }
        });
}

fn level_ui(slot: &mut RowSlot<'_>, severity: Severity, count: usize, state: &mut ProblemsState) {
    let (name, detail) = match severity {
        Severity::Error => ("Errors", ""),
        Severity::Warning => ("Warnings", ""),
        Severity::Note => ("Notes", "not in the badge count"),
    };
    let folded = state.folded_levels.contains(&severity);
    let response = group_row(slot, (name, detail), count, folded, None);
    if response.clicked() && !state.folded_levels.remove(&severity) {
        state.folded_levels.insert(severity);
    }
}

/// Draws a heading that folds its rows.
pub(super) fn group_row(
    slot: &mut RowSlot<'_>,
    (name, detail): (&str, &str),
    count: usize,
    folded: bool,
    icon: Option<&'static str>,
) -> Response {
    let colors = tokens(slot.ui);
    let (count, mono) = (thousands(count), theme::mono(theme::LABEL));
    let font = match icon {
        None => theme::medium(theme::LABEL),
        Some(_) => mono.clone(),
    };
    let words = StyledText::new().with(name, font, colors.text).after(
        theme::GAP,
        detail,
        theme::regular(theme::LABEL),
        colors.muted,
    );
    let mut line = Line::from(words).right(StyledText::new().with(&count, mono, colors.text));
    if let Some(icon) = icon {
        line = line.icon(icon, colors.muted);
    }
    let row = Row::new(format!("{name}, {count}")).expanded(!folded);
    let shape = RowShape { hair: true, ..RowShape::ONE_LINE };
    slot.show_as(&shape, row.fill(colors.raised).line(line))
}

/// Creates a line with the number of problems at the right.
fn count_line(text: &str, severity: Severity, count: usize, colors: &Tokens) -> Line {
    let (font, color) = (theme::mono(theme::LABEL), colors.text_strong);
    let icon_color = colors.tone(widgets::severity_tone(severity));
    Line::new(text, font.clone(), color)
        .icon(icons::severity(severity), icon_color)
        .right(StyledText::new().with(&thousands(count), font, color))
}

fn rule_ui(
    slot: &mut RowSlot<'_>,
    found: &FoundRule,
    is_selected: bool,
    actions: &mut Vec<Action>,
) {
    let FoundRule { rule, severity, count } = *found;
    let line = count_line(rule.as_str(), severity, count, tokens(slot.ui));
    let row = Row::new(format!("{severity} {rule}, {count}")).selected(is_selected);
    if slot.show(row.line(line)).clicked() {
        let row = ProblemsAction::SelectRule(rule, Some(severity));
        actions.push(Action::from(row));
    }
}

/// Draws the files with problems.
pub(super) fn files_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    library: &Library,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let files = data.files(library);
    if files.is_empty() {
        widgets::empty_state(ui, "No file has problems.", None);
        return;
    }
    let selected = data.preview.as_ref().map(|preview| preview.id.doc);
    ui.spacing_mut().item_spacing.y = 0.0;
    let shape = RowShape { hair: false, ..RowShape::TWO_LINES };
    List::new("Files with problems", &shape, files.len())
        .selection(selected, |doc| files.iter().position(|file| file.doc == doc))
        .show(ui, |slot| {
            let FileRow { doc, first, worst, count } = files[slot.index];
            let Some(item) = library.get(doc) else {
                return;
            };
            let label = visible(item.file_name());
            let (small, folder) =
                (theme::regular(theme::SMALL), visible(library.shown_folder(item)));
            let row = Row::new(&*label)
                .selected(selected == Some(doc))
                .line(count_line(&label, worst, count, colors).elide_middle())
                .line(Line::new(&folder, small, colors.muted).under_icon().elide_middle());
            if slot.show(row).clicked() {
                actions.push(Action::from(ProblemsAction::Select(first)));
            }
        });
}
