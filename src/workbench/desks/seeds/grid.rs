//! The grid of seeds: a heading for each job, a row for each schema and model, a column for each round.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use author::seeds::{HashKey, ProviderKey, SeedEntry, SeedIndex, SeedValue, TraceKey};
use protocol::LoadedSeeds;

/// The listed seeds.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// The columns: the known rounds, then `None` for rounds that only running the code would determine.
    pub rounds: Vec<Option<i64>>,
    /// From top to bottom.
    pub rows: Vec<GridRow>,
    /// Number of seeds that match the filter, including folded ones.
    pub count: usize,
}

/// A row of the grid.
#[derive(Clone, Debug)]
pub enum GridRow {
    Heading {
        /// The job; `None` for deprecated seeds.
        job: Option<Arc<str>>,
        /// The number of its seeds.
        count: usize,
        /// The files of its seeds.
        files: Vec<Arc<str>>,
        /// Whether its rows are hidden.
        folded: bool,
    },
    /// The seeds of a schema and model, one per column.
    Seeds {
        schema: SeedValue<Arc<str>>,
        model: SeedValue<Arc<str>>,
        /// One cell per column.
        cells: Vec<Option<SeedCell>>,
    },
    /// A deprecated seed.
    Hash(SeedIndex),
}

/// The seed that answers a call with this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedCell {
    /// The effective seed.
    pub at: SeedIndex,
    /// Number of seeds with this key.
    pub count: usize,
}

/// A step of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridStep {
    /// Some rows down; up if negative.
    Rows(isize),
    /// To the next seed on the right.
    Right,
    /// To the next seed on the left.
    Left,
    /// To the first seed.
    First,
    /// To the last seed.
    Last,
}

/// The job of seeds; `None` for those by hash.
pub(super) type Job = Option<Arc<str>>;

/// Schema and model of a row.
type RowKey = (SeedValue<Arc<str>>, SeedValue<Arc<str>>);

/// The seeds of one job while the grid is built.
#[derive(Default)]
struct JobRows {
    count: usize,
    files: Vec<Arc<str>>,
    rows: Vec<RowKey>,
    cells: HashMap<(usize, Option<i64>), SeedCell>,
}

impl Grid {
    /// Arranges the seeds that contain all words of a filter. Jobs and rows are in the order of the seeds.
    pub(super) fn build(seeds: &LoadedSeeds, filter: &str, folded_jobs: &HashSet<Job>) -> Self {
        let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
        let mut jobs: Vec<(Arc<str>, JobRows)> = Vec::new();
        let mut places: HashMap<Arc<str>, usize> = HashMap::new();
        let (mut hashes, mut hash_files) = (Vec::new(), Vec::new());
        let mut rounds = BTreeSet::new();
        let mut count = 0;
        for (file, seed_file) in seeds.memory.files().iter().enumerate() {
            for (seed, entry) in seed_file.seeds.iter().enumerate() {
                let index = SeedIndex { file, seed };
                if !words.iter().all(|word| matches_word(entry, word)) {
                    continue;
                }
                count += 1;
                let ProviderKey::Trace(key) = &entry.key else {
                    hashes.push(index);
                    add_new(&mut hash_files, &seed_file.path);
                    continue;
                };
                let name: Arc<str> = key.job.to_string().into();
                let place = *places.entry(Arc::clone(&name)).or_insert_with(|| {
                    jobs.push((name, JobRows::default()));
                    jobs.len() - 1
                });
                let job = &mut jobs[place].1;
                add_new(&mut job.files, &seed_file.path);
                let round = key.round.known().copied();
                // Rounds that are not known come last.
                rounds.insert((round.is_none(), round));
                job.add(key, round, index);
            }
        }
        let rounds: Vec<Option<i64>> = rounds.into_iter().map(|(_, round)| round).collect();
        let mut rows = Vec::new();
        // Returns whether the heading is folded.
        let push_heading = |rows: &mut Vec<GridRow>, job, count, files| {
            let folded = folded_jobs.contains(&job);
            rows.push(GridRow::Heading { job, count, files, folded });
            folded
        };
        for (name, mut job) in jobs {
            if !push_heading(&mut rows, Some(name), job.count, std::mem::take(&mut job.files)) {
                rows.extend(job.rows(&rounds));
            }
        }
        if !hashes.is_empty() && !push_heading(&mut rows, None, hashes.len(), hash_files) {
            rows.extend(hashes.into_iter().map(GridRow::Hash));
        }
        Self { rounds, rows, count }
    }

    /// All listed effective seeds, from top to bottom.
    pub(super) fn listed(&self) -> Vec<SeedIndex> {
        self.rows.iter().flat_map(GridRow::seeds).collect()
    }

    pub(super) fn first(&self) -> Option<SeedIndex> {
        self.rows.iter().flat_map(GridRow::seeds).next()
    }

    /// The row and column of a seed.
    pub fn place(&self, seed: SeedIndex) -> Option<(usize, usize)> {
        let column_of = |row: &GridRow| row.cells().position(|cell| cell == Some(seed));
        let mut rows = self.rows.iter().enumerate();
        rows.find_map(|(index, row)| Some((index, column_of(row)?)))
    }

    /// The seed one step from the selected one.
    pub(super) fn step(&self, cursor: Option<SeedIndex>, direction: GridStep) -> Option<SeedIndex> {
        let Some((row, column)) = cursor.and_then(|seed| self.place(seed)) else {
            return match direction {
                GridStep::Last => self.listed().pop(),
                _ => self.first(),
            };
        };
        match direction {
            GridStep::First => self.first(),
            GridStep::Last => self.listed().pop(),
            GridStep::Right => self.rows[row].beside(column + 1..self.rounds.len()),
            GridStep::Left => self.rows[row].beside((0..column).rev()),
            GridStep::Rows(rows) => {
                let has_seeds = |row: &&GridRow| row.seeds().next().is_some();
                let rest: Vec<&GridRow> = if rows > 0 {
                    self.rows[row + 1..].iter().filter(has_seeds).collect()
                } else {
                    self.rows[..row].iter().rev().filter(has_seeds).collect()
                };
                // A step has at least one row, and may have more than are left.
                rest.get(rows.unsigned_abs() - 1).or(rest.last())?.nearest(column)
            }
        }
    }
}

impl JobRows {
    fn add(&mut self, key: &TraceKey, round: Option<i64>, at: SeedIndex) {
        self.count += 1;
        let place =
            self.rows.iter().position(|(schema, kind)| *schema == key.schema && *kind == key.model);
        let row = place.unwrap_or_else(|| {
            self.rows.push((key.schema.clone(), key.model.clone()));
            self.rows.len() - 1
        });
        let cell = self.cells.entry((row, round)).or_insert(SeedCell { at, count: 0 });
        // The provider keeps the last of seeds with one key.
        *cell = SeedCell { at, count: cell.count + 1 };
    }

    fn rows(self, rounds: &[Option<i64>]) -> impl Iterator<Item = GridRow> {
        let cells = self.cells;
        self.rows.into_iter().enumerate().map(move |(row, (schema, model))| GridRow::Seeds {
            schema,
            model,
            cells: rounds.iter().map(|round| cells.get(&(row, *round)).copied()).collect(),
        })
    }
}

impl GridRow {
    /// The seeds of the row by column.
    fn cells(&self) -> impl Iterator<Item = Option<SeedIndex>> {
        let (cells, hash): (&[Option<SeedCell>], Option<SeedIndex>) = match self {
            Self::Heading { .. } => (&[], None),
            Self::Seeds { cells, .. } => (cells, None),
            Self::Hash(at) => (&[], Some(*at)),
        };
        cells.iter().map(|cell| Some(cell.as_ref()?.at)).chain(hash.map(Some))
    }

    /// The seeds of the row, from left to right.
    fn seeds(&self) -> impl Iterator<Item = SeedIndex> {
        self.cells().flatten()
    }

    /// The first seed in these columns.
    fn beside(&self, mut columns: impl Iterator<Item = usize>) -> Option<SeedIndex> {
        columns.find_map(|column| self.cells().nth(column)?)
    }

    /// The seed nearest to a column.
    fn nearest(&self, column: usize) -> Option<SeedIndex> {
        let seeds = self.cells().enumerate().filter_map(|(index, cell)| Some((index, cell?)));
        seeds.min_by_key(|(index, _)| index.abs_diff(column)).map(|(_, seed)| seed)
    }
}

fn add_new(files: &mut Vec<Arc<str>>, path: &Arc<str>) {
    if !files.contains(path) {
        files.push(Arc::clone(path));
    }
}

/// Whether a seed contains a word of the filter: in a named part of its key (`model:router`), or anywhere.
fn matches_word(seed: &SeedEntry, word: &str) -> bool {
    let holds = |text: String, word: &str| text.to_lowercase().contains(word);
    let part = |name: &str| match (&seed.key, name) {
        (ProviderKey::Trace(TraceKey { schema, .. }), "schema") => Some(schema.to_string()),
        (ProviderKey::Trace(TraceKey { job, .. }), "job") => Some(job.to_string()),
        (ProviderKey::Trace(TraceKey { round, .. }), "round") => Some(round.to_string()),
        (
            ProviderKey::Trace(TraceKey { model, .. }) | ProviderKey::Hash(HashKey { model, .. }),
            "model",
        ) => Some(model.to_string()),
        // Deprecated keys have the step in place of the schema.
        (ProviderKey::Hash(HashKey { step, .. }), "schema" | "step") => Some(step.to_string()),
        _ => None,
    };
    match word.split_once(':') {
        // As a whole: `round:1` is not round 10.
        Some(("round", round)) => part("round").is_some_and(|text| text == round),
        Some((name @ ("schema" | "model" | "job" | "step"), rest)) => {
            part(name).is_some_and(|text| holds(text, rest))
        }
        _ => holds(seed.key.to_string(), word) || holds(seed.response.to_string(), word),
    }
}
