//! Paints the two tables of calls, of which only the rows in sight are laid out.

use egui::{Color32, Id, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::bars_ui::{Along, bars_ui};
use super::calls_ui::{Sight, act};
use super::words::{self, Mark, RowWords, took_nanos};
use crate::ops::diff::{counted, thousands};
use crate::ops::live::log::Row as _;
use crate::ops::live::record::Outcome;
use crate::ops::live::serve::Ended;
use crate::ops::tape::timing::duration;
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, Button, Chosen, Words};
use crate::workbench::{Action, CallId, CallsAction, Command, Listed, Listener};

/// How wide a call's chunks are, its state, and what became of it.
const CHUNKS: f32 = 176.0;
const STATE: f32 = 124.0;
const RESULT: f32 = 136.0;
/// How far the name of a call is from the left edge.
const CALL: f32 = 92.0;

/// What was scrolled to.
#[derive(Default)]
pub(super) struct Seen(Option<CallId>);

/// Where the columns of a row stand.
struct Columns {
    call: f32,
    chunks: f32,
    state: f32,
    result: f32,
    end: f32,
}

impl Columns {
    fn of(rect: Rect) -> Self {
        let end = rect.right() - 8.0;
        let result = end - RESULT;
        let state = result - STATE;
        // In a narrow window the name of a call has to stay legible.
        let room = state - (rect.left() + CALL);
        let chunks = state - CHUNKS.min(room / 2.0).max(60.0);
        Self {
            call: rect.left() + CALL,
            chunks,
            state,
            result,
            end,
        }
    }
}

/// Draws both tables. `viewport` is what of them is in sight.
pub(super) fn tables_ui(
    ui: &mut Ui,
    sight: &Sight<'_>,
    viewport: Rect,
    seen: &mut Seen,
    actions: &mut Vec<Action>,
) {
    let recorded = sight.desk.recorded();
    let served = sight.desk.served();
    if recorded.is_empty() && served.is_empty() {
        return nothing_ui(ui, sight);
    }
    let top = ui.max_rect().top();
    for which in Listener::ALL {
        let is_empty = match which {
            Listener::Recorder => recorded.is_empty(),
            Listener::Server => served.is_empty(),
        };
        // A table that was never wanted takes no room.
        if is_empty && !sight.desk.state(which).is_on() {
            continue;
        }
        heading_ui(ui, sight, which, actions);
        headings_ui(ui, sight, which);
        if is_empty {
            empty_ui(ui, which);
        }
        let (shown, folded) = sight.desk.shown(which);
        rows_ui(
            ui,
            sight,
            (shown, viewport.translate(vec2(0.0, top))),
            seen,
            actions,
        );
        fold_ui(ui, sight, which, folded, actions);
    }
}

/// What stands here before the first call.
fn nothing_ui(ui: &mut Ui, sight: &Sight<'_>) {
    let sentence = match sight.desk.addresses().is_empty() {
        true => "Nothing is recorded or served, and no socket is open.",
        false => "No call came yet. Point a client at the address on the left.",
    };
    widgets::empty_state(ui, sentence, None);
}

fn empty_ui(ui: &mut Ui, which: Listener) {
    let words = match which {
        Listener::Recorder => "No call was recorded yet.",
        Listener::Server => "No call was served yet.",
    };
    widgets::strip(ui, theme::ROW_TWO_LINES, |ui| {
        let color = tokens(ui).muted;
        Words::new()
            .with(words, theme::regular(theme::BODY), color)
            .show(ui);
    });
}

fn heading_ui(ui: &mut Ui, sight: &Sight<'_>, which: Listener, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let desk = sight.desk;
    let (icon, title, count, streaming) = match which {
        Listener::Recorder => {
            let rows = desk.recorded();
            (icons::RADIO, "Recorded calls", rows.len(), rows.streaming())
        }
        Listener::Server => {
            let rows = desk.served();
            (icons::SERVER, "Served calls", rows.len(), rows.streaming())
        }
    };
    let aside = match streaming {
        0 => thousands(count),
        streaming => format!("{}, {} streaming", thousands(count), thousands(streaming)),
    };
    let is_first = which == Listener::Recorder
        || desk.recorded().is_empty() && !desk.state(Listener::Recorder).is_on();
    let left = super::calls_ui::split_row(ui, theme::DESK_HEADER, |ui| {
        if is_first {
            filter_ui(ui, desk.listed(), actions);
        }
        if which == Listener::Server && desk.served().failed() > 0 {
            let failed = desk.served().failed();
            let words = format!("{} without a whole answer", thousands(failed));
            let line = Words::new().with(&words, theme::regular(theme::ROW), colors.error);
            line.show(ui);
            let (icon, _) =
                ui.allocate_exact_size(vec2(theme::ICON, theme::TEXT_LINE), Sense::hover());
            widgets::paint_icon(
                ui.painter(),
                icon.center(),
                icons::CIRCLE_X,
                theme::ICON,
                colors.error,
            );
        }
    });
    let color = match desk.address(which) {
        Some(_) => colors.good,
        None => colors.muted,
    };
    let center = pos2(left.left() + 8.0, left.center().y);
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON_HEADING, color);
    let line = Words::new()
        .with(title, theme::semibold(theme::TITLE), colors.text_strong)
        .after(
            theme::GAP,
            &aside,
            theme::regular(theme::BODY),
            colors.muted,
        );
    let response = ui.interact(left, Id::unique(("calls", title)), Sense::hover());
    let name = format!("{title} {aside}");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Heading, true, &name));
    let line = line.galley(ui, left.width() - theme::INDENT - 2.0);
    widgets::paint_line(
        ui.painter(),
        pos2(left.left() + theme::INDENT + 2.0, left.center().y),
        line,
    );
    hair(ui, left.bottom());
}

fn hair(ui: &Ui, y: f32) {
    let stroke = Stroke::new(1.0, tokens(ui).hair);
    ui.painter().hline(ui.max_rect().x_range(), y - 0.5, stroke);
}

/// Which calls are listed.
fn filter_ui(ui: &mut Ui, listed: Listed, actions: &mut Vec<Action>) {
    let word = |listed| match listed {
        Listed::All => "All calls",
        Listed::Streaming => "Streaming",
        Listed::Failed => "Failed",
    };
    let button = Button::ghost(word(listed))
        .icon(icons::FUNNEL)
        .trailing(icons::CHEVRON_DOWN)
        .tooltip("Which calls are listed");
    let response = ui.add(button);
    widgets::menu(&response, |ui| {
        for choice in Listed::ALL {
            let icon = match choice == listed {
                true => icons::CHECK,
                false => "",
            };
            if widgets::menu_item(ui, icon, word(choice), &[], None).clicked() {
                actions.push(act(CallsAction::List(choice)));
                ui.close();
            }
        }
    });
}

fn headings_ui(ui: &mut Ui, sight: &Sight<'_>, which: Listener) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), theme::TABLE_HEADING);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter().rect_filled(rect, 0.0, colors.panel);
    let columns = Columns::of(rect);
    let chunks = format!(
        "Chunks in time, to {}",
        duration(scale(sight, which) as f64)
    );
    let result = match which {
        Listener::Recorder => "Becomes",
        Listener::Server => "Served, and why",
    };
    let texts = [
        (rect.left() + theme::PADDING, columns.call, "At"),
        (columns.call, columns.chunks, "Call"),
        (columns.chunks, columns.state, &*chunks),
        (columns.state, columns.result, "State"),
        (columns.result, columns.end, result),
    ];
    for (left, right, text) in texts {
        let font = theme::medium(theme::LABEL);
        let line = widgets::line(ui, text, font, colors.muted, right - left - 8.0);
        widgets::paint_line(ui.painter(), pos2(left, rect.center().y), line);
    }
    hair(ui, rect.bottom());
}

/// What the width of the column stands for: the longest of the calls that are shown, rounded up, so that their times can be
/// compared.
fn scale(sight: &Sight<'_>, which: Listener) -> u64 {
    let (shown, _) = sight.desk.shown(which);
    let longest = shown.iter().take(MOST_SCALED).filter_map(|id| match which {
        Listener::Recorder => {
            let call = sight.desk.recorded().get(*id)?;
            let took = call.ended.as_ref().map(|(_, took)| *took);
            Some(took_nanos(call.began.at, took, sight.now))
        }
        Listener::Server => {
            let call = sight.desk.served().get(*id)?;
            let took = call.ended.as_ref().map(|(_, took)| *took);
            let took_nanos = took_nanos(call.began.at, took, sight.now);
            let planned = call.ended.is_none().then_some(call.planned_nanos);
            Some(took_nanos.max(planned.unwrap_or_default()))
        }
    });
    round_up(longest.max().unwrap_or_default())
}

/// How many of the latest calls have a say in the scale.
const MOST_SCALED: usize = 32;

/// The next of 1, 2, 5, 10, 20, 50 and so on.
fn round_up(nanos: u64) -> u64 {
    let mut step: u64 = 100_000_000;
    loop {
        for times in [1, 2, 5] {
            let rounded = step.saturating_mul(times);
            if rounded >= nanos {
                return rounded;
            }
        }
        step = step.saturating_mul(10);
    }
}

fn rows_ui(
    ui: &mut Ui,
    sight: &Sight<'_>,
    (shown, viewport): (&[CallId], Rect),
    seen: &mut Seen,
    actions: &mut Vec<Action>,
) {
    let Some(which) = shown.first().map(|id| id.which) else {
        return;
    };
    let size = vec2(
        ui.available_width(),
        shown.len() as f32 * theme::ROW_TWO_LINES,
    );
    let (all, _) = ui.allocate_exact_size(size, Sense::hover());
    let row_at = |index: usize| {
        let top = all.top() + index as f32 * theme::ROW_TWO_LINES;
        Rect::from_min_size(
            pos2(all.left(), top),
            vec2(all.width(), theme::ROW_TWO_LINES),
        )
    };
    if let Some(selected) = sight.desk.selected()
        && seen.0 != Some(selected)
        && let Some(at) = shown.iter().position(|id| *id == selected)
    {
        seen.0 = Some(selected);
        ui.scroll_to_rect(row_at(at), None);
    }
    let in_sight = |y: f32| ((y - all.top()) / theme::ROW_TWO_LINES).max(0.0) as usize;
    let from = in_sight(viewport.top()).min(shown.len());
    let to = (in_sight(viewport.bottom()) + 1).min(shown.len());
    let scale = scale(sight, which);
    for (index, id) in shown.iter().enumerate().take(to).skip(from) {
        row_ui(ui, sight, (*id, row_at(index), scale), actions);
    }
}

fn row_ui(
    ui: &mut Ui,
    sight: &Sight<'_>,
    (id, rect, scale_nanos): (CallId, Rect, u64),
    actions: &mut Vec<Action>,
) {
    let desk = sight.desk;
    let now = |began| words::nanos_since(began, sight.now);
    let found = match id.which {
        Listener::Recorder => desk.recorded().get(id).map(|call| {
            let cut = match &call.ended {
                Some((Outcome::CutOff(_) | Outcome::Cancelled | Outcome::Stopped, at)) => Some(*at),
                _ => None,
            };
            let along = Along {
                bars: &call.bars,
                scale_nanos,
                now_nanos: call.is_streaming().then(|| now(call.began.at)),
                until_nanos: None,
                cut_nanos: cut,
            };
            (
                words::recorded(call, sight.now, &sight.zone),
                along,
                call.pieces,
            )
        }),
        Listener::Server => desk.served().get(id).map(|call| {
            let cut = match &call.ended {
                Some((Ended::HungUp, at)) => Some(*at),
                Some((Ended::AsRecorded(200), at)) => Some(*at),
                _ => None,
            };
            let along = Along {
                bars: &call.bars,
                scale_nanos,
                now_nanos: call.is_streaming().then(|| now(call.began.at)),
                until_nanos: Some(call.planned_nanos),
                cut_nanos: cut,
            };
            (
                words::served(call, sight.now, &sight.zone),
                along,
                call.chunks,
            )
        }),
    };
    let Some((words, along, chunks)) = found else {
        return;
    };
    let chosen = match desk.selected() == Some(id) {
        true => Chosen::Selected,
        false => Chosen::No,
    };
    let response = widgets::place(ui, rect, |ui| {
        widgets::row(ui, theme::ROW_TWO_LINES, chosen, &words.name())
    });
    if response.clicked() {
        actions.push(act(CallsAction::Select(id)));
    }
    if response.double_clicked() {
        actions.push(Action::Run(Command::OpenSelected));
    }
    cells_ui(ui, rect, &words);
    let columns = Columns::of(rect);
    let track = Rect::from_min_max(
        pos2(columns.chunks, rect.top() + 8.0),
        pos2(columns.state - 16.0, rect.bottom() - 11.0),
    );
    let colors = tokens(ui);
    match chunks == 0 && along.now_nanos.is_none() && along.cut_nanos.is_none() {
        true => {
            let font = theme::regular(theme::LABEL);
            let line = widgets::line(ui, "none", font, colors.muted, track.width());
            widgets::paint_line(ui.painter(), pos2(track.left(), rect.center().y), line);
        }
        false => bars_ui(ui, track, &along),
    }
    hair(ui, rect.bottom());
}

fn cells_ui(ui: &Ui, rect: Rect, words: &RowWords) {
    let colors = tokens(ui);
    let columns = Columns::of(rect);
    let (upper, lower) = (rect.top() + 14.0, rect.top() + 31.0);
    let paint = |left: f32, right: f32, y: f32, text: &str, font, color| {
        let line = widgets::line(ui, text, font, color, right - left - 8.0);
        widgets::paint_line(ui.painter(), pos2(left, y), line);
    };
    let mono = theme::mono(theme::LABEL);
    let left = rect.left() + theme::PADDING;
    paint(
        left,
        columns.call + 8.0,
        rect.center().y,
        &words.at,
        mono.clone(),
        colors.text,
    );
    let title = theme::medium(theme::ROW);
    paint(
        columns.call,
        columns.chunks,
        upper,
        &words.title,
        title,
        colors.text_strong,
    );
    let label = theme::regular(theme::LABEL);
    paint(
        columns.call,
        columns.chunks,
        lower,
        &words.about,
        label.clone(),
        colors.muted,
    );
    mark_ui(
        ui,
        (columns.state, columns.result, upper),
        &words.state,
        colors.text,
    );
    let small = theme::mono(theme::SMALL);
    paint(
        columns.state,
        columns.result,
        lower,
        &words.numbers,
        small,
        colors.muted,
    );
    match words.result.icon.is_empty() {
        true => {
            let (font, color) = match words.result.tone {
                Tone::Note => (mono, colors.accent),
                _ => (theme::regular(theme::ROW), colors.text),
            };
            paint(
                columns.result,
                columns.end,
                upper,
                &words.result.word,
                font,
                color,
            );
        }
        false => mark_ui(
            ui,
            (columns.result, columns.end, upper),
            &words.result,
            colors.text,
        ),
    }
    paint(
        columns.result,
        columns.end,
        lower,
        &words.detail,
        label,
        colors.muted,
    );
}

/// Paints an icon and its word; the good and the plain keep the colour of text.
fn mark_ui(ui: &Ui, (left, right, y): (f32, f32, f32), mark: &Mark, text: Color32) {
    let colors = tokens(ui);
    let word = match mark.tone {
        Tone::Plain | Tone::Good => text,
        Tone::Note => colors.accent,
        tone => colors.tone(tone),
    };
    let icon = match mark.tone {
        Tone::Plain => colors.muted,
        Tone::Note => colors.accent,
        tone => colors.tone(tone),
    };
    let rect = Rect::from_min_max(pos2(left, y - 10.0), pos2(right - 4.0, y + 10.0));
    widgets::paint_icon_word(ui, rect, (mark.icon, icon), (&mark.word, word));
}

/// Earlier calls, which are shown when they are asked for.
fn fold_ui(
    ui: &mut Ui,
    sight: &Sight<'_>,
    which: Listener,
    folded: usize,
    actions: &mut Vec<Action>,
) {
    let is_unfolded = match which {
        Listener::Recorder => sight.desk.recorded().is_unfolded(),
        Listener::Server => sight.desk.served().is_unfolded(),
    };
    let (words, link) = match (folded, is_unfolded) {
        (0, false) => return,
        (0, true) => ("All calls are shown".to_owned(), "Fold"),
        (count, _) => (counted(count, "earlier call", "earlier calls"), "Show"),
    };
    let row = widgets::strip(ui, theme::ROW_HEIGHT, |ui| {
        let color = tokens(ui).muted;
        Words::new()
            .with(&words, theme::regular(theme::ROW), color)
            .show(ui);
        if widgets::link(ui, link).clicked() {
            actions.push(act(CallsAction::ToggleFold(which)));
        }
    });
    hair(ui, row.bottom());
}

/// What the signs of the tables mean.
pub(super) fn legend_ui(ui: &mut Ui) {
    let colors = tokens(ui);
    let top = ui.max_rect().top();
    hair(ui, top + 1.0);
    widgets::place_left(ui, ui.max_rect().shrink2(vec2(theme::PADDING, 0.0)), |ui| {
        ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
        let sign = |ui: &mut Ui, width: f32, paint: &dyn Fn(&Ui, Rect), words: &str| {
            let (rect, _) = ui.allocate_exact_size(vec2(width, 12.0), Sense::hover());
            paint(ui, rect);
            Words::new()
                .with(words, theme::regular(theme::LABEL), tokens(ui).muted)
                .show(ui);
            ui.add_space(theme::GAP);
        };
        let bar = |color: Color32| {
            move |ui: &Ui, rect: Rect| {
                ui.painter().rect_filled(rect, 0.0, color);
            }
        };
        sign(
            ui,
            2.0,
            &bar(colors.accent),
            "a chunk, its height the length",
        );
        sign(ui, 2.0, &bar(colors.text_strong), "now");
        let dashes = |ui: &Ui, rect: Rect| {
            let line = [rect.left_center(), rect.right_center()];
            let stroke = Stroke::new(1.0, tokens(ui).strong);
            ui.painter()
                .extend(egui::Shape::dashed_line(&line, stroke, 2.0, 2.0));
        };
        sign(ui, 12.0, &dashes, "still to come");
        let cross = |ui: &Ui, rect: Rect| {
            let color = tokens(ui).error;
            widgets::paint_icon(ui.painter(), rect.center(), icons::X, theme::ICON, color);
        };
        sign(ui, 12.0, &cross, "cut off");
    });
}
