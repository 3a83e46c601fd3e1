//! Roles of text: the font and the colour that belong together.

use egui::{Color32, FontId};

use super::{BODY, LABEL, ROW, TITLE, Tokens, mono, regular, semibold};

/// Font and colour of a text.
pub type TextRole = (FontId, Color32);

impl Tokens {
    /// The title of a view.
    pub fn title(&self) -> TextRole {
        (semibold(TITLE), self.text_strong)
    }

    /// A name or a heading within a view.
    pub fn heading(&self) -> TextRole {
        (semibold(BODY), self.text_strong)
    }

    /// A sentence.
    pub fn body(&self) -> TextRole {
        (regular(BODY), self.text)
    }

    /// A sentence of less weight.
    pub fn muted_body(&self) -> TextRole {
        (regular(BODY), self.muted)
    }

    /// A note beside something else.
    pub fn note(&self) -> TextRole {
        (regular(ROW), self.muted)
    }

    /// The name of a value, and help.
    pub fn label(&self) -> TextRole {
        (regular(LABEL), self.muted)
    }

    /// A value from a file.
    pub fn data(&self) -> TextRole {
        (mono(LABEL), self.text_strong)
    }

    /// A value from a file, of less weight.
    pub fn muted_data(&self) -> TextRole {
        (mono(LABEL), self.muted)
    }
}
