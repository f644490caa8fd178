//! One tool after the other.

use super::detected;

#[test]
fn just_recipes_without_required_arguments_are_commands() {
    let report = detected(concat!(
        "//- justfile\n",
        "set shell := [\"bash\"]\n",
        "alias b := build\n",
        "@build *flags:\n",
        "\tcargo build\n",
        "test name:\n",
        "\tcargo test\n",
        "lint level=\"warn\":\n",
        "\tcargo clippy\n",
        "# fmt: not a recipe\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: just
    build = just build (just: justfile)
    lint = just lint (just: justfile)
    ");
}

#[test]
fn makefile_targets_are_commands_and_assignments_are_not() {
    let report = detected(concat!(
        "//- Makefile\n",
        "run := x\n",
        "lint: FLAGS = -x\n",
        ".PHONY: test\n",
        "all: a.o\n",
        "\techo format: no\n",
        "fmt check:: all\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: make
    build = make all (make: Makefile)
    test = make check (make: Makefile)
    format = make fmt (make: Makefile)
    ");
}

#[test]
fn only_rules_of_a_makefile_have_targets() {
    let report = detected(concat!(
        "//- Makefile\n",
        "build:\n",
        "\tcc a.c\n",
        "$(warning \"not found, run: curl x\")\n",
        "$(info not found, run: curl x)\n",
        "$(error not found, run: curl x)\n",
        "test ::= x\n",
        "lint ?= a:b\n",
        "serve := a \\\n",
        "run: b\n",
        "define TEXT\n",
        "format: all\n",
        "endef\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: make
    build = make build (make: Makefile)
    ");
}

#[test]
fn makefile_rules_may_refer_to_variables() {
    let report = detected("//- Makefile\nbuild: $(SOURCES:.c=.o)\n$(BIN)/a run: build\n");
    insta::assert_snapshot!(report, @"
    tools: make
    build = make build (make: Makefile)
    run = make run (make: Makefile)
    ");
}

#[test]
fn make_alone_builds_what_its_first_target_is_made_from() {
    for makefile in ["program: main.o\n", ".PHONY: default\ndefault: program\n", "%.o: %.c\n$(PROGRAM): $(OBJECTS)\n"] {
        let report = detected(&format!("//- Makefile\n{makefile}"));
        assert_eq!(report, "tools: make\nbuild ~ make (make: Makefile)", "{makefile}");
    }
}

#[test]
fn make_alone_is_no_build_where_its_first_target_is_something_else() {
    for makefile in [
        "help:\n\techo no\nprogram: main.o\n",
        "help: usage\n",
        "default: help\n",
        ".PHONY: up\nup: images\n",
        ".DEFAULT_GOAL := help\nprogram: main.o\nhelp: program\n",
        "%.o: %.c\n",
    ] {
        assert_eq!(detected(&format!("//- Makefile\n{makefile}")), "tools: make", "{makefile}");
    }
}

#[test]
fn targets_that_a_makefile_passes_to_its_subdirectories_are_its_own() {
    let report = detected(concat!(
        "//- Makefile\n",
        "SUBDIRS = src\n",
        "ifeq ($(BUILD_WITH_MODULES), yes)\n",
        "\tSUBDIRS += modules\n",
        "endif\n",
        "default: all\n",
        ".DEFAULT:\n",
        "\tfor dir in $(SUBDIRS); do $(MAKE) -C $$dir $@; done\n",
        "//- deps/a/CMakeLists.txt\n",
        "//- deps/b/msvc/b.sln\n",
        "//- src/Makefile\n",
        "all: a.o\n",
        "test: all\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: make
    build ~ make (make: Makefile)
    test = make test (make: Makefile)
    ");
}

#[test]
fn makefiles_pass_targets_on_in_several_ways() {
    let report = |recipe: &str| {
        let root = format!("//- Makefile\nSOURCES = src\n%:\n\t{recipe}\n");
        detected(&format!("{root}//- lib/Makefile\n//- src/Makefile\ntest:\n"))
    };
    for recipe in [
        "cd src && $(MAKE) $@",
        "@(cd $(SOURCES); $(MAKE) $@)",
        "+${MAKE} --no-print-directory -C ./src/ $@",
        "@set -e; for d in ${SOURCES}; do (cd $$d && $(MAKE) $@) || exit 1; done",
    ] {
        assert_eq!(report(recipe), "tools: make\ntest = make test (make: Makefile)", "{recipe}");
    }
    for recipe in [
        ":",
        "cd src && $(MAKE) all",
        "$(MAKE) -C lib $@",
        "$(MAKE) -C absent $@",
        "$(MAKE) -C $(UNKNOWN) $@",
        "for d in src lib; do $(MAKE) -C $$d $@; done",
        "$(SPHINXBUILD) -M $@ src",
    ] {
        assert_eq!(report(recipe), "tools: make", "{recipe}");
    }
}

#[test]
fn makefiles_have_three_names() {
    let report = detected("//- GNUmakefile\nbuild:\n//- Makefile\ntest:\n");
    insta::assert_snapshot!(report, @"
    tools: make
    build = make build (make: GNUmakefile)
    ");
}

#[test]
fn a_cargo_package_has_customary_commands() {
    let report = detected("//- Cargo.toml\n[package]\nname = \"a\"\n//- src/main.rs\n");
    insta::assert_snapshot!(report, @"
    tools: cargo
    build ~ cargo build (cargo: Cargo.toml)
    test ~ cargo test (cargo: Cargo.toml)
    lint ~ cargo clippy --all-targets (cargo: Cargo.toml)
    format ~ cargo fmt --all (cargo: Cargo.toml)
    run ~ cargo run (cargo: src/main.rs)
    ");
}

#[test]
fn a_cargo_workspace_covers_its_members() {
    let report = detected(concat!(
        "//- Cargo.toml\n",
        "[workspace]\n",
        "members = [\"a\"]\n",
        "[workspace.lints.clippy]\n",
        "all = \"warn\"\n",
        "//- a/Cargo.toml\n",
        "[package]\n",
        "name = \"a\"\n",
        "//- rustfmt.toml\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: cargo
    build ~ cargo build --workspace (cargo: Cargo.toml)
    test ~ cargo test --workspace (cargo: Cargo.toml)
    lint = cargo clippy --workspace --all-targets (cargo: Cargo.toml)
    format = cargo fmt --all (cargo: rustfmt.toml)
    ");
}

#[test]
fn cargo_run_needs_one_program() {
    let report = detected(concat!(
        "//- Cargo.toml\n",
        "[[bin]]\n",
        "name = \"a\"\n",
        "[[bin]]\n",
        "name = \"b\"\n",
        "//- clippy.toml\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: cargo
    build ~ cargo build (cargo: Cargo.toml)
    test ~ cargo test (cargo: Cargo.toml)
    lint = cargo clippy --all-targets (cargo: clippy.toml)
    format ~ cargo fmt --all (cargo: Cargo.toml)
    ");
}

#[test]
fn a_broken_cargo_manifest_has_customary_commands() {
    let report = detected("//- Cargo.toml\n[package\n");
    insta::assert_snapshot!(report, @"
    tools: cargo
    build ~ cargo build (cargo: Cargo.toml)
    test ~ cargo test (cargo: Cargo.toml)
    lint ~ cargo clippy --all-targets (cargo: Cargo.toml)
    format ~ cargo fmt --all (cargo: Cargo.toml)
    warning: `Cargo.toml` is not TOML
    ");
}

#[test]
fn npm_is_the_custom_without_a_lock_file() {
    let report = detected(concat!(
        "//- package.json\n",
        "{\"scripts\": {\"build\": \"tsc\", \"test\": \"echo \\\"Error: no test specified\\\" && exit 1\", \"lint\": \"eslint .\", \"dev\": \"vite\", \"start\": 3}}\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: npm
    build = npm run build (npm: package.json)
    lint = npm run lint (npm: package.json)
    run = npm run dev (npm: package.json)
    ");
}

#[test]
fn the_lock_file_decides_the_package_manager() {
    let report = detected(concat!(
        "//- package.json\n",
        "{\"packageManager\": \"yarn@4.1.0\", \"scripts\": {\"test\": \"vitest\"}}\n",
        "//- pnpm-lock.yaml\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: pnpm
    test = pnpm run test (pnpm: package.json)
    ");
}

#[test]
fn package_manager_field_decides_without_a_lock_file() {
    let report = detected(concat!(
        "//- package.json\n",
        "{\"packageManager\": \"yarn@4.1.0\", \"scripts\": {\"format\": \"prettier -w .\"}}\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: yarn
    format = yarn run format (yarn: package.json)
    ");
}

#[test]
fn of_several_lock_files_the_named_one_counts() {
    let report = detected(concat!(
        "//- package.json\n",
        "{\"packageManager\": \"npm@10\", \"scripts\": {\"test\": \"x\"}}\n",
        "//- yarn.lock\n",
        "//- package-lock.json\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: npm
    test = npm run test (npm: package.json)
    warning: `package.json` has lock files of several package managers; `npm` is used
    ");
}

#[test]
fn a_lock_file_above_counts_for_a_package_below() {
    let report =
        detected(concat!("//- bun.lockb\n", "//- web/package.json\n", "{\"scripts\": {\"test\": \"bun test\"}}\n",));
    insta::assert_snapshot!(report, @"
    tools: bun
    test = bun run test in web (bun: web/package.json)
    ");
}

#[test]
fn a_broken_package_json_is_named() {
    let report = detected("//- package.json\n{\"scripts\": {\n");
    insta::assert_snapshot!(report, @"
    tools: npm
    warning: `package.json` is not JSON
    ");
}

#[test]
fn scripts_of_another_shape_are_passed_over() {
    let report = detected("//- package.json\n{\"scripts\": [\"build\"]}\n");
    insta::assert_snapshot!(report, @"tools: npm");
}

#[test]
fn deno_has_tasks_and_customary_commands() {
    let report = detected(concat!(
        "//- deno.jsonc\n",
        "{ // tasks\n",
        " \"tasks\": { \"build\": \"deno compile\", \"test\": {\"command\": \"x\"}, },\n",
        "}\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: deno
    build = deno task build (deno: deno.jsonc)
    test = deno task test (deno: deno.jsonc)
    test ~ deno test (deno: deno.jsonc)
    lint ~ deno lint (deno: deno.jsonc)
    format ~ deno fmt (deno: deno.jsonc)
    ");
}

#[test]
fn composer_scripts_and_php_tools() {
    let report = detected(concat!(
        "//- composer.json\n",
        "{\"scripts\": {\"test\": [\"@phpunit\"], \"cs-fix\": \"x\"}}\n",
        "//- phpunit.xml.dist\n",
        "//- phpstan.neon\n",
        "//- .php-cs-fixer.dist.php\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: composer phpunit phpstan php-cs-fixer
    test = composer run-script test (composer: composer.json)
    test ~ vendor/bin/phpunit (phpunit: phpunit.xml.dist)
    lint ~ vendor/bin/phpstan analyse (phpstan: phpstan.neon)
    format = composer run-script cs-fix (composer: composer.json)
    format ~ vendor/bin/php-cs-fixer fix (php-cs-fixer: .php-cs-fixer.dist.php)
    ");
}

#[test]
fn a_uv_project_runs_its_tools_through_uv() {
    let report = detected(concat!(
        "//- pyproject.toml\n",
        "[build-system]\n",
        "requires = [\"hatchling\"]\n",
        "build-backend = \"hatchling.build\"\n",
        "[project]\n",
        "scripts = { tool = \"a:b\" }\n",
        "[dependency-groups]\n",
        "dev = [\"pytest>=8\", {include-group = \"x\"}, \"mypy\"]\n",
        "[tool.ruff]\n",
        "//- uv.lock\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: uv pytest ruff mypy
    build ~ uv build (uv: pyproject.toml)
    test = uv run pytest (pytest: pyproject.toml)
    lint = uv run ruff check . (ruff: pyproject.toml)
    lint = uv run mypy . (mypy: pyproject.toml)
    format = uv run ruff format . (ruff: pyproject.toml)
    run = uv run tool (uv: pyproject.toml)
    ");
}

#[test]
fn a_poetry_project_runs_its_tools_through_poetry() {
    let report = detected(concat!(
        "//- pyproject.toml\n",
        "[tool.poetry.group.dev.dependencies]\n",
        "pytest = \"^8\"\n",
        "black = \"*\"\n",
        "ruff = \"*\"\n",
        "//- tox.ini\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: poetry pytest tox ruff black
    build ~ poetry build (poetry: pyproject.toml)
    test = poetry run pytest (pytest: pyproject.toml)
    test = poetry run tox (tox: tox.ini)
    lint = poetry run ruff check . (ruff: pyproject.toml)
    format = poetry run black . (black: pyproject.toml)
    ");
}

#[test]
fn a_hatch_project_tests_with_hatch() {
    let report =
        detected(concat!("//- pyproject.toml\n", "[build-system]\n", "build-backend = \"hatchling.build\"\n",));
    insta::assert_snapshot!(report, @"
    tools: hatch
    build ~ hatch build (hatch: pyproject.toml)
    test ~ hatch test (hatch: pyproject.toml)
    ");
}

#[test]
fn a_setup_py_project_has_customary_commands() {
    let report = detected("//- setup.py\n//- setup.cfg\n[mypy]\n[mypy-x.*]\n");
    insta::assert_snapshot!(report, @"
    tools: pip mypy
    build ~ python -m build (pip: setup.py)
    test ~ python -m unittest (pip: setup.py)
    lint = mypy . (mypy: setup.cfg)
    ");
}

#[test]
fn pytest_is_not_its_plugins() {
    let report = detected("//- requirements.txt\npytest-cov==4\npytestx\n");
    insta::assert_snapshot!(report, @"tools: pip");
}

#[test]
fn pytest_is_seen_in_requirements_and_configuration() {
    let report = detected(concat!(
        "//- pyproject.toml\n",
        "//- requirements-dev.txt\n",
        "pytest[x]==8\n",
        "//- requirements.txt\n",
        "//- noxfile.py\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: pip pytest nox
    test = pytest (pytest: requirements-dev.txt)
    test = nox (nox: noxfile.py)
    ");
}

#[test]
fn a_broken_pyproject_is_named_once() {
    let report = detected("//- pyproject.toml\n[project\n//- conftest.py\n");
    insta::assert_snapshot!(report, @"
    tools: pip pytest
    test = pytest (pytest: conftest.py)
    warning: `pyproject.toml` is not TOML
    ");
}

#[test]
fn a_script_name_with_spaces_is_no_command() {
    let report = detected("//- pyproject.toml\n[project.scripts]\n\"a; rm -rf ~\" = \"a:b\"\n");
    insta::assert_snapshot!(report, @"tools: pip");
}

#[test]
fn several_programs_are_none_to_run() {
    let report = detected("//- pyproject.toml\n[project.scripts]\na = \"a:a\"\nb = \"b:b\"\n");
    insta::assert_snapshot!(report, @"tools: pip");
}

#[test]
fn go_has_customary_commands() {
    let report = detected("//- go.mod\nmodule m\n//- .golangci.yml\n//- main.go\n");
    insta::assert_snapshot!(report, @"
    tools: go
    build ~ go build ./... (go: go.mod)
    test ~ go test ./... (go: go.mod)
    lint = golangci-lint run (go: .golangci.yml)
    lint ~ go vet ./... (go: go.mod)
    format ~ gofmt -w . (go: go.mod)
    run = go run . (go: main.go)
    ");
}

#[test]
fn maven_uses_its_wrapper_and_plugins() {
    let report = detected(concat!(
        "//- pom.xml\n",
        "<artifactId>spotless-maven-plugin</artifactId>\n",
        "<artifactId>spring-boot-maven-plugin</artifactId>\n",
        "//- mvnw\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: maven
    build ~ ./mvnw package (maven: pom.xml)
    test ~ ./mvnw test (maven: pom.xml)
    lint = ./mvnw spotless:check (maven: pom.xml)
    format = ./mvnw spotless:apply (maven: pom.xml)
    run = ./mvnw spring-boot:run (maven: pom.xml)
    ");
}

#[test]
fn gradle_reads_plugins() {
    let report = detected(concat!(
        "//- settings.gradle\n",
        "//- build.gradle.kts\n",
        "plugins { id(\"com.android.application\"); id(\"io.gitlab.detekt\"); id(\"com.diffplug.spotless\") }\n",
        "//- gradlew\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: gradle
    build ~ ./gradlew build (gradle: build.gradle.kts)
    test ~ ./gradlew test (gradle: build.gradle.kts)
    lint = ./gradlew detekt (gradle: build.gradle.kts)
    lint ~ ./gradlew check (gradle: build.gradle.kts)
    format = ./gradlew spotlessApply (gradle: build.gradle.kts)
    ");
}

#[test]
fn gradle_runs_an_application() {
    let report = detected("//- build.gradle\napplication { mainClass = \"A\" }\n");
    insta::assert_snapshot!(report, @"
    tools: gradle
    build ~ gradle build (gradle: build.gradle)
    test ~ gradle test (gradle: build.gradle)
    lint ~ gradle check (gradle: build.gradle)
    run = gradle run (gradle: build.gradle)
    ");
}

#[test]
fn cmake_tests_when_the_project_enables_them() {
    let report = detected("//- CMakeLists.txt\nenable_testing()\ninclude(CTest)\n");
    insta::assert_snapshot!(report, @"
    tools: cmake
    build ~ cmake --build build (cmake: CMakeLists.txt)
    build ~ cmake -S . -B build (cmake: CMakeLists.txt)
    test = ctest --test-dir build (cmake: CMakeLists.txt)
    ");
}

#[test]
fn ruby_tools_run_through_bundler() {
    let report = detected(concat!(
        "//- Gemfile\n",
        "# gem 'rails'\n",
        "gem 'rspec', '~> 3'\n",
        "gem(\"rubocop\")\n",
        "//- Rakefile\n",
        "require 'bundler/gem_tasks'\n",
        "RSpec::Core::RakeTask.new\n",
        "task :lint do\n",
        "end\n",
        "task format: :lint\n",
        "//- a.gemspec\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: bundler rake
    build = bundle exec rake build (rake: Rakefile)
    build ~ gem build a.gemspec (bundler: a.gemspec)
    test = bundle exec rspec (bundler: Gemfile)
    test = bundle exec rake spec (rake: Rakefile)
    lint = bundle exec rubocop (bundler: Gemfile)
    lint = bundle exec rake lint (rake: Rakefile)
    format = bundle exec rubocop -a (bundler: Gemfile)
    format = bundle exec rake format (rake: Rakefile)
    ");
}

#[test]
fn rake_runs_alone_without_a_gemfile() {
    let report = detected("//- Rakefile\nRake::TestTask.new\n");
    insta::assert_snapshot!(report, @"
    tools: rake
    test = rake test (rake: Rakefile)
    ");
}

#[test]
fn dotnet_runs_a_program() {
    let report = detected("//- a.sln\n//- a.csproj\n<OutputType>Exe</OutputType>\n");
    insta::assert_snapshot!(report, @"
    tools: dotnet
    build ~ dotnet build (dotnet: a.sln)
    test ~ dotnet test (dotnet: a.sln)
    lint ~ dotnet format --verify-no-changes (dotnet: a.sln)
    format ~ dotnet format (dotnet: a.sln)
    run = dotnet run (dotnet: a.csproj)
    ");
}

#[test]
fn mix_reads_dependencies() {
    let report =
        detected(concat!("//- mix.exs\n", "{:phoenix, \"~> 1.7\"}, {:credo, \"~> 1\"}\n", "//- .formatter.exs\n",));
    insta::assert_snapshot!(report, @"
    tools: mix
    build ~ mix compile (mix: mix.exs)
    test ~ mix test (mix: mix.exs)
    lint = mix credo (mix: mix.exs)
    lint ~ mix compile --warnings-as-errors (mix: mix.exs)
    format = mix format (mix: .formatter.exs)
    run = mix phx.server (mix: mix.exs)
    ");
}

#[test]
fn swift_runs_an_executable() {
    let report = detected(concat!("//- Package.swift\n", ".executableTarget(name: \"a\")\n", "//- .swiftlint.yml\n",));
    insta::assert_snapshot!(report, @"
    tools: swift
    build ~ swift build (swift: Package.swift)
    test ~ swift test (swift: Package.swift)
    lint = swiftlint (swift: .swiftlint.yml)
    run = swift run (swift: Package.swift)
    ");
}

#[test]
fn haskell_has_two_builders() {
    let report = detected("//- a.cabal\nname: a\nexecutable a\n//- stack.yaml\n//- .hlint.yaml\n");
    insta::assert_snapshot!(report, @"
    tools: stack cabal hlint
    build ~ stack build (stack: stack.yaml)
    build ~ cabal build all (cabal: a.cabal)
    test ~ stack test (stack: stack.yaml)
    test ~ cabal test all (cabal: a.cabal)
    lint ~ hlint . (hlint: .hlint.yaml)
    run = cabal run (cabal: a.cabal)
    ");
}

#[test]
fn zig_reads_its_steps() {
    let report = detected("//- build.zig\nb.step(\"test\", \"x\"); b.step(\"run\", \"y\");\n");
    insta::assert_snapshot!(report, @"
    tools: zig
    build ~ zig build (zig: build.zig)
    test = zig build test (zig: build.zig)
    lint ~ zig fmt --check . (zig: build.zig)
    format ~ zig fmt . (zig: build.zig)
    run = zig build run (zig: build.zig)
    ");
}

#[test]
fn dune_formats_with_ocamlformat() {
    let report = detected("//- dune-project\n//- .ocamlformat\n");
    insta::assert_snapshot!(report, @"
    tools: dune
    build ~ dune build (dune: dune-project)
    test ~ dune test (dune: dune-project)
    format = dune fmt (dune: .ocamlformat)
    ");
}

#[test]
fn declared_commands_come_before_customary_ones() {
    let report = detected(concat!(
        "//- Cargo.toml\n",
        "[package]\n",
        "//- Makefile\n",
        "test:\n",
        "//- docs/package.json\n",
        "{\"scripts\": {\"build\": \"x\"}}\n",
    ));
    insta::assert_snapshot!(report, @"
    tools: make npm cargo
    build ~ cargo build (cargo: Cargo.toml)
    test = make test (make: Makefile)
    test ~ cargo test (cargo: Cargo.toml)
    lint ~ cargo clippy --all-targets (cargo: Cargo.toml)
    format ~ cargo fmt --all (cargo: Cargo.toml)
    build = npm run build in docs (npm: docs/package.json)
    ");
}

#[test]
fn manifests_of_foreign_code_give_no_commands() {
    let foreign = concat!(
        "//- deps/a/CMakeLists.txt\n",
        "//- node_modules/b/package.json\n",
        "{\"scripts\": {\"test\": \"x\"}}\n",
        "//- third_party/go.mod\n",
        "//- web/vendor/Cargo.toml\n",
    );
    insta::assert_snapshot!(detected(foreign), @"tools:");
    let report = detected(&format!("{foreign}//- web/app/Makefile\ntest:\n"));
    insta::assert_snapshot!(report, @"
    tools: make
    test = make test in web/app (make: web/app/Makefile)
    ");
}

#[test]
fn nothing_follows_from_other_files() {
    let report = detected("//- README.md\nmake build\n//- src/lib.rs\n//- target/.csproj\n");
    insta::assert_snapshot!(report, @"tools:");
}
