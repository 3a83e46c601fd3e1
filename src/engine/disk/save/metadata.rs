//! Copies a file's metadata: mode, owner, extended attributes (including access control lists).

use std::fs::File;

use super::fault;
use author::saving::{SaveFailure, SaveRemark};

/// Copies the old file's metadata to the new one. What the system forbids becomes a remark; any other failure is
/// a fault.
#[cfg(unix)]
pub(super) fn copy_metadata(old: &File, new: &File) -> Result<Vec<SaveRemark>, SaveFailure> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt, fchown};

    use crate::disk::root::uninterrupted;

    let metadata_of =
        |file: &File| uninterrupted(|| file.metadata()).map_err(|error| fault("looked at", &error));
    let (old_metadata, new_metadata) = (metadata_of(old)?, metadata_of(new)?);
    let mut remarks = Vec::new();
    if old_metadata.nlink() > 1 {
        let other_count = old_metadata.nlink() - 1;
        remarks.push(SaveRemark::HardLinkBroken { others: other_count });
    }
    // Without its owner, a file must not run as anyone else.
    let mut mode_bits = 0o7777;
    if (old_metadata.uid(), old_metadata.gid()) != (new_metadata.uid(), new_metadata.gid()) {
        let give = |owner, group| uninterrupted(|| fchown(new, owner, group));
        match give(Some(old_metadata.uid()), Some(old_metadata.gid())) {
            Ok(()) => {}
            Err(error) if is_forbidden(&error) => {
                // The group alone is often allowed.
                let _ = give(None, Some(old_metadata.gid()));
                mode_bits = 0o777;
                remarks.push(SaveRemark::OwnerNotKept);
            }
            Err(error) => return Err(fault("given its owner", &error)),
        }
    }
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    attributes::copy(old, new, &mut remarks)?;
    // Comes last, since both of the above change it.
    let mode = old_metadata.mode() & mode_bits;
    if mode != metadata_of(new)?.mode() & 0o7777 {
        let result = uninterrupted(|| new.set_permissions(PermissionsExt::from_mode(mode)));
        result.map_err(|error| fault("given its mode", &error))?;
    }
    Ok(remarks)
}

/// Makes the new file read-only, if the old one is.
#[cfg(not(unix))]
pub(super) fn copy_metadata(old: &File, new: &File) -> Result<Vec<SaveRemark>, SaveFailure> {
    let permissions = old.metadata().map(|metadata| metadata.permissions());
    let result = permissions.and_then(|permissions| new.set_permissions(permissions));
    result.map_err(|error| fault("given its mode", &error))?;
    Ok(Vec::new())
}

/// Returns whether the system forbids this user an operation, or the file system does not support it.
#[cfg(unix)]
fn is_forbidden(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, Unsupported};
    matches!(error.kind(), PermissionDenied | Unsupported)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod attributes {
    use std::collections::BTreeMap;
    use std::ffi::{CStr, CString};
    use std::fs::File;
    use std::io;

    use rustix::buffer::spare_capacity;
    use rustix::fs::{
        XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fremovexattr,
        fsetxattr,
    };
    use rustix::io::{Errno, retry_on_intr};

    use super::{fault, is_forbidden};
    use crate::disk::root::describe_error;
    use author::saving::{SaveFailure, SaveRemark};

    /// Attributes that vouch for the content; of another content they would be wrong.
    const CONTENT_ATTRIBUTES: [&CStr; 2] = [c"security.ima", c"security.evm"];

    pub(super) fn copy(
        old: &File,
        new: &File,
        remarks: &mut Vec<SaveRemark>,
    ) -> Result<(), SaveFailure> {
        let (old_attributes, mut flags) = (read(old, remarks)?, read(new, &mut Vec::new())?);
        for (name, value) in old_attributes {
            if flags.remove(&name).as_ref() == Some(&value) || CONTENT_ATTRIBUTES.contains(&&*name)
            {
                continue;
            }
            let result = retry_on_intr(|| fsetxattr(new, &*name, &value, XattrFlags::empty()));
            judge(&name, result, remarks)?;
        }
        // The new file may have inherited attributes from the folder that the old one does not have.
        for name in flags.into_keys() {
            judge(&name, retry_on_intr(|| fremovexattr(new, &*name)), remarks)?;
        }
        Ok(())
    }

    /// All attributes with their values.
    fn read(
        file: &File,
        remarks: &mut Vec<SaveRemark>,
    ) -> Result<BTreeMap<CString, Vec<u8>>, SaveFailure> {
        let names = match names(file) {
            // A file system without attributes.
            Err(Errno::NOTSUP) => Vec::new(),
            names => names.map_err(|error| fault("read for its attributes", &error.into()))?,
        };
        let mut attributes = BTreeMap::new();
        let names = names.split_inclusive(|byte| *byte == 0);
        for name in names.filter_map(|name| CStr::from_bytes_with_nul(name).ok()) {
            if let Some(value) = judge(name, value(file, name), remarks)? {
                attributes.insert(name.to_owned(), value);
            }
        }
        Ok(attributes)
    }

    /// The names, each with a zero behind it.
    fn names(file: &File) -> rustix::io::Result<Vec<u8>> {
        let size = retry_on_intr(|| flistxattr_query(file))?;
        let mut names = Vec::with_capacity(size);
        // An empty buffer would request the size again.
        if size > 0 {
            retry_on_intr(|| flistxattr(file, spare_capacity(&mut names)))?;
        }
        Ok(names)
    }

    fn value(file: &File, name: &CStr) -> rustix::io::Result<Vec<u8>> {
        let size = retry_on_intr(|| fgetxattr_query(file, name))?;
        let mut value = Vec::with_capacity(size);
        if size > 0 {
            retry_on_intr(|| fgetxattr(file, name, spare_capacity(&mut value)))?;
        }
        Ok(value)
    }

    /// Turns what the system forbids into a remark and `None`.
    fn judge<T>(
        name: &CStr,
        result: rustix::io::Result<T>,
        remarks: &mut Vec<SaveRemark>,
    ) -> Result<Option<T>, SaveFailure> {
        let error = match result {
            Ok(value) => return Ok(Some(value)),
            Err(error) => io::Error::from(error),
        };
        if !is_forbidden(&error) {
            return Err(fault("given its attributes", &error));
        }
        remarks.push(SaveRemark::AttributeNotKept {
            name: name.to_string_lossy().into_owned(),
            reason: describe_error(&error),
        });
        Ok(None)
    }
}
