//! Reduces Rust source to the tokens that determine its behaviour.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Block, Expr, ExprClosure, ExprMacro, File, Item, ItemImpl, ItemMod, ItemTrait, ItemUse, Lit, ReturnType,
};
use syn::{Stmt, UseTree, WhereClause};

/// Attributes that only affect compiler messages, lints and documentation.
const NOT_SHAPING: &[&str] = &[
    // tidy: sorted
    "allow", "deny", "doc", "expect", "forbid", "must_use", "rustfmt", "warn",
    // tidy: end
];

/// Operators of several characters, which must not be split by white space.
const OPERATORS: [&str; 25] = [
    "!=", "%=", "&&", "&=", "*=", "+=", "-=", "->", "..", "...", "..=", "/=", "::", "<-", "<<", "<<=", "<=", "==",
    "=>", ">=", ">>", ">>=", "^=", "|=", "||",
];

/// The tokens of `source` without what shapes nothing, one a line: comments, documentation, attributes of
/// [`NOT_SHAPING`], and what is compiled for tests alone (`#[cfg(test)]`, `#[test]`). Layout does not count, and neither
/// does what rustfmt does with width: a comma at the end of a list, a block around the one expression of an arm or a
/// closure, a semicolon behind a jump that ends a block, the order and grouping of imports. String literals are told by their value.
///
/// # Errors
///
/// If `source` is not a Rust file.
pub(crate) fn tokens(source: &str) -> syn::Result<String> {
    let mut file = syn::parse_file(source)?;
    Canonical.visit_file_mut(&mut file);
    let mut lines = TokenLines::default();
    lines.push_all(file.into_token_stream(), false);
    Ok(lines.text)
}

/// Normalises a file, so that all of its layouts give the same tokens.
struct Canonical;

impl VisitMut for Canonical {
    fn visit_file_mut(&mut self, file: &mut File) {
        file.shebang = None;
        canonical_items(&mut file.items);
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut ItemMod) {
        if let Some((_, items)) = &mut module.content {
            canonical_items(items);
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, item: &mut ItemImpl) {
        item.items.retain(|item| !is_for_tests(item));
        visit_mut::visit_item_impl_mut(self, item);
    }

    fn visit_item_trait_mut(&mut self, item: &mut ItemTrait) {
        item.items.retain(|item| !is_for_tests(item));
        visit_mut::visit_item_trait_mut(self, item);
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        block.stmts.retain(|statement| !is_for_tests(statement));
        let imports = take_imports(&mut block.stmts, |statement| match statement {
            Stmt::Item(Item::Use(import)) => Some(import),
            _ => None,
        });
        block.stmts.splice(..0, imports.into_iter().map(|import| Stmt::Item(Item::Use(import))));
        visit_mut::visit_block_mut(self, block);
        if let Some(Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), semicolon)) =
            block.stmts.last_mut()
        {
            *semicolon = None;
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        visit_mut::visit_arm_mut(self, arm);
        unwrap_block(&mut arm.body);
        arm.comma = Some(Default::default());
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        visit_mut::visit_expr_closure_mut(self, closure);
        if matches!(closure.output, ReturnType::Default) {
            unwrap_block(&mut closure.body);
        }
    }

    fn visit_where_clause_mut(&mut self, clause: &mut WhereClause) {
        clause.predicates.pop_punct();
        visit_mut::visit_where_clause_mut(self, clause);
    }
}

/// Takes out tests, and puts imports first: sorted, one name each.
fn canonical_items(items: &mut Vec<Item>) {
    items.retain(|item| !is_for_tests(item));
    let imports = take_imports(items, |item| match item {
        Item::Use(import) => Some(import),
        _ => None,
    });
    items.splice(..0, imports.into_iter().map(Item::Use));
}

/// Takes the imports out of `all`; gives them sorted, one name each.
fn take_imports<T>(all: &mut Vec<T>, import: impl Fn(&T) -> Option<&ItemUse>) -> Vec<ItemUse> {
    let names_of = |import: &ItemUse| {
        leaves(&import.tree).into_iter().map(|tree| ItemUse { tree, ..import.clone() }).collect::<Vec<_>>()
    };
    let mut imports: Vec<ItemUse> = all.iter().filter_map(&import).flat_map(names_of).collect();
    imports.sort_by_cached_key(|import| import.to_token_stream().to_string());
    all.retain(|one| import(one).is_none());
    imports
}

/// The names that an import tree takes, each with its whole path.
fn leaves(tree: &UseTree) -> Vec<UseTree> {
    match tree {
        UseTree::Path(path) => {
            let below = leaves(&path.tree).into_iter();
            below
                .map(|tree| {
                    let mut path = path.clone();
                    *path.tree = tree;
                    UseTree::Path(path)
                })
                .collect()
        }
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
        one => vec![one.clone()],
    }
}

/// Takes away a block around a single expression.
fn unwrap_block(body: &mut Expr) {
    while let Expr::Block(block) = body
        && block.attrs.is_empty()
        && block.label.is_none()
        && let [statement] = block.block.stmts.as_slice()
    {
        *body = match statement {
            Stmt::Expr(inner, None) => inner.clone(),
            Stmt::Macro(inner) if inner.semi_token.is_none() && inner.attrs.is_empty() => {
                Expr::Macro(ExprMacro { attrs: Vec::new(), mac: inner.mac.clone() })
            }
            _ => return,
        };
    }
}

/// Whether an attribute in front of `item` says that only tests have it.
fn is_for_tests(item: &impl ToTokens) -> bool {
    let mut tokens = item.to_token_stream().into_iter();
    while let (Some(TokenTree::Punct(sign)), Some(TokenTree::Group(attribute))) = (tokens.next(), tokens.next()) {
        if sign.as_char() != '#' {
            return false;
        }
        if matches!(attribute.stream().to_string().replace(' ', "").as_str(), "cfg(test)" | "test") {
            return true;
        }
    }
    false
}

/// Tokens as text, one a line.
#[derive(Default)]
struct TokenLines {
    text: String,
}

impl TokenLines {
    /// Adds `tokens`, without a comma at their end where `is_list`.
    fn push_all(&mut self, tokens: TokenStream, is_list: bool) {
        let mut tokens: Vec<TokenTree> = without_attributes(tokens);
        if is_list && tokens.last().is_some_and(|last| is_sign(last, ',')) {
            tokens.pop();
        }
        let mut operator = String::new();
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1);
            match token {
                TokenTree::Punct(sign) => {
                    // A comma at the end of generic arguments.
                    if sign.as_char() == ',' && next.is_some_and(|next| is_sign(next, '>')) {
                        continue;
                    }
                    operator.push(sign.as_char());
                    let goes_on = sign.spacing() == Spacing::Joint
                        && matches!(next, Some(TokenTree::Punct(next)) if is_operator(&operator, next.as_char()));
                    if !goes_on && sign.as_char() != '\'' {
                        self.push(&operator);
                        operator.clear();
                    }
                }
                // What stands behind the sign of a lifetime.
                TokenTree::Ident(name) => self.push(&format!("{}{name}", std::mem::take(&mut operator))),
                TokenTree::Literal(literal) => match Lit::new(literal.clone()) {
                    Lit::Str(text) => self.push(&format!("{:?}", text.value())),
                    _ => self.push(&literal.to_string()),
                },
                TokenTree::Group(group) => {
                    let before = at.checked_sub(1).map(|before| &tokens[before]);
                    self.push_group(group, before);
                }
            }
        }
    }

    fn push_group(&mut self, group: &Group, before: Option<&TokenTree>) {
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => return self.push_all(group.stream(), false),
        };
        self.push(open);
        self.push_all(group.stream(), !is_tuple_of_one(group, before));
        self.push(close);
    }

    fn push(&mut self, token: &str) {
        self.text += token;
        self.text.push('\n');
    }
}

/// Whether the comma in `group` makes it a tuple: it is the only one, and what stands before is nothing that takes arguments.
fn is_tuple_of_one(group: &Group, before: Option<&TokenTree>) -> bool {
    /// Keywords that may precede a tuple.
    const KEYWORDS: &[&str] = &[
        // tidy: sorted
        "as", "break", "const", "dyn", "else", "for", "if", "impl", "in", "let", "match", "move", "mut", "ref",
        "return", "where", "while", "yield",
        // tidy: end
    ];
    let takes_arguments = match before {
        Some(TokenTree::Ident(name)) => !KEYWORDS.contains(&name.to_string().as_str()),
        Some(TokenTree::Group(group)) => group.delimiter() != Delimiter::Brace,
        Some(TokenTree::Punct(sign)) => matches!(sign.as_char(), '>' | '?' | '!'),
        Some(TokenTree::Literal(_)) | None => false,
    };
    let commas = group.stream().into_iter().filter(|token| is_sign(token, ',')).count();
    group.delimiter() == Delimiter::Parenthesis && commas == 1 && !takes_arguments
}

/// `tokens` without attributes of [`NOT_SHAPING`]; a doc comment is one.
fn without_attributes(tokens: TokenStream) -> Vec<TokenTree> {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        if let TokenTree::Group(group) = &token
            && group.delimiter() == Delimiter::Bracket
            && let Some(TokenTree::Ident(name)) = group.stream().into_iter().next()
            && NOT_SHAPING.contains(&name.to_string().as_str())
        {
            let signs = match kept.as_slice() {
                [.., sharp, inner] if is_sign(sharp, '#') && is_sign(inner, '!') => 2,
                [.., sharp] if is_sign(sharp, '#') => 1,
                _ => 0,
            };
            if signs > 0 {
                kept.truncate(kept.len() - signs);
                continue;
            }
        }
        kept.push(token);
    }
    kept
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Whether an operator begins with `begin` and goes on with `sign`.
fn is_operator(begin: &str, sign: char) -> bool {
    OPERATORS.iter().any(|operator| operator.strip_prefix(begin).is_some_and(|rest| rest.starts_with(sign)))
}
