//! Calls as they are written: what they give by place and by name, and whether that fits a list of parameters.

use std::ops::Range;

use icr_model::{Parameter, ParameterKind};

use crate::symbols::language::{ArgumentCounting, ContractRules, MakingForm, Naming, contract_rules};

/// Longest list of arguments that is read, in bytes: what is longer is data.
const ARGUMENTS_BYTES_MOST: usize = 4_000;

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arguments {
    /// Number of arguments given by place.
    pub by_place: usize,
    /// Names of those given by name.
    pub names: Vec<String>,
    /// Whether something is given that stands for any number: `*args`, `...rest`.
    pub has_spread: bool,
}

/// The arguments of each mention of `name` on the first line of `text`. `None` if the mention is not a call, or its
/// list cannot be read: it does not end, is very long, or has commas whose role is unclear. Mentions that look like a
/// definition are left out.
pub fn calls(language: &str, text: &str, name: &str) -> Vec<Option<Arguments>> {
    let end = text.find('\n').unwrap_or(text.len());
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..end].find(name).map(|at| from + at) {
        from = at + name.len();
        if is_whole_word(text, at..from) && !is_definition(&text[..at]) {
            found.push(arguments(language, &text[from..]));
        }
    }
    found
}

/// Whether no letter, digit or underscore touches `place` in `text`.
fn is_whole_word(text: &str, place: Range<usize>) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    !text[..place.start].ends_with(is_word) && !text[place.end..].starts_with(is_word)
}

/// Whether a line makes a value of the type `name`, or names its constructor: `new T(…)`, `T(…)`, `T::new`, `T.init`. `None`
/// for languages in which any mention of a type may lead to one, because types are values.
pub fn constructs(language: &str, line: &str, name: &str) -> Option<bool> {
    let making = contract_rules(language).making?;
    let mut mentions = line.match_indices(name).filter(|(at, _)| is_whole_word(line, *at..at + name.len()));
    Some(mentions.any(|(at, _)| {
        let qualifier = |character: char| character.is_alphanumeric() || "_.:\\".contains(character);
        let before = line[..at].trim_end_matches(qualifier);
        let behind = without_type_arguments(&line[at + name.len()..]);
        let is_made = before.trim_end().ends_with("new") && before.ends_with(char::is_whitespace);
        let has_other_form = match making.other_form {
            MakingForm::Declaration => {
                behind.starts_with(['{', '>'])
                    || behind.starts_with(' ') && !behind.trim_start().starts_with(['&', '*'])
            }
            MakingForm::NewBehindType => behind.contains("= new(") || behind.contains("=> new("),
            MakingForm::NamedConstructor => names_constructor(behind),
            MakingForm::Absent => false,
        };
        let is_callable = making.constructors.iter().any(|callable| behind.starts_with(callable));
        is_made || has_other_form || is_callable || behind.starts_with('(')
    }))
}

/// Whether a constructor with a name of its own follows the name of its type.
fn names_constructor(behind: &str) -> bool {
    behind.strip_prefix('.').is_some_and(|rest| {
        rest.trim_start_matches(|sign: char| sign.is_alphanumeric() || sign == '_').starts_with('(')
    })
}

/// The text behind the type arguments at the start of `rest`.
fn without_type_arguments(rest: &str) -> &str {
    let mut depth = 0_u32;
    for (at, sign) in rest.char_indices() {
        match sign {
            '<' | '[' => depth += 1,
            '>' | ']' if depth > 0 => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &rest[if matches!(sign, '>' | ']') { at + 1 } else { at }..];
        }
    }
    rest
}

/// Whether the text before a name on its line says that the name is defined there.
fn is_definition(before: &str) -> bool {
    let word = before.split_whitespace().last().unwrap_or_default();
    if word == "self." && before.trim_end().ends_with("def self.") {
        return true;
    }
    ["def", "fn", "func", "fun", "function", "sub", "class", "struct", "interface", "enum", "type"].contains(&word)
}

/// The arguments of the list that `rest` begins with.
fn arguments(language: &str, rest: &str) -> Option<Arguments> {
    let list = rest.strip_prefix('(')?;
    let (parts, behind) = parts(list)?;
    let row = contract_rules(language);
    // The block fills the last parameter, whichever number that is.
    let has_spread = row.calls.takes_blocks_behind && behind.trim_start().starts_with('{');
    let mut arguments = Arguments { has_spread, ..Arguments::default() };
    for part in parts {
        let part = part.trim();
        if part.starts_with('*') && row.calls.spreads_by_star || part.starts_with("...") || part.ends_with("...") {
            arguments.has_spread = true;
        } else if row.calls.takes_blocks && part.starts_with('&') {
            // A block is no argument.
        } else if row.calls.joins_pairs && (part.contains("=>") || part.contains("\":") || part.contains("':")) {
            // All pairs together give one value, or names.
            arguments.has_spread = true;
        } else if row.calls.spreads_calls && part.ends_with(')') {
            arguments.has_spread = true;
        } else if let Some(name) = keyword_argument_name(row, part) {
            arguments.names.push(name);
        } else {
            arguments.by_place += 1;
        }
    }
    Some(arguments)
}

/// The name by which an argument is given, where it is.
fn keyword_argument_name(row: &ContractRules, part: &str) -> Option<String> {
    if row.naming == Naming::Never {
        return None;
    }
    let end = part.find(|character: char| !character.is_alphanumeric() && character != '_')?;
    let (name, rest) = part.split_at(end);
    let rest = rest.trim_start();
    let sign = row.calls.name_sign;
    let is_named = rest.strip_prefix(sign).is_some_and(|behind| !behind.starts_with(sign));
    (is_named && name.starts_with(|first: char| first.is_alphabetic() || first == '_')).then(|| name.to_owned())
}

/// The texts between commas, up to the bracket that closes the list, and the text behind it. `None` if no bracket closes
/// it, if it has a string or comment that is not read to its end here, or if the role of its commas is unclear.
fn parts(list: &str) -> Option<(Vec<&str>, &str)> {
    let list = &list[..list.floor_char_boundary(ARGUMENTS_BYTES_MOST)];
    let mut parts = Vec::new();
    let (mut depth, mut begin, mut quote) = (0_u32, 0, None::<char>);
    let (mut escaped, mut is_doubtful) = (false, false);
    for (at, character) in list.char_indices() {
        if let Some(open) = quote {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '\n' if open != '`' => return None,
                // Code inside, which may have quotes of its own.
                '#' | '{' | '$'
                    if open == '"' && ["#{", "{$", "${"].iter().any(|sign| list[at..].starts_with(sign)) =>
                {
                    return None;
                }
                _ if character == open => quote = None,
                _ => {}
            }
            continue;
        }
        match character {
            '"' | '`' => quote = Some(character),
            // The quote may open a string or a character, or begin a lifetime, which has no closing quote, so the list
            // is not read.
            '\'' => quote = Some('\''),
            '#' | ';' => return None,
            '/' if list[at..].starts_with("//") || list[at..].starts_with("/*") => return None,
            // It begins an argument, so it is a regular expression and no division.
            '/' if list[..at].trim_end().is_empty() || list[..at].trim_end().ends_with(['(', ',']) => return None,
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                let last = &list[begin..at];
                if !last.trim().is_empty() {
                    parts.push(last);
                }
                return (!is_doubtful || parts.len() < 2).then_some((parts, &list[at + 1..]));
            }
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            '>' if list[..at].ends_with(['-', '=']) => {}
            // Commas between these signs may belong to types, comparisons or closure parameters, and the text does not
            // tell which.
            '<' | '>' | '|' => is_doubtful = true,
            'l' if list[at..].starts_with("lambda ") => is_doubtful = true,
            ',' if depth == 0 => {
                parts.push(&list[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// Why a call does not fit a list of parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    /// It gives more by place than are taken so.
    TooMany,
    /// It gives something by place and by name.
    GivenTwice,
    /// It gives something by a name that no parameter has.
    UnknownName(String),
    /// It leaves out a required argument.
    Missing,
    /// What it gives by place for this parameter, which is gone, is taken for another.
    TakenForAnother(String),
}

/// Why a call with `arguments` cannot be a call of a function with `parameters`. Empty if it can be one; `None` if that
/// cannot be told.
pub fn misfits(language: &str, parameters: &[Parameter], arguments: &Arguments) -> Option<Vec<Misfit>> {
    let row = contract_rules(language);
    if row.calls.counting == ArgumentCounting::Free || arguments.has_spread {
        return None;
    }
    let given: Vec<&Parameter> = parameters.iter().filter(|one| one.kind != ParameterKind::Receiver).collect();
    // A block is given by its own sign only, and is the one that may be left out without a default.
    let is_block = |one: &Parameter| one.optional && one.default.is_none();
    let takes_names = |one: &&Parameter| match one.kind {
        ParameterKind::KeywordOnly => !is_block(one),
        kind => kind == ParameterKind::KeywordVariadic,
    };
    if row.calls.joins_pairs && !arguments.names.is_empty() && !given.iter().any(takes_names) {
        // The names then give one value by place.
        return None;
    }
    let takes_place = |one: &&&Parameter| matches!(one.kind, ParameterKind::Ordinary | ParameterKind::PositionalOnly);
    let has = |kind| given.iter().any(|one| one.kind == kind);
    let mut places: Vec<&&Parameter> = given.iter().filter(takes_place).collect();
    if row.calls.fills_required_first {
        places.sort_by_key(|one| one.optional);
    }
    let by_place = &places[..arguments.by_place.min(places.len())];
    let mut misfits = Vec::new();
    let may_be_more = has(ParameterKind::Variadic) || row.calls.counting != ArgumentCounting::Exact;
    if arguments.by_place > places.len() && !may_be_more {
        misfits.push(Misfit::TooMany);
    }
    let is_by_name = |one: &Parameter| arguments.names.contains(&one.name);
    if by_place.iter().any(|one| is_by_name(one)) {
        misfits.push(Misfit::GivenTwice);
    }
    if !has(ParameterKind::KeywordVariadic) {
        let is_known = |name: &&String| given.iter().any(|one| one.name == **name);
        let unknown = arguments.names.iter().filter(|name| !is_known(name));
        misfits.extend(unknown.cloned().map(Misfit::UnknownName));
    }
    let is_list = |one: &Parameter| matches!(one.kind, ParameterKind::Variadic | ParameterKind::KeywordVariadic);
    let is_given = |one: &Parameter| {
        one.optional || is_list(one) || is_by_name(one) || by_place.iter().any(|other| std::ptr::eq(**other, one))
    };
    if !given.iter().all(|one| is_given(one)) {
        misfits.push(Misfit::Missing);
    }
    Some(misfits)
}

/// Parameters of `before` that are not in `now`, and whose places a call with `arguments` fills for others that stand
/// there now. The call has to fit both lists.
pub fn taken_for_others(language: &str, before: &[Parameter], now: &[Parameter], arguments: &Arguments) -> Vec<Misfit> {
    // Where required parameters come first, a place says not which one it fills.
    if contract_rules(language).calls.fills_required_first || arguments.has_spread {
        return Vec::new();
    }
    let takes_place = |one: &&Parameter| matches!(one.kind, ParameterKind::Ordinary | ParameterKind::PositionalOnly);
    let is_left = |old: &Parameter| old.name.is_empty() || now.iter().any(|new| new.name == old.name);
    let places = before.iter().filter(takes_place).zip(now.iter().filter(takes_place));
    // A parameter that is new in this place may be the same under another name; one that stood elsewhere is not.
    let has_moved = |new: &Parameter| !new.name.is_empty() && before.iter().any(|old| old.name == new.name);
    let filled = places.take(arguments.by_place).filter(|(old, new)| !is_left(old) && has_moved(new));
    let gone = filled.map(|(old, _)| old);
    gone.map(|old| Misfit::TakenForAnother(old.name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parameters as they are written here: `a`, `b=` with a default, `*rest`, `**options`, `self`.
    fn parameters(list: &str) -> Vec<Parameter> {
        let parameter = |word: &str| {
            let (name, kind) = match word {
                "self" => (word, ParameterKind::Receiver),
                _ if word.starts_with("**") => (&word[2..], ParameterKind::KeywordVariadic),
                _ if word.starts_with('*') => (&word[1..], ParameterKind::Variadic),
                _ if word.starts_with('!') => (&word[1..], ParameterKind::KeywordOnly),
                _ => (word, ParameterKind::Ordinary),
            };
            let optional = word.ends_with('=') || word.starts_with('*');
            Parameter { name: name.trim_end_matches('=').to_owned(), kind, optional, ..Parameter::default() }
        };
        list.split_whitespace().map(parameter).collect()
    }

    #[track_caller]
    fn check(language: &str, list: &str, line: &str, expected: &[Option<bool>]) {
        let calls = calls(language, line, "send");
        let fit = |call: Option<Arguments>| Some(misfits(language, &parameters(list), &call?)?.is_empty());
        assert_eq!(calls.into_iter().map(fit).collect::<Vec<_>>(), expected, "{language}: {list}: {line}");
    }

    #[test]
    fn calls_are_held_against_parameters_by_place_and_by_name() {
        check("python", "a b", "send(1, 2)", &[Some(true)]);
        check("python", "a b", "send(1)", &[Some(false)]);
        check("python", "a b=", "x = send(1)", &[Some(true)]);
        check("python", "self a", "self.send(1)", &[Some(true)]);
        check("python", "a !b", "send(1, 2)", &[Some(false)]);
        check("python", "a !b", "send(1, b=2)", &[Some(true)]);
        check("python", "a", "send(1, b=2)", &[Some(false)]);
        check("python", "a **options", "send(1, b=2)", &[Some(true)]);
        check("python", "a *rest", "send(1, 2, 3)", &[Some(true)]);
        check("python", "a", "send(1, a=2)", &[Some(false)]);
        check("go", "a b", "send(x, y)", &[Some(true)]);
        check("typescript", "a b", "send(x)", &[Some(false)]);
        check("csharp", "a b", "Send(x); send(x, b: 1);", &[Some(true)]);
        check("kotlin", "a b=", "send(x); send(x, b = 1); send(b = 1)", &[Some(true), Some(true), Some(false)]);
        check("kotlin", "a b", "if (send(x == y)) {", &[Some(false)]);
        check("php", "a b", "$this->send($x); send($x, b: 1); send(1, 2, 3);", &[Some(false), Some(true), Some(true)]);
        check("ruby", "a b", "x.send(1); send(1, 2, &block); send(1, 2, 3)", &[Some(false), Some(true), Some(false)]);
        check("ruby", "a b= c", "send(1, 2); send(1); send(1, 2, 3)", &[Some(true), Some(false), Some(true)]);
        check("ruby", "a !b", "send(1, b: 2); send(1, c: 2)", &[Some(true), Some(false)]);
    }

    #[test]
    fn what_cannot_be_read_from_here_fits_neither_way() {
        check("python", "a", "send(*arguments)", &[None]);
        check("python", "a", "send(lambda x, y: x)", &[None]);
        check("python", "a", "map(send, values)", &[None]);
        check("go", "a b", "send(pair())", &[None]);
        check("rust", "a b", "send(Vec::<(u8, u8)>::new(), |x, y| x)", &[None]);
        check("rust", "a", "send(a < b)", &[Some(true)]);
        check("java", "a", "send(x -> x)", &[Some(true)]);
        check("ruby", "a", "send(1, b: 2)", &[None]);
        check("ruby", "a", "send(1, \"b\": 2)", &[None]);
        check("ruby", "a", "send(/1,2/)", &[None]);
        check("ruby", "a", "send(\"#{h[\"a, b\"]}\")", &[None]);
        check("ruby", "a", "def self.send(a, b)", &[]);
        check("ruby", "a", "send(1, :b => 2)", &[None]);
        check("ruby", "a", "send 1, 2", &[None]);
        check("ruby", "a", "send(*rest)", &[None]);
        check("php", "a", "send(...$rest)", &[None]);
        check("javascript", "a", "send()", &[None]);
        check("kotlin", "a", "send(1) { it }", &[None]);
        check("kotlin", "a", "send(\"${text(\"b\", 1)}\")", &[None]);
        check("kotlin", "a", "send(*all)", &[None]);
        check("python", "a", "def send(a):", &[]);
        check("python", "a", "resend(1, 2)", &[]);
        check("python", "a", "send(", &[None]);
        check("python", "a", "send(\"a, b)\", 2)", &[Some(false)]);
    }

    #[test]
    fn a_call_may_go_on_over_lines() {
        let text = "send(\n    1,\n    2,\n)\n";
        let calls = calls("python", text, "send");
        assert_eq!(calls, [Some(Arguments { by_place: 2, ..Arguments::default() })]);
    }

    #[test]
    fn a_call_may_misfit_in_several_ways() {
        let call = Arguments { by_place: 2, names: vec!["to".to_owned()], has_spread: false };
        let misfits = misfits("python", &parameters("text !from"), &call);
        assert_eq!(misfits, Some(vec![Misfit::TooMany, Misfit::UnknownName("to".to_owned()), Misfit::Missing]));
    }

    #[test]
    fn what_was_given_for_a_parameter_that_is_gone_is_taken_for_another() {
        let taken = |before: &str, now: &str, by_place: usize| {
            let call = Arguments { by_place, ..Arguments::default() };
            taken_for_others("python", &parameters(before), &parameters(now), &call)
        };
        let gone = |name: &str| vec![Misfit::TakenForAnother(name.to_owned())];
        assert_eq!(taken("self a b c=", "self a c=", 2), gone("b"));
        assert_eq!(taken("a b c=", "a c=", 1), []);
        assert_eq!(taken("a b c=", "b a c=", 2), [], "an order is another finding");
        assert_eq!(taken("item", "config", 1), [], "it may be the same under another name");
        assert_eq!(taken("a b", "a", 2), [], "nothing stands there now");
        assert_eq!(taken("a b !c", "a !c", 2), [], "nothing stands there that is given by place");
    }

    #[test]
    fn a_mention_of_a_type_is_no_call_of_its_constructor() {
        for (language, line, expected) in [
            ("java", "void emit(Writer writer) {", Some(false)),
            ("java", "List<Writer> writers = new ArrayList<>();", Some(false)),
            ("java", "import a.Writer;", Some(false)),
            ("java", "Writer writer = Writer.of(out);", Some(false)),
            ("java", "var writer = new a.b.Writer<>(out);", Some(true)),
            ("java", "map(Writer::new)", Some(true)),
            ("java", "var writer = new OtherWriter(out);", Some(false)),
            ("csharp", "Writer writer = new(output);", Some(true)),
            ("csharp", "public Writer Make(Writer writer);", Some(false)),
            ("kotlin", "fun emit(writer: Writer<Int>) {", Some(false)),
            ("kotlin", "val writer = Writer<Int>(out)", Some(true)),
            ("scala", "val writer = new Writer[Int](out)", Some(true)),
            ("swift", "let writer: Writer? = nil", Some(false)),
            ("swift", "let writer = Writer.init(out)", Some(true)),
            ("dart", "final Writer writer;", Some(false)),
            ("dart", "final writer = Writer.of(out);", Some(true)),
            ("php", "function emit(Writer $writer)", Some(false)),
            ("php", "$writer = new \\A\\Writer($out);", Some(true)),
            ("cpp", "void emit(const Writer& writer);", Some(false)),
            ("cpp", "auto writer = std::make_unique<Writer>(out);", Some(true)),
            ("cpp", "Writer writer(out);", Some(true)),
            ("python", "factory = Writer", None),
        ] {
            assert_eq!(constructs(language, line, "Writer"), expected, "{language}: {line}");
        }
    }
}
