//! The selected call below the strip: what its client compared, and what differs.

use egui::{Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use super::playback_data::PlaybackData;
use compare::signature::{KeyComparison, MatchingClient, NameRow, SignatureDiff};
use document::diff::Side;
use document::text::{counted, visible};
use play::client::CassettePlay;
use play::playback::{MessagesKnown, PlaybackMode, PlayedCall, RequestOrigin};
use protocol::PlaybackResult;
use widgets::theme::{self, Tone, tokens};
use widgets::{Line, StyledText, icons};

/// Size of a row of names, and the width of the sign between its two halves.
const NAME_ROW: egui::Vec2 = vec2(560.0, 24.0);
const SIGN_WIDTH: f32 = 28.0;
/// From the edge of a half to its name.
const NAME_MARGIN: f32 = 12.0;

/// Draws the call.
pub(super) fn call_ui(ui: &mut Ui, data: &PlaybackData<'_>) {
    let (Some(result), Some(call)) = (data.played(), data.desk.selected()) else { return };
    let area = ScrollArea::vertical().id_salt((data.desk.number, data.desk.call));
    area.auto_shrink(false).show(ui, |ui| {
        widgets::padded(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(theme::GAP, theme::GAP);
            match &result.input.cassette {
                Some(cassette) => cassette_ui(ui, cassette, data.desk.call),
                None => set_ui(ui, data, result, call),
            }
            for remark in data.remarks() {
                widgets::note(ui, &remark);
            }
        });
    });
}

/// Draws the compared parts of a request as chips, and what differs in those that are not.
fn cassette_ui(ui: &mut Ui, cassette: &CassettePlay, call: usize) {
    ui.horizontal_wrapped(|ui| {
        widgets::subtitle(ui, "Compared");
        for name in &cassette.compared {
            widgets::tag(ui, icons::CHECK, &visible(name), Tone::Good);
        }
    });
    let played = cassette.calls.get(call);
    let Some(difference) = played.and_then(|call| call.difference.as_ref()) else { return };
    let other = difference.other + 1;
    if difference.parts.is_empty() {
        let text = "only their order distinguishes them";
        widgets::body(ui, &format!("The request equals that of call {other}: {text}."));
        return;
    }
    ui.horizontal_wrapped(|ui| {
        widgets::subtitle(ui, "Not compared");
        for part in &difference.parts {
            widgets::tag(ui, icons::X, part, Tone::Error);
        }
        let Some((name, sent, recorded)) = &difference.value else { return };
        let words = |value: &str| match (*name, value.parse()) {
            ("messages", Ok(count)) => counted(count, "message", "messages"),
            _ => visible(value).into_owned(),
        };
        widgets::body(ui, if *name == "messages" { "has" } else { name });
        widgets::tag(ui, "", &words(sent), Tone::Good);
        widgets::body(ui, &format!("and call {other} has"));
        widgets::tag(ui, "", &words(recorded), Tone::Error);
    });
}

/// Draws what differs in the signatures of a request and of a recording.
fn set_ui(ui: &mut Ui, data: &PlaybackData<'_>, result: &PlaybackResult, call: &PlayedCall) {
    let compared = data.desk.signatures();
    let number = data.desk.call + 1;
    let note = match compared {
        Some((position, _)) if call.index() == Some(position) => {
            format!("call {number}, recording {}", position + 1)
        }
        Some((position, _)) => format!("call {number}, nearest recording {}", position + 1),
        None => format!("call {number}"),
    };
    ui.horizontal(|ui| {
        widgets::subtitle(ui, "Signature");
        widgets::muted(ui, &note);
        let (icon, tone) = widgets::outcome_style(call.verdict.status());
        widgets::tag(ui, icon, &call.verdict_label(), tone);
    });
    let rows = compared.map_or_else(Vec::new, |(_, diff)| name_rows(result, call, diff));
    if !rows.is_empty() {
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            heading_ui(ui);
            rows.iter().for_each(|row| names_ui(ui, row));
        });
        return;
    }
    let sequential = result.run.rules.mode == PlaybackMode::Sequential;
    let why = match call.verdict.explain() {
        Some(why) => visible(&why).into_owned() + ".",
        None if sequential => "Sequential mode compares no signatures.".to_owned(),
        None if compared.is_some() => "Offered tools and number of messages are equal.".to_owned(),
        None => return,
    };
    widgets::body(ui, &why);
}

/// Returns what differs, as rows: tools, the number of messages, and the context keys that are compared.
fn name_rows(result: &PlaybackResult, call: &PlayedCall, diff: &SignatureDiff) -> Vec<NameRow> {
    let differs = |row: &&NameRow| !matches!(row, NameRow::Both(_));
    let mut rows: Vec<NameRow> = diff.tools.iter().filter(differs).cloned().collect();
    let own = Side::BOTH.map(|side| diff.side(side).own_signature());
    // Clients compare the lists and not the sets of names: a stored list that is not sorted does not match.
    if rows.is_empty() && own[0].tool_names != own[1].tool_names {
        rows.push(NameRow::Instead("sorted".into(), "stored in another order".into()));
    }
    let [messages, recorded] = own.map(|own| own.message_count as usize);
    // Some logs do not print the number of messages.
    if call.request.messages_known() == MessagesKnown::Yes && messages != recorded {
        let words = |count| counted(count, "message", "messages").into();
        rows.push(NameRow::Instead(words(messages), words(recorded)));
    }
    let client = match call.request.origin {
        _ if !result.run.rules.client.computes_context_keys() => MatchingClient::Shipped,
        // A log prints no keys.
        RequestOrigin::Log { .. } => return rows,
        _ => MatchingClient::Documented,
    };
    let is_compared =
        |row: &&NameRow| diff.key_comparison(row, client) != KeyComparison::NotCompared;
    rows.extend(diff.context_keys.iter().filter(is_compared).filter(differs).cloned());
    rows
}

/// Returns the two halves of a row, with room for the sign between them.
fn halves(rect: Rect) -> [Rect; 2] {
    let half = (rect.width() - SIGN_WIDTH) / 2.0;
    [rect.with_max_x(rect.left() + half), rect.with_min_x(rect.right() - half)]
}

fn allocate_names(ui: &mut Ui) -> (Rect, egui::Response) {
    let width = NAME_ROW.x.min(ui.available_width());
    ui.allocate_exact_size(vec2(width, NAME_ROW.y), Sense::hover())
}

fn heading_ui(ui: &mut Ui) {
    let (rect, response) = allocate_names(ui);
    widgets::describe(&response, Role::Label, "Recorded, offered now");
    for (half, words) in halves(rect).into_iter().zip(["Recorded", "Offered now"]) {
        let line = Line::new(words, theme::medium(theme::LABEL), tokens(ui).text_strong);
        line.show_in(ui, half.with_min_x(half.left() + NAME_MARGIN));
    }
}

fn names_ui(ui: &mut Ui, names: &NameRow) {
    let colors = tokens(ui);
    let (rect, response) = allocate_names(ui);
    let (sign, color, name) = match names {
        NameRow::Both(name) => (icons::EQUAL, colors.muted, format!("{name}, in both")),
        NameRow::Only(Side::Left, name) => {
            (icons::PLUS, colors.good, format!("{name}, only in the request"))
        }
        NameRow::Only(Side::Right, name) => {
            (icons::MINUS, colors.error, format!("{name}, only in the recording"))
        }
        NameRow::Instead(left, right) => {
            (icons::EQUAL_NOT, colors.warning, format!("{left} in place of {right}"))
        }
    };
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &*visible(&name)));
    // What was recorded is at the left, as in every comparison. Here it is the right side: a request looks for its recording.
    for (side, half) in Side::BOTH.into_iter().rev().zip(halves(rect)) {
        let Some(name) = names.name(side) else { continue };
        // Shown as a change from the recording to the request, which is the newer one.
        let ground = match side {
            Side::Left => colors.added_line,
            Side::Right => colors.removed_line,
        };
        ui.painter().rect_filled(half, 0.0, ground);
        let prefix = machine::tool_prefix(name);
        let rest = visible(name.strip_prefix(prefix).unwrap_or(name));
        let text = StyledText::of(prefix, colors.muted_data()).add(&rest, colors.data());
        Line::from(text).show_in(ui, half.shrink2(vec2(NAME_MARGIN, 0.0)));
    }
    let sign = Line::default().sign(sign, color);
    sign.show_in(ui, rect.with_min_x(rect.center().x - theme::ICON / 2.0));
}
