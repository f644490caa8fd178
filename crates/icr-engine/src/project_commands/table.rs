//! The tools, one row each.

use super::CommandKind::{self, Build, Format, Lint, Run, Test};
use super::directory::ManifestDirectory;
use super::{Findings, cargo, javascript, make, python, ruby, targets};

/// One row: a tool, the files that show it, and the commands that follow.
pub(super) struct Tool {
    /// Name in reports.
    pub(super) name: &'static str,
    /// The tool is present where one of these is, the first of which is the source of its commands.
    markers: &'static [&'static str],
    /// Commands that follow from files and from words in them.
    rules: &'static [Rule],
    /// Reads what rules cannot say, and decides whether a marker that other tools share means this one.
    reader: Option<ManifestReader>,
}

/// A command and when it follows. In `command`, `{a|b}` stands for `a` where the directory has the file `a`, else for
/// `b`.
struct Rule {
    kind: CommandKind,
    command: &'static str,
    when: RuleCondition,
}

/// What a rule asks of the directory.
enum RuleCondition {
    /// Nothing: the custom of the tool.
    Always,
    /// One of these files; the project then has declared the command.
    File(&'static [&'static str]),
    /// This text in one of the markers; as above.
    Mentions(&'static str),
}

/// Code of a row whose manifest has a structure.
struct ManifestReader {
    /// Files it looks at besides the markers.
    files: &'static [&'static str],
    /// Whether the tool is present, given a marker.
    is_present: fn(&ManifestDirectory<'_>) -> bool,
    /// Adds the commands; the name is that of the first marker present.
    read: fn(&ManifestDirectory<'_>, &str, &mut Findings),
}

/// All tools: task runners first, because a project writes them for itself, then the others by ecosystem.
// One row, one line where it fits: a table is read by its columns.
#[rustfmt::skip]
pub(super) static TOOLS: &[Tool] = &[
    read("just", &["justfile", "Justfile", ".justfile"], &[], &[], any, targets::just),
    read("make", make::NAMES, &[], &[], any, make::read),
    read("bundler", &["Gemfile"], &[], &["*.gemspec", ".rspec", ".rubocop.yml"], any, ruby::bundler),
    read("rake", &["Rakefile", "rakefile", "Rakefile.rb"], &[], &["Gemfile"], any, ruby::rake),
    read("bun", &["package.json"], &[], javascript::LOCK_FILES, javascript::is_bun, javascript::read),
    read("npm", &["package.json"], &[], javascript::LOCK_FILES, javascript::is_npm, javascript::read),
    read("pnpm", &["package.json"], &[], javascript::LOCK_FILES, javascript::is_pnpm, javascript::read),
    read("yarn", &["package.json"], &[], javascript::LOCK_FILES, javascript::is_yarn, javascript::read),
    read("cargo", &["Cargo.toml"], &[], &["rustfmt.toml", ".rustfmt.toml", "clippy.toml", ".clippy.toml", "src/main.rs"], any, cargo::read),
    rules("cmake", &["CMakeLists.txt"], &[
        always(Build, "cmake --build build"),
        always(Build, "cmake -S . -B build"),
        mentions(Test, "ctest --test-dir build", "enable_testing"),
        mentions(Test, "ctest --test-dir build", "include(CTest)"),
    ]),
    read("composer", &["composer.json"], &[], &[], any, javascript::composer),
    rules("phpunit", &["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"], &[always(Test, "vendor/bin/phpunit")]),
    rules("phpstan", &["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"], &[always(Lint, "vendor/bin/phpstan analyse")]),
    rules("php-cs-fixer", &[".php-cs-fixer.php", ".php-cs-fixer.dist.php"], &[always(Format, "vendor/bin/php-cs-fixer fix")]),
    read("deno", &["deno.json", "deno.jsonc"], &[
        always(Test, "deno test"),
        always(Lint, "deno lint"),
        always(Format, "deno fmt"),
    ], &[], any, javascript::deno),
    rules("dotnet", &["*.slnx", "*.sln", "*.csproj", "*.fsproj", "*.vbproj"], &[
        always(Build, "dotnet build"),
        always(Test, "dotnet test"),
        always(Lint, "dotnet format --verify-no-changes"),
        always(Format, "dotnet format"),
        mentions(Run, "dotnet run", "<OutputType>Exe<"),
        mentions(Run, "dotnet run", "Sdk=\"Microsoft.NET.Sdk.Web\""),
    ]),
    rules("dune", &["dune-project"], &[
        always(Build, "dune build"),
        always(Test, "dune test"),
        file(Format, "dune fmt", &[".ocamlformat"]),
    ]),
    rules("go", &["go.mod"], &[
        always(Build, "go build ./..."),
        always(Test, "go test ./..."),
        file(Lint, "golangci-lint run", &[".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"]),
        always(Lint, "go vet ./..."),
        always(Format, "gofmt -w ."),
        file(Run, "go run .", &["main.go"]),
    ]),
    rules("gradle", &["build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"], &[
        always(Build, "{gradlew|gradle} build"),
        always(Test, "{gradlew|gradle} test"),
        mentions(Lint, "{gradlew|gradle} ktlintCheck", "ktlint"),
        mentions(Lint, "{gradlew|gradle} detekt", "detekt"),
        always(Lint, "{gradlew|gradle} check"),
        mentions(Format, "{gradlew|gradle} spotlessApply", "spotless"),
        mentions(Format, "{gradlew|gradle} ktlintFormat", "ktlint"),
        mentions(Run, "{gradlew|gradle} bootRun", "org.springframework.boot"),
        mentions(Run, "{gradlew|gradle} run", "mainClass"),
    ]),
    rules("maven", &["pom.xml"], &[
        always(Build, "{mvnw|mvn} package"),
        always(Test, "{mvnw|mvn} test"),
        mentions(Lint, "{mvnw|mvn} checkstyle:check", "maven-checkstyle-plugin"),
        mentions(Lint, "{mvnw|mvn} spotless:check", "spotless-maven-plugin"),
        mentions(Format, "{mvnw|mvn} spotless:apply", "spotless-maven-plugin"),
        mentions(Run, "{mvnw|mvn} spring-boot:run", "spring-boot-maven-plugin"),
        mentions(Run, "{mvnw|mvn} quarkus:dev", "quarkus-maven-plugin"),
    ]),
    rules("mix", &["mix.exs"], &[
        always(Build, "mix compile"),
        always(Test, "mix test"),
        mentions(Lint, "mix credo", ":credo"),
        always(Lint, "mix compile --warnings-as-errors"),
        file(Format, "mix format", &[".formatter.exs"]),
        mentions(Run, "mix phx.server", "{:phoenix,"),
    ]),
    read("uv", python::MANIFEST, &[], python::FILES, python::is_uv, python::packager),
    read("poetry", python::MANIFEST, &[], python::FILES, python::is_poetry, python::packager),
    read("hatch", python::MANIFEST, &[], python::FILES, python::is_hatch, python::packager),
    read("pip", python::MANIFEST, &[], python::FILES, python::is_pip, python::packager),
    // One run in the present environment comes before runs in many.
    read("pytest", python::PYTEST, &[], python::FILES, python::is_pytest, python::pytest),
    read("tox", python::TOX, &[], python::FILES, python::is_tox, python::tox),
    rules("nox", &["noxfile.py"], &[file(Test, "nox", &["noxfile.py"])]),
    read("ruff", python::RUFF, &[], python::FILES, python::is_ruff, python::ruff),
    read("black", python::MANIFEST, &[], python::FILES, python::is_black, python::black),
    read("mypy", python::MYPY, &[], python::FILES, python::is_mypy, python::mypy),
    // A project with both has written stack.yaml for a reason.
    rules("stack", &["stack.yaml"], &[always(Build, "stack build"), always(Test, "stack test")]),
    rules("cabal", &["cabal.project", "*.cabal"], &[
        always(Build, "cabal build all"),
        always(Test, "cabal test all"),
        mentions(Run, "cabal run", "\nexecutable "),
    ]),
    rules("hlint", &[".hlint.yaml"], &[always(Lint, "hlint .")]),
    rules("swift", &["Package.swift"], &[
        always(Build, "swift build"),
        always(Test, "swift test"),
        file(Lint, "swiftlint", &[".swiftlint.yml"]),
        file(Format, "swiftformat .", &[".swiftformat"]),
        file(Format, "swift format --in-place --recursive .", &[".swift-format"]),
        mentions(Run, "swift run", ".executableTarget("),
    ]),
    rules("zig", &["build.zig"], &[
        always(Build, "zig build"),
        mentions(Test, "zig build test", "step(\"test\""),
        always(Lint, "zig fmt --check ."),
        always(Format, "zig fmt ."),
        mentions(Run, "zig build run", "step(\"run\""),
    ]),
];

/// Names of wrapper scripts that a command uses where they are.
const WRAPPERS: &[&str] = &["gradlew", "mvnw"];

impl Tool {
    /// Every file the row looks at.
    pub(super) fn files(&self) -> Vec<&'static str> {
        let mut files = self.markers.to_vec();
        for rule in self.rules {
            files.extend(WRAPPERS.iter().filter(|wrapper| rule.command.contains(&format!("{{{wrapper}|"))));
            if let RuleCondition::File(names) = rule.when {
                files.extend(names);
            }
        }
        files.extend(self.reader.iter().flat_map(|reader| reader.files));
        files
    }

    /// Whether the tool belongs to `directory`.
    pub(super) fn is_present(&self, directory: &ManifestDirectory<'_>) -> bool {
        let shared = self.reader.as_ref().is_none_or(|reader| (reader.is_present)(directory));
        directory.first(self.markers).is_some() && shared
    }

    /// Adds the commands of `directory`, which has the tool.
    pub(super) fn apply(&self, directory: &ManifestDirectory<'_>, findings: &mut Findings) {
        let Some(marker) = directory.first(self.markers) else { return };
        if let Some(reader) = &self.reader {
            (reader.read)(directory, marker, findings);
        }
        for rule in self.rules {
            let command = || expanded(rule.command, directory);
            match rule.when {
                RuleCondition::Always => findings.customary(rule.kind, command(), marker),
                RuleCondition::File(names) => {
                    if let Some(name) = directory.first(names) {
                        findings.declared(rule.kind, command(), name);
                    }
                }
                RuleCondition::Mentions(word) => {
                    if let Some(name) = directory.all(self.markers).find(|name| directory.text(name).contains(word)) {
                        findings.declared(rule.kind, command(), name);
                    }
                }
            }
        }
    }
}

fn expanded(command: &str, directory: &ManifestDirectory<'_>) -> String {
    let chosen = command.strip_prefix('{').and_then(|rest| rest.split_once('}')).and_then(|(choice, arguments)| {
        let (wrapper, program) = choice.split_once('|')?;
        let local = directory.file(wrapper).map(|name| format!("./{name}{arguments}"));
        Some(local.unwrap_or_else(|| format!("{program}{arguments}")))
    });
    chosen.unwrap_or_else(|| command.to_owned())
}

fn any(_: &ManifestDirectory<'_>) -> bool {
    true
}

const fn rules(name: &'static str, markers: &'static [&'static str], rules: &'static [Rule]) -> Tool {
    Tool { name, markers, rules, reader: None }
}

const fn read(
    name: &'static str,
    markers: &'static [&'static str],
    rules: &'static [Rule],
    files: &'static [&'static str],
    is_present: fn(&ManifestDirectory<'_>) -> bool,
    read: fn(&ManifestDirectory<'_>, &str, &mut Findings),
) -> Tool {
    Tool { name, markers, rules, reader: Some(ManifestReader { files, is_present, read }) }
}

const fn always(kind: CommandKind, command: &'static str) -> Rule {
    Rule { kind, command, when: RuleCondition::Always }
}

const fn file(kind: CommandKind, command: &'static str, names: &'static [&'static str]) -> Rule {
    Rule { kind, command, when: RuleCondition::File(names) }
}

const fn mentions(kind: CommandKind, command: &'static str, word: &'static str) -> Rule {
    Rule { kind, command, when: RuleCondition::Mentions(word) }
}
