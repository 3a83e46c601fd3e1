//! Describes what a configuration lists, and whether it exists.

use std::sync::Arc;

use super::root_files::{ContractFile, ContractLookup, joined};
use crate::disk::root::to_sentence;
use author::import::RunStatus;
use author::import::{FetchForm, FetchScope, RunFilter};
use author::session::{ResolvedSession, SessionPlace, path_from, resolve_sessions};
use document::config::{FlakestormConfig, ReplaySource};
use document::text::thousands;
use document::{DocumentBody, Node, NodeKind, text};
use protocol::{ConfigFound, ConfigListing, ListedInConfig, SourceInConfig};

pub(super) fn describe_config(lookup: &ContractLookup<'_>, file: &ContractFile) -> ConfigFound {
    let DocumentBody::Config(config) = &file.document.body else {
        return ConfigFound {
            path: file.path.as_str().into(),
            doc: file.doc,
            listing: ConfigListing::Inline,
            sessions: Vec::new(),
            sources: Vec::new(),
        };
    };
    let sessions = resolve_sessions(config);
    let own_path = lookup.item().map_or("", |item| item.root_path());
    let is_own = |session: &ResolvedSession| match &session.place {
        SessionPlace::File(path) => joined(file.parent_folder(), path).as_deref() == Some(own_path),
        SessionPlace::Inline(_) => false,
    };
    let listing = if lookup.request.key.id.is_inline() {
        ConfigListing::Inline
    } else if sessions.iter().any(is_own) {
        ConfigListing::Listed
    } else {
        ConfigListing::Possible(path_from(file.parent_folder(), own_path).into())
    };
    ConfigFound {
        path: file.path.as_str().into(),
        doc: file.doc,
        listing,
        sessions: sessions.iter().map(|s| describe_listing(lookup, file, s)).collect(),
        sources: describe_sources(file, config),
    }
}

fn describe_listing(
    lookup: &ContractLookup<'_>,
    file: &ContractFile,
    session: &ResolvedSession,
) -> ListedInConfig {
    let spot = file.spot(file.document.node(session.node));
    match &session.place {
        SessionPlace::Inline(id) => ListedInConfig {
            name: id.as_deref().unwrap_or("no id").into(),
            missing: None,
            is_inline: true,
            doc: file.doc,
            spot,
        },
        SessionPlace::File(path) => {
            let probe = lookup.project.probe(lookup.index, file.parent_folder(), path);
            let item = joined(file.parent_folder(), path).and_then(|path| lookup.item_at(&path));
            let missing = probe.err().map(|refusal| to_sentence(refusal).into());
            ListedInConfig {
                name: path.as_str().into(),
                missing,
                is_inline: false,
                doc: item.map(|(doc, _)| doc),
                spot,
            }
        }
    }
}

fn describe_sources(file: &ContractFile, config: &FlakestormConfig) -> Vec<SourceInConfig> {
    let sources = config.sources.iter().map(|source| {
        let node = file.document.node(source.node);
        let fetch = fetch_form(source, node);
        SourceInConfig {
            name: text(&source.name).unwrap_or("not named").into(),
            description: describe_source(fetch.as_ref(), node),
            spot: file.spot(node),
            fetch,
        }
    });
    sources.collect()
}

/// Returns the form that fetches a source's runs in the window; `None` for an unknown type.
fn fetch_form(source: &ReplaySource, node: Node<'_>) -> Option<FetchForm> {
    let name = text(&source.name).unwrap_or_default().to_owned();
    let form = FetchForm::default();
    match text(&source.kind)? {
        "langsmith_run" => Some(FetchForm { scope: FetchScope::Run, run: name, ..form }),
        "langsmith" => Some(FetchForm {
            scope: FetchScope::Project,
            project: name,
            filter: run_filter(node.get("filter")),
            ..form
        }),
        _ => None,
    }
}

/// Returns which runs are imported, as Flakestorm reads it: those with an error, unless the configuration sets another filter.
fn run_filter(node: Option<Node<'_>>) -> RunFilter {
    let field = |key| node.and_then(|filter| filter.get(key));
    let status = match field("status").and_then(Node::as_str) {
        Some("all") => RunStatus::All,
        Some("warning") => RunStatus::Warning,
        _ => RunStatus::Error,
    };
    // Without quotes YAML 1.1 reads a day as a date: use it as written.
    let since =
        field("date_range").filter(|n| n.kind() != NodeKind::Null).and_then(Node::scalar_text);
    let min_latency = field("min_latency_ms").and_then(Node::as_f64);
    RunFilter {
        status,
        since: since.unwrap_or_default().to_owned(),
        least: min_latency.map_or_else(String::new, |ms| format!("{ms}")),
        ..RunFilter::default()
    }
}

/// Describes a source and what is imported from it.
fn describe_source(form: Option<&FetchForm>, node: Node<'_>) -> Arc<str> {
    let Some(form) = form else { return "of an unknown type".into() };
    if form.scope == FetchScope::Run {
        // Flakestorm has `auto_import` only for projects.
        return "LangSmith run, fetched on each `flakestorm ci`".into();
    }
    let filter = &form.filter;
    let status = match filter.status {
        RunStatus::All => "all",
        RunStatus::Error => "error",
        RunStatus::Warning => "warning",
    };
    let mut words = vec![format!("LangSmith project, status {status}")];
    words.extend(Some(filter.since.clone()).filter(|since| !since.is_empty()));
    if let Ok(ms) = filter.least.parse::<f64>() {
        words.push(format!("from {} ms", thousands(ms as usize)));
    }
    let fetches = node.get("auto_import").and_then(Node::as_bool);
    words.push(match fetches {
        Some(true) => "fetched on each `flakestorm ci`".to_owned(),
        _ => "not fetched automatically".to_owned(),
    });
    words.join(", ").into()
}
