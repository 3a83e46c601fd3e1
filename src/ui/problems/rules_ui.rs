//! Paints the list on the left: rules grouped by level.

use egui::{Response, Ui};

use super::folds::ProblemsState;
use super::problems_data::{ListRow, ProblemsData};
use document::Severity;
use document::text::thousands;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Line, List, Row, RowShape, RowSlot, StyledText, on_click};
use workbench::{Actions, FoundRule, ProblemsAction};

/// Draws the rules with problems, grouped by level.
pub(super) fn rules_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    state: &mut ProblemsState,
    actions: &mut Actions,
) {
    if data.rules.is_empty() {
        widgets::empty_state(ui, data.no_rules, None);
        return;
    }
    let selection = data.rule.as_ref().map(|detail| (detail.rule, detail.severity));
    // Headings stay, since a click on one unfolds it again.
    let is_folded = |row: &&ListRow| match row {
        ListRow::Level { .. } => false,
        ListRow::Rule(rule) => state.folded_levels.contains(&rule.severity),
    };
    let rows: Vec<_> = data.rules.iter().filter(|row| !is_folded(row)).collect();
    ui.spacing_mut().item_spacing.y = 0.0;
    // In the menu of a narrow window, the list is only as tall as its rows.
    let height = rows.len() as f32 * theme::ROW_HEIGHT;
    List::new("Rules", &RowShape::ONE_LINE, rows.len())
        .max_height(height.min(ui.available_height()))
        .selection(selection, |selection| {
            let is_chosen = |row: &&ListRow| {
                matches!(row, ListRow::Rule(rule) if (rule.rule, rule.severity) == selection)
            };
            rows.iter().position(is_chosen)
        })
        .levels(&|row| match rows[row] {
            ListRow::Level { .. } => 0,
            ListRow::Rule(_) => 1,
        })
        .show(ui, |slot| match *rows[slot.index] {
            ListRow::Level { severity, count } => level_ui(slot, severity, count, state),
            ListRow::Rule(rule) => {
                let is_selected = selection == Some((rule.rule, rule.severity));
                rule_ui(slot, &rule, is_selected, actions);
            }
        });
}

fn level_ui(slot: &mut RowSlot<'_>, severity: Severity, count: usize, state: &mut ProblemsState) {
    let (name, detail) = match severity {
        Severity::Error => ("Errors", ""),
        Severity::Warning => ("Warnings", ""),
        Severity::Note => ("Notes", "not in the badge count"),
    };
    let is_folded = state.folded_levels.contains(&severity);
    let response = group_row(slot, (name, detail), count, is_folded, None);
    // `remove` reports whether it was folded, so one call decides both ways.
    if response.clicked() && !state.folded_levels.remove(&severity) {
        state.folded_levels.insert(severity);
    }
}

/// Draws a heading that folds its rows.
pub(super) fn group_row(
    slot: &mut RowSlot<'_>,
    (name, detail): (&str, &str),
    count: usize,
    is_folded: bool,
    icon: Option<&'static str>,
) -> Response {
    let colors = tokens(slot.ui);
    let (count, mono) = (thousands(count), theme::mono(theme::LABEL));
    let font = match icon {
        None => theme::medium(theme::LABEL),
        // A heading with an icon is a folder, and paths are data.
        Some(_) => mono.clone(),
    };
    let label = theme::regular(theme::LABEL);
    let words = StyledText::new().with(name, font, colors.text);
    let words = words.after(theme::GAP, detail, label, colors.muted);
    let mut line = Line::from(words).right(StyledText::new().with(&count, mono, colors.text));
    if let Some(icon) = icon {
        line = line.icon(icon, colors.muted);
    }
    let row = Row::new(format!("{name}, {count}")).expanded(!is_folded);
    let shape = RowShape { hair: true, ..RowShape::ONE_LINE };
    slot.show_as(&shape, row.fill(colors.raised).line(line))
}

fn rule_ui(slot: &mut RowSlot<'_>, entry: &FoundRule, is_selected: bool, actions: &mut Actions) {
    let FoundRule { rule, severity, count } = *entry;
    let colors = tokens(slot.ui);
    let (font, color) = (theme::mono(theme::LABEL), colors.text_strong);
    let line = Line::new(rule.as_str(), font.clone(), color)
        .icon(icons::severity(severity), colors.tone(widgets::severity_tone(severity)))
        .right(StyledText::new().with(&thousands(count), font, color));
    let row = Row::new(format!("{severity} {rule}, {count}")).selected(is_selected);
    on_click(&slot.show(row.line(line)), ProblemsAction::SelectRule(rule, Some(severity)), actions);
}
