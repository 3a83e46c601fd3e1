//! Paints the faults of a tool response, each of which is injected by a click or a digit key.

use egui::{Key, Rect, Role, Sense, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::form_state::FormState;
use author::session::{InjectedFault, fault};
use widgets::theme::{self, tokens};
use widgets::{Caps, StyledText, icons};
use workbench::SessionsAction;

/// Height of a card.
const CARD_HEIGHT: f32 = 44.0;
/// Width from which a card has room for its icon.
const ICON_MIN_WIDTH: f32 = 176.0;
/// Height of the heading above the cards.
const HEADING_HEIGHT: f32 = 26.0;
/// Total height, including the padding.
pub(super) const HEIGHT: f32 = HEADING_HEIGHT + 3.0 * (CARD_HEIGHT + theme::GAP) + 2.0 * theme::GAP;

/// The digit keys, in the order of the cards; the last one removes a fault.
const KEYS: [(Key, &str); 9] = [
    (Key::Num1, "1"),
    (Key::Num2, "2"),
    (Key::Num3, "3"),
    (Key::Num4, "4"),
    (Key::Num5, "5"),
    (Key::Num6, "6"),
    (Key::Num7, "7"),
    (Key::Num8, "8"),
    (Key::Num0, "0"),
];

/// Draws the cards.
pub(super) fn faults_ui(ui: &mut Ui, row: usize, state: &mut FormState<'_>) {
    let props = state.props;
    head_ui(ui, row);
    // Read from the file, not remembered: a fault that was typed by hand counts as well.
    let old_fault = props.data.response(row).and_then(fault::detect);
    let faults = InjectedFault::ALL.iter().copied().map(Some).chain([None]);
    let room = ui.available_rect_before_wrap();
    // Whole points keep the borders of all cards sharp.
    let width = ((room.width() - 2.0 * theme::GAP) / 3.0).floor();
    let mut choice = pressed_digit(ui);
    for (index, fault) in faults.enumerate() {
        let (column, line) = ((index % 3) as f32, (index / 3) as f32);
        let corner = vec2(column * (width + theme::GAP), line * (CARD_HEIGHT + theme::GAP));
        let rect = Rect::from_min_size(room.min + corner, vec2(width, CARD_HEIGHT));
        let card = FaultCard {
            fault,
            is_on: fault.is_some() && old_fault == fault,
            // Only what was replaced in this run can be restored.
            reason: (fault.is_none() && !props.has_original_response)
                .then_some("The original response is unknown"),
            cap: KEYS[index].1,
        };
        if card_ui(ui, rect, &card) {
            choice = Some(fault);
        }
    }
    if let Some(fault) = choice {
        state.push(SessionsAction::Fault(fault));
    }
}

fn head_ui(ui: &mut Ui, row: usize) {
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, HEADING_HEIGHT, Sense::hover());
    let ((), right) = widgets::place_right(ui, rect, |ui| {
        widgets::key_hint(ui, &["Esc"], "close");
    });
    let center = pos2(rect.left() + 7.0, rect.center().y);
    widgets::paint_icon(ui.painter(), center, icons::ZAP, theme::ICON, tokens.warning);
    let left = rect.left() + theme::INDENT;
    let title = format!("Fault in response {}", row + 1);
    let effect = "sets status, latency and response in one step";
    let line = StyledText::new()
        .with(&title, theme::medium(theme::ROW), tokens.text_strong)
        .after(theme::GAP, effect, theme::regular(theme::LABEL), tokens.muted)
        .galley(ui, right - theme::GAP - left);
    widgets::paint_line(ui.painter(), pos2(left, rect.center().y), line);
}

/// Returns the fault of the pressed digit key, unless the digit was typed into a field.
fn pressed_digit(ui: &Ui) -> Option<Option<InjectedFault>> {
    // A status or a latency starts with a digit, too.
    if ui.ctx().text_edit_focused() {
        return None;
    }
    let is_pressed = |(key, _): &(Key, &str)| {
        ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, *key))
    };
    let index = KEYS.iter().position(is_pressed)?;
    Some(InjectedFault::ALL.get(index).copied())
}

/// Returns the icon of a fault.
pub(super) fn fault_icon(fault: InjectedFault) -> &'static str {
    match fault {
        InjectedFault::GatewayTimeout => icons::TIMER_OFF,
        InjectedFault::ConnectionReset => icons::UNPLUG,
        InjectedFault::RateLimit => icons::GAUGE,
        InjectedFault::EmptyAnswer => icons::CIRCLE_DASHED,
        InjectedFault::MalformedJson => icons::BRACES,
        InjectedFault::TruncatedAnswer => icons::SCISSORS,
        InjectedFault::SlowAnswer => icons::SNAIL,
        InjectedFault::HostileContent => icons::SYRINGE,
    }
}

struct FaultCard<'a> {
    /// `None` removes a fault.
    fault: Option<InjectedFault>,
    is_on: bool,
    /// Reason why the card is disabled.
    reason: Option<&'a str>,
    cap: &'a str,
}

impl FaultCard<'_> {
    fn labels(&self) -> (&'static str, &'static str, &'static str) {
        let Some(fault) = self.fault else {
            return (icons::UNDO_2, "No fault", "as it was before");
        };
        (fault_icon(fault), fault.name(), fault.does())
    }
}

/// Draws a card; returns whether it was clicked.
fn card_ui(ui: &mut Ui, rect: Rect, card: &FaultCard<'_>) -> bool {
    let tokens = tokens(ui);
    let (icon, name, effect) = card.labels();
    let is_enabled = card.reason.is_none();
    let sense = if is_enabled { Sense::click() } else { Sense::hover() };
    let response = ui.interact(rect, ui.scope_id().with(("fault", name)), sense);
    response.widget_info(|| WidgetInfo::selected(Role::Button, is_enabled, card.is_on, name));
    let (fill, line) = match (card.is_on, is_enabled && response.hovered()) {
        (true, _) => (tokens.selected, tokens.accent),
        (false, true) => (tokens.quiet, tokens.strong),
        (false, false) => (tokens.desk, tokens.line),
    };
    let painter = ui.painter();
    painter.rect(rect, theme::RADIUS_CONTROL, fill, (1.0, line), StrokeKind::Inside);
    let (title_color, detail_color) = if is_enabled {
        (tokens.text_strong, tokens.muted)
    } else {
        (tokens.disabled, tokens.disabled)
    };
    let middle = rect.center().y;
    let has_icon = rect.width() >= ICON_MIN_WIDTH;
    if has_icon {
        widgets::paint_icon(
            painter,
            pos2(rect.left() + 17.0, middle),
            icon,
            theme::ICON,
            detail_color,
        );
    }
    let caps =
        if is_enabled { Caps::new(ui, &[card.cap]) } else { Caps::disabled(ui, &[card.cap]) };
    let right = rect.right() - 8.0 - caps.width();
    caps.paint(ui.painter(), pos2(right, middle));
    let left = rect.left() + if has_icon { 31.0 } else { 10.0 };
    let room = right - 6.0 - left;
    let title = widgets::line(ui, name, theme::regular(theme::ROW), title_color, room);
    widgets::paint_line(ui.painter(), pos2(left, rect.top() + 14.0), title);
    let detail = widgets::line(ui, effect, theme::regular(theme::SMALL), detail_color, room);
    widgets::paint_line(ui.painter(), pos2(left, rect.top() + 31.0), detail);
    widgets::focus_ring(ui, &response, theme::RADIUS_CONTROL);
    let tip = format!("{name}: {effect}");
    let tip = card.reason.unwrap_or(&tip);
    widgets::tip(response, tip, &[card.cap]).clicked()
}
