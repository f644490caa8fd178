//! What a row writes where the instructions of its host are kept.

use super::*;

#[test]
fn instructions_get_a_block_at_their_end() {
    let all: String = ["claude-code", "codex", "gemini"]
        .map(|name| diffs(name, &[IntegrationMode::Cli], ConfigurationScope::User))
        .concat();
    insta::assert_snapshot!(all, @r#"
--- ~/.claude/CLAUDE.md
+++ ~/.claude/CLAUDE.md
@@ -1,3 +1,12 @@
 # How I work
 
 - small commits
+
+<!-- icr:begin (`icr uninstall` takes this block out) -->
+# icr: code search and memory
+
+- `icr search "<words>"` finds files by words and meaning; `icr pack "<question>"` prints the lines that answer it.
+- `icr impact` says what a change touches, breaks and forgot, and which tests to run.
+- `icr recall "<question>"` looks up what was decided, fixed or learned in this project: ask before a decision.
+- `icr store -t <topic> -c "<text>"` keeps a decision or a fact for later sessions. Store no secrets.
+<!-- icr:end -->
--- ~/.codex/AGENTS.md
+++ ~/.codex/AGENTS.md
@@ -1 +1,10 @@
-no final newline
\ No newline at end of file
+no final newline
+
+<!-- icr:begin (`icr uninstall` takes this block out) -->
+# icr: code search and memory
+
+- `icr search "<words>"` finds files by words and meaning; `icr pack "<question>"` prints the lines that answer it.
+- `icr impact` says what a change touches, breaks and forgot, and which tests to run.
+- `icr recall "<question>"` looks up what was decided, fixed or learned in this project: ask before a decision.
+- `icr store -t <topic> -c "<text>"` keeps a decision or a fact for later sessions. Store no secrets.
+<!-- icr:end -->
--- ~/.gemini/GEMINI.md
+++ ~/.gemini/GEMINI.md
@@ -1,2 +1,11 @@
 one<CR>
 two<CR>
+<CR>
+<!-- icr:begin (`icr uninstall` takes this block out) --><CR>
+# icr: code search and memory<CR>
+<CR>
+- `icr search "<words>"` finds files by words and meaning; `icr pack "<question>"` prints the lines that answer it.<CR>
+- `icr impact` says what a change touches, breaks and forgot, and which tests to run.<CR>
+- `icr recall "<question>"` looks up what was decided, fixed or learned in this project: ask before a decision.<CR>
+- `icr store -t <topic> -c "<text>"` keeps a decision or a fact for later sessions. Store no secrets.<CR>
+<!-- icr:end --><CR>
"#);
    insta::assert_snapshot!(diffs("aider", &[IntegrationMode::Cli], ConfigurationScope::Project), @r#"
--- /dev/null
+++ ~/code/repo/CONVENTIONS.md
@@ -0,0 +1,8 @@
+<!-- icr:begin (`icr uninstall` takes this block out) -->
+# icr: code search and memory
+
+- `icr search "<words>"` finds files by words and meaning; `icr pack "<question>"` prints the lines that answer it.
+- `icr impact` says what a change touches, breaks and forgot, and which tests to run.
+- `icr recall "<question>"` looks up what was decided, fixed or learned in this project: ask before a decision.
+- `icr store -t <topic> -c "<text>"` keeps a decision or a fact for later sessions. Store no secrets.
+<!-- icr:end -->
--- ~/code/repo/.aider.conf.yml
+++ ~/code/repo/.aider.conf.yml
@@ -1,4 +1,5 @@
 read:
   # style
   - STYLE.md
+  - CONVENTIONS.md
 model: sonnet
"#);
}
