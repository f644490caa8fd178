//! Conversions of moments and durations to microseconds, as the database stores them.

use std::time::{Duration, SystemTime};

/// Microseconds since 1970; earlier times count as 1970.
pub(crate) fn microseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    of_duration(since)
}

/// `duration` in microseconds.
pub(crate) fn of_duration(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// The moment `microseconds` after 1970; 1970 if this machine cannot represent it.
pub(crate) fn moment(microseconds: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH.checked_add(duration(microseconds)).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The duration of `microseconds`; a negative number gives 0.
pub(crate) fn duration(microseconds: i64) -> Duration {
    Duration::from_micros(u64::try_from(microseconds).unwrap_or_default())
}

/// Serializes a moment in JSON as whole milliseconds.
pub(crate) mod milliseconds {
    use std::time::SystemTime;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
        (super::microseconds(*time) / 1_000).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SystemTime, D::Error> {
        Ok(super::moment(i64::deserialize(deserializer)?.saturating_mul(1_000)))
    }
}

/// Serializes a duration in JSON as milliseconds with three decimals.
pub(crate) mod duration_milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        (super::of_duration(*duration) as f64 / 1_000.0).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        // A number out of range becomes the nearest integer, and NaN becomes 0.
        Ok(super::duration((f64::deserialize(deserializer)? * 1_000.0).round() as i64))
    }
}
