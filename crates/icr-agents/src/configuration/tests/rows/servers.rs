//! What a row writes where the servers of its host are configured.

use super::*;

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
