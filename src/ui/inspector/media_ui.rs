//! Paints the pictures and sounds of a call.

use std::sync::Arc;

use egui::{
    Color32, ColorImage, CornerRadius, Rect, Role, Sense, Stroke, StrokeKind, TextureHandle,
    TextureOptions, Ui, WidgetInfo, pos2, vec2,
};

use super::content::MediaSpot;
use super::paint;
use calls::media::{Medium, MediumContent, Picture, Sound};
use document::text::{bytes, counted};
use protocol::MediaKey;
use widgets::icons;
use widgets::theme::{self, tokens};

/// Greatest width of a picture.
const MAX_PICTURE_WIDTH: f32 = 448.0;
/// Height of the bar of a sound.
const SOUND_HEIGHT: f32 = 40.0;
/// Width of a bar of a wave, and the distance to the next.
const WAVE_BAR_WIDTH: f32 = 2.0;
const WAVE_BAR_STEP: f32 = 4.0;

/// The media of a call, with the textures of those that were painted.
#[derive(Default)]
pub(super) struct MediaTextures {
    key: Option<MediaKey>,
    media: Option<Arc<[Medium]>>,
    textures: Vec<Option<TextureHandle>>,
}

impl MediaTextures {
    /// Shows these media; textures of the same ones stay.
    pub(super) fn show(&mut self, shown: Option<(MediaKey, &Arc<[Medium]>)>) {
        if self.key != shown.map(|(key, _)| key) {
            self.key = shown.map(|(key, _)| key);
            self.media = shown.map(|(_, media)| Arc::clone(media));
            self.textures = vec![None; self.media.as_ref().map_or(0, |media| media.len())];
        }
    }

    /// Returns the media of a side, with their indexes.
    fn of(&self, is_answer: bool) -> impl Iterator<Item = (usize, &Medium)> {
        let media = self.media.iter().flat_map(|media| media.iter().enumerate());
        media.filter(move |(_, medium)| medium.is_answer == is_answer)
    }

    /// Returns the only medium of the answer, which the layers of its body lead to.
    pub(super) fn only_answer(&self) -> Option<&Medium> {
        let mut media = self.of(true);
        let (_, medium) = media.next()?;
        media.next().is_none().then_some(medium)
    }

    /// Returns the size of the only picture of a side, as its heading says it.
    pub(super) fn picture_size(&self, is_answer: bool) -> Option<String> {
        let mut media = self.of(is_answer);
        let (_, medium) = media.next()?;
        match &medium.content {
            MediumContent::Picture(picture) if media.next().is_none() => Some(size_text(picture)),
            _ => None,
        }
    }
}

fn size_text(picture: &Picture) -> String {
    let [width, height] = picture.size;
    format!("{width} × {height}")
}

/// Paints the media of a side below each other; without them, the number of pictures that the messages name.
pub(super) fn media_ui(ui: &mut Ui, spot: MediaSpot, state: &mut MediaTextures) {
    let indexes: Vec<usize> = state.of(spot.is_answer).map(|(index, _)| index).collect();
    if indexes.is_empty() && spot.named_pictures > 0 {
        let pictures = counted(spot.named_pictures, "picture", "pictures");
        quiet_line(ui, icons::IMAGE, &format!("{pictures}, not in the file"));
    }
    let Some(media) = state.media.clone() else { return };
    for index in indexes {
        let medium = &media[index];
        let facts = format!("{}, {}", medium.format.name(), bytes(medium.bytes as u64));
        match &medium.content {
            MediumContent::Picture(picture) => {
                let texture = state.textures[index].get_or_insert_with(|| {
                    let size = picture.shown_size.map(|side| side as usize);
                    let pixels = ColorImage::from_rgba_unmultiplied(size, &picture.rgba);
                    ui.ctx().load_texture("medium", pixels, TextureOptions::LINEAR)
                });
                picture_ui(ui, picture, texture, &facts);
            }
            MediumContent::Sound(sound) => sound_ui(ui, sound, &facts),
            MediumContent::NotDecoded => quiet_line(ui, icons::IMAGE, &facts),
        }
    }
}

fn picture_ui(ui: &mut Ui, picture: &Picture, texture: &TextureHandle, facts: &str) {
    let [width, height] = picture.size.map(|side| side as f32);
    let room = ui.available_width().min(MAX_PICTURE_WIDTH);
    // A small picture stays as small as it is.
    let shown_width = room.min(width);
    let size = vec2(shown_width, (shown_width * height / width.max(1.0)).max(1.0)).ceil();
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let radius = CornerRadius::same(theme::RADIUS_CARD);
    egui::Image::new((texture.id(), size)).corner_radius(radius).paint_at(ui, rect);
    let name = format!("Picture, {}, {facts}", size_text(picture));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    response.on_hover_text(name);
}

fn sound_ui(ui: &mut Ui, sound: &Sound, facts: &str) {
    let tokens = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, SOUND_HEIGHT, Sense::hover());
    let radius = CornerRadius::same(theme::RADIUS_CARD);
    let line = Stroke::new(1.0, tokens.line);
    ui.painter().rect(rect, radius, tokens.input, line, StrokeKind::Inside);
    let middle = rect.center().y;
    let center = pos2(rect.left() + 12.0 + theme::ICON / 2.0, middle);
    widgets::paint_icon(ui.painter(), center, icons::AUDIO_LINES, theme::ICON, tokens.muted);
    let length = sound.seconds.map(|seconds| format!("{seconds:.1} s"));
    let words = length.clone().unwrap_or_else(|| facts.to_owned());
    let words = widgets::line(ui, &words, theme::mono(theme::LABEL), tokens.muted, rect.width());
    let right = rect.right() - 12.0;
    let wave = Rect::from_x_y_ranges(
        rect.left() + 12.0 + theme::INDENT..=right - words.size().x - 12.0,
        rect.y_range(),
    );
    widgets::paint_line_right(ui.painter(), pos2(right, middle), words);
    wave_ui(ui, wave, &sound.heights, tokens.muted);
    let name = match length {
        Some(length) => format!("Sound, {length}, {facts}"),
        None => format!("Sound, {facts}"),
    };
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    response.on_hover_text(name);
}

/// Paints a wave; of more heights than there is room for, neighbours share a bar.
fn wave_ui(ui: &Ui, rect: Rect, heights: &[f32], color: Color32) {
    let bars = ((rect.width() / WAVE_BAR_STEP) as usize).max(1);
    let max_height = heights.iter().copied().fold(0.0, f32::max).max(f32::EPSILON);
    for (index, bar) in heights.chunks(heights.len().div_ceil(bars).max(1)).enumerate() {
        let height = bar.iter().copied().fold(0.0, f32::max) / max_height;
        let half = (height * (SOUND_HEIGHT / 2.0 - 8.0)).max(1.0);
        let x = rect.left() + index as f32 * WAVE_BAR_STEP;
        let y = rect.center().y;
        let bar = Rect::from_x_y_ranges(x..=x + WAVE_BAR_WIDTH, y - half..=y + half);
        ui.painter().rect_filled(bar, 1.0, color);
    }
}

fn quiet_line(ui: &mut Ui, icon: &str, words: &str) {
    let color = tokens(ui).muted;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
        paint::icon(ui, icon, theme::ICON_TAG, color);
        ui.label(theme::text(words, theme::regular(theme::LABEL), color));
    });
}
