//! Finds a session's contract and checks an answer against it.

use std::path::Path;
use std::sync::Arc;

use super::root_files::{ContractFile, ContractLookup, joined};
use super::{answers, config, run_commands};
use crate::disk::contract_configs::CONFIGS;
use crate::disk::project::Project;
use crate::disk::root::{ReadRefusal, to_sentence};
use author::contract::{DEFAULT, INVARIANT_TYPES, Sample, check_all, contract_of, nearest_type};
use author::session::{path_from, session_at};
use document::contract::Contract;
use document::{DocumentBody, FileKind, text};
use protocol::{
    CheckedInvariant, ContractReport, ContractRequest, DocId, OfferedContract, ReferenceKind,
    Resolution, TestedAnswer,
};

/// Finds everything that is shown of a contract beside its session.
pub(crate) fn look_up_contract(project: &Project, request: &ContractRequest) -> ContractReport {
    let lookup = ContractLookup::new(project, request);
    let config = find_config(&lookup);
    let (reference, kind) = session_reference(request);
    let (resolution, contract) = resolve(&lookup, config.as_ref(), &reference);
    let answer = answers::chosen_answer(&lookup);
    let invariants = contract
        .as_ref()
        .and_then(|file| Some((file, contract_of(&file.document)?)))
        .map(|(file, contract)| check_invariants(file, contract, answer.as_ref()));
    ContractReport {
        commands: run_commands::commands(&lookup, config.as_ref(), &resolution),
        configs: configs(&lookup),
        offered: list_offered(&lookup, config.as_ref()),
        config: config.map(|file| config::describe_config(&lookup, &file)),
        reference: reference.into(),
        reference_kind: kind,
        resolution,
        invariants: invariants.unwrap_or_default(),
        answer,
    }
}

/// Returns the configuration that applies: the chosen one, else the nearest above the session, else the only one.
fn find_config(lookup: &ContractLookup<'_>) -> Option<ContractFile> {
    let request = lookup.request;
    if request.key.id.is_inline() {
        return Some(ContractFile {
            path: lookup.item()?.root_path().to_string(),
            doc: Some(request.key.id.doc),
            document: Arc::clone(&request.document),
        });
    }
    let config_of = |doc: DocId| {
        let item = request.items.get(doc)?;
        let is_config = item.kind == FileKind::Config;
        is_config.then(|| lookup.file(item.root_path()).ok())?
    };
    let config_above = || {
        let dirs = Path::new(lookup.item()?.folder()).ancestors();
        dirs.filter_map(Path::to_str)
            .flat_map(|folder| CONFIGS.map(|name| joined(folder, name)))
            .find_map(|path| {
                let file = lookup.file(&path?).ok()?;
                matches!(file.document.body, DocumentBody::Config(_)).then_some(file)
            })
    };
    let only_config = || match configs(lookup).as_slice() {
        [(doc, _)] => config_of(*doc),
        _ => None,
    };
    request.key.config.and_then(config_of).or_else(config_above).or_else(only_config)
}

/// Every configuration beneath the session's root, by its path.
fn configs(lookup: &ContractLookup<'_>) -> Vec<(DocId, Arc<str>)> {
    let items = lookup.items().filter(|(_, item)| item.kind == FileKind::Config);
    let mut configs: Vec<(DocId, Arc<str>)> =
        items.map(|(doc, item)| (doc, item.root_path().into())).collect();
    // The items come from a hash map: without an order, the list would change with each lookup.
    configs.sort_by(|a, b| a.1.cmp(&b.1));
    configs
}

/// Contracts that can be chosen: the configuration's by its name, then files by their paths from its folder.
fn list_offered(query: &ContractLookup<'_>, config: Option<&ContractFile>) -> Vec<OfferedContract> {
    let own_contract = config.and_then(|file| {
        let contract = contract_of(&file.document)?;
        Some(OfferedContract {
            reference: text(&contract.name)?.into(),
            invariants: contract.invariants.len(),
            is_file: false,
        })
    });
    let folder = config.map_or("", ContractFile::parent_folder);
    let mut files: Vec<OfferedContract> = query
        .items()
        .filter(|(_, item)| item.kind == FileKind::Contract)
        .map(|(doc, item)| {
            let document = query.read(doc, item);
            let contract = document.as_ref().ok().and_then(contract_of);
            OfferedContract {
                reference: path_from(folder, item.root_path()).into(),
                invariants: contract.map_or(0, |c| c.invariants.len()),
                is_file: true,
            }
        })
        .collect();
    // The items come from a hash map, in an order that changes with each lookup.
    files.sort_by(|a, b| a.reference.cmp(&b.reference));
    own_contract.into_iter().chain(files).collect()
}

/// Returns the session's reference to a contract. A value that is not text refers to nothing, and is shown as written.
fn session_reference(request: &ContractRequest) -> (String, ReferenceKind) {
    let session = session_at(&request.document, &request.key.id.pointer);
    let Some(session) = session else { return (DEFAULT.to_owned(), ReferenceKind::Default) };
    let node = request.document.node(session.node).get("contract");
    match (text(&session.contract), node) {
        (Some(name), _) => (name.to_owned(), ReferenceKind::Explicit),
        (None, Some(node)) if node.kind() != document::NodeKind::Null => {
            (node.raw().to_owned(), ReferenceKind::Explicit)
        }
        (None, _) => (DEFAULT.to_owned(), ReferenceKind::Default),
    }
}

/// Resolves a reference as Flakestorm does: by name first, then as a path from the configuration's folder.
fn resolve(
    lookup: &ContractLookup<'_>,
    config: Option<&ContractFile>,
    link: &str,
) -> (Resolution, Option<ContractFile>) {
    let Some(config) = config else { return (Resolution::NoConfig, None) };
    if let Some(contract) = contract_of(&config.document)
        && let Some(name) = &contract.name
        && name.value == link
    {
        let spot = config.spot(config.document.node(name.node));
        return (Resolution::Named(spot), Some(config.clone()));
    }
    match lookup.project.probe(lookup.index, config.parent_folder(), link) {
        Ok(()) => {}
        // Flakestorm 2.0 has two ways to look for the file, and only one of them starts at the configuration.
        Err(ReadRefusal::Missing) => return resolve_beside(lookup, link),
        Err(refusal) => {
            let reason = to_sentence(refusal);
            // Neither a known name nor a path.
            let is_path = link.contains(['/', '\\', '.']);
            let resolution = is_path.then(|| Resolution::Unread(reason.into()));
            return (resolution.unwrap_or(Resolution::Missing), None);
        }
    }
    let file = joined(config.parent_folder(), link).ok_or("No such path in the project".to_owned());
    match file.and_then(|path| lookup.file(&path)) {
        Ok(file) => (resolve_by_file(lookup, config, link, &file), Some(file)),
        Err(reason) => (Resolution::Unread(reason.into()), None),
    }
}

/// Resolves a path from the session's folder, as one of Flakestorm's commands does.
fn resolve_beside(lookup: &ContractLookup<'_>, link: &str) -> (Resolution, Option<ContractFile>) {
    let folder = lookup.item().map_or("", |item| item.folder());
    // A session inside a configuration has no folder of its own.
    let path = joined(folder, link).filter(|_| !lookup.request.key.id.is_inline());
    let file = path.and_then(|path| lookup.file(&path).ok());
    let contract = file.as_ref().and_then(|file| Some(contract_of(&file.document)?.node));
    let (Some(file), Some(contract)) = (file, contract) else {
        return (Resolution::Missing, None);
    };
    let spot = file.spot(file.document.node(contract));
    let remark = Some(
        "Only `flakestorm replay run` (2.0) finds the contract file, in the session’s folder; `flakestorm ci` looks in the folder of the configuration, and passes without checking the answer".into(),
    );
    (Resolution::File { spot, remark }, Some(file))
}

fn resolve_by_file(
    lookup: &ContractLookup<'_>,
    config: &ContractFile,
    reference: &str,
    file: &ContractFile,
) -> Resolution {
    let Some(contract) = contract_of(&file.document) else {
        return Resolution::Unread("The file contains no contract".into());
    };
    let folder = lookup.item().map_or("", |item| item.folder());
    let is_elsewhere = folder != config.parent_folder()
        && !lookup.request.key.id.is_inline()
        && lookup.project.probe(lookup.index, folder, reference).is_err();
    let spot = file.spot(file.document.node(contract.node));
    let remark = is_elsewhere.then(|| {
        "`flakestorm replay run` (2.0) looks for the contract file in the session’s folder, does not find it there, and passes without checking the answer".into()
    });
    Resolution::File { spot, remark }
}

fn check_invariants(
    file: &ContractFile,
    contract: &Contract,
    answer: Option<&TestedAnswer>,
) -> Vec<CheckedInvariant> {
    let sample = Sample {
        answer: answer.map_or("", |answer| &answer.text),
        latency_ms: answer.and_then(|answer| answer.latency_ms),
    };
    let tried = check_all(&file.document, contract, sample);
    let invariants = tried.into_iter().map(|tried| {
        let node = file.document.node(tried.node);
        let is_known = INVARIANT_TYPES.contains(&tried.kind.as_str());
        CheckedInvariant {
            spot: file.spot(node),
            pointer: node.pointer().into(),
            suggestion: nearest_type(&tried.kind).filter(|_| !is_known).map(Arc::from),
            is_known,
            tried,
        }
    });
    invariants.collect()
}
