//! Comparisons and look-ups for the tests of this member and of those that use it.

use crate::Effect;
use protocol::Request;

impl Effect {
    /// Returns the request, if it is one of this type.
    pub fn request<'r, T>(&'r self) -> Option<&'r T>
    where
        &'r T: TryFrom<&'r Request>,
    {
        match self {
            Self::Run(request) => request.try_into().ok(),
            _ => None,
        }
    }
}

/// Effects that print the same are equal: requests have no equality of their own.
impl PartialEq for Effect {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}
