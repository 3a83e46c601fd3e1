//! The signature of a request next to that of a recording.

use egui::{Margin, Rect, Role, Sense, Ui, WidgetInfo, pos2};

use super::playback_data::recording_label;
use compare::signature::{KeyComparison, MatchingClient, NameRow, SignatureDiff};
use document::diff::Side;
use document::text::{counted, visible};
use play::playback::{CallVerdict, MessagesKnown, PlaybackMode, PlayedCall, RequestOrigin};
use protocol::PlaybackResult;
use widgets::StyledText;
use widgets::icons;
use widgets::theme::{self, tokens};

const NAME_ROW_HEIGHT: f32 = 26.0;
/// Width of the sign between two names.
const SIGN_WIDTH: f32 = 28.0;

/// Draws both signatures, row by row.
pub(super) fn signatures_ui(
    ui: &mut Ui,
    result: &PlaybackResult,
    call: &PlayedCall,
    position: usize,
    diff: &SignatureDiff,
) {
    let recording = result.run.set.recordings.get(position);
    let is_served = call.index() == Some(position);
    let right = match (is_served, &call.verdict) {
        (true, CallVerdict::Right | CallVerdict::FirstOf(_)) => "Served recording".to_owned(),
        (true, _) => "Actually served".to_owned(),
        _ => recording.map_or(String::new(), |recording| {
            format!("{} {}", position + 1, recording_label(recording))
        }),
    };
    let rules = result.run.rules;
    let is_sequential = rules.mode == PlaybackMode::Sequential;
    let note = if is_sequential { "not compared in sequential mode" } else { "" };
    widgets::heading(ui, "", "Signatures side by side", note);
    ui.add_space(8.0);
    // Some logs do not print the number of messages, for which 1 was assumed.
    let is_known = call.request.messages_known() == MessagesKnown::Yes;
    let count = (!is_known).then_some("count not in the log");
    let client = match call.request.origin {
        // Shipped clients compute no keys from any request, wherever it is from.
        _ if !rules.client.computes_context_keys() => Some(MatchingClient::Shipped),
        // A log prints no keys.
        RequestOrigin::Log { .. } => None,
        _ => Some(MatchingClient::Documented),
    };
    rows_card(ui, |ui| {
        pair_ui(ui, ["This request", &right], None);
        for names in &diff.tools {
            names_ui(ui, names, "none");
        }
        let tools = Side::BOTH.map(|side| &diff.side(side).own_signature().tool_names);
        let is_in_both = |row: &NameRow| matches!(row, NameRow::Both(_));
        // Clients compare the lists and not the sets of names: a stored list that is not sorted does not match.
        if tools[0] != tools[1] && diff.tools.iter().all(is_in_both) {
            pair_ui(ui, ["sorted", "stored in another order"], Some(false));
        }
        widgets::hair_line(ui);
        let message_counts = Side::BOTH.map(|side| diff.side(side).own_signature().message_count);
        let words = message_counts.map(|count| counted(count as usize, "message", "messages"));
        match count {
            Some(count) => pair_ui(ui, [count, &words[1]], None),
            None => {
                pair_ui(ui, [&words[0], &words[1]], Some(message_counts[0] == message_counts[1]))
            }
        }
        context_keys_ui(ui, diff, client);
    });
}

/// Draws the context keys: with a sign only those that the client compares.
fn context_keys_ui(ui: &mut Ui, diff: &SignatureDiff, client: Option<MatchingClient>) {
    let Some(client) = client else {
        let names = diff.right.own_signature().context_keys.join(", ");
        return pair_ui(ui, ["context keys not in the log", &visible(&names)], None);
    };
    if diff.context_keys.is_empty() {
        return pair_ui(ui, ["no context keys"; 2], Some(true));
    }
    let mut is_compared = true;
    for row in &diff.context_keys {
        match diff.key_comparison(row, client) {
            KeyComparison::Compared => names_ui(ui, row, "none"),
            KeyComparison::WithNone(side) => {
                is_compared = false;
                let name = row.name(side).unwrap_or_default().into();
                names_ui(ui, &NameRow::Only(side, name), "not computed");
            }
            KeyComparison::NotCompared => {
                is_compared = false;
                let names = Side::BOTH.map(|side| visible(row.name(side).unwrap_or("none")));
                pair_ui(ui, [&names[0], &names[1]], None);
            }
        }
    }
    if !is_compared {
        let rule = "The shipped client computes no context keys: those without a sign are not compared, stored ones with none.";
        egui::Frame::new().inner_margin(Margin::symmetric(12, 4)).show(ui, |ui| {
            ui.label(theme::text(rule, theme::regular(theme::LABEL), tokens(ui).muted));
        });
    }
}

/// Returns the two halves of a row, with room for the sign between them.
fn halves(rect: Rect) -> [Rect; 2] {
    let middle = rect.left() + (rect.width() / 2.0).floor();
    [
        Rect::from_x_y_ranges(rect.left()..=middle - SIGN_WIDTH / 2.0, rect.y_range()),
        Rect::from_x_y_ranges(middle + SIGN_WIDTH / 2.0..=rect.right(), rect.y_range()),
    ]
}

fn pair_ui(ui: &mut Ui, words: [&str; 2], is_same: Option<bool>) {
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, NAME_ROW_HEIGHT, Sense::hover());
    let accessible_name = format!("{}, {}", words[0], words[1]);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &accessible_name));
    let (font, color) = match is_same {
        None => (theme::medium(theme::LABEL), colors.muted),
        Some(_) => (theme::mono(theme::LABEL), colors.text_strong),
    };
    for (half, words) in halves(rect).into_iter().zip(words) {
        let left = half.left() + 12.0;
        let line = widgets::line(ui, words, font.clone(), color, half.right() - left);
        widgets::paint_line(ui.painter(), pos2(left, half.center().y), line);
    }
    match is_same {
        Some(true) => sign_ui(ui, rect, icons::EQUAL, colors.muted),
        Some(false) => sign_ui(ui, rect, icons::EQUAL_NOT, colors.error),
        None => {}
    }
}

fn sign_ui(ui: &Ui, rect: Rect, sign: &str, color: egui::Color32) {
    widgets::paint_icon(ui.painter(), rect.center(), sign, theme::ICON, color);
}

fn names_ui(ui: &mut Ui, names: &NameRow, absent_text: &str) {
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, NAME_ROW_HEIGHT, Sense::hover());
    let (sign, color, accessible_name) = match names {
        NameRow::Both(name) => (icons::EQUAL, colors.muted, format!("{name}, in both")),
        NameRow::Only(Side::Left, name) => {
            (icons::PLUS, colors.good, format!("{name}, only in the request"))
        }
        NameRow::Only(Side::Right, name) => {
            (icons::MINUS, colors.error, format!("{name}, only in the recording"))
        }
        NameRow::Instead(left, right) => {
            (icons::EQUAL_NOT, colors.error, format!("{left} in place of {right}"))
        }
    };
    let accessible_name = visible(&accessible_name);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &*accessible_name));
    for (side, half) in Side::BOTH.into_iter().zip(halves(rect)) {
        let left = half.left() + 12.0;
        let room = half.right() - left;
        let font = || theme::mono(theme::LABEL);
        let Some(name) = names.name(side) else {
            let line = widgets::line(ui, absent_text, font(), colors.muted, room);
            widgets::paint_line(ui.painter(), pos2(left, half.center().y), line);
            continue;
        };
        if !matches!(names, NameRow::Both(_)) {
            // Shown as a change from the recording to the request, which is the newer one.
            let ground = match side {
                Side::Left => colors.added_line,
                Side::Right => colors.removed_line,
            };
            ui.painter().rect_filled(half, 0.0, ground);
        }
        let prefix = machine::tool_prefix(name);
        let rest = name.strip_prefix(prefix).unwrap_or(name);
        let name = |prefix: &str| {
            let words = StyledText::new().with(prefix, font(), colors.muted);
            words.with(&visible(rest), font(), colors.text_strong).galley(ui, room)
        };
        // The part after the prefix distinguishes the names.
        let line = match name(prefix) {
            line if line.elided && !prefix.is_empty() => name("…"),
            line => line,
        };
        widgets::paint_line(ui.painter(), pos2(left, half.center().y), line);
    }
    sign_ui(ui, rect, sign, color);
}

/// Draws a card of rows that fill its width.
pub(super) fn rows_card(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    widgets::card_with(ui, tokens(ui).desk, Margin::symmetric(0, 4), |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        add(ui);
    });
}
