//! Patterns of paths in manifests: `*` within a component, `?` for one byte, `**` for any number of components.

/// Most alternatives that a pattern with braces may give; more are ignored. Without a limit, a short pattern could
/// give millions.
const MAX_ALTERNATIVES: usize = 64;

/// Whether `pattern` matches the whole of `path`, component by component. Costs at most the product of their lengths.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let [pattern, path] = [pattern, path].map(components);
    wildcard(&pattern, &path, |part| *part == "**", |part, component| component_matches(part, component))
}

/// Whether `pattern` matches `path` or a directory above it.
pub(super) fn covers(pattern: &str, path: &str) -> bool {
    matches(pattern, path) || matches(&format!("{pattern}/**"), path)
}

/// The patterns that `pattern` gives when its braces are expanded: `a/{b,c}` gives `a/b` and `a/c`.
pub(super) fn alternatives(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut left = vec![pattern.to_owned()];
    while let Some(pattern) = left.pop() {
        if done.len() + left.len() >= MAX_ALTERNATIVES {
            break;
        }
        // Expand the innermost braces first, so that nested braces are expanded from the inside out.
        let end = pattern.find('}');
        let Some((start, end)) = end.and_then(|end| Some((pattern[..end].rfind('{')?, end))) else {
            done.push(pattern);
            continue;
        };
        let (before, after) = (&pattern[..start], &pattern[end + 1..]);
        left.extend(pattern[start + 1..end].split(',').rev().map(|choice| format!("{before}{choice}{after}")));
    }
    done
}

fn components(path: &str) -> Vec<&str> {
    path.split('/').filter(|component| !component.is_empty() && *component != ".").collect()
}

fn component_matches(pattern: &str, component: &str) -> bool {
    wildcard(pattern.as_bytes(), component.as_bytes(), |byte| *byte == b'*', |one, other| one == other || *one == b'?')
}

/// Whether `pattern` matches all of `text`. Elements for which `is_star` is true match any number of elements.
/// Backtracks to the last star only, because changing an earlier one never helps.
fn wildcard<P, T>(pattern: &[P], text: &[T], is_star: impl Fn(&P) -> bool, same: impl Fn(&P, &T) -> bool) -> bool {
    let (mut in_pattern, mut in_text) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while in_text < text.len() {
        match pattern.get(in_pattern) {
            Some(part) if is_star(part) => {
                last_star = Some((in_pattern, in_text));
                in_pattern += 1;
            }
            Some(part) if same(part, &text[in_text]) => {
                in_pattern += 1;
                in_text += 1;
            }
            _ => {
                let Some((star, taken)) = &mut last_star else { return false };
                *taken += 1;
                (in_pattern, in_text) = (*star + 1, *taken);
            }
        }
    }
    pattern[in_pattern..].iter().all(is_star)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_paths() {
        for (pattern, path, expected) in [
            ("packages/*", "packages/a", true),
            ("packages/*", "packages/a/b", false),
            ("packages/**", "packages/a/b", true),
            ("**/*.test.ts*", "src/a/b.test.tsx", true),
            ("**/*.test.ts*", "b.test.ts", true),
            ("a/**/b/**/c", "a/x/b/y/b/c", true),
            ("a/**/b/**/c", "a/x/c", false),
            ("./a/?.ts", "a/b.ts", true),
            ("a*c*e", "abcde", true),
            ("", "", true),
            ("*", "", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
        assert!(covers("src", "src/a/b.ts") && covers("src", "src") && !covers("src", "srcs"));
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        assert!(!matches(&"**/a/".repeat(40), &"a/".repeat(39)));
        assert!(!matches(&"*a".repeat(5_000), &"a".repeat(4_999)));
    }

    #[test]
    fn braces_are_taken_apart() {
        assert_eq!(alternatives("a/{b,c/{d,e}}"), ["a/b", "a/c/d", "a/b", "a/c/e"]);
        assert_eq!(alternatives("a}{b"), ["a}{b"]);
        assert!(alternatives(&"{a,b}".repeat(40)).len() <= MAX_ALTERNATIVES);
    }
}
