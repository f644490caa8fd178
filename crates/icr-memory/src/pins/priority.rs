//! How much one pin counts beside others.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use serde::Serialize;

/// The priority of a pin, 1 to 10; higher ones come first. The default is 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct PinPriority(u8);

impl PinPriority {
    /// The lowest priority, 1.
    pub const LEAST: Self = Self(1);

    /// The highest priority, 10.
    pub const MOST: Self = Self(10);

    /// The priority with this number; `None` if it is out of bounds.
    pub fn new(number: u8) -> Option<Self> {
        (Self::LEAST..=Self::MOST).contains(&Self(number)).then_some(Self(number))
    }

    /// The number of the priority, 1 to 10.
    pub fn number(self) -> u8 {
        self.0
    }
}

impl Default for PinPriority {
    fn default() -> Self {
        Self(5)
    }
}

impl ToSql for PinPriority {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for PinPriority {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let number = value.as_i64()?;
        let priority = u8::try_from(number).ok().and_then(Self::new);
        priority.ok_or_else(|| FromSqlError::Other("it is no priority of 1 to 10".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_1_to_10() {
        let numbers: Vec<u8> = (0..=u8::MAX).filter_map(PinPriority::new).map(PinPriority::number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(PinPriority::default().number(), 5);
    }
}
