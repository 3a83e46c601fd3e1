//! Paints the faults of a tool response, each of which is injected by a click or a digit key.

use egui::{Key, Rangef, Rect, Sense, Ui, WidgetInfo, vec2};

use super::form_ui::Form;
use author::session::{InjectedFault, fault};
use widgets::theme::{self, tokens};
use widgets::{Line, Row, RowShape, StyledText, icons};
use workbench::SessionsAction;

const CARD: RowShape = RowShape {
    height: 44.0,
    lines: &[14.0, 31.0],
    margins: (10.0, 32.0),
    hair: false,
    radius: theme::RADIUS_CONTROL,
};
/// Width from which a card has room for its icon.
const ICON_MIN_WIDTH: f32 = 176.0;
/// Height of the heading above the cards.
const HEADING_HEIGHT: f32 = 26.0;
/// Total height, including the padding.
pub(super) const HEIGHT: f32 = HEADING_HEIGHT + 3.0 * (CARD.height + theme::GAP) + 2.0 * theme::GAP;

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
pub(super) fn faults_ui(ui: &mut Ui, row: usize, form: &mut Form<'_>) {
    let props = form.props;
    head_ui(ui, row);
    // Read from the file, not remembered: a fault that was typed by hand counts as well.
    let old_fault = props.data.response(row).and_then(fault::detect);
    let room = ui.available_rect_before_wrap();
    // Whole points keep the borders of all cards sharp.
    let size = vec2(((room.width() - 2.0 * theme::GAP) / 3.0).floor(), CARD.height);
    let mut choice = pressed_digit(ui);
    for (index, (_, cap)) in KEYS.iter().enumerate() {
        let fault = InjectedFault::ALL.get(index).copied();
        let place = vec2((index % 3) as f32, (index / 3) as f32);
        let corner = room.min + place * (size + vec2(theme::GAP, theme::GAP));
        let is_on = fault.is_some() && old_fault == fault;
        // Only what was replaced in this run can be restored.
        let reason = (fault.is_none() && !props.has_original_response)
            .then_some("The original response is unknown");
        if card_ui(ui, Rect::from_min_size(corner, size), (fault, cap), (is_on, reason)) {
            choice = Some(fault);
        }
    }
    if let Some(fault) = choice {
        form.push(SessionsAction::Fault(fault));
    }
}

fn head_ui(ui: &mut Ui, row: usize) {
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, HEADING_HEIGHT, Sense::hover());
    let ((), right) = widgets::place_right(ui, rect, |ui| widgets::key_hint(ui, &["Esc"], "close"));
    let effect = "sets status, latency and response in one step";
    let words = StyledText::new()
        .with(
            &format!("Fault in response {}", row + 1),
            theme::medium(theme::ROW),
            tokens.text_strong,
        )
        .after(theme::GAP, effect, theme::regular(theme::LABEL), tokens.muted);
    let line = Line::from(words).icon(icons::ZAP, tokens.warning);
    line.show_in(ui, rect.with_max_x(right - theme::GAP));
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

/// Draws the card of a fault, or the one that removes it, which may be disabled for a reason; returns whether it was clicked.
fn card_ui(
    ui: &mut Ui,
    rect: Rect,
    (fault, cap): (Option<InjectedFault>, &str),
    (is_on, reason): (bool, Option<&str>),
) -> bool {
    let tokens = tokens(ui);
    let (icon, name, effect) = match fault {
        Some(fault) => (fault_icon(fault), fault.name(), fault.does()),
        None => (icons::UNDO_2, "No fault", "as it was before"),
    };
    let sense = if reason.is_none() { Sense::click() } else { Sense::hover() };
    let response = ui.interact(rect, ui.scope_id().with(("fault", name)), sense);
    let (fill, border) =
        if is_on { (tokens.selected, tokens.accent) } else { (tokens.desk, tokens.line) };
    let (title, detail) = match reason {
        None => (tokens.text_strong, tokens.muted),
        Some(_) => (tokens.disabled, tokens.disabled),
    };
    let mut row = Row::new(name)
        .disabled(reason.is_some())
        .fill(fill)
        .border(border)
        .line(Line::new(name, theme::regular(theme::ROW), title))
        .line(Line::new(effect, theme::regular(theme::SMALL), detail));
    let mut shape = CARD;
    if rect.width() >= ICON_MIN_WIDTH {
        shape.margins.0 += theme::ICON + 7.0;
        let x = Rangef::new(rect.left() + CARD.margins.0, rect.right());
        row =
            row.cell(x).line(Line::new("", theme::regular(theme::ROW), detail).icon(icon, detail));
    }
    let response = row.show_as(ui, &shape, rect, response);
    response
        .widget_info(|| WidgetInfo::selected(egui::Role::Button, reason.is_none(), is_on, name));
    widgets::place_right(ui, rect.shrink2(vec2(8.0, 0.0)), |ui| {
        ui.add_enabled_ui(reason.is_none(), |ui| widgets::key_caps(ui, &[cap]));
    });
    let tip = format!("{name}: {effect}");
    widgets::tip(response, reason.unwrap_or(&tip), &[cap]).clicked()
}
