//! The folds of the problems desk, and the rows of places that they leave.

use std::collections::HashSet;

use super::problems_data::{PlaceFolder, ProblemsData};
use document::Severity;
use widgets::code::CodeState;
use widgets::theme;

/// State of the problems desk that is kept between frames.
#[derive(Default)]
pub struct ProblemsState {
    pub(super) folded_levels: HashSet<Severity>,
    pub(super) folded_folders: HashSet<String>,
    pub(super) rows: Vec<PlaceRow>,
    /// Indexes of the folders among the rows.
    folder_rows: Vec<usize>,
    /// The version of the places and the number of folds from which the rows were built.
    rows_key: (u64, usize),
    pub(super) code: CodeState,
}

/// A visible row of the list of places: a folder or a place, as an index in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceRow {
    Folder(usize),
    Place(usize),
}

impl ProblemsState {
    /// Rebuilds the visible rows if places or folds changed.
    pub(super) fn sync_rows(&mut self, data: &ProblemsData) {
        // The number is enough: one click folds or unfolds one folder.
        let key = (data.places_version, self.folded_folders.len());
        if self.rows_key == key {
            return;
        }
        self.rows_key = key;
        self.rows.clear();
        self.folder_rows.clear();
        for (index, folder) in data.folders.iter().enumerate() {
            self.folder_rows.push(self.rows.len());
            self.rows.push(PlaceRow::Folder(index));
            if !self.is_folded(folder) {
                self.rows.extend(folder.places.clone().map(PlaceRow::Place));
            }
        }
    }

    /// Returns whether the places of a folder are hidden: a summary is folded at first.
    pub(super) fn is_folded(&self, folder: &PlaceFolder) -> bool {
        // For a summary the set holds the opened ones, so the first state needs no entry.
        self.folded_folders.contains(&folder.name) != folder.is_summary
    }

    /// Returns the row of a place, unless its folder is folded.
    pub(super) fn row_of(&self, place: usize) -> Option<usize> {
        self.rows.iter().position(|row| *row == PlaceRow::Place(place))
    }

    /// Returns the top of a row: rows of places are taller than those of folders.
    pub(super) fn top_of(&self, row: usize) -> f32 {
        // Called for each visible row in every frame, so not counted by walking.
        let folders = self.folder_rows.partition_point(|&folder| folder < row);
        folders as f32 * theme::ROW_HEIGHT + (row - folders) as f32 * theme::ROW_TWO_LINES
    }
}
