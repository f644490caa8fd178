//! The table of hosts. Where a host keeps what, as of the versions that were looked at; the others as their documentation says.

use super::{At, HookShape, HooksFile, Host, PerScope, ReadsList, Root, ServerPlace, ServersFile, SkillFile};
use crate::Dialect;

const PLAIN: &str = r#"{"command": "$ICR", "args": ["mcp"]}"#;
const STDIO: &str = r#"{"type": "stdio", "command": "$ICR", "args": ["mcp"]}"#;
const WITH_ENVIRONMENT: &str = r#"{"command": "$ICR", "args": ["mcp"], "env": {}}"#;
const STDIO_WITH_ENVIRONMENT: &str = r#"{"type": "stdio", "command": "$ICR", "args": ["mcp"], "env": {}}"#;
const LOCAL_WITH_TOOLS: &str = r#"{"type": "local", "command": "$ICR", "args": ["mcp"], "tools": ["*"]}"#;
const LOCAL_AS_ARRAY: &str = r#"{"type": "local", "command": ["$ICR", "mcp"], "enabled": true, "environment": {}}"#;
const CODEX_TABLE: &str = "command = \"$ICR\"\nargs = [\"mcp\"]\n";
const CONTINUE_ITEM: &str = "- name: icr\n  command: \"$ICR\"\n  args:\n    - mcp\n";
const CONTINUE_FILE: &str = "name: icr\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: icr\n    command: \"$ICR\"\n    args:\n      - mcp\n";
const GOOSE_MEMBER: &str = "icr:\n  type: stdio\n  name: icr\n  cmd: \"$ICR\"\n  args:\n    - mcp\n  envs: {}\n  enabled: true\n  timeout: 300\n";

/// Codex 0.169 runs no hook that was not looked at, and says nothing about it.
const CODEX_CONSENT: &str = "start it and allow them once, under `/hooks`; until then it runs none";

const RECALL_SKILL: &str = include_str!("texts/recall_skill.md");
const REMEMBER_SKILL: &str = include_str!("texts/remember_skill.md");
const RECALL_COMMAND: &str = include_str!("texts/recall_command.toml");
const REMEMBER_COMMAND: &str = include_str!("texts/remember_command.toml");
const CURSOR_RULE: &str = include_str!("texts/rule.mdc");
/// When to ask icr, for a model: what stands in rules, and in instructions.
pub(crate) const RULE: &str = include_str!("texts/rule.md");

const fn json(at: At, key: &'static str, entry: &'static str) -> ServersFile {
    ServersFile { at, place: ServerPlace::Json(key), entry }
}

const fn servers(at: At, entry: &'static str) -> ServersFile {
    json(at, "mcpServers", entry)
}

/// A host that knows MCP servers and nothing else of icr.
const fn host(name: &'static str, title: &'static str, traces: &'static [At], servers: PerScope<ServersFile>) -> Host {
    Host {
        name,
        title,
        traces,
        has_shell_path: false,
        servers,
        hooks: None,
        instructions: PerScope::NONE,
        skills: PerScope::NONE,
        reads: None,
    }
}

const AGENTS_MD: At = At(Root::Project, "AGENTS.md");

/// Sorted by name.
pub(super) const HOSTS: &[Host] = &[
    Host {
        instructions: PerScope::project(At(Root::Project, "CONVENTIONS.md")),
        reads: Some(ReadsList { at: At(Root::Project, ".aider.conf.yml"), key: "read", item: "CONVENTIONS.md" }),
        ..host("aider", "Aider", &[At(Root::Home, ".aider.conf.yml"), At(Root::Home, ".aider")], PerScope::NONE)
    },
    Host {
        skills: PerScope::project(&[SkillFile { at: At(Root::Project, ".amazonq/rules/icr.md"), text: RULE }]),
        ..host(
            "amazon-q",
            "Amazon Q",
            &[At(Root::Home, ".aws/amazonq")],
            PerScope::both(
                servers(At(Root::Home, ".aws/amazonq/mcp.json"), PLAIN),
                servers(At(Root::Project, ".amazonq/mcp.json"), PLAIN),
            ),
        )
    },
    Host {
        has_shell_path: true,
        instructions: PerScope::both(At(Root::XdgConfig, "amp/AGENTS.md"), AGENTS_MD),
        skills: PerScope::both(
            &[
                SkillFile { at: At(Root::XdgConfig, "amp/skills/recall/SKILL.md"), text: RECALL_SKILL },
                SkillFile { at: At(Root::XdgConfig, "amp/skills/remember/SKILL.md"), text: REMEMBER_SKILL },
            ],
            &[
                SkillFile { at: At(Root::Project, ".agents/skills/recall/SKILL.md"), text: RECALL_SKILL },
                SkillFile { at: At(Root::Project, ".agents/skills/remember/SKILL.md"), text: REMEMBER_SKILL },
            ],
        ),
        ..host(
            "amp",
            "Amp",
            &[At(Root::XdgConfig, "amp")],
            PerScope::both(
                json(At(Root::XdgConfig, "amp/settings.json"), "amp.mcpServers", PLAIN),
                json(At(Root::Project, ".amp/settings.json"), "amp.mcpServers", PLAIN),
            ),
        )
    },
    Host {
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "antigravity",
            "Antigravity",
            &[At(Root::Home, ".gemini/antigravity")],
            PerScope::user(servers(At(Root::Home, ".gemini/antigravity/mcp_config.json"), PLAIN)),
        )
    },
    Host {
        has_shell_path: true,
        hooks: Some(HooksFile {
            dialect: &Dialect::CLAUDE_CODE,
            at: PerScope::both(At(Root::Claude, "settings.json"), At(Root::Project, ".claude/settings.json")),
            shape: HookShape::ProgramInGroup,
            consent: PerScope::NONE,
        }),
        instructions: PerScope::both(At(Root::Claude, "CLAUDE.md"), At(Root::Project, "CLAUDE.md")),
        skills: PerScope::both(
            &[
                SkillFile { at: At(Root::Claude, "skills/recall/SKILL.md"), text: RECALL_SKILL },
                SkillFile { at: At(Root::Claude, "skills/remember/SKILL.md"), text: REMEMBER_SKILL },
            ],
            &[
                SkillFile { at: At(Root::Project, ".claude/skills/recall/SKILL.md"), text: RECALL_SKILL },
                SkillFile { at: At(Root::Project, ".claude/skills/remember/SKILL.md"), text: REMEMBER_SKILL },
            ],
        ),
        ..host(
            "claude-code",
            "Claude Code",
            &[At(Root::Claude, ""), At(Root::ClaudeState, ".claude.json")],
            PerScope::both(
                servers(At(Root::ClaudeState, ".claude.json"), STDIO_WITH_ENVIRONMENT),
                servers(At(Root::Project, ".mcp.json"), STDIO_WITH_ENVIRONMENT),
            ),
        )
    },
    host(
        "claude-desktop",
        "Claude Desktop",
        &[At(Root::ClaudeDesktop, "")],
        PerScope::user(servers(At(Root::ClaudeDesktop, "claude_desktop_config.json"), PLAIN)),
    ),
    Host {
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "cline",
            "Cline",
            &[At(Root::VsCodeUser, "globalStorage/saoudrizwan.claude-dev")],
            PerScope::user(servers(
                At(Root::VsCodeUser, "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
                STDIO,
            )),
        )
    },
    Host {
        has_shell_path: true,
        // Whether it takes a program with arguments is not known; a command line it does take.
        hooks: Some(HooksFile {
            dialect: &Dialect::CODEX,
            at: PerScope::both(At(Root::Codex, "hooks.json"), At(Root::Project, ".codex/hooks.json")),
            shape: HookShape::CommandInGroup,
            consent: PerScope::both(CODEX_CONSENT, CODEX_CONSENT),
        }),
        instructions: PerScope::both(At(Root::Codex, "AGENTS.md"), AGENTS_MD),
        skills: PerScope::user(&[
            SkillFile { at: At(Root::Codex, "skills/recall/SKILL.md"), text: RECALL_SKILL },
            SkillFile { at: At(Root::Codex, "skills/remember/SKILL.md"), text: REMEMBER_SKILL },
        ]),
        ..host(
            "codex",
            "Codex",
            &[At(Root::Codex, "")],
            PerScope::both(
                ServersFile {
                    at: At(Root::Codex, "config.toml"),
                    place: ServerPlace::Toml("mcp_servers"),
                    entry: CODEX_TABLE,
                },
                ServersFile {
                    at: At(Root::Project, ".codex/config.toml"),
                    place: ServerPlace::Toml("mcp_servers"),
                    entry: CODEX_TABLE,
                },
            ),
        )
    },
    Host {
        skills: PerScope::project(&[SkillFile { at: At(Root::Project, ".continue/rules/icr.md"), text: RULE }]),
        ..host(
            "continue",
            "Continue",
            &[At(Root::Home, ".continue")],
            PerScope::both(
                ServersFile {
                    at: At(Root::Home, ".continue/config.yaml"),
                    place: ServerPlace::YamlList("mcpServers"),
                    entry: CONTINUE_ITEM,
                },
                ServersFile {
                    at: At(Root::Project, ".continue/mcpServers/icr.yaml"),
                    place: ServerPlace::Own,
                    entry: CONTINUE_FILE,
                },
            ),
        )
    },
    Host {
        has_shell_path: true,
        hooks: Some(HooksFile {
            dialect: &Dialect::COPILOT,
            at: PerScope::both(At(Root::Copilot, "hooks/icr.json"), At(Root::Project, ".github/hooks/icr.json")),
            shape: HookShape::CommandPerShell,
            consent: PerScope::project("it runs them only in a folder that you trust"),
        }),
        instructions: PerScope::both(
            At(Root::Copilot, "copilot-instructions.md"),
            At(Root::Project, ".github/copilot-instructions.md"),
        ),
        ..host(
            "copilot",
            "Copilot CLI",
            &[At(Root::Copilot, "")],
            // Of a project it reads `.mcp.json` too, in which entries look otherwise.
            PerScope::both(
                servers(At(Root::Copilot, "mcp-config.json"), LOCAL_WITH_TOOLS),
                servers(At(Root::Project, ".github/mcp.json"), LOCAL_WITH_TOOLS),
            ),
        )
    },
    Host {
        hooks: Some(HooksFile {
            dialect: &Dialect::CURSOR,
            at: PerScope::both(At(Root::Home, ".cursor/hooks.json"), At(Root::Project, ".cursor/hooks.json")),
            shape: HookShape::Command,
            consent: PerScope::NONE,
        }),
        instructions: PerScope::project(AGENTS_MD),
        skills: PerScope::project(&[SkillFile { at: At(Root::Project, ".cursor/rules/icr.mdc"), text: CURSOR_RULE }]),
        ..host(
            "cursor",
            "Cursor",
            &[At(Root::Home, ".cursor")],
            PerScope::both(
                servers(At(Root::Home, ".cursor/mcp.json"), STDIO),
                servers(At(Root::Project, ".cursor/mcp.json"), STDIO),
            ),
        )
    },
    Host {
        has_shell_path: true,
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "factory",
            "Factory",
            &[At(Root::Home, ".factory")],
            PerScope::both(
                servers(At(Root::Home, ".factory/mcp.json"), STDIO),
                servers(At(Root::Project, ".factory/mcp.json"), STDIO),
            ),
        )
    },
    Host {
        has_shell_path: true,
        hooks: Some(HooksFile {
            dialect: &Dialect::GEMINI,
            at: PerScope::both(At(Root::Gemini, "settings.json"), At(Root::Project, ".gemini/settings.json")),
            shape: HookShape::CommandInGroup,
            consent: PerScope::NONE,
        }),
        instructions: PerScope::both(At(Root::Gemini, "GEMINI.md"), At(Root::Project, "GEMINI.md")),
        skills: PerScope::both(
            &[
                SkillFile { at: At(Root::Gemini, "commands/recall.toml"), text: RECALL_COMMAND },
                SkillFile { at: At(Root::Gemini, "commands/remember.toml"), text: REMEMBER_COMMAND },
            ],
            &[
                SkillFile { at: At(Root::Project, ".gemini/commands/recall.toml"), text: RECALL_COMMAND },
                SkillFile { at: At(Root::Project, ".gemini/commands/remember.toml"), text: REMEMBER_COMMAND },
            ],
        ),
        ..host(
            "gemini",
            "Gemini CLI",
            &[At(Root::Gemini, "settings.json"), At(Root::Gemini, "GEMINI.md"), At(Root::Gemini, "oauth_creds.json")],
            PerScope::both(
                servers(At(Root::Gemini, "settings.json"), PLAIN),
                servers(At(Root::Project, ".gemini/settings.json"), PLAIN),
            ),
        )
    },
    Host {
        has_shell_path: true,
        instructions: PerScope::both(At(Root::Goose, ".goosehints"), At(Root::Project, ".goosehints")),
        ..host(
            "goose",
            "Goose",
            &[At(Root::Goose, "")],
            PerScope::user(ServersFile {
                at: At(Root::Goose, "config.yaml"),
                place: ServerPlace::YamlMapping("extensions"),
                entry: GOOSE_MEMBER,
            }),
        )
    },
    Host {
        instructions: PerScope::project(At(Root::Project, ".junie/guidelines.md")),
        ..host(
            "junie",
            "Junie",
            &[At(Root::Home, ".junie")],
            PerScope::both(
                servers(At(Root::Home, ".junie/mcp/mcp.json"), PLAIN),
                servers(At(Root::Project, ".junie/mcp/mcp.json"), PLAIN),
            ),
        )
    },
    Host {
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "kilo",
            "Kilo Code",
            &[At(Root::VsCodeUser, "globalStorage/kilocode.kilo-code")],
            PerScope::both(
                servers(At(Root::VsCodeUser, "globalStorage/kilocode.kilo-code/settings/mcp_settings.json"), PLAIN),
                servers(At(Root::Project, ".kilocode/mcp.json"), PLAIN),
            ),
        )
    },
    Host {
        skills: PerScope::both(
            &[SkillFile { at: At(Root::Home, ".kiro/steering/icr.md"), text: RULE }],
            &[SkillFile { at: At(Root::Project, ".kiro/steering/icr.md"), text: RULE }],
        ),
        ..host(
            "kiro",
            "Kiro",
            &[At(Root::Home, ".kiro")],
            PerScope::both(
                servers(At(Root::Home, ".kiro/settings/mcp.json"), PLAIN),
                servers(At(Root::Project, ".kiro/settings/mcp.json"), PLAIN),
            ),
        )
    },
    host(
        "lm-studio",
        "LM Studio",
        &[At(Root::Home, ".lmstudio")],
        PerScope::user(servers(At(Root::Home, ".lmstudio/mcp.json"), PLAIN)),
    ),
    Host {
        has_shell_path: true,
        instructions: PerScope::both(At(Root::XdgConfig, "opencode/AGENTS.md"), AGENTS_MD),
        ..host(
            "opencode",
            "opencode",
            &[At(Root::XdgConfig, "opencode")],
            PerScope::both(
                json(At(Root::XdgConfig, "opencode/opencode.json"), "mcp", LOCAL_AS_ARRAY),
                json(At(Root::Project, "opencode.json"), "mcp", LOCAL_AS_ARRAY),
            ),
        )
    },
    Host {
        instructions: PerScope::project(AGENTS_MD),
        skills: PerScope::both(
            &[SkillFile { at: At(Root::Home, ".roo/rules/icr.md"), text: RULE }],
            &[SkillFile { at: At(Root::Project, ".roo/rules/icr.md"), text: RULE }],
        ),
        ..host(
            "roo",
            "Roo Code",
            &[At(Root::VsCodeUser, "globalStorage/rooveterinaryinc.roo-cline"), At(Root::Home, ".roo")],
            PerScope::both(
                servers(
                    At(Root::VsCodeUser, "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
                    PLAIN,
                ),
                servers(At(Root::Project, ".roo/mcp.json"), PLAIN),
            ),
        )
    },
    Host {
        instructions: PerScope::project(At(Root::Project, ".github/copilot-instructions.md")),
        ..host(
            "vscode",
            "VS Code Copilot",
            &[At(Root::VsCodeUser, "")],
            PerScope::both(
                json(At(Root::VsCodeUser, "mcp.json"), "servers", STDIO),
                json(At(Root::Project, ".vscode/mcp.json"), "servers", STDIO),
            ),
        )
    },
    Host {
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "warp",
            "Warp",
            &[At(Root::Home, ".warp")],
            PerScope::both(
                servers(At(Root::Home, ".warp/.mcp.json"), PLAIN),
                servers(At(Root::Project, ".warp/.mcp.json"), PLAIN),
            ),
        )
    },
    Host {
        instructions: PerScope::project(At(Root::Project, ".windsurfrules")),
        skills: PerScope::project(&[SkillFile { at: At(Root::Project, ".windsurf/rules/icr.md"), text: RULE }]),
        ..host(
            "windsurf",
            "Windsurf",
            &[At(Root::Home, ".codeium/windsurf")],
            PerScope::user(servers(At(Root::Home, ".codeium/windsurf/mcp_config.json"), PLAIN)),
        )
    },
    Host {
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "zed",
            "Zed",
            &[At(Root::Zed, "")],
            PerScope::both(
                json(At(Root::Zed, "settings.json"), "context_servers", WITH_ENVIRONMENT),
                json(At(Root::Project, ".zed/settings.json"), "context_servers", WITH_ENVIRONMENT),
            ),
        )
    },
];
