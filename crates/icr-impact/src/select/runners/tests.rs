//! Which commands run which tests: a list of facts, by runner.

use proptest::prelude::*;

use super::*;

/// Manifests as `//- path` lines, each before its text.
fn manifests(text: &str) -> Vec<ProjectManifest> {
    let file = |part: &str| {
        let (path, text) = part.split_once('\n').unwrap_or((part, ""));
        ProjectManifest { path: path.trim().into(), text: text.to_owned() }
    };
    text.split("//- ").skip(1).map(file).collect()
}

/// `tests` are separated by spaces; lines of `expected` are `runner: shown`, with `(more)` where others run, too.
#[track_caller]
fn check(project: &str, tests: &str, expected: &[&str]) {
    check_files(project, &files(tests.split_whitespace()), expected);
}

/// The tests at `paths`, which need nothing.
fn files<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<TestFile> {
    paths.into_iter().map(|path| TestFile::from(RepoPath::from(path))).collect()
}

#[track_caller]
fn check_files(project: &str, tests: &[TestFile], expected: &[&str]) {
    let row = |command: TestCommand| {
        let more = if command.runs_more { " (more)" } else { "" };
        format!("{}: {}{more}", command.runner, command.shown)
    };
    let found: Vec<String> = commands(&manifests(project), tests).into_iter().map(row).collect();
    assert_eq!(found, expected);
}

#[test]
fn bats_needs_no_manifest() {
    check("", "test/b.bats test/a.bats", &["bats: bats test/a.bats test/b.bats"]);
}

#[test]
fn busted_runs_specs_of_lua() {
    check("//- .busted\nreturn {}", "spec/a_spec.lua", &["busted: busted spec/a_spec.lua"]);
    check("//- a.rockspec\n", "spec/a_spec.lua", &["busted: busted spec/a_spec.lua"]);
    check("", "spec/a_spec.lua", &[]);
}

const WORKSPACE: &str = "//- Cargo.toml\n[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/out\"]\n\
                         //- crates/a/Cargo.toml\n[package]\nname = \"a-b\"\n\
                         //- crates/out/Cargo.toml\n[package]\nname = \"out\"\n";

#[test]
fn cargo_runs_targets_and_modules_of_packages() {
    let tests = "crates/a/tests/x.rs crates/a/tests/y/main.rs crates/a/tests/y/part.rs crates/a/src/one/two.rs crates/a/src/three/mod.rs";
    check(
        WORKSPACE,
        tests,
        &["cargo test: cargo test -p a-b --test x --test y", "cargo test: cargo test -p a-b -- one::two:: three::"],
    );
    check(WORKSPACE, "crates/a/src/lib.rs", &["cargo test: cargo test -p a-b --lib"]);
    check(WORKSPACE, "crates/a/src/main.rs", &["cargo test: cargo test -p a-b --bins"]);
    check(WORKSPACE, "crates/a/src/bin/x.rs", &["cargo test: cargo test -p a-b --bin x"]);
    check(WORKSPACE, "crates/a/benches/x.rs", &[]);
}

#[test]
fn cargo_runs_packages_outside_of_workspaces_where_they_are() {
    check(WORKSPACE, "crates/out/tests/x.rs", &["cargo test: cd crates/out && cargo test --test x"]);
    check("//- Cargo.toml\n[package]\nname = \"a\"\n", "tests/x.rs", &["cargo test: cargo test --test x"]);
    check("//- Cargo.toml\n[package]\nname.workspace = true\n", "tests/x.rs", &[]);
}

#[test]
fn cargo_knows_targets_with_paths_of_their_own() {
    let manifest = "//- Cargo.toml\n[package]\nname = \"a\"\n[[test]]\nname = \"whole\"\npath = \"tests/lib.rs\"\n";
    check(manifest, "tests/lib.rs", &["cargo test: cargo test --test whole"]);
}

#[test]
fn cargo_is_given_the_features_that_tests_need() {
    let manifest = "//- Cargo.toml\n[package]\nname = \"a\"\n[[test]]\nname = \"x\"\nrequired-features = [\"one\", \"std\"]\n\
                    [dependencies]\nserde = { version = \"1\", optional = true }\nregex = \"1\"\n\
                    [features]\ndefault = [\"base\"]\nbase = [\"std\"]\nstd = []\none = []\ntwo = []\n";
    check(
        manifest,
        "tests/x.rs tests/y.rs",
        &["cargo test: cargo test --test y", "cargo test: cargo test --features one --test x"],
    );
    let needs = |path: &str, features: &[&str]| TestFile {
        features: features.iter().map(|feature| (*feature).to_owned()).collect(),
        ..RepoPath::from(path).into()
    };
    check_files(
        manifest,
        &[
            needs("src/a.rs", &["two", "std", "absent", "regex"]),
            needs("src/b.rs", &["two"]),
            needs("tests/x.rs", &["two", "serde"]),
        ],
        &[
            "cargo test: cargo test --features one,serde,two --test x",
            "cargo test: cargo test --features two -- a:: b::",
        ],
    );
}

#[test]
fn cargo_runs_doc_tests_of_packages() {
    let part = |path: &str, parts: TestParts| TestFile { parts, ..RepoPath::from(path).into() };
    check_files(
        &format!("{WORKSPACE}//- .config/nextest.toml\n"),
        &[part("crates/a/src/b.rs", TestParts::Both), part("crates/a/src/c.rs", TestParts::Documentation)],
        &["cargo nextest: cargo nextest run -p a-b -- b::", "cargo test: cargo test -p a-b --doc (more)"],
    );
}

#[test]
fn nextest_runs_what_has_a_configuration_for_it() {
    let project = format!("{WORKSPACE}//- .config/nextest.toml\n");
    check(
        &project,
        "crates/a/tests/x.rs crates/a/src/b.rs",
        &["cargo nextest: cargo nextest run -p a-b --test x", "cargo nextest: cargo nextest run -p a-b -- b::"],
    );
}

#[test]
fn ctest_runs_what_is_called_as_its_file_alone_and_else_everything() {
    let project = "//- CMakeLists.txt\nenable_testing()\nadd_subdirectory(tests)\n\
                   //- tests/CMakeLists.txt\nadd_test(NAME parse COMMAND parse)\nadd_test(print print)\n";
    check(
        project,
        "tests/parse.c tests/print.c",
        &["ctest: ctest --test-dir build --output-on-failure -R '^(parse|print)$'"],
    );
    check(project, "tests/other.cpp", &["ctest: ctest --test-dir build --output-on-failure (more)"]);
    check("//- CMakeLists.txt\nadd_library(a a.c)\n", "tests/other.c", &[]);
}

#[test]
fn dart_and_flutter_run_files() {
    check("//- pubspec.yaml\nname: a\n", "test/a_test.dart", &["dart test: dart test test/a_test.dart"]);
    check(
        "//- app/pubspec.yaml\ndev_dependencies:\n  flutter_test:\n",
        "app/test/a_test.dart",
        &["flutter test: cd app && flutter test test/a_test.dart"],
    );
}

#[test]
fn deno_runs_what_it_is_configured_for() {
    check("//- deno.json\n{}\n", "a_test.ts", &["deno test: deno test a_test.ts"]);
}

#[test]
fn dotnet_runs_classes_of_a_project() {
    check(
        "//- App.sln\n//- test/App.Tests/App.Tests.csproj\n",
        "test/App.Tests/Parsing/JsonTests.cs test/App.Tests/XmlTests.cs",
        &[
            "dotnet test: dotnet test test/App.Tests/App.Tests.csproj --filter 'FullyQualifiedName~JsonTests|FullyQualifiedName~XmlTests'",
        ],
    );
}

#[test]
fn dune_runs_directories() {
    check("//- dune-project\n", "test/a/test_a.ml test/a/test_b.ml", &["dune test: dune test test/a (more)"]);
}

#[test]
fn go_runs_packages_of_a_module() {
    check(
        "//- go.mod\nmodule a\n//- tools/go.mod\nmodule b\n",
        "a_test.go x/y/a_test.go x/y/b_test.go tools/z/a_test.go",
        &["go test: go test . ./x/y", "go test: cd tools && go test ./z"],
    );
}

const GRADLE: &str = "//- settings.gradle.kts\n//- gradlew\n//- core/io/build.gradle.kts\nplugins { java }\n";

#[test]
fn gradle_runs_classes_by_the_task_of_their_source_set() {
    check(
        GRADLE,
        "core/io/src/test/java/a/b/FooTest.java core/io/src/test/kotlin/a/BarTest.kt core/io/src/integrationTest/java/a/BazIT.java",
        &[
            "gradle: ./gradlew :core:io:integrationTest --tests a.BazIT",
            "gradle: ./gradlew :core:io:test --tests a.b.FooTest --tests a.BarTest",
        ],
    );
    check("//- build.gradle\n", "src/test/groovy/a/FooSpec.groovy", &["gradle: gradle test --tests a.FooSpec"]);
    check(
        "//- settings.gradle\n//- app/build.gradle\nid 'com.android.library'\n",
        "app/src/test/java/a/FooTest.java app/src/androidTest/java/a/BarTest.java",
        &["gradle: gradle :app:testDebugUnitTest --tests a.FooTest"],
    );
}

#[test]
fn haskell_runs_packages() {
    check("//- a-b.cabal\nname: a-b\n", "test/ASpec.hs", &["cabal test: cabal test a-b (more)"]);
    check(
        "//- stack.yaml\n//- x/package.yaml\nname: x\n//- x/x.cabal\n",
        "x/test/ASpec.hs",
        &["stack test: stack test x (more)"],
    );
}

const POM: &str = "//- pom.xml\n<modules><module>core</module></modules>\n//- core/pom.xml\n<project/>\n";

#[test]
fn maven_runs_classes_of_modules() {
    check(
        POM,
        "core/src/test/java/a/FooTest.java core/src/test/java/a/BarTest.java",
        &["maven: mvn -pl core -am -Dtest=BarTest,FooTest -Dsurefire.failIfNoSpecifiedTests=false test"],
    );
    check("//- pom.xml\n//- mvnw\n", "src/test/java/a/FooTest.java", &["maven: ./mvnw -Dtest=FooTest test"]);
    check("//- pom.xml\n", "src/test/java/a/FooIT.java", &["maven: mvn -Dit.test=FooIT verify (more)"]);
    check(
        "//- pom.xml\n<project/>\n//- alone/pom.xml\n<project/>\n",
        "alone/src/test/java/FooTest.java",
        &["maven: cd alone && mvn -Dtest=FooTest test"],
    );
}

#[test]
fn the_nearest_build_of_the_jvm_runs_the_test() {
    let both = "//- pom.xml\n<project/>\n//- sub/build.gradle\n";
    check(both, "sub/src/test/java/FooTest.java", &["gradle: cd sub && gradle test --tests FooTest"]);
    check(both, "src/test/java/FooTest.java", &["maven: mvn -Dtest=FooTest test"]);
}

#[test]
fn mix_runs_files_of_an_application() {
    check(
        "//- mix.exs\n//- apps/web/mix.exs\n",
        "apps/web/test/a_test.exs",
        &["mix test: cd apps/web && mix test test/a_test.exs"],
    );
}

#[test]
fn scripts_of_a_package_say_what_runs_its_tests() {
    for (package, expected) in [
        (r#"{"scripts":{"test":"vitest --coverage"}}"#, "vitest: npx vitest run a.test.js b.test.js"),
        (r#"{"devDependencies":{"jest":"1"}}"#, "jest: npx jest --runTestsByPath a.test.js b.test.js"),
        (r#"{"jest":{}}"#, "jest: npx jest --runTestsByPath a.test.js b.test.js"),
        (
            r#"{"scripts":{"test":"mocha --require test/support/env --reporter spec --check-leaks test/"}}"#,
            "mocha: npx mocha --require test/support/env a.test.js b.test.js",
        ),
        (r#"{"scripts":{"test":"xo && c8 ava"}}"#, "ava: npx ava a.test.js b.test.js"),
        (
            r#"{"scripts":{"test":"node --import=tsx --test src"}}"#,
            "node:test: node --test --import=tsx a.test.js b.test.js",
        ),
        (r#"{"scripts":{"test":"bun test"}}"#, "bun test: bun test a.test.js b.test.js"),
        (
            r#"{"scripts":{"test":"react-scripts test"}}"#,
            "react-scripts: npx react-scripts test --watchAll=false --runTestsByPath a.test.js b.test.js",
        ),
        (
            r#"{"scripts":{"test":"eslint .","test:unit":"jest"},"devDependencies":{"mocha":"1"}}"#,
            "jest: npx jest --runTestsByPath a.test.js b.test.js",
        ),
    ] {
        check(&format!("//- package.json\n{package}\n"), "a.test.js b.test.js", &[expected]);
    }
}

#[test]
fn options_of_scripts_that_a_shell_would_read_are_not_kept() {
    check(
        "//- package.json\n{\"scripts\":{\"test\":\"mocha --require $(x) -r 'a b' --require=a;b\"}}\n",
        "a.test.js",
        &["mocha: npx mocha --require=a a.test.js"],
    );
}

#[test]
fn package_managers_are_told_by_their_lock_files() {
    for (file, expected) in [
        ("//- pnpm-lock.yaml\n", "vitest: cd packages/x && pnpm vitest run a.test.ts"),
        ("//- yarn.lock\n", "vitest: cd packages/x && yarn vitest run a.test.ts"),
        ("//- bun.lock\n", "vitest: cd packages/x && bunx vitest run a.test.ts"),
        ("//- package.json\n{\"packageManager\":\"pnpm@9\"}\n", "vitest: cd packages/x && pnpm vitest run a.test.ts"),
    ] {
        let project = format!("{file}//- packages/x/package.json\n{{\"scripts\":{{\"test\":\"vitest\"}}}}\n");
        check(&project, "packages/x/a.test.ts", &[expected]);
    }
    check("//- bun.lock\n//- package.json\n{}\n", "a.test.ts", &["bun test: bun test a.test.ts"]);
}

#[test]
fn packages_without_a_runner_are_run_by_the_one_around_them() {
    check(
        "//- package.json\n{\"devDependencies\":{\"jest\":\"1\"}}\n//- packages/x/package.json\n{}\n",
        "packages/x/a.test.js",
        &["jest: npx jest --runTestsByPath packages/x/a.test.js"],
    );
    check("//- package.json\n{}\n", "a.test.js", &[]);
    check("//- package.json\n{ broken\n", "a.test.js", &[]);
}

#[test]
fn tests_that_drive_a_browser_have_no_command() {
    let project = "//- package.json\n{\"devDependencies\":{\"@playwright/test\":\"1\",\"vitest\":\"1\"}}\n";
    check(project, "e2e/a.spec.ts src/b.test.ts", &["vitest: npx vitest run src/b.test.ts"]);
}

#[test]
fn phpunit_runs_one_file_or_classes() {
    let project = "//- composer.json\n{\"require-dev\":{\"phpunit/phpunit\":\"9\"}}\n";
    check(project, "tests/A/FooTest.php", &["phpunit: vendor/bin/phpunit tests/A/FooTest.php"]);
    check(
        project,
        "tests/A/FooTest.php tests/BarTest.php",
        &["phpunit: vendor/bin/phpunit '--filter=\\b(FooTest|BarTest)::'"],
    );
    check("//- phpunit.xml.dist\n", "tests/FooTest.php", &["phpunit: vendor/bin/phpunit tests/FooTest.php"]);
    check(
        "//- composer.json\n{\"require-dev\":{\"pestphp/pest\":\"2\"}}\n",
        "tests/FooTest.php",
        &["pest: vendor/bin/pest tests/FooTest.php"],
    );
    check("//- composer.json\n{}\n", "tests/FooTest.php", &[]);
    check("//- composer.json\n{}\n", "tests/FooCest.php", &["codeception: vendor/bin/codecept run tests/FooCest.php"]);
}

#[test]
fn python_is_tested_by_what_its_manifests_mention() {
    check(
        "//- pyproject.toml\n[tool.pytest.ini_options]\n",
        "tests/test_b.py tests/test_a.py",
        &["pytest: pytest tests/test_a.py tests/test_b.py"],
    );
    check(
        "//- uv.lock\n//- pyproject.toml\n[dependency-groups]\ntests = [\"pytest\"]\n",
        "tests/test_a.py",
        &["pytest: uv run pytest tests/test_a.py"],
    );
    check(
        "//- poetry.lock\n//- tox.ini\n[testenv]\ncommands = pytest\n",
        "test_a.py",
        &["pytest: poetry run pytest test_a.py"],
    );
    check(
        "//- packages/x/setup.cfg\n[tool:pytest]\n",
        "packages/x/tests/test_a.py",
        &["pytest: cd packages/x && pytest tests/test_a.py"],
    );
    check("//- tests/conftest.py\n", "tests/test_a.py", &["pytest: pytest tests/test_a.py"]);
    check("//- manage.py\n", "shop/tests/test_a.py", &["django: python manage.py test shop.tests.test_a"]);
    check("//- setup.py\nsetup()\n", "tests/test_a.py", &["pytest: python -m pytest tests/test_a.py"]);
    check(
        "//- tox.ini\ncommands = python -m unittest\n//- setup.py\nsetup()\n",
        "tests/test_a.py",
        &["unittest: python -m unittest tests/test_a.py"],
    );
    check("", "tests/test_a.py", &[]);
}

#[test]
fn testthat_is_given_a_filter() {
    check(
        "//- DESCRIPTION\nPackage: a\n",
        "tests/testthat/test-parse.R tests/testthat/test-print.R",
        &["testthat: Rscript -e 'testthat::test_local(filter = \"^(parse|print)$\")'"],
    );
}

#[test]
fn ruby_is_tested_by_rspec_rails_or_rake() {
    check("//- Gemfile\ngem 'rspec'\n", "spec/a_spec.rb", &["rspec: bundle exec rspec spec/a_spec.rb"]);
    check("//- .rspec\n", "spec/a_spec.rb", &["rspec: rspec spec/a_spec.rb"]);
    check(
        "//- Gemfile\ngem 'rails'\n//- bin/rails\n",
        "test/a_test.rb",
        &["rails test: bin/rails test test/a_test.rb"],
    );
    let rake = "//- Gemfile\n//- Rakefile\nRake::TestTask.new\n";
    check(rake, "test/a_test.rb", &["minitest: bundle exec rake test TEST=test/a_test.rb"]);
    check(
        rake,
        "test/a_test.rb test/b_test.rb",
        &["minitest: bundle exec rake test 'TEST={test/a_test.rb,test/b_test.rb}'"],
    );
    check("//- Gemfile\n", "test/a_test.rb", &["minitest: bundle exec ruby -Ilib:test test/a_test.rb"]);
}

#[test]
fn sbt_runs_classes_of_projects() {
    let build = "//- build.sbt\nlazy val core = (project in file(\"modules/core\"))\n";
    check(
        build,
        "modules/core/src/test/scala/a/FooSuite.scala modules/core/src/test/scala/a/BarSuite.scala",
        &["sbt: sbt 'core/testOnly a.BarSuite a.FooSuite'"],
    );
    check(build, "src/test/scala/a/FooSuite.scala", &["sbt: sbt 'testOnly a.FooSuite'"]);
    check(build, "web/src/test/scala/a/FooSuite.scala", &["sbt: sbt 'web/testOnly a.FooSuite'"]);
}

#[test]
fn swift_runs_classes_of_targets() {
    check(
        "//- Package.swift\n",
        "Tests/AppTests/Deep/FooTests.swift",
        &["swift test: swift test --filter AppTests.FooTests"],
    );
}

#[test]
fn zig_runs_the_test_step_of_the_build() {
    check("//- build.zig\nb.step(\"test\", \"\")\n", "src/a_test.zig", &["zig build test: zig build test (more)"]);
    check("//- build.zig\n", "src/a_test.zig", &[]);
}

#[test]
fn paths_that_a_shell_or_a_program_would_read_otherwise_are_safe() {
    let project = manifests("//- pytest.ini\n");
    let tests = files(["a b/test_$(x).py", "-k/test_a.py", "it's/test_a.py"]);
    let found = commands(&project, &tests);
    assert_eq!(found[0].shown, r"pytest ./-k/test_a.py 'a b/test_$(x).py' 'it'\''s/test_a.py'");
    assert_eq!(found[0].argv, ["pytest", "./-k/test_a.py", "a b/test_$(x).py", "it's/test_a.py"]);
    let nested = commands(&manifests("//- a b/pytest.ini\n"), &files(["a b/test_a.py"]));
    assert_eq!(nested[0].shown, "cd 'a b' && pytest test_a.py");
    assert_eq!(nested[0].cwd, "a b".into());
    assert_eq!(commands(&project, &[RepoPath::new(*b"test_\xff.py").into()]), []);
    assert_eq!(commands(&project, &files(["test_\0.py"])), []);
}

#[test]
fn names_of_classes_that_mean_something_in_a_filter_have_no_command() {
    check("//- pom.xml\n", "src/test/java/a/Foo,Bar*Test.java", &[]);
    check("//- a.csproj\n", "A|BTests.cs", &[]);
}

#[test]
fn names_of_manifests_are_sorted_and_hold_all_markers() {
    let names = manifest_names();
    assert!(names.is_sorted_by(|a, b| a < b));
    for name in ["package.json", "Cargo.toml", ".config/nextest.toml", "*.csproj", "gradlew", "uv.lock"] {
        assert!(names.contains(&name), "{name}");
    }
}

proptest! {
    #[test]
    fn any_text_gives_commands_and_never_a_panic(
        text in prop_oneof![".{0,80}", "[\\[\\]{}\"'=#,<>/a-z \n-]{0,80}"],
        name in prop::sample::select(manifest_names().to_vec()),
        directory in "[a-z-]{0,3}",
        file in prop::sample::select(vec!["a_test.go", "test_a.py", "src/test/java/A.java", "tests/a.rs", "src/a/b.rs", "a.test.ts", "a_spec.rb", "AppTests.cs", "tests/a.c"]),
    ) {
        let path = project::join(&directory, &name.replace('*', "x"));
        let test = RepoPath::from(project::join(&directory, file).as_str());
        let asked = TestFile { parts: TestParts::Both, features: BTreeSet::from(["a".to_owned()]), ..test.clone().into() };
        for command in commands(&[ProjectManifest { path: path.as_str().into(), text }], &[asked]) {
            prop_assert_eq!(&command.tests, std::slice::from_ref(&test));
            prop_assert!(!command.argv.is_empty() && !command.shown.is_empty());
        }
    }

    #[test]
    fn order_of_input_does_not_matter(
        mut tests in prop::collection::vec(prop::sample::select(vec!["a/x_test.go", "b/test_a.py", "c/a.test.js", "b/test_b.py", "c/d/b.test.js"]), 0..8),
    ) {
        let mut all = manifests("//- go.mod\n//- b/pytest.ini\n//- package.json\n{\"jest\":{}}\n//- c/d/package.json\n{\"scripts\":{\"test\":\"vitest\"}}\n");
        let forwards = commands(&all, &files(tests.iter().copied()));
        tests.reverse();
        all.reverse();
        prop_assert_eq!(commands(&all, &files(tests.iter().copied())), forwards);
    }
}
