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

    let of =
        |file: &File| uninterrupted(|| file.metadata()).map_err(|error| fault("looked at", &error));
    let (was, is) = (of(old)?, of(new)?);
    let mut remarks = Vec::new();
    if was.nlink() > 1 {
        let others = was.nlink() - 1;
        remarks.push(SaveRemark::HardLinkBroken { others });
    }
    // Without its owner, a file must not run as anyone else.
    let mut kept_bits = 0o7777;
    if (was.uid(), was.gid()) != (is.uid(), is.gid()) {
        let give = |owner, group| uninterrupted(|| fchown(new, owner, group));
        match give(Some(was.uid()), Some(was.gid())) {
            Ok(()) => {}
            Err(error) if is_forbidden(&error) => {
                // The group alone is often allowed.
                let _ = give(None, Some(was.gid()));
                kept_bits = 0o777;
                remarks.push(SaveRemark::OwnerNotKept);
            }
            Err(error) => return Err(fault("given its owner", &error)),
        }
    }
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    attributes::copy(old, new, &mut remarks)?;
    // Comes last, since both of the above change it.
    let mode = was.mode() & kept_bits;
    if mode != of(new)?.mode() & 0o7777 {
        let set = uninterrupted(|| new.set_permissions(PermissionsExt::from_mode(mode)));
        set.map_err(|error| fault("given its mode", &error))?;
    }
    Ok(remarks)
}

/// Makes the new file read-only, if the old one is.
#[cfg(not(unix))]
pub(super) fn copy_metadata(old: &File, new: &File) -> Result<Vec<SaveRemark>, SaveFailure> {
    let permissions = old.metadata().map(|metadata| metadata.permissions());
    let kept = permissions.and_then(|permissions| new.set_permissions(permissions));
    kept.map_err(|error| fault("given its mode", &error))?;
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
    const OF_CONTENT: [&CStr; 2] = [c"security.ima", c"security.evm"];

    pub(super) fn copy(
        old: &File,
        new: &File,
        remarks: &mut Vec<SaveRemark>,
    ) -> Result<(), SaveFailure> {
        let (were, mut are) = (read(old, remarks)?, read(new, &mut Vec::new())?);
        for (name, value) in were {
            if are.remove(&name).as_ref() == Some(&value) || OF_CONTENT.contains(&&*name) {
                continue;
            }
            let set = retry_on_intr(|| fsetxattr(new, &*name, &value, XattrFlags::empty()));
            judge(&name, set, remarks)?;
        }
        // The new file may have inherited attributes from the folder that the old one does not have.
        for name in are.into_keys() {
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
        done: rustix::io::Result<T>,
        remarks: &mut Vec<SaveRemark>,
    ) -> Result<Option<T>, SaveFailure> {
        let error = match done {
            Ok(done) => return Ok(Some(done)),
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
