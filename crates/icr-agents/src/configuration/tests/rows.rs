//! The table of hosts, and what each row makes of an empty file.

use super::super::wanted_entries::wanted_entries;
use super::*;

#[test]
fn rows_are_sorted_and_names_are_their_own() {
    let names: Vec<_> = AgentHost::ALL.iter().map(|host| host.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn no_two_hosts_want_different_things_at_one_place() {
    let home = Home::with(&[(".continue/config.yaml", "")]);
    for scope in [ConfigurationScope::User, ConfigurationScope::Project] {
        let mut all = Vec::new();
        home.init_with(|request| {
            let request = InitRequest { scope, ..request };
            for (host, mode) in AgentHost::ALL.iter().flat_map(|host| IntegrationMode::ALL.map(|mode| (host, mode))) {
                all.extend(wanted_entries(&request, host, mode).into_iter().flatten());
            }
        });
        for (at, one) in all.iter().enumerate() {
            let same = |other: &&super::super::wanted_entries::WantedEntry| {
                other.path == one.path && other.entry.place == one.entry.place
            };
            for other in all[at..].iter().filter(same) {
                assert_eq!(other.entry.content, one.entry.content, "{} {}", one.host.name, other.host.name);
            }
        }
    }
}

/// What `init` makes of the hand-written files of a host.
fn diffs(name: &str, modes: &[IntegrationMode], scope: ConfigurationScope) -> String {
    let home = Home::with(homes::HAND_WRITTEN);
    let report = home.init_with(|request| {
        let request = InitRequest { hosts: &[host(name)], modes, scope, dry_run: true, ..request };
        init(&request).expect("the manifest can be read")
    });
    let root = home.directories.home.display().to_string();
    let text: String = report.files.iter().map(|file| file.diff.replace(&root, "~")).collect();
    text.replace('\r', "<CR>").replace('\t', "<TAB>")
}

#[test]
fn servers_look_like_what_is_there() {
    let all: String =
        AgentHost::ALL.iter().map(|host| diffs(host.name, &[IntegrationMode::Mcp], ConfigurationScope::User)).collect();
    insta::assert_snapshot!(all, @r#"
--- ~/.aws/amazonq/mcp.json
+++ ~/.aws/amazonq/mcp.json
@@ -1 +1 @@
-{"mcpServers":{"fetch":{"command":"uvx","args":["mcp-server-fetch"]}}}
\ No newline at end of file
+{"mcpServers":{"fetch":{"command":"uvx","args":["mcp-server-fetch"]}, "icr": {"command": "/opt/icr/bin/icr", "args": ["mcp"]}}}
\ No newline at end of file
--- ~/.config/amp/settings.json
+++ ~/.config/amp/settings.json
@@ -1,4 +1,4 @@
 {
   "amp.notifications.enabled": true,
-  "amp.mcpServers": { "x": { "command": "x" } }
+  "amp.mcpServers": { "x": { "command": "x" }, "icr": {"command": "/opt/icr/bin/icr", "args": ["mcp"]} }
 }
--- ~/.gemini/antigravity/mcp_config.json
+++ ~/.gemini/antigravity/mcp_config.json
@@ -1 +1 @@
-{"mcpServers": {"a": {"command": "a"},}}
\ No newline at end of file
+{"mcpServers": {"a": {"command": "a"}, "icr": {"command": "/opt/icr/bin/icr", "args": ["mcp"]},}}
\ No newline at end of file
--- ~/.claude.json
+++ ~/.claude.json
@@ -9,6 +9,12 @@
         "files"
       ],
       "env": {}
+    },
+    "icr": {
+      "type": "stdio",
+      "command": "/opt/icr/bin/icr",
+      "args": ["mcp"],
+      "env": {}
     }
   },
   "projects": {
--- ~/.config/Claude/claude_desktop_config.json
+++ ~/.config/Claude/claude_desktop_config.json
@@ -1,3 +1,9 @@
 ﻿{
-  "globalShortcut": ""
+  "globalShortcut": "",
+  "mcpServers": {
+    "icr": {
+      "command": "/opt/icr/bin/icr",
+      "args": ["mcp"]
+    }
+  }
 }
--- ~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json
+++ ~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json
@@ -1,3 +1,9 @@
 {
-  "mcpServers": {}
+  "mcpServers": {
+    "icr": {
+      "type": "stdio",
+      "command": "/opt/icr/bin/icr",
+      "args": ["mcp"]
+    }
+  }
 }
--- ~/.codex/config.toml
+++ ~/.codex/config.toml
@@ -6,4 +6,8 @@
 
 [mcp_servers.docs.env]
 TOKEN = 'x'
-# the end
\ No newline at end of file
+# the end
+
+[mcp_servers.icr]
+command = "/opt/icr/bin/icr"
+args = ["mcp"]
--- ~/.continue/config.yaml
+++ ~/.continue/config.yaml
@@ -5,6 +5,10 @@
 - name: sqlite
   command: npx
   args: ["-y", "sqlite"]
+- name: icr
+  command: /opt/icr/bin/icr
+  args:
+    - mcp
 
 # models
 models: []
--- ~/.copilot/mcp-config.json
+++ ~/.copilot/mcp-config.json
@@ -1 +1 @@
-{ "mcpServers": { } }
+{ "mcpServers": {"icr": {"type": "local", "command": "/opt/icr/bin/icr", "args": ["mcp"], "tools": ["*"]} } }
--- ~/.cursor/mcp.json
+++ ~/.cursor/mcp.json
@@ -2,6 +2,11 @@
   "mcpServers" : {
       "odd"   : {"command":"odd"}
       ,
-      "last": {"command": "last"}
+      "last": {"command": "last"},
+      "icr": {
+        "type": "stdio",
+        "command": "/opt/icr/bin/icr",
+        "args": ["mcp"]
+      }
   }
 }
--- ~/.factory/mcp.json
+++ ~/.factory/mcp.json
@@ -1,2 +1,11 @@
 
 
+{
+  "mcpServers": {
+    "icr": {
+      "type": "stdio",
+      "command": "/opt/icr/bin/icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- ~/.gemini/settings.json
+++ ~/.gemini/settings.json
@@ -1 +1 @@
-{"theme": "Default", "mcpServers": {"a": {"command": "a"}}, "hooks": {"BeforeAgent": []}}
+{"theme": "Default", "mcpServers": {"a": {"command": "a"}, "icr": {"command": "/opt/icr/bin/icr", "args": ["mcp"]}}, "hooks": {"BeforeAgent": []}}
--- ~/.config/goose/config.yaml
+++ ~/.config/goose/config.yaml
@@ -4,5 +4,14 @@
     enabled: true
     type: builtin
   # more to come
+  icr:
+    type: stdio
+    name: icr
+    cmd: /opt/icr/bin/icr
+    args:
+      - mcp
+    envs: {}
+    enabled: true
+    timeout: 300
 
 GOOSE_MODE: auto
--- ~/.junie/mcp/mcp.json
+++ ~/.junie/mcp/mcp.json
@@ -2,6 +2,10 @@
    "mcpServers": {
       "a": {
          "command": "a"
+      },
+      "icr": {
+         "command": "/opt/icr/bin/icr",
+         "args": ["mcp"]
       }
    }
 }
--- ~/.config/Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json
+++ ~/.config/Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json
@@ -1 +1,8 @@
-{}
\ No newline at end of file
+{
+  "mcpServers": {
+    "icr": {
+      "command": "/opt/icr/bin/icr",
+      "args": ["mcp"]
+    }
+  }
+}
\ No newline at end of file
--- ~/.kiro/settings/mcp.json
+++ ~/.kiro/settings/mcp.json
@@ -2,6 +2,10 @@
   "mcpServers": {<CR>
     "a": {<CR>
       "command": "a"<CR>
+    },<CR>
+    "icr": {<CR>
+      "command": "/opt/icr/bin/icr",<CR>
+      "args": ["mcp"]<CR>
     }<CR>
   }<CR>
 }
\ No newline at end of file
--- ~/.lmstudio/mcp.json
+++ ~/.lmstudio/mcp.json
@@ -2,6 +2,10 @@
   "mcpServers": {
     "a": {
       "url": "http://x"
+    },
+    "icr": {
+      "command": "/opt/icr/bin/icr",
+      "args": ["mcp"]
     }
     // , "b": {}
   }
--- ~/.config/opencode/opencode.json
+++ ~/.config/opencode/opencode.json
@@ -3,6 +3,12 @@
   // remote
   "mcp": {
     "a": {"type": "remote", "url": "https://x"}, // why
+    "icr": {
+      "type": "local",
+      "command": ["/opt/icr/bin/icr", "mcp"],
+      "enabled": true,
+      "environment": {}
+    },
     /* off */
   }
 }
--- ~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json
+++ ~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json
@@ -0,0 +1,8 @@
+{
+  "mcpServers": {
+    "icr": {
+      "command": "/opt/icr/bin/icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- ~/.config/Code/User/mcp.json
+++ ~/.config/Code/User/mcp.json
@@ -1,6 +1,11 @@
 {
 <TAB>"inputs": [],
 <TAB>"servers": {
-<TAB><TAB>"a": { "url": "http://localhost" } /* mine */
+<TAB><TAB>"a": { "url": "http://localhost" }, /* mine */
+<TAB><TAB>"icr": {
+<TAB><TAB><TAB>"type": "stdio",
+<TAB><TAB><TAB>"command": "/opt/icr/bin/icr",
+<TAB><TAB><TAB>"args": ["mcp"]
+<TAB><TAB>}
 <TAB>}
 }
--- ~/.warp/.mcp.json
+++ ~/.warp/.mcp.json
@@ -1 +1,9 @@
-// only a comment
\ No newline at end of file
+// only a comment
+{
+  "mcpServers": {
+    "icr": {
+      "command": "/opt/icr/bin/icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- ~/.codeium/windsurf/mcp_config.json
+++ ~/.codeium/windsurf/mcp_config.json
@@ -1,4 +1,8 @@
 {
     "mcpServers": {
+        "icr": {
+            "command": "/opt/icr/bin/icr",
+            "args": ["mcp"]
+        }
     }
 }
\ No newline at end of file
--- ~/.config/zed/settings.json
+++ ~/.config/zed/settings.json
@@ -4,6 +4,11 @@
   "theme": "One Dark",
   "context_servers": {
     // none yet
+    "icr": {
+      "command": "/opt/icr/bin/icr",
+      "args": ["mcp"],
+      "env": {}
+    }
   },
   "vim_mode": true,
 }
"#);
}

#[test]
fn servers_of_projects_are_called_by_name() {
    let all: String = AgentHost::ALL
        .iter()
        .map(|host| diffs(host.name, &[IntegrationMode::Mcp], ConfigurationScope::Project))
        .collect();
    insta::assert_snapshot!(all, @r#"
--- /dev/null
+++ ~/code/repo/.amazonq/mcp.json
@@ -0,0 +1,8 @@
+{
+  "mcpServers": {
+    "icr": {
+      "command": "icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- /dev/null
+++ ~/code/repo/.amp/settings.json
@@ -0,0 +1,8 @@
+{
+  "amp.mcpServers": {
+    "icr": {
+      "command": "icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- ~/code/repo/.mcp.json
+++ ~/code/repo/.mcp.json
@@ -1,5 +1,11 @@
 {
   "mcpServers": {
-    "db": { "command": "db" }
+    "db": { "command": "db" },
+    "icr": {
+      "type": "stdio",
+      "command": "icr",
+      "args": ["mcp"],
+      "env": {}
+    }
   }
 }
--- ~/code/repo/.codex/config.toml
+++ ~/code/repo/.codex/config.toml
@@ -1,2 +1,6 @@
 [a]<CR>
 b = 1<CR>
+<CR>
+[mcp_servers.icr]<CR>
+command = "icr"<CR>
+args = ["mcp"]<CR>
--- /dev/null
+++ ~/code/repo/.continue/mcpServers/icr.yaml
@@ -0,0 +1,8 @@
+name: icr
+version: 0.0.1
+schema: v1
+mcpServers:
+  - name: icr
+    command: icr
+    args:
+      - mcp
--- /dev/null
+++ ~/code/repo/.github/mcp.json
@@ -0,0 +1,10 @@
+{
+  "mcpServers": {
+    "icr": {
+      "type": "local",
+      "command": "icr",
+      "args": ["mcp"],
+      "tools": ["*"]
+    }
+  }
+}
--- /dev/null
+++ ~/code/repo/.cursor/mcp.json
@@ -0,0 +1,9 @@
+{
+  "mcpServers": {
+    "icr": {
+      "type": "stdio",
+      "command": "icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- /dev/null
+++ ~/code/repo/.factory/mcp.json
@@ -0,0 +1,9 @@
+{
+  "mcpServers": {
+    "icr": {
+      "type": "stdio",
+      "command": "icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- /dev/null
+++ ~/code/repo/.gemini/settings.json
@@ -0,0 +1,8 @@
+{
+  "mcpServers": {
+    "icr": {
+      "command": "icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- /dev/null
+++ ~/code/repo/.junie/mcp/mcp.json
@@ -0,0 +1,8 @@
+{
+  "mcpServers": {
+    "icr": {
+      "command": "icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- /dev/null
+++ ~/code/repo/.kilocode/mcp.json
@@ -0,0 +1,8 @@
+{
+  "mcpServers": {
+    "icr": {
+      "command": "icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- /dev/null
+++ ~/code/repo/.kiro/settings/mcp.json
@@ -0,0 +1,8 @@
+{
+  "mcpServers": {
+    "icr": {
+      "command": "icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- /dev/null
+++ ~/code/repo/opencode.json
@@ -0,0 +1,10 @@
+{
+  "mcp": {
+    "icr": {
+      "type": "local",
+      "command": ["icr", "mcp"],
+      "enabled": true,
+      "environment": {}
+    }
+  }
+}
--- /dev/null
+++ ~/code/repo/.roo/mcp.json
@@ -0,0 +1,8 @@
+{
+  "mcpServers": {
+    "icr": {
+      "command": "icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- ~/code/repo/.vscode/mcp.json
+++ ~/code/repo/.vscode/mcp.json
@@ -1,3 +1,9 @@
 {
-    "servers": {}, "inputs": []
+    "servers": {
+        "icr": {
+            "type": "stdio",
+            "command": "icr",
+            "args": ["mcp"]
+        }
+    }, "inputs": []
 }
--- /dev/null
+++ ~/code/repo/.warp/.mcp.json
@@ -0,0 +1,8 @@
+{
+  "mcpServers": {
+    "icr": {
+      "command": "icr",
+      "args": ["mcp"]
+    }
+  }
+}
--- /dev/null
+++ ~/code/repo/.zed/settings.json
@@ -0,0 +1,9 @@
+{
+  "context_servers": {
+    "icr": {
+      "command": "icr",
+      "args": ["mcp"],
+      "env": {}
+    }
+  }
+}
"#);
}

#[test]
fn hooks_look_like_what_is_there() {
    let all: String = AgentHost::ALL
        .iter()
        .map(|host| diffs(host.name, &[IntegrationMode::Hook], ConfigurationScope::User))
        .collect();
    insta::assert_snapshot!(all, @r#"
    --- ~/.claude/settings.json
    +++ ~/.claude/settings.json
    @@ -3,6 +3,78 @@
     <TAB>"hooks": {<CR>
     <TAB><TAB>"Stop": [<CR>
     <TAB><TAB><TAB>{ "hooks": [{ "type": "command", "command": "say done" }] }, // keep<CR>
    +<TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB>"hooks": [<CR>
    +<TAB><TAB><TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"type": "command",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"command": "/opt/icr/bin/icr",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"args": ["hook", "Stop", "--host", "claude-code"],<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"timeout": 10<CR>
    +<TAB><TAB><TAB><TAB><TAB>}<CR>
    +<TAB><TAB><TAB><TAB>]<CR>
    +<TAB><TAB><TAB>},<CR>
    +<TAB><TAB>],<CR>
    +<TAB><TAB>"SessionStart": [<CR>
    +<TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB>"hooks": [<CR>
    +<TAB><TAB><TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"type": "command",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"command": "/opt/icr/bin/icr",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"args": ["hook", "SessionStart", "--host", "claude-code"],<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"timeout": 5<CR>
    +<TAB><TAB><TAB><TAB><TAB>}<CR>
    +<TAB><TAB><TAB><TAB>]<CR>
    +<TAB><TAB><TAB>}<CR>
    +<TAB><TAB>],<CR>
    +<TAB><TAB>"UserPromptSubmit": [<CR>
    +<TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB>"hooks": [<CR>
    +<TAB><TAB><TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"type": "command",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"command": "/opt/icr/bin/icr",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"args": ["hook", "UserPromptSubmit", "--host", "claude-code"],<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"timeout": 5<CR>
    +<TAB><TAB><TAB><TAB><TAB>}<CR>
    +<TAB><TAB><TAB><TAB>]<CR>
    +<TAB><TAB><TAB>}<CR>
    +<TAB><TAB>],<CR>
    +<TAB><TAB>"PostToolUse": [<CR>
    +<TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB>"matcher": "Read|Grep|Glob|Edit|MultiEdit|Write|NotebookEdit|Bash|mcp__.*icr.*",<CR>
    +<TAB><TAB><TAB><TAB>"hooks": [<CR>
    +<TAB><TAB><TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"type": "command",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"command": "/opt/icr/bin/icr",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"args": ["hook", "PostToolUse", "--host", "claude-code"],<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"timeout": 5,<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"async": true<CR>
    +<TAB><TAB><TAB><TAB><TAB>}<CR>
    +<TAB><TAB><TAB><TAB>]<CR>
    +<TAB><TAB><TAB>}<CR>
    +<TAB><TAB>],<CR>
    +<TAB><TAB>"PreCompact": [<CR>
    +<TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB>"hooks": [<CR>
    +<TAB><TAB><TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"type": "command",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"command": "/opt/icr/bin/icr",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"args": ["hook", "PreCompact", "--host", "claude-code"],<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"timeout": 10<CR>
    +<TAB><TAB><TAB><TAB><TAB>}<CR>
    +<TAB><TAB><TAB><TAB>]<CR>
    +<TAB><TAB><TAB>}<CR>
    +<TAB><TAB>],<CR>
    +<TAB><TAB>"SessionEnd": [<CR>
    +<TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB>"hooks": [<CR>
    +<TAB><TAB><TAB><TAB><TAB>{<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"type": "command",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"command": "/opt/icr/bin/icr",<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"args": ["hook", "SessionEnd", "--host", "claude-code"],<CR>
    +<TAB><TAB><TAB><TAB><TAB><TAB>"timeout": 5<CR>
    +<TAB><TAB><TAB><TAB><TAB>}<CR>
    +<TAB><TAB><TAB><TAB>]<CR>
    +<TAB><TAB><TAB>}<CR>
     <TAB><TAB>],<CR>
     <TAB>},<CR>
     <TAB>"model": "opus",<CR>
    --- /dev/null
    +++ ~/.codex/hooks.json
    @@ -0,0 +1,59 @@
    +{
    +  "hooks": {
    +    "SessionStart": [
    +      {
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "/opt/icr/bin/icr hook SessionStart --host codex",
    +            "timeout": 5
    +          }
    +        ]
    +      }
    +    ],
    +    "UserPromptSubmit": [
    +      {
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "/opt/icr/bin/icr hook UserPromptSubmit --host codex",
    +            "timeout": 5
    +          }
    +        ]
    +      }
    +    ],
    +    "PostToolUse": [
    +      {
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "/opt/icr/bin/icr hook PostToolUse --host codex",
    +            "timeout": 5
    +          }
    +        ]
    +      }
    +    ],
    +    "Stop": [
    +      {
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "/opt/icr/bin/icr hook Stop --host codex",
    +            "timeout": 10
    +          }
    +        ]
    +      }
    +    ],
    +    "PreCompact": [
    +      {
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "/opt/icr/bin/icr hook PreCompact --host codex",
    +            "timeout": 10
    +          }
    +        ]
    +      }
    +    ]
    +  }
    +}
    --- /dev/null
    +++ ~/.copilot/hooks/icr.json
    @@ -0,0 +1,53 @@
    +{
    +  "version": 1,
    +  "hooks": {
    +    "sessionStart": [
    +      {
    +        "type": "command",
    +        "bash": "/opt/icr/bin/icr hook SessionStart --host copilot",
    +        "powershell": "/opt/icr/bin/icr hook SessionStart --host copilot",
    +        "timeoutSec": 5
    +      }
    +    ],
    +    "userPromptSubmitted": [
    +      {
    +        "type": "command",
    +        "bash": "/opt/icr/bin/icr hook UserPromptSubmit --host copilot",
    +        "powershell": "/opt/icr/bin/icr hook UserPromptSubmit --host copilot",
    +        "timeoutSec": 5
    +      }
    +    ],
    +    "postToolUse": [
    +      {
    +        "type": "command",
    +        "bash": "/opt/icr/bin/icr hook PostToolUse --host copilot",
    +        "powershell": "/opt/icr/bin/icr hook PostToolUse --host copilot",
    +        "timeoutSec": 5
    +      }
    +    ],
    +    "agentStop": [
    +      {
    +        "type": "command",
    +        "bash": "/opt/icr/bin/icr hook Stop --host copilot",
    +        "powershell": "/opt/icr/bin/icr hook Stop --host copilot",
    +        "timeoutSec": 10
    +      }
    +    ],
    +    "preCompact": [
    +      {
    +        "type": "command",
    +        "bash": "/opt/icr/bin/icr hook PreCompact --host copilot",
    +        "powershell": "/opt/icr/bin/icr hook PreCompact --host copilot",
    +        "timeoutSec": 10
    +      }
    +    ],
    +    "sessionEnd": [
    +      {
    +        "type": "command",
    +        "bash": "/opt/icr/bin/icr hook SessionEnd --host copilot",
    +        "powershell": "/opt/icr/bin/icr hook SessionEnd --host copilot",
    +        "timeoutSec": 5
    +      }
    +    ]
    +  }
    +}
    --- ~/.cursor/hooks.json
    +++ ~/.cursor/hooks.json
    @@ -1,6 +1,16 @@
     {
       "version": 1,
       "hooks": {
    -    "stop": [{"command": "./audit.sh"}]
    +    "stop": [{"command": "./audit.sh"}, {"command": "/opt/icr/bin/icr hook Stop --host cursor"}],
    +    "sessionStart": [
    +      {
    +        "command": "/opt/icr/bin/icr hook SessionStart --host cursor"
    +      }
    +    ],
    +    "beforeSubmitPrompt": [
    +      {
    +        "command": "/opt/icr/bin/icr hook UserPromptSubmit --host cursor"
    +      }
    +    ]
       }
     }
    --- ~/.gemini/settings.json
    +++ ~/.gemini/settings.json
    @@ -1 +1 @@
    -{"theme": "Default", "mcpServers": {"a": {"command": "a"}}, "hooks": {"BeforeAgent": []}}
    +{"theme": "Default", "mcpServers": {"a": {"command": "a"}}, "hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "command": "/opt/icr/bin/icr hook UserPromptSubmit --host gemini", "timeout": 5000}]}], "SessionStart": [{"hooks": [{"type": "command", "command": "/opt/icr/bin/icr hook SessionStart --host gemini", "timeout": 5000}]}], "AfterTool": [{"hooks": [{"type": "command", "command": "/opt/icr/bin/icr hook PostToolUse --host gemini", "timeout": 5000}]}], "AfterAgent": [{"hooks": [{"type": "command", "command": "/opt/icr/bin/icr hook Stop --host gemini", "timeout": 10000}]}], "PreCompress": [{"hooks": [{"type": "command", "command": "/opt/icr/bin/icr hook PreCompact --host gemini", "timeout": 10000}]}], "SessionEnd": [{"hooks": [{"type": "command", "command": "/opt/icr/bin/icr hook SessionEnd --host gemini", "timeout": 5000}]}]}}
    "#);
}

#[test]
fn hooks_of_a_project_have_a_file_of_their_own_in_copilot() {
    insta::assert_snapshot!(diffs("copilot", &[IntegrationMode::Hook], ConfigurationScope::Project), @r#"
    --- /dev/null
    +++ ~/code/repo/.github/hooks/icr.json
    @@ -0,0 +1,53 @@
    +{
    +  "version": 1,
    +  "hooks": {
    +    "sessionStart": [
    +      {
    +        "type": "command",
    +        "bash": "icr hook SessionStart --host copilot",
    +        "powershell": "icr hook SessionStart --host copilot",
    +        "timeoutSec": 5
    +      }
    +    ],
    +    "userPromptSubmitted": [
    +      {
    +        "type": "command",
    +        "bash": "icr hook UserPromptSubmit --host copilot",
    +        "powershell": "icr hook UserPromptSubmit --host copilot",
    +        "timeoutSec": 5
    +      }
    +    ],
    +    "postToolUse": [
    +      {
    +        "type": "command",
    +        "bash": "icr hook PostToolUse --host copilot",
    +        "powershell": "icr hook PostToolUse --host copilot",
    +        "timeoutSec": 5
    +      }
    +    ],
    +    "agentStop": [
    +      {
    +        "type": "command",
    +        "bash": "icr hook Stop --host copilot",
    +        "powershell": "icr hook Stop --host copilot",
    +        "timeoutSec": 10
    +      }
    +    ],
    +    "preCompact": [
    +      {
    +        "type": "command",
    +        "bash": "icr hook PreCompact --host copilot",
    +        "powershell": "icr hook PreCompact --host copilot",
    +        "timeoutSec": 10
    +      }
    +    ],
    +    "sessionEnd": [
    +      {
    +        "type": "command",
    +        "bash": "icr hook SessionEnd --host copilot",
    +        "powershell": "icr hook SessionEnd --host copilot",
    +        "timeoutSec": 5
    +      }
    +    ]
    +  }
    +}
    "#);
}

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

#[test]
fn the_plugin_has_the_hooks_that_init_writes() {
    let home = Home::with(&[]);
    home.init_with(|request| {
        let request =
            InitRequest { hosts: &[host("claude-code")], modes: &[IntegrationMode::Hook], is_on_path: true, ..request };
        init(&request).expect("the manifest can be written")
    });
    let read = |text: &str| -> serde_json::Value { serde_json::from_str(text).expect("it is JSON") };
    let settings = fs::read_to_string(home.path(".claude/settings.json")).expect("it was written");
    let plugin = include_str!("../../../../../hooks/claude/plugin/hooks/hooks.json");
    assert_eq!(read(plugin)["hooks"], read(&settings)["hooks"]);
}
