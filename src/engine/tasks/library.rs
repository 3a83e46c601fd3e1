//! Work on the items of the library: lists, searches, and what is read of many files.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::current::read_edited;
use crate::disk::body_search::passes;
use crate::disk::parallel::map_parallel;
use crate::group_by_machine;
use crate::run::{TaskContext, Work};
use author::seeds::{SeedFile, seeds_of};
use author::session::{ResolvedSession, SessionPlace, resolve_sessions};
use calls::Item;
use document::text::visible;
use document::{Document, DocumentBody, FileKind};
use protocol::{
    DocId, EngineEvent, FindCommits, FindProvenance, Lane, ListRequest, ListSessions,
    ListedSession, LoadSeeds, LoadedSeeds, ReadMap, SearchBodies, SearchProgress, SearchedBodies,
    SessionId, SessionsEvent,
};

pub(crate) const SEARCH_LANE: Lane = Lane::Newest("search");
pub(crate) const SEEDS_LANE: Lane = Lane::Newest("seeds");

/// Interval at which origins of files are sent: each time, the window is painted.
const SEND_INTERVAL: Duration = Duration::from_millis(200);

/// Number of files that are searched before the first answer, and at most between two.
const FIRST_PART_FILES: usize = 64;
const MAX_PART_FILES: usize = 2048;

/// Lists the items of the library.
pub(crate) fn list(request: ListRequest) -> Work {
    Work::failing(
        Lane::Independent("list"),
        request,
        |request, context| {
            // With very many items, the first rows are known long before all are sorted.
            if let Some(first) = request.list_first()
                && !context.send(EngineEvent::FirstRows(request.key, first))
            {
                return None;
            }
            if !context.send(EngineEvent::Listed(request.key, Ok(request.list()))) {
                return None;
            }
            // The list does not wait for the completions of the filter, which look at all items.
            Some(EngineEvent::Completed(request.key, request.complete()?))
        },
        |request, reason| EngineEvent::Listed(request.key, Err(reason)),
    )
}

/// Finds the commits that recorded the calls of a file.
pub(crate) fn find_commits(request: FindCommits) -> Work {
    Work::new(Lane::Newest("commits"), request, |FindCommits { key, item }, context| {
        let project = context.project.as_deref()?;
        let commits = project.blame(key.doc.index(), item, None, &context.cancel);
        // A file without a history has no commits, which is nothing to report.
        Some(EngineEvent::CommitsFound(*key, commits.unwrap_or_default()))
    })
}

/// Reads the origins of files.
pub(crate) fn find_provenance(request: FindProvenance) -> Work {
    Work::new(Lane::Newest("provenance"), request, |FindProvenance { number, files }, context| {
        let project = context.project.as_deref()?;
        let items = files.iter().map(|(doc, item)| (doc.index(), &**item));
        let mut found = Vec::new();
        let mut last_send = Instant::now();
        project.provenances(items, &context.cancel, |index, provenance| {
            found.push((DocId::new(index), provenance));
            if last_send.elapsed() < SEND_INTERVAL {
                return true;
            }
            last_send = Instant::now();
            context.send(EngineEvent::ProvenanceFound(*number, std::mem::take(&mut found)))
        });
        Some(EngineEvent::ProvenanceFound(*number, found))
    })
}

/// Reads the map of a machine.
pub(crate) fn read_map(request: ReadMap) -> Work {
    Work::answering(
        Lane::Newest("map"),
        request,
        |request, context| {
            let project = context.project.as_deref()?;
            let items = request.items.iter().map(|(doc, item)| (doc.index(), item));
            let sets = group_by_machine(items).remove(&request.key.machine).unwrap_or_default();
            let map = project.machine_map(&request.key.machine, &sets, &context.cancel);
            let docs = sets.iter().map(|(number, _)| DocId::new(*number));
            Some(map.map(|map| (docs.collect(), map)))
        },
        |request, map| EngineEvent::MapRead(request.key.clone(), Box::new(map)),
    )
}

/// Reads all seeds, those with unsaved edits from memory. A file that cannot be read has an error in its row.
pub(crate) fn load_seeds(request: LoadSeeds) -> Work {
    Work::answering(
        SEEDS_LANE,
        request,
        |request, context| {
            let project = context.project.as_deref()?;
            let mut files = Vec::new();
            for (doc, item) in request.items.iter() {
                if context.is_cancelled() {
                    return None;
                }
                if item.kind != FileKind::Seeds {
                    continue;
                }
                if let Ok(document) = read_edited(project, &request.texts, doc, item) {
                    let path = item.root_path().into();
                    files.push((doc, SeedFile { path, seeds: seeds_of(&document).into() }));
                }
            }
            Some(Ok(Arc::new(LoadedSeeds::new(files))))
        },
        |request, seeds| EngineEvent::SeedsLoaded(request.key, seeds),
    )
}

/// Finds sessions, in separate files and in configurations.
pub(crate) fn list_sessions(request: ListSessions) -> Work {
    Work::answering(
        Lane::Newest("sessions"),
        request,
        |request, context| find_sessions(request, context).map(|sessions| Ok(sessions.into())),
        |request, sessions| EngineEvent::Sessions(SessionsEvent::Listed(request.key, sessions)),
    )
}

/// Returns the sessions; `None` when it was cancelled. The row of a configuration that cannot be read shows that.
fn find_sessions(request: &ListSessions, context: &TaskContext) -> Option<Vec<ListedSession>> {
    let project = context.project.as_deref()?;
    let mut sessions = Vec::new();
    for (doc, item) in request.items.iter() {
        if context.is_cancelled() {
            return None;
        }
        match item.kind {
            FileKind::Session => sessions.push(ListedSession {
                id: SessionId::file(doc),
                name: visible(item.label()).into(),
                place: visible(item.root_path()).into(),
            }),
            FileKind::Config => {
                if let Ok(document) = read_edited(project, &request.texts, doc, item) {
                    sessions.extend(list_inline(&document, doc, item));
                }
            }
            _ => {}
        }
    }
    // Items are in the order in which they arrived, which changes from scan to scan.
    sessions.sort_by(|a, b| a.place.cmp(&b.place));
    Some(sessions)
}

/// Returns the sessions inside a configuration.
fn list_inline(document: &Document, doc: DocId, item: &Item) -> Vec<ListedSession> {
    let DocumentBody::Config(config) = &document.body else { return Vec::new() };
    let to_listed = |(at, session): (usize, ResolvedSession)| {
        let SessionPlace::Inline(id) = session.place else { return None };
        let place = format!("{}, session {}", item.root_path(), at + 1);
        Some(ListedSession {
            id: SessionId { doc, pointer: document.tree.node(session.node).pointer().into() },
            name: match &id {
                Some(id) => visible(id).into(),
                None => format!("Session {}", at + 1).into(),
            },
            place: visible(&place).into(),
        })
    };
    resolve_sessions(config).into_iter().enumerate().filter_map(to_listed).collect()
}

/// Searches the content of files.
pub(crate) fn search_bodies(request: SearchBodies) -> Work {
    Work::failing(SEARCH_LANE, request, search, |request, reason| {
        EngineEvent::BodiesSearched(request.number, Err(reason))
    })
}

fn search(request: &SearchBodies, context: &TaskContext) -> Option<EngineEvent> {
    let project = context.project.as_deref()?;
    let (docs, query) = request.wanted()?;
    let mut searched_count = 0;
    let mut part = FIRST_PART_FILES;
    loop {
        let files = &docs[searched_count..docs.len().min(searched_count + part)];
        let fits = map_parallel("Searching", files, &context.cancel, |id| {
            let text_index = request.edited.binary_search_by_key(id, |(doc, _)| *doc);
            match (text_index, request.items.get(*id)) {
                (Ok(index), Some(item)) => {
                    let content = request.edited[index].1.text().as_bytes();
                    query.matches(content, &item.path, &mut Vec::new())
                }
                (Err(_), Some(item)) => passes(project, id.index(), item, query),
                (_, None) => false,
            }
        });
        searched_count += files.len();
        part = (part * 2).min(MAX_PART_FILES);
        let progress = SearchProgress { searched: searched_count, all: docs.len() };
        let found = files.iter().copied().zip(fits).collect();
        let event = EngineEvent::BodiesSearched(
            request.number,
            Ok(Arc::new(SearchedBodies { found, progress })),
        );
        if searched_count == docs.len() {
            return Some(event);
        }
        if !context.send(event) {
            return None;
        }
    }
}
