//! All open seeds, read for the desk.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{DocId, Items};
use author::seeds::{
    Memory, SeedEntry, SeedFile, SeedIndex, SeedSummary, SeedValue, summarise_response,
};
use document::text::{Place, Source};

/// Identifies a seed while its file is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SeedId {
    pub doc: DocId,
    /// Its position in the document, from 0.
    pub index: usize,
}

/// The revision of the items, and how often files of seeds were rewritten.
pub type SeedsKey = (u64, u64);

/// A request to read all seeds.
#[derive(Debug)]
pub struct LoadSeeds {
    /// The key that the response carries.
    pub key: SeedsKey,
    pub items: Items,
    /// The texts of edited documents.
    pub texts: Vec<(DocId, Source)>,
}

/// A short preview of a response.
#[derive(Clone, Debug, PartialEq)]
pub enum ResponsePreview {
    /// Its most informative fields.
    Summary(SeedSummary),
    /// Not JSON; its location in the file.
    NotJson(Place),
    /// Empty or missing.
    Empty,
    /// Computed by code; the source text.
    Code(Arc<str>),
}

impl ResponsePreview {
    fn of(seed: &SeedEntry) -> Self {
        match &seed.response {
            // To the provider, an empty response counts as absent.
            SeedValue::Known(response) if response.is_empty() => Self::Empty,
            SeedValue::Known(response) => match summarise_response(response) {
                Some(summary) => Self::Summary(summary),
                None => Self::NotJson(seed.response_mark.place),
            },
            SeedValue::Code(code) => Self::Code(Arc::clone(code)),
            SeedValue::Missing => Self::Empty,
        }
    }
}

/// All seeds, as the provider would load them, with previews.
#[derive(Debug, Default)]
pub struct LoadedSeeds {
    /// The content of the provider.
    pub memory: Memory,
    previews: Vec<Vec<ResponsePreview>>,
    /// The documents in the order of the provider's files.
    ids: Vec<DocId>,
}

impl LoadedSeeds {
    /// Reads the seeds of documents, each with its path.
    pub fn new(documents: Vec<(DocId, SeedFile)>) -> Self {
        let docs: HashMap<Arc<str>, DocId> =
            documents.iter().map(|(doc, file)| (Arc::clone(&file.path), *doc)).collect();
        let memory = Memory::new(documents.into_iter().map(|(_, file)| file));
        let faces =
            memory.files().iter().map(|file| file.seeds.iter().map(ResponsePreview::of).collect());
        Self {
            previews: faces.collect(),
            ids: memory.files().iter().filter_map(|file| docs.get(&file.path).copied()).collect(),
            memory,
        }
    }

    /// The preview of a seed.
    pub fn preview(&self, index: SeedIndex) -> &ResponsePreview {
        &self.previews[index.file][index.seed]
    }

    /// The document and position of a seed.
    pub fn id(&self, at: SeedIndex) -> Option<SeedId> {
        Some(SeedId { doc: *self.ids.get(at.file)?, index: at.seed })
    }

    /// The position of a seed; `None` if it no longer exists.
    pub fn at(&self, id: SeedId) -> Option<SeedIndex> {
        let file = self.ids.iter().position(|doc| *doc == id.doc)?;
        let seeds = &self.memory.files()[file].seeds;
        (id.index < seeds.len()).then_some(SeedIndex { file, seed: id.index })
    }

    /// The documents with seeds, in the order in which they are loaded.
    pub fn docs(&self) -> impl Iterator<Item = DocId> {
        self.ids.iter().copied()
    }

    /// Whether there are no seeds.
    pub fn is_empty(&self) -> bool {
        self.previews.iter().all(Vec::is_empty)
    }
}
