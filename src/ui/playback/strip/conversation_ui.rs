//! The panel beside the strip: the calls up to the playhead as a conversation.

use egui::{Rect, Ui, pos2, vec2};

use super::strip_props::StripProps;
use crate::playback::playback_data::PlaybackData;
use document::text::visible;
use play::playback::strip_picture::block_style;
use widgets::icons;
use widgets::picture;
use widgets::theme::{self, tokens};
use widgets::{Line, List, Row, RowShape, RowSlot, StyledText};
use workbench::{Actions, InspectorPlacement, PlaybackAction};

const TURN_ROW: RowShape =
    RowShape { height: 76.0, lines: &[18.0, 38.0, 58.0], ..RowShape::TWO_LINES };

/// Height of the summary bar.
pub const SUMMARY_HEIGHT: f32 = 44.0;

/// Draws the bar below the calls of a narrow window: the verdict on the selected call, and the button of the conversation.
pub fn summary_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let Some(call) = data.desk.selected() else { return };
    let colors = tokens(ui);
    let inner = widgets::selection_line(ui, actions);
    let (icon, tone) = widgets::outcome_style(call.verdict.status());
    let text = format!("Call {}: {}.", data.desk.call + 1, call.verdict_label());
    let word = (&*visible(&text), colors.text);
    widgets::Line::icon_word((icon, colors.tone(tone)), word).show_in(ui, inner);
}

/// Draws the conversation up to the playhead.
pub fn conversation_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    placement: InspectorPlacement,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let Some(props) = StripProps::new(data) else { return };
    let close = |ui: &mut Ui, actions: &mut Actions| {
        widgets::close_button(ui, placement, "Close the conversation", actions);
    };
    widgets::header(ui, actions, close, |ui, _| drop(widgets::title(ui, "Conversation")));
    // With the number of the run, so that another run scrolls to its call, too.
    let shown_call = (data.desk.number, props.call());
    // The call after the playhead is a skeleton; later ones are not known yet, as in the run itself.
    let count = props.strip.blocks.len().min(props.call() + 2);
    List::new("Conversation", &TURN_ROW, count)
        .selection(Some(shown_call), |_| Some(shown_call.1))
        .show(ui, |slot| turn_ui(slot, &props, actions));
}

fn turn_ui(slot: &mut RowSlot<'_>, props: &StripProps<'_>, actions: &mut Actions) {
    let colors = tokens(slot.ui);
    let number = slot.index;
    let (Some(block), Some(call)) =
        (props.strip.blocks.get(number), props.played.run.calls.get(number))
    else {
        return;
    };
    let is_played = props.is_played(number);
    let (icon, color, title_color) = if is_played {
        let (icon, color, _) = block_style(block);
        (icon.sign(), picture::color(slot.ui, color), colors.text_strong)
    } else {
        (icons::CLOCK, colors.muted, colors.muted)
    };
    let title = format!("Call {}", number + 1);
    let lane = props.strip.lane_name(block.lane);
    let start = props.strip.start_label(number).unwrap_or_default();
    let heading = StyledText::of(&title, (theme::semibold(theme::BODY), title_color));
    let heading = Line::from(heading.with_gap(&lane, colors.label()));
    let time = StyledText::of(&start, colors.muted_data());
    let mut row = Row::new(props.strip.block_name(&props.played.run, number, is_played))
        .selected(props.call() == number)
        .line(heading.icon(icon, color).right(time));
    // An answer is hidden until the playhead reaches it, as in the run itself.
    if is_played {
        let recording = call.index().and_then(|index| props.played.run.set.recordings.get(index));
        let words = match recording {
            Some(recording) if recording.words.is_empty() => "(no text)".to_owned(),
            Some(recording) => visible(&recording.words).into_owned(),
            None => "(no answer)".to_owned(),
        };
        row = row.line(Line::new(&words, theme::regular(theme::ROW), colors.text).under_icon());
        if let Some(tool) = recording.and_then(|recording| recording.calls.first()) {
            let prefix = machine::tool_prefix(tool);
            let (font, muted) = colors.muted_data();
            let tool = StyledText::new()
                .with(icons::tool(tool), theme::icon(theme::ICON_TAG), muted)
                .after(theme::ICON_GAP, prefix, font, muted)
                .add(&visible(&tool[prefix.len()..]), colors.data());
            row = row.line(Line::from(tool).under_icon());
        }
    }
    let response = slot.show(row);
    if !is_played {
        let left = slot.rect.left() + theme::PADDING + theme::INDENT;
        let room = slot.rect.right() - theme::PADDING - left;
        for (y, share) in [(38.0, 0.8), (58.0, 0.5)] {
            let corner = pos2(left, slot.rect.top() + y - 4.0);
            widgets::skeleton_bar(slot.ui, Rect::from_min_size(corner, vec2(room * share, 8.0)));
        }
    }
    widgets::on_click(&response, PlaybackAction::ShowCall(number), actions);
}
