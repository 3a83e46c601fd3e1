//! Paints the pictures and sounds of a call.

use std::sync::Arc;

use egui::{ColorImage, CornerRadius, Role, Sense, TextureHandle, TextureOptions, Ui, vec2};

use super::content::MediaSpot;
use super::paint;
use calls::media::{Medium, MediumContent, Picture, Sound};
use document::text::{bytes, counted};
use protocol::MediaKey;
use widgets::theme::{self, tokens};
use widgets::{Line, StyledText, icons};

/// Greatest width of a picture.
const MAX_PICTURE_WIDTH: f32 = 448.0;
/// Height of the bar of a sound.
const SOUND_HEIGHT: f32 = 40.0;

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
    widgets::describe(&response, Role::Image, &name);
    response.on_hover_text(name);
}

fn sound_ui(ui: &mut Ui, sound: &Sound, facts: &str) {
    let tokens = tokens(ui);
    let length = sound.seconds.map(|seconds| format!("{seconds:.1} s"));
    let words = length.as_deref().unwrap_or(facts);
    let right = StyledText::new().with(words, theme::mono(theme::LABEL), tokens.muted);
    let right_width = right.clone().galley(ui, f32::INFINITY).size().x;
    let name = match &length {
        Some(length) => format!("Sound, {length}, {facts}"),
        None => format!("Sound, {facts}"),
    };
    paint::card(ui, |ui| {
        let (rect, response) = widgets::allocate_row(ui, SOUND_HEIGHT, Sense::hover());
        let inner = rect.shrink2(vec2(12.0, 0.0));
        let line = Line::from(StyledText::new()).icon(icons::AUDIO_LINES, tokens.muted);
        line.right(right).show_in(ui, inner);
        let wave = inner
            .with_min_x(inner.left() + theme::INDENT)
            .with_max_x(inner.right() - right_width - 12.0)
            .shrink2(vec2(0.0, 8.0));
        widgets::paint_bars(ui, wave, &sound.heights, (2.0, 4.0), (tokens.muted, true));
        widgets::describe(&response, Role::Image, &name);
        response.on_hover_text(name);
    });
}

fn quiet_line(ui: &mut Ui, icon: &str, words: &str) {
    let color = tokens(ui).muted;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
        widgets::icon(ui, icon, theme::ICON_TAG, color);
        widgets::remark(ui, words);
    });
}
