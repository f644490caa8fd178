//! Whether a text is well-formed XML 1.0, as far as reports use it: elements, attributes, the five entities.

/// The first error in `text`.
pub(super) fn check(text: &str) -> Result<(), String> {
    let rest = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").ok_or("no declaration")?;
    let mut open: Vec<&str> = Vec::new();
    let mut roots = 0;
    for (at, part) in rest.split('<').enumerate() {
        if at == 0 {
            continue;
        }
        let (tag, text) = part.split_once('>').ok_or_else(|| format!("`<{part}` is not closed"))?;
        if let Some(name) = tag.strip_prefix('/') {
            let opened = open.pop();
            (opened == Some(name)).then_some(()).ok_or_else(|| format!("`</{name}>` closes {opened:?}"))?;
        } else {
            roots += usize::from(open.is_empty());
            let inside = tag.strip_suffix('/').unwrap_or(tag);
            let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
            is_name(name).then_some(()).ok_or_else(|| format!("`{name}` is no name"))?;
            check_attributes(attributes)?;
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
        check_text(text)?;
        if open.is_empty() && !text.trim().is_empty() {
            return Err(format!("`{text}` is outside of the root"));
        }
    }
    if open.is_empty() && roots == 1 { Ok(()) } else { Err(format!("{open:?} are open, {roots} roots")) }
}

fn check_attributes(attributes: &str) -> Result<(), String> {
    let mut rest = attributes;
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"").ok_or_else(|| format!("`{rest}` has no value"))?;
        is_name(name).then_some(()).ok_or_else(|| format!("`{name}` is no name"))?;
        let (value, after) = after.split_once('"').ok_or_else(|| format!("`{after}` is not closed"))?;
        check_text(value)?;
        if value.contains('\n') {
            return Err(format!("a parser makes a blank of the line break in `{value}`"));
        }
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    Ok(())
}

fn check_text(text: &str) -> Result<(), String> {
    let is_character = |character: char| matches!(character, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    if let Some(character) = text.chars().find(|character| !is_character(*character)) {
        return Err(format!("XML has no {character:?}"));
    }
    if text.contains("]]>") {
        return Err("`]]>` stands in text".to_owned());
    }
    for entity in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "apos;"].iter().any(|known| entity.starts_with(known));
        known.then_some(()).ok_or_else(|| format!("`&{entity}` is no entity"))?;
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

#[test]
fn what_is_not_well_formed_is_found() {
    let check = |inside: &str| check(&format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{inside}"));
    assert_eq!(check("<a b=\"&lt;\"><c/>x &gt;\n</a>\n"), Ok(()));
    for wrong in
        ["<a>", "<a></b>", "<a/><a/>", "x<a/>y", "<a b=\"c/>", "<a b/>", "<a>&x;</a>", "<a>\u{1}</a>", "<a b=\"\n\"/>"]
    {
        assert!(check(wrong).is_err(), "{wrong}");
    }
}
