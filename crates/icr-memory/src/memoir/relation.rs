//! The relations between two concepts.

use serde::{Deserialize, Serialize};

use crate::Error;

/// The relation of a concept, the source of a link, to another concept, its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The source is a part of the target.
    PartOf,
    /// The source needs the target to work.
    DependsOn,
    /// The two are related in some other way.
    RelatedTo,
    /// The two cannot both be true.
    Contradicts,
    /// The source says in more detail what the target says.
    Refines,
    /// Each can replace the other.
    AlternativeTo,
    /// The target is the cause of the source.
    CausedBy,
    /// The source is an example of the target.
    InstanceOf,
    /// The target replaces the source.
    SupersededBy,
}

impl Relation {
    /// All relations.
    pub const ALL: [Self; 9] = [
        Self::PartOf,
        Self::DependsOn,
        Self::RelatedTo,
        Self::Contradicts,
        Self::Refines,
        Self::AlternativeTo,
        Self::CausedBy,
        Self::InstanceOf,
        Self::SupersededBy,
    ];

    /// The name of the relation, in snake case.
    pub fn name(self) -> &'static str {
        [
            "part_of",
            "depends_on",
            "related_to",
            "contradicts",
            "refines",
            "alternative_to",
            "caused_by",
            "instance_of",
            "superseded_by",
        ][self as usize]
    }

    /// The relation with this name. Snake, camel and kebab case, spaces, and upper or lower case are all accepted:
    /// `depends_on`, `dependsOn`, `depends-on`, `DEPENDS_ON`, `dependson`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for any other word; the message lists all nine relations and the one that is spelled most
    /// alike.
    pub fn parse(word: &str) -> Result<Self, Error> {
        let plain = plain(word);
        if let Some(relation) = Self::ALL.into_iter().find(|relation| plain == self::plain(relation.name())) {
            return Ok(relation);
        }
        let names = Self::ALL.map(Self::name);
        let mut right = format!("one of {}", names.join(", "));
        if let [similar, ..] = icr_model::similar_names(word.trim(), names, 1).as_slice() {
            right.push_str(&format!("; did you mean `{similar}`?"));
        }
        let word: String = word.chars().filter(|character| !character.is_control()).take(40).collect();
        Err(Error::Invalid { field: "relation", wrong: format!("is `{word}`, which is no relation"), right })
    }

    /// Whether links of this relation form a hierarchy: a cycle of them would place a concept above itself.
    pub fn is_hierarchical(self) -> bool {
        matches!(self, Self::PartOf | Self::Refines | Self::InstanceOf | Self::SupersededBy)
    }
}

/// The word in lower case without separators.
fn plain(word: &str) -> String {
    word.trim().chars().filter(|letter| !matches!(letter, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_read_in_every_case() {
        for (word, relation) in [
            ("depends_on", Relation::DependsOn),
            ("dependsOn", Relation::DependsOn),
            ("DependsOn", Relation::DependsOn),
            ("depends-on", Relation::DependsOn),
            ("DEPENDS_ON", Relation::DependsOn),
            ("DEPENDS-ON", Relation::DependsOn),
            ("dependson", Relation::DependsOn),
            (" depends on ", Relation::DependsOn),
            ("partOf", Relation::PartOf),
            ("PART_OF", Relation::PartOf),
            ("relatedTo", Relation::RelatedTo),
            ("Contradicts", Relation::Contradicts),
            ("REFINES", Relation::Refines),
            ("alternative-to", Relation::AlternativeTo),
            ("causedBy", Relation::CausedBy),
            ("instance_of", Relation::InstanceOf),
            ("supersededBy", Relation::SupersededBy),
        ] {
            assert_eq!(Relation::parse(word).unwrap(), relation, "{word}");
        }
        for relation in Relation::ALL {
            assert_eq!(Relation::parse(relation.name()).unwrap(), relation);
            assert_eq!(serde_json::to_value(relation).unwrap(), relation.name());
        }
    }

    #[test]
    fn another_word_is_refused_with_the_nine_and_the_nearest() {
        let Error::Invalid { field, wrong, right } = Relation::parse("depend_on").unwrap_err() else { panic!() };
        assert_eq!((field, wrong.as_str()), ("relation", "is `depend_on`, which is no relation"));
        insta::assert_snapshot!(right, @"one of part_of, depends_on, related_to, contradicts, refines, alternative_to, caused_by, instance_of, superseded_by; did you mean `depends_on`?");
        for word in ["", "_", "is", "depends_on_", "dépends_on", "\0"] {
            assert_eq!(Relation::parse(word).is_ok(), word == "depends_on_", "{word:?}");
        }
    }

    #[test]
    fn only_what_leads_upwards_is_kept_free_of_cycles() {
        let names: Vec<_> = Relation::ALL.into_iter().filter(|relation| relation.is_hierarchical()).collect();
        assert_eq!(names, [Relation::PartOf, Relation::Refines, Relation::InstanceOf, Relation::SupersededBy]);
    }
}
