//! The relations of links, as the database spells them.

/// The relations that the table of links accepts.
const RELATIONS: [&str; 9] = [
    "part_of",
    "depends_on",
    "related_to",
    "contradicts",
    "refines",
    "alternative_to",
    "caused_by",
    "instance_of",
    "superseded_by",
];

/// Refuses a name that is no relation.
pub(crate) fn check_relation(name: &str) -> Result<(), String> {
    match RELATIONS.contains(&name) {
        true => Ok(()),
        false => Err(format!("`relation` is `{name}`; it is one of {}", RELATIONS.join(", "))),
    }
}

/// The relation with this name, in any spelling of its parts.
pub(crate) fn relation_of(word: &str) -> Option<&'static str> {
    let letters = |word: &str| -> String {
        word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    RELATIONS.into_iter().find(|relation| letters(relation) == letters(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_known_however_they_are_written() {
        for word in ["depends_on", "dependsOn", "depends-on", "DEPENDS_ON", "dependson"] {
            assert_eq!(relation_of(word), Some("depends_on"));
        }
        assert_eq!(relation_of("likes"), None);
        check_relation("part_of").unwrap();
        assert!(check_relation("partOf").unwrap_err().starts_with("`relation` is `partOf`; it is one of part_of, "));
    }
}
