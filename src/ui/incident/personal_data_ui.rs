//! Paints the personal data of an import, with the decision on each value.

use egui::{Frame, Id, Margin, Ui};

use author::import::{DraftSecret, SecretChoice};
use author::redact::CHECKED_FOR;
use document::text::{counted, visible};
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, FormField, Line, List, Row, RowShape, RowSlot};
use workbench::{Action, Actions, Command, ImportAction, ImportDesk};

/// A value, with room for the decision at its right.
const VALUE_ROW: RowShape = RowShape {
    height: 48.0,
    lines: &[16.0, 33.0],
    margins: (theme::PADDING, 208.0),
    ..RowShape::TWO_LINES
};

/// Draws the values, undecided ones first.
pub(super) fn personal_data_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let secrets = desk.secrets_to_decide();
    let has_file = !desk.makes_fixture() || desk.has_file();
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let is_clean = secrets.is_empty() && has_file;
        let title = if is_clean { "No personal data found" } else { "Personal data" };
        widgets::subtitle(ui, title);
        widgets::at_right(ui, |ui| {
            if desk.first_undecided().is_some() {
                let all = Button::ghost("Replace all").command(Command::RedactSecrets, Ok(()));
                let all = all.show_keys();
                widgets::command_button(ui, all, Command::RedactSecrets, actions);
            }
        });
    });
    widgets::hair_line(ui);
    let height = ui.available_height() - 4.0 * theme::TOOL_ROW;
    if !secrets.is_empty() {
        List::new("Personal data", &VALUE_ROW, secrets.len())
            .max_height(height.min(secrets.len() as f32 * VALUE_ROW.height))
            .show(ui, |slot| value_ui(slot, desk, secrets[slot.index], actions));
    }
    let frame = Frame::new().inner_margin(Margin::symmetric(theme::PADDING as i8, 12));
    frame.show(ui, |ui| {
        if !has_file {
            let reason = desk.preview_failure().unwrap_or("There is no file yet");
            widgets::note(
                ui,
                &format!("{}. Personal data is looked for in the file.", visible(reason)),
            );
            return;
        }
        let words = if desk.names.is_empty() {
            "Names in texts are not looked for. Addresses reserved for examples do not count."
        } else {
            "Of names in texts, only these are looked for. Addresses reserved for examples do not count."
        };
        let limits = widgets::note(ui, words);
        widgets::hint(limits, &format!("{CHECKED_FOR}.").replace('`', ""));
        ui.add_space(theme::GAP);
        let mut names = desk.names.clone();
        FormField::text("Names", &mut names)
            .name("Names of persons")
            .hint("Ada Lovelace, Acme GmbH")
            .show(ui, Id::unique("personal names"));
        if names != desk.names {
            actions.push(Action::from(ImportAction::Names(names)));
        }
    });
}

fn value_ui(slot: &mut RowSlot<'_>, desk: &ImportDesk, position: usize, actions: &mut Actions) {
    let Some(secret) = desk.shown_secrets().get(position) else { return };
    let colors = tokens(slot.ui);
    let (icon, color) = match secret.choice {
        SecretChoice::Open => (icons::TRIANGLE_ALERT, colors.warning),
        SecretChoice::Redact => (icons::CHECK, colors.good),
        SecretChoice::Keep => (icons::MINUS, colors.muted),
    };
    let (hint, kind) = (visible(secret.shown()), secret.kind.name);
    let mut value =
        widgets::StyledText::new().with(&hint, theme::mono(theme::ROW), colors.text_strong);
    if secret.places.len() > 1 {
        let places = counted(secret.places.len(), "place", "places");
        value = value.after(theme::GAP, &places, theme::regular(theme::LABEL), colors.muted);
    }
    let kind_line = Line::new(kind, theme::regular(theme::LABEL), colors.muted).under_icon();
    let mut row = Row::new(format!("{kind} {hint}"))
        .line(Line::from(value).icon(icon, color))
        .line(kind_line);
    let is_open = secret.choice == SecretChoice::Open;
    if is_open {
        row = row.fill(colors.warning_tint);
    }
    slot.show(row);
    let room = slot.rect.with_max_x(slot.rect.right() - theme::PADDING);
    // The keys act on the first undecided value, the pointer on any.
    let is_first = desk.first_undecided() == Some(position);
    let has_buttons = is_first || is_open && slot.ui.rect_contains_pointer(slot.rect);
    widgets::place_right(slot.ui, room, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        ui.push_id(("value", position), |ui| {
            decision_ui(ui, secret, position, (is_first, has_buttons), actions);
        });
    });
}

/// Draws the buttons of an undecided value, or the decision, which a click reverses.
fn decision_ui(
    ui: &mut Ui,
    secret: &DraftSecret,
    position: usize,
    (is_first, has_buttons): (bool, bool),
    actions: &mut Actions,
) {
    let name = format!("{} {}", secret.kind.name, visible(secret.shown()));
    let decide = |choice| Action::from(ImportAction::Decide(Some(position), choice));
    let (word, reversed) = match secret.choice {
        SecretChoice::Redact => ("Replaced", SecretChoice::Keep),
        SecretChoice::Keep => ("Kept", SecretChoice::Redact),
        SecretChoice::Open if has_buttons => {
            for (word, command, choice) in [
                ("Keep", Command::KeepSecret, SecretChoice::Keep),
                ("Replace", Command::ReplaceSecret, SecretChoice::Redact),
            ] {
                let mut button = Button::secondary(word);
                if is_first {
                    button = button.keys_of(command).show_keys();
                }
                let label = format!("{word} {name}");
                let response = ui.add(button.name_for_readers(&label));
                widgets::on_click(&response, decide(choice), actions);
            }
            return;
        }
        SecretChoice::Open => return,
    };
    let link = ui.add(Button::ghost(word).name_for_readers(&format!("{word}: {name}")));
    widgets::on_click(&link, decide(reversed), actions);
}
