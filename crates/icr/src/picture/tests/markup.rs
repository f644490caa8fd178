//! A reader of the markup that pages consist of, strict enough to notice what a browser would quietly repair.

/// An element or a text, in document order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// Name and attributes of an opening tag.
    Open(String, Vec<(String, String)>),
    /// Text with its character references resolved.
    Text(String),
    /// Content of a `script` or `style` element.
    Raw(String),
}

/// All items of `page`.
///
/// # Errors
///
/// Where the page is not well-formed: tags that do not nest, attributes without quotes or given twice, stray `<`, `>` or
/// `&`, unknown character references, ids that are not unique.
pub(super) fn read(page: &str) -> Result<Vec<Item>, String> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n").ok_or("no document type")?;
    let mut open: Vec<String> = Vec::new();
    let mut items = Vec::new();
    let mut ids = std::collections::BTreeSet::new();
    while !rest.is_empty() {
        let Some(tag) = rest.strip_prefix('<') else {
            let end = rest.find('<').unwrap_or(rest.len());
            items.push(Item::Text(resolved(&rest[..end])?));
            rest = &rest[end..];
            continue;
        };
        // `>` in attributes is always a reference.
        let end = tag.find('>').ok_or_else(|| format!("no end of tag: {}", start_of(tag)))?;
        let (inside, after) = (&tag[..end], &tag[end + 1..]);
        rest = after;
        if let Some(name) = inside.strip_prefix('/') {
            if open.pop().as_deref() != Some(name) {
                return Err(format!("`{name}` closes another element: {}", start_of(after)));
            }
            continue;
        }
        let (inside, is_closed) = inside.strip_suffix(" /").map_or((inside, false), |inside| (inside, true));
        let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(format!("no name of an element: {}", start_of(tag)));
        }
        let attributes = attributes_of(attributes)?;
        for (_, id) in attributes.iter().filter(|(name, _)| name == "id") {
            if !ids.insert(id.clone()) {
                return Err(format!("id `{id}` stands twice"));
            }
        }
        items.push(Item::Open(name.to_owned(), attributes));
        if is_closed {
            continue;
        }
        if name == "script" || name == "style" {
            let end = rest.find(&format!("</{name}>")).ok_or("script or style is not closed")?;
            items.push(Item::Raw(rest[..end].to_owned()));
            rest = &rest[end..];
        }
        open.push(name.to_owned());
    }
    if open.is_empty() { Ok(items) } else { Err(format!("{open:?} are not closed")) }
}

fn start_of(text: &str) -> String {
    text.chars().take(60).collect()
}

fn attributes_of(mut text: &str) -> Result<Vec<(String, String)>, String> {
    let mut attributes: Vec<(String, String)> = Vec::new();
    while !text.is_empty() {
        let (name, rest) = text.split_once("=\"").ok_or_else(|| format!("no quoted value: {}", start_of(text)))?;
        let (value, rest) = rest.split_once('"').ok_or_else(|| format!("no closing quote: {}", start_of(text)))?;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') {
            return Err(format!("no name of an attribute: {}", start_of(text)));
        }
        if attributes.iter().any(|(known, _)| known == name) {
            return Err(format!("attribute `{name}` stands twice"));
        }
        attributes.push((name.to_owned(), resolved(value)?));
        text = rest.strip_prefix(' ').unwrap_or(rest);
    }
    Ok(attributes)
}

fn resolved(text: &str) -> Result<String, String> {
    let mut resolved = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['&', '>', '<']) {
        resolved.push_str(&rest[..at]);
        let references =
            [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&#39;", '\''), ("&#58;", ':')];
        let found = references.into_iter().find(|(reference, _)| rest[at..].starts_with(reference));
        let (reference, character) = found.ok_or_else(|| format!("stray character: {}", start_of(&rest[at..])))?;
        resolved.push(character);
        rest = &rest[at + reference.len()..];
    }
    resolved.push_str(rest);
    Ok(resolved)
}

#[test]
fn the_reader_notices_what_is_not_well_formed() {
    for page in [
        "<p>",
        "<p></b>",
        "<p a=b></p>",
        "<p a=\"1\" a=\"2\"></p>",
        "a & b",
        "a > b",
        "<>",
        "<p id=\"a\" /><p id=\"a\" />",
    ] {
        assert!(read(&format!("<!DOCTYPE html>\n{page}")).is_err(), "{page}");
    }
    let items = read("<!DOCTYPE html>\n<p a=\"&quot;\">1 &lt; 2</p><script>a<b</script>");
    let expected = [
        Item::Open("p".to_owned(), vec![("a".to_owned(), "\"".to_owned())]),
        Item::Text("1 < 2".to_owned()),
        Item::Open("script".to_owned(), Vec::new()),
        Item::Raw("a<b".to_owned()),
    ];
    assert_eq!(items.as_deref(), Ok(expected.as_slice()));
}
