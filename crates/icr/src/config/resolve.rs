//! Merges the layers into one value per key.

use std::path::{Path, PathBuf};
use std::time::Duration;

use icr_engine::names_every_file;

use super::error::{ConfigError, OrderedKeyValue, ValueOrigin, Warning};
use super::keys::{KEYS, ORDERED};
use super::layers::{self, ConfigurationLayer, ConfigurationLayers, LayerEntry};
use super::table::{Key, KeyNo, Note, find};
use super::value::Value;

/// The values of all keys and where each comes from.
///
/// The typed getters take the name of a key in the table. A name or type that the table does not have is a bug in the
/// caller and panics. For names that people typed, use [`ResolvedConfig::setting`].
#[derive(Debug, Clone)]
pub(crate) struct ResolvedConfig {
    /// For each row of the table, the values from the layers, lowest layer first; never empty.
    stacks: Vec<Vec<(Value, ValueOrigin)>>,
    secret_patterns: SecretPatterns,
    warnings: Vec<Warning>,
}

/// Patterns of secret files, united from all layers: a further pattern in any layer makes more files secret.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SecretPatterns {
    /// Patterns of the user, in layer order. A pattern with `!` un-hides files that earlier ones hide.
    pub(crate) own: Vec<String>,
    /// Patterns of the project file; they cannot un-hide anything.
    pub(crate) of_project: Vec<String>,
}

/// The key whose layers are united instead of overriding each other.
const SECRET_PATTERNS: &str = "security.secret_patterns";

/// One key with its present value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    /// The row of the table.
    pub(crate) key: &'static Key,
    /// The value; hide it when `key.secret`.
    pub(crate) value: &'a Value,
    /// Where the value was written.
    pub(crate) place: &'a ValueOrigin,
}

/// Merges the layers.
///
/// # Errors
///
/// The first error in the user's file, else in the store's, the environment or the flags, else between two values.
/// Errors in the project file are warnings.
pub(crate) fn resolve(layers: &ConfigurationLayers<'_>) -> Result<ResolvedConfig, ConfigError> {
    let mut resolved = ResolvedConfig::built_in();
    if let Some((path, text)) = &layers.user {
        resolved.apply(layers::file(text, |line| ValueOrigin::User { path: path.clone(), line }))?;
    }
    if let Some((path, text)) = &layers.store {
        resolved.apply(layers::file(text, |line| ValueOrigin::Store { path: path.clone(), line }))?;
    }
    if let Some((path, text)) = &layers.project {
        let mut layer = layers::project(text, |line| ValueOrigin::Project { path: path.clone(), line });
        resolved.warnings.extend(layer.errors.drain(..).map(Warning::Ignored));
        resolved.apply_project(layer);
    }
    resolved.apply(layers::environment(layers.environment))?;
    resolved.apply(layers::flags(layers.flags))?;
    resolved.check_order()?;
    resolved.check_network()?;
    resolved.unite_secret_patterns();
    resolved.note();
    Ok(resolved)
}

/// Warnings about the key `name` set to `text`, without regard to other keys.
pub(crate) fn warnings_of(name: &str, text: &str) -> Vec<Warning> {
    let flags = [(name.to_owned(), text.to_owned())];
    // Conflicts with other values are reported where these values are set.
    resolve(&ConfigurationLayers { flags: &flags, ..ConfigurationLayers::default() })
        .map(|resolved| resolved.warnings)
        .unwrap_or_default()
}

impl ResolvedConfig {
    /// The value of a key of type bool.
    #[track_caller]
    pub(crate) fn get_bool(&self, name: &str) -> bool {
        match self.value(name) {
            Value::Bool(value) => *value,
            other => wrong_type(name, "bool", other),
        }
    }

    /// The value of a key that holds a whole number, in the unit of its documentation.
    #[track_caller]
    pub(crate) fn get_integer(&self, name: &str) -> i64 {
        match self.value(name) {
            Value::Integer(value) => *value,
            other => wrong_type(name, "integer", other),
        }
    }

    /// The value of a key that holds a number, whole or not.
    #[track_caller]
    pub(crate) fn get_float(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Float(value) => *value,
            other => wrong_type(name, "float", other),
        }
    }

    /// The value of a number key divided by its default, which must not be 0.
    #[track_caller]
    pub(crate) fn times_default(&self, name: &str) -> f64 {
        let built_in = find(name).and_then(|(no, _)| self.stacks[no].first());
        match built_in {
            Some((Value::Float(default), _)) => self.get_float(name) / default,
            _ => wrong_type(name, "float", self.value(name)),
        }
    }

    /// The value of a key that holds a text or a word; empty when unset.
    #[track_caller]
    pub(crate) fn get_text(&self, name: &str) -> &str {
        match self.value(name) {
            Value::Text(value) => value,
            other => wrong_type(name, "text", other),
        }
    }

    /// The value of a key that holds several texts.
    #[track_caller]
    pub(crate) fn get_list(&self, name: &str) -> &[String] {
        match self.value(name) {
            Value::List(value) => value,
            other => wrong_type(name, "list", other),
        }
    }

    /// The patterns of secret files of all layers.
    pub(crate) fn secret_patterns(&self) -> &SecretPatterns {
        &self.secret_patterns
    }

    /// The value of a key that holds a duration.
    #[track_caller]
    pub(crate) fn get_duration(&self, name: &str) -> Duration {
        match self.value(name) {
            Value::Duration(milliseconds) => Duration::from_millis(*milliseconds),
            other => wrong_type(name, "duration", other),
        }
    }

    /// The value of a key that holds a path. A leading `~/` stands for `user_home`; other relative paths are relative
    /// to `icr_home`. `None` if unset.
    #[track_caller]
    pub(crate) fn get_path(&self, name: &str, icr_home: &Path, user_home: &Path) -> Option<PathBuf> {
        let text = self.get_text(name);
        match text.strip_prefix("~/") {
            _ if text.is_empty() => None,
            Some(below) => Some(user_home.join(below)),
            None => Some(icr_home.join(text)),
        }
    }

    /// Whether any layer above the built-in values sets the key.
    #[track_caller]
    pub(crate) fn is_set(&self, name: &str) -> bool {
        let Some((no, _)) = find(name) else { panic!("`{name}` is not in the table of keys") };
        !is_built_in(self.setting_of(no).place)
    }

    /// The key named `name`, which a person may have typed.
    ///
    /// # Errors
    ///
    /// [`ConfigError::UnknownKey`] with a suggestion.
    pub(crate) fn setting(&self, name: &str) -> Result<Setting<'_>, ConfigError> {
        let (no, _) = find(name).ok_or_else(|| layers::unknown(ValueOrigin::Flag, name))?;
        Ok(self.setting_of(no))
    }

    /// Where the value of the key named `name` was written.
    ///
    /// # Errors
    ///
    /// As for [`ResolvedConfig::setting`].
    pub(crate) fn origin(&self, name: &str) -> Result<&ValueOrigin, ConfigError> {
        self.setting(name).map(|setting| setting.place)
    }

    /// All keys in the order of the table. Keys that only set another key are included only if they are set.
    pub(crate) fn settings(&self) -> impl Iterator<Item = Setting<'_>> {
        let is_shown = |setting: &Setting<'_>| setting.key.maps_to.is_none() || *setting.place != ValueOrigin::BuiltIn;
        (0..KEYS.len()).map(|no| self.setting_of(no)).filter(is_shown)
    }

    /// Messages for the user, in layer order.
    pub(crate) fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn built_in() -> Self {
        let stacks = KEYS.iter().map(|key| vec![(Value::built_in(key), ValueOrigin::BuiltIn)]).collect();
        Self { stacks, secret_patterns: SecretPatterns::default(), warnings: Vec::new() }
    }

    #[track_caller]
    fn value(&self, name: &str) -> &Value {
        let Some((no, _)) = find(name) else { panic!("`{name}` is not in the table of keys") };
        self.setting_of(no).value
    }

    fn setting_of(&self, no: KeyNo) -> Setting<'_> {
        let (value, place) = self.stacks[no].last().expect("the built-in value is never removed");
        Setting { key: &KEYS[no], value, place }
    }

    fn apply(&mut self, layer: ConfigurationLayer) -> Result<(), ConfigError> {
        if let Some(error) = layer.errors.into_iter().next() {
            return Err(error);
        }
        match self.push(layer.entries).into_iter().next() {
            Some(error) => return Err(error),
            None => self.warnings.extend(layer.warnings),
        }
        Ok(())
    }

    fn apply_project(&mut self, layer: ConfigurationLayer) {
        let errors = self.push(layer.entries);
        self.warnings.extend(layer.warnings);
        self.warnings.extend(errors.into_iter().map(Warning::Ignored));
    }

    /// Applies the entries of one layer. An entry for a key that stands for another key sets the other one too, unless
    /// the layer sets that itself.
    fn push(&mut self, entries: Vec<LayerEntry>) -> Vec<ConfigError> {
        let set: Vec<KeyNo> = entries.iter().map(|entry| entry.no).collect();
        let mut errors = Vec::new();
        for entry in entries {
            match mapped(&entry) {
                None => {}
                Some(Err(error)) => {
                    errors.push(error);
                    continue;
                }
                Some(Ok(target)) if set.contains(&target.no) => {}
                Some(Ok(target)) => {
                    self.warnings.push(Warning::Mapped {
                        place: entry.place.clone(),
                        from: format!("`{} = {}`", KEYS[entry.no].name, entry.value),
                        to: format!("`{} = {}`", KEYS[target.no].name, target.value),
                    });
                    self.stacks[target.no].push((target.value, target.place));
                }
            }
            self.stacks[entry.no].push((entry.value, entry.place));
        }
        errors
    }

    /// Checks the pairs in [`ORDERED`] and lowers values where that is allowed.
    fn check_order(&mut self) -> Result<(), ConfigError> {
        while let Some(error) = ORDERED.iter().find_map(|(low, high)| self.order_pair(low, high).err()) {
            // A conflict is resolved by dropping the project file's value. Each turn drops one value, so this ends.
            let ConfigError::OutOfOrder { low, high } = &error else { return Err(error) };
            let from_project = [high.key, low.key].into_iter().find(|name| self.drop_project_value(name));
            if from_project.is_none() {
                return Err(error);
            }
            self.stacks
                .iter_mut()
                .for_each(|stack| stack.retain(|(_, place)| !matches!(place, ValueOrigin::GivesWay { .. })));
            self.warnings.push(Warning::Ignored(error));
        }
        Ok(())
    }

    fn order_pair(&mut self, low: &'static str, high: &'static str) -> Result<(), ConfigError> {
        let (low_value, high_value) = (self.get_integer(low), self.get_integer(high));
        if low_value <= high_value {
            return Ok(());
        }
        let (no, _) = find(low).expect("ordered keys are in the table");
        if is_built_in(self.setting_of(no).place) {
            self.stacks[no].push((Value::Integer(high_value), ValueOrigin::GivesWay { to: high }));
            return Ok(());
        }
        let bound = |key, value| Ok(Box::new(OrderedKeyValue { key, value, place: self.origin(key)?.clone() }));
        Err(ConfigError::OutOfOrder { low: bound(low, low_value)?, high: bound(high, high_value)? })
    }

    /// Drops the present value of the key if it is the project file's. Returns whether it was.
    fn drop_project_value(&mut self, name: &str) -> bool {
        let Some((no, _)) = find(name) else { return false };
        let from_project = matches!(self.setting_of(no).place, ValueOrigin::Project { .. });
        if from_project {
            self.stacks[no].pop();
        }
        from_project
    }

    fn check_network(&self) -> Result<(), ConfigError> {
        let asks_remote = self.get_text("embedding.backend") == "remote";
        if asks_remote && !self.get_bool("network.enabled") {
            return Err(ConfigError::NeedsNetwork { place: self.origin("embedding.backend")?.clone() });
        }
        Ok(())
    }

    /// Sets the value of the secret patterns key to the union of all layers.
    fn unite_secret_patterns(&mut self) {
        let (no, _) = find(SECRET_PATTERNS).expect("the key is in the table");
        let (mut places, mut own_hiding, mut hiding) = (Vec::new(), Vec::new(), Vec::new());
        for (value, place) in &self.stacks[no] {
            let Value::List(patterns) = value else { continue };
            if patterns.iter().any(|pattern| !pattern.starts_with('!') || !matches!(place, ValueOrigin::Project { .. }))
            {
                places.push(place.clone());
            }
            if !matches!(place, ValueOrigin::Project { .. }) {
                self.secret_patterns.own.extend(patterns.iter().cloned());
                for pattern in patterns {
                    if pattern.starts_with('!') {
                        own_hiding.clear();
                    } else if names_every_file(pattern) {
                        own_hiding.push(Warning::HidesAll { place: place.clone(), pattern: pattern.clone() });
                    }
                }
                continue;
            }
            for pattern in patterns {
                if pattern.starts_with('!') {
                    let (place, pattern) = (place.clone(), pattern.clone());
                    self.warnings.push(Warning::Ignored(ConfigError::TakesBack { place, pattern }));
                } else {
                    if names_every_file(pattern) {
                        hiding.push(Warning::HidesAll { place: place.clone(), pattern: pattern.clone() });
                    }
                    self.secret_patterns.of_project.push(pattern.clone());
                }
            }
        }
        self.warnings.extend(own_hiding.into_iter().chain(hiding));
        let place = match places.as_slice() {
            [] => self.setting_of(no).place.clone(),
            [place] => place.clone(),
            _ => ValueOrigin::Several(places),
        };
        let SecretPatterns { own, of_project } = &self.secret_patterns;
        self.stacks[no].push((Value::List([own.as_slice(), of_project].concat()), place));
    }

    fn note(&mut self) {
        let is_told = |setting: &Setting<'_>, note: Note| match note {
            Note::Fixed(_) => true,
            // No note if the value equals the default, or if the variable is meant for icm.
            Note::Later(_) => *setting.value != Value::built_in(setting.key) && !is_of_icm(setting.place),
        };
        let notes: Vec<Warning> = self
            .settings()
            .filter(|setting| !is_built_in(setting.place))
            .filter_map(|setting| {
                let note = setting.key.note.filter(|note| is_told(&setting, *note))?;
                Some(Warning::Note { place: setting.place.clone(), key: setting.key.name, note })
            })
            .collect();
        self.warnings.extend(notes);
    }
}

/// The entry under icr's name for its key; `None` if it already has that name.
fn mapped(entry: &LayerEntry) -> Option<Result<LayerEntry, ConfigError>> {
    let key = &KEYS[entry.no];
    let mapping = key.maps_to?;
    let (no, target) = find(mapping.key).expect("a key stands for one of the table");
    let value = match (&entry.value, &target.kind) {
        (Value::Integer(number), super::table::KeyType::Integer { .. }) => {
            Value::Integer((*number as f64 * mapping.factor).round() as i64)
        }
        (Value::Float(number), super::table::KeyType::Float { .. }) => Value::Float(number * mapping.factor),
        (other, _) => other.clone(),
    };
    let allowed = format!("a value for which `{}` is {}", target.name, target.describe_allowed_values());
    let invalid = || ConfigError::InvalidValue {
        place: entry.place.clone(),
        key: key.name.to_owned(),
        value: format!("`{}`", entry.value),
        allowed,
    };
    Some(
        value
            .validate_for(target)
            .map(|value| LayerEntry { no, value, place: entry.place.clone() })
            .ok_or_else(invalid),
    )
}

/// Whether the value is the built-in one.
fn is_built_in(place: &ValueOrigin) -> bool {
    matches!(place, ValueOrigin::BuiltIn | ValueOrigin::GivesWay { .. })
}

/// Whether the value is in a variable that icm reads too.
fn is_of_icm(place: &ValueOrigin) -> bool {
    matches!(place, ValueOrigin::Environment { variable } if variable.starts_with("ICM_"))
}

#[track_caller]
fn wrong_type(name: &str, asked: &str, value: &Value) -> ! {
    panic!("`{name}` is {value}, not of type {asked}")
}
