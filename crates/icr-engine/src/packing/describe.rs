//! Describes a file: the comment that is about it, and its most important names.

use std::collections::HashSet;

use icr_model::{Facts, RepoPath, Symbol, SymbolKind, Visibility};
use icr_pack::ContentSummary;

use crate::symbols::{first_paragraph, without_signs};

/// Bytes at the start of a file in which its comment is searched; a licence may come first.
const HEAD_BYTES: usize = 8_192;

/// Fewest letters of a meaningful comment.
const LETTERS_LEAST: usize = 8;

/// Words of comments that are not about the file, such as licences.
const ASIDE: &[&str] = &[
    // tidy: sorted
    "copyright",
    "do not edit",
    "licence",
    "license",
    "spdx-",
    // tidy: end
];

/// Beginnings of comment lines for a tool: an interpreter, a compiler, a linter, an editor. In lower case.
const DIRECTIVES: &[&str] = &[
    // tidy: sorted
    "+build ",
    "@flow",
    "@jest-environment",
    "@ts-",
    "@vitest-environment",
    "clang-format ",
    "coding:",
    "encoding:",
    "eslint",
    "flake8:",
    "fmt:",
    "frozen_string_literal:",
    "go:",
    "isort:",
    "istanbul ignore",
    "jshint ",
    "ktlint-",
    "language ",
    "mypy:",
    "noqa",
    "options_ghc ",
    "phpcs:",
    "prettier-ignore",
    "pylint:",
    "pyright:",
    "rubocop:",
    "ruff:",
    "shareable_constant_value:",
    "shellcheck ",
    "swift-tools-version:",
    "swiftlint:",
    "type: ignore",
    "typed:",
    "vim:",
    "warn_indent:",
    // tidy: end
];

/// Comment signs, each with the sign that ends the comment if that is not the line end.
const COMMENTS: &[(&str, Option<&str>)] = &[
    ("/*", Some("*/")),
    ("\"\"\"", Some("\"\"\"")),
    ("'''", Some("'''")),
    ("(*", Some("*)")),
    ("{-", Some("-}")),
    ("<!--", Some("-->")),
    ("//", None),
    ("--", None),
    ("#", None),
    (";", None),
    ("%", None),
];

/// Beginnings of lines at the start of a file that are neither comment nor code: interpreters, attributes, opening
/// tags.
const OPENINGS: &[&str] = &["#!", "#[", "<?php", "\"use strict\"", "'use strict'", "---"];

/// The first paragraph of the comment at the start of the file; without one, that of the doc comment of its main
/// definition.
pub(super) fn docstring(path: &RepoPath, facts: &Facts, text: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&text[..text.len().min(HEAD_BYTES)]);
    leading_comment(&head).or_else(|| {
        let symbol = main_definition(path, facts)?;
        symbol.doc.map(|doc| first_paragraph(doc.of(text))).filter(|paragraph| says_something(paragraph))
    })
}

/// The description of a definition: the first paragraph of its doc comment, else the first line of its signature.
pub(super) fn about_definition(symbol: &Symbol, text: &[u8]) -> Option<String> {
    let doc = symbol.doc.map(|doc| first_paragraph(doc.of(text))).filter(|paragraph| says_something(paragraph));
    doc.or_else(|| {
        let signature = String::from_utf8_lossy(symbol.signature.of(text)).into_owned();
        signature.lines().next().map(|line| line.trim().to_owned()).filter(|line| says_something(line))
    })
}

/// The most important names of the file: its exports, else its definitions, else its headings or keys.
pub(super) fn contents(facts: &Facts) -> ContentSummary {
    use SymbolKind::{Field, Implementation, Key, Section, Variant};
    let names = |wanted: &dyn Fn(&Symbol) -> bool| {
        let mut known: HashSet<&str> = HashSet::new();
        let mut names: Vec<String> = Vec::new();
        for symbol in facts.symbols.iter().filter(|symbol| wanted(symbol)) {
            if known.insert(&symbol.name) {
                names.push(symbol.name.clone());
            }
        }
        Some(names).filter(|names| !names.is_empty())
    };
    let is_definition = |symbol: &Symbol| {
        !matches!(symbol.kind, Field | Implementation | Key | Section | Variant) && symbol.parent.is_none()
    };
    let is_key = |symbol: &Symbol| symbol.kind == Key && symbol.parent.is_none();
    let exports = names(&|symbol| is_exported(facts, symbol)).map(ContentSummary::Exports);
    let definitions = || names(&is_definition).map(ContentSummary::Definitions);
    let sections = || names(&|symbol| symbol.kind == Section).map(ContentSummary::Sections);
    let keys = || names(&is_key).map(ContentSummary::Keys);
    let lines = || ContentSummary::Lines(facts.language.clone(), facts.lines_total);
    exports.or_else(definitions).or_else(sections).or_else(keys).unwrap_or_else(lines)
}

fn is_exported(facts: &Facts, symbol: &Symbol) -> bool {
    use SymbolKind::{Field, Implementation, Key, Module, Section, Variant};
    let is_open = matches!(symbol.visibility, Visibility::Public | Visibility::Unspecified);
    let is_named = !matches!(symbol.kind, Field | Implementation | Key | Module | Section | Variant);
    let mut around = symbol.parent;
    // A parent comes before its members, so that this loop ends.
    while let Some(outer) = around.map(|outer| &facts.symbols[outer as usize]) {
        if outer.kind != Module {
            return false;
        }
        around = outer.parent;
    }
    is_open && is_named && symbol.receiver.is_none()
}

/// The documented definition or module that the file is named after; else the longest documented one that it exports.
fn main_definition<'f>(path: &RepoPath, facts: &'f Facts) -> Option<&'f Symbol> {
    let plain =
        |name: &str| name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let file_name = String::from_utf8_lossy(path.file_name()).into_owned();
    let stem = plain(file_name.split('.').next().unwrap_or_default());
    let documented = || facts.symbols.iter().filter(|symbol| symbol.doc.is_some() && is_exported(facts, symbol));
    let named = documented().find(|symbol| plain(&symbol.name) == stem).or_else(|| {
        let mut modules = facts.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Module);
        modules.find(|symbol| symbol.doc.is_some() && symbol.name.rsplit('.').next().map(plain) == Some(stem.clone()))
    });
    // Of several equally long ones, the first.
    named.or_else(|| documented().rev().max_by_key(|symbol| symbol.span.len()))
}

/// The first comment before any code that is about the file.
fn leading_comment(head: &str) -> Option<String> {
    let mut lines = head.lines().map(str::trim).peekable();
    loop {
        let line = *lines.peek()?;
        let is_opening = OPENINGS.iter().any(|opening| line.starts_with(opening));
        if line.is_empty() || is_opening || is_of_preprocessor(line) {
            lines.next();
            continue;
        }
        let (start, end) = COMMENTS.iter().find(|(start, _)| line.starts_with(start))?;
        let mut comment: Vec<&str> = Vec::new();
        match end {
            Some(end) => {
                let mut from = start.len();
                while let Some(line) = lines.next() {
                    let ends = line[from..].contains(end);
                    comment.push(line);
                    // Adjacent one-line comments count as one comment.
                    let goes_on =
                        |below: &&str| from > 0 && below.strip_prefix(start).is_some_and(|rest| rest.contains(end));
                    if !ends {
                        from = 0;
                    } else if !lines.peek().is_some_and(goes_on) {
                        break;
                    }
                }
            }
            None => {
                while let Some(line) = lines.next_if(|line| line.starts_with(start)) {
                    comment.push(line);
                }
            }
        }
        comment.retain(|line| !is_directive(line));
        let text = comment.join("\n");
        let lower = text.to_lowercase();
        let paragraph = first_paragraph(text.as_bytes());
        if says_something(&paragraph) && !ASIDE.iter().any(|aside| lower.contains(aside)) {
            return Some(paragraph);
        }
    }
}

/// Whether a line is for a C-like preprocessor: a guard, an inclusion, a condition.
fn is_of_preprocessor(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|rest| rest.starts_with(|character: char| character.is_ascii_lowercase()))
}

fn is_directive(line: &str) -> bool {
    let said = without_signs(line).to_lowercase();
    line.contains("-*-") || DIRECTIVES.iter().any(|directive| said.starts_with(directive))
}

fn says_something(paragraph: &str) -> bool {
    paragraph.chars().filter(|character| character.is_alphabetic()).count() >= LETTERS_LEAST
}

#[cfg(test)]
mod tests {
    use icr_lang::{ChunkLimits, Extractor};

    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &str) {
        let path = RepoPath::from(path);
        let facts = Extractor::new(ChunkLimits::default()).extract(icr_lang::language_of(&path), text.as_bytes()).facts;
        let docstring = docstring(&path, &facts, text.as_bytes()).unwrap_or_default();
        let told = match contents(&facts) {
            ContentSummary::Exports(names) => names.join(", "),
            _ => String::new(),
        };
        assert_eq!(format!("{docstring} | {told}"), expected);
    }

    #[test]
    fn a_definition_is_described_by_its_own_comment_or_its_signature() {
        let about = |path: &str, text: &str| {
            let language = icr_lang::language_of(&RepoPath::from(path));
            let facts = Extractor::new(ChunkLimits::default()).extract(language, text.as_bytes()).facts;
            facts.symbols.last().and_then(|symbol| about_definition(symbol, text.as_bytes()))
        };
        let text = "\"\"\"Places for ships.\"\"\"\ndef moor(ship):\n    \"\"\"Ties a ship.\n\n    More.\n    \"\"\"\n";
        assert_eq!(about("a.py", text).as_deref(), Some("Ties a ship."));
        assert_eq!(about("a.py", "def moor(ship,\n         rope):\n    pass\n").as_deref(), Some("def moor(ship,"));
    }

    #[test]
    fn the_comment_at_the_start_describes_the_file() {
        check(
            "a.rs",
            "#![allow(x)]\n\n//! Places for ships.\n\npub fn moor() {}\nfn hidden() {}\n",
            "Places for ships. | moor",
        );
        check(
            "a.py",
            "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n\"\"\"Places for ships.\n\nMore.\n\"\"\"\ndef moor(): pass\ndef _hidden(): pass\n",
            "Places for ships. | moor",
        );
        check(
            "a.ts",
            "/**\n * Places for ships.\n */\nexport function moor() {}\nfunction hidden() {}\n",
            "Places for ships. | moor",
        );
        check("a.sql", "-- Places for ships.\nCREATE TABLE berth (id int);\n", "Places for ships. | berth");
        check("a.md", "# Mooring ships\n\nText.\n", "Mooring ships | ");
    }

    #[test]
    fn licences_describe_nothing() {
        check(
            "a.go",
            "// Copyright 2020 Somebody.\n// All rights reserved.\n\n// Package berth ties ships.\npackage berth\n",
            "Package berth ties ships. | ",
        );
        check(
            "berth.ml",
            "(**********)\n(*  Port  *)\n(* Copyright 2020 Somebody. *)\n(**********)\n\n(* Places for ships. *)\nlet moor = 1\n",
            "Places for ships. | moor",
        );
        check(
            "a.js",
            "/* SPDX-License-Identifier: MIT */\n/* eslint-disable */\nexport const moored = 1;\n",
            " | moored",
        );
    }

    #[test]
    fn what_is_said_to_a_tool_describes_nothing() {
        let class = "module Port\n  # A plan of berths.\n  class Berth\n  end\nend\n";
        for magic in
            ["# frozen_string_literal: true", "# -*- encoding: utf-8 -*-", "# typed: strict\n# rubocop:disable all"]
        {
            check("berth.rb", &format!("{magic}\n\n{class}"), "A plan of berths. | Berth");
            check("berth.rb", &format!("{magic}\n# Places for ships.\n\n{class}"), "Places for ships. | Berth");
        }
        check("a.hs", "{-# LANGUAGE GADTs #-}\n-- | Places for ships.\nmodule Berth where\n", "Places for ships. | ");
        check("a.swift", "#if compiler(>=6)\nimport Dock\n#endif\n", " | ");
        check(
            "a.h",
            "/* Copyright Somebody. */\n\n#ifndef A_H\n#define A_H\n\n/* Places for ships. */\nint moor(void);\n#endif\n",
            "Places for ships. | moor",
        );
        check("a.js", "// eslint no longer stands here; moved\nexport const a = 1;\n", " | a");
        check("a.js", "// A rule of eslint for ships.\nexport const a = 1;\n", "A rule of eslint for ships. | a");
        check(
            "a.go",
            "//go:build linux\n\n// Package berth ties ships.\npackage berth\n",
            "Package berth ties ships. | ",
        );
    }

    #[test]
    fn without_one_the_main_definition_does() {
        check(
            "berth_plan.rs",
            "use x;\n\n/// Something longer than the other one.\npub fn moor() {\n    long();\n}\n\n/// A plan of berths.\npub struct BerthPlan;\n",
            "A plan of berths. | moor, BerthPlan",
        );
        check(
            "a.rs",
            "use x;\n\n/// Ties a ship.\npub fn moor() {\n    long();\n}\n\n/// A flag only.\npub struct B;\n",
            "Ties a ship. | moor, B",
        );
        check(
            "berth.ex",
            "defmodule Port.Berth do\n  @moduledoc ~S\"\"\"\n  Places for ships.\n  \"\"\"\n\n  @doc \"Ties a ship.\"\n  def moor, do: 1\nend\n",
            "Places for ships. | moor",
        );
        check("a.rs", "use x;\n\n/// Hidden from all.\nfn moor() {}\n", " | ");
        check("a.rs", "", " | ");
    }

    #[test]
    fn members_are_no_exports_and_modules_are_looked_into() {
        check(
            "a.rs",
            "use x;\npub mod inner {\n    pub fn moor() {}\n}\npub struct Ship;\nimpl Ship {\n    pub fn sail(&self) {}\n}\n",
            " | moor, Ship",
        );
    }

    #[test]
    fn without_exports_a_file_is_told_by_what_else_is_in_it() {
        let of = |path: &str, text: &str| {
            let language = icr_lang::language_of(&RepoPath::from(path));
            contents(&Extractor::new(ChunkLimits::default()).extract(language, text.as_bytes()).facts)
        };
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(
            of("index.ts", "export * from './a';\nexport { b } from './b';\n"),
            ContentSummary::Lines("typescript".into(), 2)
        );
        assert_eq!(of("a.rs", "fn moor() {}\nfn sail() {}\n"), ContentSummary::Definitions(names(&["moor", "sail"])));
        assert_eq!(
            of("a.md", "# Mooring\n\nText.\n\n## Ropes\n"),
            ContentSummary::Sections(names(&["Mooring", "Ropes"]))
        );
    }
}
