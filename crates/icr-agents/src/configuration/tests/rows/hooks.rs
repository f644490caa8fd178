//! What a row writes where the hooks of its host are configured.

use super::*;

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
fn the_plugin_has_the_hooks_that_init_writes() {
    let home = Home::with(&[]);
    home.init_with(|request| {
        let request =
            InitRequest { hosts: &[host("claude-code")], modes: &[IntegrationMode::Hook], is_on_path: true, ..request };
        init(&request).expect("the manifest can be written")
    });
    let read = |text: &str| -> serde_json::Value { serde_json::from_str(text).expect("it is JSON") };
    let settings = fs::read_to_string(home.path(".claude/settings.json")).expect("it was written");
    let plugin = include_str!("../../../../../../hooks/claude/plugin/hooks/hooks.json");
    assert_eq!(read(plugin)["hooks"], read(&settings)["hooks"]);
}
