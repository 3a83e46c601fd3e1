//! Paints the column at the left: the recorder, the server, and how a client is pointed at them.

use egui::{Align, Frame, Layout, Margin, Panel, RichText, ScrollArea, Sense, Ui, pos2, vec2};
use jiff::Timestamp;

use super::calls_ui::{CallsView, act};
use crate::ops::diff::counted;
use crate::ops::live::serve::Otherwise;
use crate::ops::playback::Mode;
use crate::ops::tape::playback::Speed;
use crate::ops::tape::verify::Strictness;
use crate::text::visible;
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, Button, Words};
use crate::workbench::{
    Action, CallsAction, CallsDesk, ClientKind, Command, ListenState, Listener, RecordOrder,
    ServeOrder, Workbench,
};

/// How wide the names of facts are.
const NAMES: f32 = 76.0;
/// How many sets are named.
const MOST_SETS: usize = 4;

/// Draws the column at the left: the recorder and the server.
pub(in crate::ui::live) fn runs_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    _view: &mut CallsView,
    actions: &mut Vec<Action>,
) {
    let desk = workbench.live_desk().calls();
    if !desk.addresses().is_empty() {
        let frame = Frame::new().inner_margin(Margin::symmetric(16, 0));
        Panel::bottom("what listens")
            .exact_size(theme::DESK_HEADER)
            .resizable(false)
            .frame(frame)
            .show(ui, |ui| foot_ui(ui, desk, actions));
    }
    let area = ScrollArea::vertical().id_salt("runs").auto_shrink(false);
    area.show(ui, |ui| {
        for which in Listener::ALL {
            section(ui, |ui| station_ui(ui, workbench, which, actions));
            widgets::hair_line(ui);
        }
        section(ui, |ui| client_ui(ui, desk, actions));
        widgets::hair_line(ui);
    });
}

fn section(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    let frame = Frame::new().inner_margin(Margin::symmetric(16, 12));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
        content(ui);
    });
}

/// One of the two: where it listens and as what, or how it is started.
fn station_ui(ui: &mut Ui, workbench: &Workbench, which: Listener, actions: &mut Vec<Action>) {
    let desk = workbench.live_desk().calls();
    let state = desk.state(which);
    let (icon, name, start) = match which {
        Listener::Recorder => (icons::RADIO, "Recorder", Command::RecordCalls),
        Listener::Server => (icons::SERVER, "Serve", Command::ServeCalls),
    };
    head_ui(ui, icon, name, state);
    match state {
        ListenState::Listening { .. } => {
            address_ui(ui, desk, which, actions);
            ui.add_space(6.0);
            match which {
                Listener::Recorder => {
                    let order = desk.recorder().order();
                    order.iter().for_each(|order| recorder_ui(ui, order));
                }
                Listener::Server => {
                    let order = desk.server().order();
                    order.iter().for_each(|order| server_ui(ui, desk, order));
                }
            }
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                let stop = match which {
                    Listener::Recorder => Command::StopRecording,
                    Listener::Server => Command::StopServing,
                };
                let button = Button::secondary("Stop").icon(icons::SQUARE);
                if ui.add(button.tooltip(stop.name())).clicked() {
                    actions.push(act(CallsAction::Stop(which)));
                }
                let tip = format!("{name}: start it otherwise");
                if ui.add(Button::ghost("Change…").tooltip(&tip)).clicked() {
                    actions.push(act(CallsAction::Ask(which)));
                }
            });
        }
        ListenState::Starting | ListenState::Stopping => {
            ui.add_space(6.0);
            let button = Button::secondary("Stop").icon(icons::SQUARE);
            let reason = (*state == ListenState::Stopping).then_some("it is being stopped");
            if ui.add(button.disabled(reason)).clicked() {
                actions.push(act(CallsAction::Stop(which)));
            }
        }
        ListenState::Off | ListenState::Failed(_) => {
            ui.add_space(4.0);
            let words = match (state, which) {
                (ListenState::Failed(fault), _) => format!("{}.", fault.words),
                (_, Listener::Recorder) => {
                    "Stands between a client and a model, and keeps each call as a tape.".to_owned()
                }
                (_, Listener::Server) => {
                    "Plays tapes and recording sets to clients, in place of the model.".to_owned()
                }
            };
            let color = match state {
                ListenState::Failed(_) => tokens(ui).error,
                _ => tokens(ui).muted,
            };
            sentence(ui, &words, color);
            ui.add_space(8.0);
            let button = Button::secondary(start.name()).command(start, start.enabled(workbench));
            if ui.add(button).clicked() {
                actions.push(Action::Run(start));
            }
        }
    }
}

fn sentence(ui: &mut Ui, words: &str, color: egui::Color32) {
    let text = RichText::new(visible(words)).font(theme::regular(theme::ROW));
    ui.label(text.color(color).line_height(Some(18.0)));
}

fn head_ui(ui: &mut Ui, icon: &str, name: &str, state: &ListenState) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), theme::CONTROL);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let (sign, tone, word) = match state {
        ListenState::Off => ("", Tone::Plain, "off"),
        ListenState::Starting => (icons::HOURGLASS, Tone::Note, "starting"),
        ListenState::Listening { .. } => (icons::CIRCLE_CHECK, Tone::Good, "running"),
        ListenState::Stopping => (icons::HOURGLASS, Tone::Note, "stopping"),
        ListenState::Failed(_) => (icons::CIRCLE_X, Tone::Error, "not started"),
    };
    let said = format!("{name}: {word}");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Heading, true, &said));
    let color = match tone {
        Tone::Plain => colors.muted,
        tone => colors.tone(tone),
    };
    let middle = rect.center().y;
    widgets::paint_icon(
        ui.painter(),
        pos2(rect.left() + 8.0, middle),
        icon,
        theme::ICON_HEADING,
        color,
    );
    let line = widgets::line(
        ui,
        name,
        theme::semibold(theme::BODY),
        colors.text_strong,
        140.0,
    );
    widgets::paint_line(
        ui.painter(),
        pos2(rect.left() + theme::INDENT + 2.0, middle),
        line,
    );
    let line = widgets::line(ui, word, theme::regular(theme::ROW), color, 120.0);
    let left = rect.right() - line.size().x;
    widgets::paint_line(ui.painter(), pos2(left, middle), line);
    widgets::paint_icon(
        ui.painter(),
        pos2(left - 11.0, middle),
        sign,
        theme::ICON,
        color,
    );
}

/// Where one of the two listens, to be copied.
fn address_ui(ui: &mut Ui, desk: &CallsDesk, which: Listener, actions: &mut Vec<Action>) {
    let Some(address) = desk.address(which) else {
        return;
    };
    let colors = tokens(ui);
    ui.add_space(2.0);
    let size = vec2(ui.available_width(), theme::CONTROL);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    framed(ui, rect);
    let ((), right) = widgets::place_right(ui, rect.shrink2(vec2(2.0, 0.0)), |ui| {
        let name = match which {
            Listener::Recorder => "Copy the recorder's URL",
            Listener::Server => "Copy the server's URL",
        };
        if ui.add(Button::icon_only(icons::COPY, name)).clicked() {
            actions.push(act(CallsAction::CopyUrl(which)));
        }
    });
    let inner = rect.with_min_x(rect.left() + 9.0).with_max_x(right);
    widgets::place_left(ui, inner, |ui| {
        let font = theme::mono(theme::LABEL);
        Words::new()
            .with(&address.to_string(), font, colors.text_strong)
            .show(ui);
    });
}

fn framed(ui: &Ui, rect: egui::Rect) {
    let colors = tokens(ui);
    let stroke = egui::Stroke::new(1.0, colors.line);
    let kind = egui::StrokeKind::Inside;
    ui.painter()
        .rect(rect, theme::RADIUS_CONTROL, colors.input, stroke, kind);
}

/// A fact: its name, and what it is, which may take several lines.
fn fact(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) {
    let left = ui.available_rect_before_wrap();
    let line = widgets::line(
        ui,
        name,
        theme::regular(theme::ROW),
        tokens(ui).muted,
        NAMES,
    );
    widgets::paint_line(ui.painter(), pos2(left.left(), left.top() + 13.0), line);
    ui.horizontal_top(|ui| {
        ui.add_space(NAMES);
        ui.vertical(|ui| {
            ui.set_width(ui.available_width());
            ui.add_space(2.0);
            content(ui);
            ui.add_space(2.0);
        });
    });
}

fn data(ui: &mut Ui, words: &str) {
    let text = RichText::new(visible(words)).font(theme::mono(theme::LABEL));
    let color = tokens(ui).text_strong;
    let label = egui::Label::new(text.color(color).line_height(Some(theme::TEXT_LINE)));
    ui.add(label.wrap_mode(egui::TextWrapMode::Wrap));
}

fn plain(ui: &mut Ui, words: &str) {
    let text = RichText::new(words).font(theme::regular(theme::ROW));
    let color = tokens(ui).text;
    ui.label(text.color(color).line_height(Some(theme::TEXT_LINE)));
}

fn recorder_ui(ui: &mut Ui, order: &RecordOrder) {
    let upstream = order
        .upstream
        .split_once("://")
        .map_or(&*order.upstream, |(_, rest)| rest);
    fact(ui, "Upstream", |ui| data(ui, upstream));
    fact(ui, "Into", |ui| data(ui, &format!("{}/", order.folder)));
    if let Some(label) = &order.label {
        fact(ui, "Label", |ui| plain(ui, &visible(label)));
    }
    fact(ui, "Keys", |ui| plain(ui, "passed on, never written"));
}

fn server_ui(ui: &mut Ui, desk: &CallsDesk, order: &ServeOrder) {
    let offer = desk.on_offer();
    fact(ui, "From", |ui| {
        if offer.tapes > 0 {
            plain(ui, &counted(offer.tapes, "tape", "tapes"));
        }
        for (folder, recordings) in offer.sets.iter().take(MOST_SETS) {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            set_ui(ui, &format!("{name}/"), *recordings);
        }
        let more = offer.sets.len().saturating_sub(MOST_SETS);
        if more > 0 {
            plain(
                ui,
                &format!("and {}", counted(more, "more set", "more sets")),
            );
        }
    });
    fact(ui, "Match", |ui| plain(ui, &matching(order)));
    fact(ui, "Speed", |ui| plain(ui, &speed(order.speed)));
    if let Some(first) = offer.faults.first() {
        ui.add_space(4.0);
        let more = match offer.faults.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let color = tokens(ui).warning;
        sentence(ui, &format!("Left out: {first}{more}."), color);
    }
}

fn set_ui(ui: &mut Ui, name: &str, recordings: usize) {
    let colors = tokens(ui);
    ui.horizontal(|ui| {
        ui.set_height(theme::TEXT_LINE);
        Words::new()
            .with(
                &visible(name),
                theme::mono(theme::LABEL),
                colors.text_strong,
            )
            .after(
                6.0,
                &recordings.to_string(),
                theme::regular(theme::ROW),
                colors.muted,
            )
            .show(ui);
    });
}

/// How a call finds its answer, in a few words.
fn matching(order: &ServeOrder) -> String {
    let first = match order.rules.tapes {
        Strictness::Strict => "strict",
        Strictness::Loose => "loose",
    };
    let then = match order.rules.mode {
        Mode::Hybrid => "hybrid",
        Mode::Signature => "signature",
        Mode::Sequential => "sequential",
    };
    match order.rules.otherwise {
        Otherwise::Refuse => format!("{first}, then {then}"),
        Otherwise::Next => format!("{first}, then {then}, then the next tape"),
    }
}

fn speed(speed: Speed) -> String {
    match speed {
        Speed::Instant => "at once".to_owned(),
        Speed::Times(1.0) => "1×, as recorded".to_owned(),
        Speed::Times(times) => format!("{times}×"),
    }
}

/// How a client is pointed at what listens.
fn client_ui(ui: &mut Ui, desk: &CallsDesk, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    widgets::heading(ui, "", "Point a client here", "");
    ui.add_space(8.0);
    let Some((which, address)) = desk.pointed() else {
        let words = "The base URL for its SDK shows here once something runs.";
        return sentence(ui, words, colors.muted);
    };
    if desk.addresses().len() > 1 {
        let segments = ["Recorder", "Serve"].map(widgets::Segment::text);
        let chosen = Listener::ALL.iter().position(|other| *other == which);
        let pressed = widgets::segmented(ui, &segments, chosen.unwrap_or_default());
        if let Some(which) = pressed.and_then(|at| Listener::ALL.get(at)) {
            actions.push(act(CallsAction::PointAt(*which)));
        }
        ui.add_space(8.0);
    }
    let segments = ["Anthropic", "OpenAI", "Gemini"].map(widgets::Segment::text);
    let chosen = ClientKind::ALL
        .iter()
        .position(|client| *client == desk.client());
    let pressed = widgets::segmented(ui, &segments, chosen.unwrap_or_default());
    if let Some(client) = pressed.and_then(|at| ClientKind::ALL.get(at)) {
        actions.push(act(CallsAction::ShowClient(*client)));
    }
    ui.add_space(8.0);
    let (name, url) = desk.client().variable(address);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 56.0), Sense::hover());
    framed(ui, rect);
    let ((), right) = widgets::place_right(ui, rect.shrink2(vec2(2.0, 0.0)), |ui| {
        let copy = Button::icon_only(icons::COPY, Command::CopyBaseUrl.name());
        if ui.add(copy.command(Command::CopyBaseUrl, Ok(()))).clicked() {
            actions.push(act(CallsAction::CopyVariable));
        }
    });
    let inner = rect.shrink2(vec2(12.0, 8.0)).with_max_x(right);
    widgets::place(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        let font = || theme::mono(theme::LABEL);
        let words = Words::new().with(name, font(), colors.key);
        words.with("=", font(), colors.muted).show(ui);
        Words::new().with(&url, font(), colors.string).show(ui);
    });
    ui.add_space(8.0);
    let words = match desk.addresses().len() {
        1 => "Only this computer can reach this address.",
        _ => "Only this computer can reach these two addresses.",
    };
    let center = ui.cursor().min + vec2(7.0, 9.0);
    let icon = icons::MONITOR;
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON, colors.muted);
    widgets::indented(ui, |ui| sentence(ui, words, colors.muted));
}

/// For how long something listens, and how all of it ends.
fn foot_ui(ui: &mut Ui, desk: &CallsDesk, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let since = [desk.recorder().since(), desk.server().since()];
    let Some(since) = since.into_iter().flatten().min() else {
        return;
    };
    // The minutes go on by themselves.
    ui.ctx()
        .request_repaint_after(std::time::Duration::from_secs(20));
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let words = match desk.addresses().len() {
            1 => "Stop",
            _ => "Stop both",
        };
        let stop = widgets::link(ui, words);
        if widgets::tip(stop, "Ends all that listens", &[] as &[&str]).clicked() {
            actions.push(act(CallsAction::StopBoth));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let (icon, _) =
                ui.allocate_exact_size(vec2(theme::ICON, theme::TEXT_LINE), Sense::hover());
            widgets::paint_icon(
                ui.painter(),
                icon.center(),
                icons::RADIO,
                theme::ICON,
                colors.muted,
            );
            let words = listening(since, Timestamp::now());
            Words::new()
                .with(&words, theme::regular(theme::ROW), colors.muted)
                .show(ui);
        });
    });
}

/// For how long something listens, in minutes: nobody reads seconds that go by.
fn listening(since: Timestamp, now: Timestamp) -> String {
    match now.duration_since(since).as_mins() {
        ..1 => "Listening since now".to_owned(),
        minutes @ 1..60 => format!("Listening for {minutes} min"),
        minutes => format!("Listening for {} h {} min", minutes / 60, minutes % 60),
    }
}
