//! The table of hosts: where each keeps its configuration, as of the versions that were examined; for the others,
//! according to their documentation.

use super::{
    AgentHost, BaseDirectory, HookShape, HooksFile, HostPath, PerScope, ReadsList, ServerPlace, ServersFile, SkillFile,
};
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

/// Codex 0.169 silently ignores hooks that the user has not approved.
const CODEX_CONSENT: &str = "start it and allow them once, under `/hooks`; until then it runs none";

const RECALL_SKILL: &str = include_str!("texts/recall_skill.md");
const REMEMBER_SKILL: &str = include_str!("texts/remember_skill.md");
const RECALL_COMMAND: &str = include_str!("texts/recall_command.toml");
const REMEMBER_COMMAND: &str = include_str!("texts/remember_command.toml");
const CURSOR_RULE: &str = include_str!("texts/rule.mdc");
/// Text for models about when to ask icr; part of rules and instructions files.
pub(crate) const RULE: &str = include_str!("texts/rule.md");

const fn json(at: HostPath, key: &'static str, entry: &'static str) -> ServersFile {
    ServersFile { at, place: ServerPlace::Json(key), entry }
}

const fn servers(at: HostPath, entry: &'static str) -> ServersFile {
    json(at, "mcpServers", entry)
}

/// A host for which icr supports only MCP servers.
const fn host(
    name: &'static str,
    title: &'static str,
    traces: &'static [HostPath],
    servers: PerScope<ServersFile>,
) -> AgentHost {
    AgentHost {
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

const AGENTS_MD: HostPath = HostPath(BaseDirectory::Project, "AGENTS.md");

/// Sorted by name.
pub(super) const HOSTS: &[AgentHost] = &[
    AgentHost {
        instructions: PerScope::project(HostPath(BaseDirectory::Project, "CONVENTIONS.md")),
        reads: Some(ReadsList {
            at: HostPath(BaseDirectory::Project, ".aider.conf.yml"),
            key: "read",
            item: "CONVENTIONS.md",
        }),
        ..host(
            "aider",
            "Aider",
            &[HostPath(BaseDirectory::Home, ".aider.conf.yml"), HostPath(BaseDirectory::Home, ".aider")],
            PerScope::NONE,
        )
    },
    AgentHost {
        skills: PerScope::project(&[SkillFile {
            at: HostPath(BaseDirectory::Project, ".amazonq/rules/icr.md"),
            text: RULE,
        }]),
        ..host(
            "amazon-q",
            "Amazon Q",
            &[HostPath(BaseDirectory::Home, ".aws/amazonq")],
            PerScope::user_and_project(
                servers(HostPath(BaseDirectory::Home, ".aws/amazonq/mcp.json"), PLAIN),
                servers(HostPath(BaseDirectory::Project, ".amazonq/mcp.json"), PLAIN),
            ),
        )
    },
    AgentHost {
        has_shell_path: true,
        instructions: PerScope::user_and_project(HostPath(BaseDirectory::XdgConfig, "amp/AGENTS.md"), AGENTS_MD),
        skills: PerScope::user_and_project(
            &[
                SkillFile { at: HostPath(BaseDirectory::XdgConfig, "amp/skills/recall/SKILL.md"), text: RECALL_SKILL },
                SkillFile {
                    at: HostPath(BaseDirectory::XdgConfig, "amp/skills/remember/SKILL.md"),
                    text: REMEMBER_SKILL,
                },
            ],
            &[
                SkillFile {
                    at: HostPath(BaseDirectory::Project, ".agents/skills/recall/SKILL.md"),
                    text: RECALL_SKILL,
                },
                SkillFile {
                    at: HostPath(BaseDirectory::Project, ".agents/skills/remember/SKILL.md"),
                    text: REMEMBER_SKILL,
                },
            ],
        ),
        ..host(
            "amp",
            "Amp",
            &[HostPath(BaseDirectory::XdgConfig, "amp")],
            PerScope::user_and_project(
                json(HostPath(BaseDirectory::XdgConfig, "amp/settings.json"), "amp.mcpServers", PLAIN),
                json(HostPath(BaseDirectory::Project, ".amp/settings.json"), "amp.mcpServers", PLAIN),
            ),
        )
    },
    AgentHost {
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "antigravity",
            "Antigravity",
            &[HostPath(BaseDirectory::Home, ".gemini/antigravity")],
            PerScope::user(servers(HostPath(BaseDirectory::Home, ".gemini/antigravity/mcp_config.json"), PLAIN)),
        )
    },
    AgentHost {
        has_shell_path: true,
        hooks: Some(HooksFile {
            dialect: &Dialect::CLAUDE_CODE,
            at: PerScope::user_and_project(
                HostPath(BaseDirectory::Claude, "settings.json"),
                HostPath(BaseDirectory::Project, ".claude/settings.json"),
            ),
            shape: HookShape::ProgramInGroup,
            consent: PerScope::NONE,
        }),
        instructions: PerScope::user_and_project(
            HostPath(BaseDirectory::Claude, "CLAUDE.md"),
            HostPath(BaseDirectory::Project, "CLAUDE.md"),
        ),
        skills: PerScope::user_and_project(
            &[
                SkillFile { at: HostPath(BaseDirectory::Claude, "skills/recall/SKILL.md"), text: RECALL_SKILL },
                SkillFile { at: HostPath(BaseDirectory::Claude, "skills/remember/SKILL.md"), text: REMEMBER_SKILL },
            ],
            &[
                SkillFile {
                    at: HostPath(BaseDirectory::Project, ".claude/skills/recall/SKILL.md"),
                    text: RECALL_SKILL,
                },
                SkillFile {
                    at: HostPath(BaseDirectory::Project, ".claude/skills/remember/SKILL.md"),
                    text: REMEMBER_SKILL,
                },
            ],
        ),
        ..host(
            "claude-code",
            "Claude Code",
            &[HostPath(BaseDirectory::Claude, ""), HostPath(BaseDirectory::ClaudeState, ".claude.json")],
            PerScope::user_and_project(
                servers(HostPath(BaseDirectory::ClaudeState, ".claude.json"), STDIO_WITH_ENVIRONMENT),
                servers(HostPath(BaseDirectory::Project, ".mcp.json"), STDIO_WITH_ENVIRONMENT),
            ),
        )
    },
    host(
        "claude-desktop",
        "Claude Desktop",
        &[HostPath(BaseDirectory::ClaudeDesktop, "")],
        PerScope::user(servers(HostPath(BaseDirectory::ClaudeDesktop, "claude_desktop_config.json"), PLAIN)),
    ),
    AgentHost {
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "cline",
            "Cline",
            &[HostPath(BaseDirectory::VsCodeUser, "globalStorage/saoudrizwan.claude-dev")],
            PerScope::user(servers(
                HostPath(
                    BaseDirectory::VsCodeUser,
                    "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
                ),
                STDIO,
            )),
        )
    },
    AgentHost {
        has_shell_path: true,
        // It is unknown whether the host accepts a program with arguments; it does accept a command line.
        hooks: Some(HooksFile {
            dialect: &Dialect::CODEX,
            at: PerScope::user_and_project(
                HostPath(BaseDirectory::Codex, "hooks.json"),
                HostPath(BaseDirectory::Project, ".codex/hooks.json"),
            ),
            shape: HookShape::CommandInGroup,
            consent: PerScope::user_and_project(CODEX_CONSENT, CODEX_CONSENT),
        }),
        instructions: PerScope::user_and_project(HostPath(BaseDirectory::Codex, "AGENTS.md"), AGENTS_MD),
        skills: PerScope::user(&[
            SkillFile { at: HostPath(BaseDirectory::Codex, "skills/recall/SKILL.md"), text: RECALL_SKILL },
            SkillFile { at: HostPath(BaseDirectory::Codex, "skills/remember/SKILL.md"), text: REMEMBER_SKILL },
        ]),
        ..host(
            "codex",
            "Codex",
            &[HostPath(BaseDirectory::Codex, "")],
            PerScope::user_and_project(
                ServersFile {
                    at: HostPath(BaseDirectory::Codex, "config.toml"),
                    place: ServerPlace::Toml("mcp_servers"),
                    entry: CODEX_TABLE,
                },
                ServersFile {
                    at: HostPath(BaseDirectory::Project, ".codex/config.toml"),
                    place: ServerPlace::Toml("mcp_servers"),
                    entry: CODEX_TABLE,
                },
            ),
        )
    },
    AgentHost {
        skills: PerScope::project(&[SkillFile {
            at: HostPath(BaseDirectory::Project, ".continue/rules/icr.md"),
            text: RULE,
        }]),
        ..host(
            "continue",
            "Continue",
            &[HostPath(BaseDirectory::Home, ".continue")],
            PerScope::user_and_project(
                ServersFile {
                    at: HostPath(BaseDirectory::Home, ".continue/config.yaml"),
                    place: ServerPlace::YamlList("mcpServers"),
                    entry: CONTINUE_ITEM,
                },
                ServersFile {
                    at: HostPath(BaseDirectory::Project, ".continue/mcpServers/icr.yaml"),
                    place: ServerPlace::Own,
                    entry: CONTINUE_FILE,
                },
            ),
        )
    },
    AgentHost {
        has_shell_path: true,
        hooks: Some(HooksFile {
            dialect: &Dialect::COPILOT,
            at: PerScope::user_and_project(
                HostPath(BaseDirectory::Copilot, "hooks/icr.json"),
                HostPath(BaseDirectory::Project, ".github/hooks/icr.json"),
            ),
            shape: HookShape::CommandPerShell,
            consent: PerScope::project("it runs them only in a folder that you trust"),
        }),
        instructions: PerScope::user_and_project(
            HostPath(BaseDirectory::Copilot, "copilot-instructions.md"),
            HostPath(BaseDirectory::Project, ".github/copilot-instructions.md"),
        ),
        ..host(
            "copilot",
            "Copilot CLI",
            &[HostPath(BaseDirectory::Copilot, "")],
            // In a project the host also reads `.mcp.json`, where entries have another format.
            PerScope::user_and_project(
                servers(HostPath(BaseDirectory::Copilot, "mcp-config.json"), LOCAL_WITH_TOOLS),
                servers(HostPath(BaseDirectory::Project, ".github/mcp.json"), LOCAL_WITH_TOOLS),
            ),
        )
    },
    AgentHost {
        hooks: Some(HooksFile {
            dialect: &Dialect::CURSOR,
            at: PerScope::user_and_project(
                HostPath(BaseDirectory::Home, ".cursor/hooks.json"),
                HostPath(BaseDirectory::Project, ".cursor/hooks.json"),
            ),
            shape: HookShape::Command,
            consent: PerScope::NONE,
        }),
        instructions: PerScope::project(AGENTS_MD),
        skills: PerScope::project(&[SkillFile {
            at: HostPath(BaseDirectory::Project, ".cursor/rules/icr.mdc"),
            text: CURSOR_RULE,
        }]),
        ..host(
            "cursor",
            "Cursor",
            &[HostPath(BaseDirectory::Home, ".cursor")],
            PerScope::user_and_project(
                servers(HostPath(BaseDirectory::Home, ".cursor/mcp.json"), STDIO),
                servers(HostPath(BaseDirectory::Project, ".cursor/mcp.json"), STDIO),
            ),
        )
    },
    AgentHost {
        has_shell_path: true,
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "factory",
            "Factory",
            &[HostPath(BaseDirectory::Home, ".factory")],
            PerScope::user_and_project(
                servers(HostPath(BaseDirectory::Home, ".factory/mcp.json"), STDIO),
                servers(HostPath(BaseDirectory::Project, ".factory/mcp.json"), STDIO),
            ),
        )
    },
    AgentHost {
        has_shell_path: true,
        hooks: Some(HooksFile {
            dialect: &Dialect::GEMINI,
            at: PerScope::user_and_project(
                HostPath(BaseDirectory::Gemini, "settings.json"),
                HostPath(BaseDirectory::Project, ".gemini/settings.json"),
            ),
            shape: HookShape::CommandInGroup,
            consent: PerScope::NONE,
        }),
        instructions: PerScope::user_and_project(
            HostPath(BaseDirectory::Gemini, "GEMINI.md"),
            HostPath(BaseDirectory::Project, "GEMINI.md"),
        ),
        skills: PerScope::user_and_project(
            &[
                SkillFile { at: HostPath(BaseDirectory::Gemini, "commands/recall.toml"), text: RECALL_COMMAND },
                SkillFile { at: HostPath(BaseDirectory::Gemini, "commands/remember.toml"), text: REMEMBER_COMMAND },
            ],
            &[
                SkillFile {
                    at: HostPath(BaseDirectory::Project, ".gemini/commands/recall.toml"),
                    text: RECALL_COMMAND,
                },
                SkillFile {
                    at: HostPath(BaseDirectory::Project, ".gemini/commands/remember.toml"),
                    text: REMEMBER_COMMAND,
                },
            ],
        ),
        ..host(
            "gemini",
            "Gemini CLI",
            &[
                HostPath(BaseDirectory::Gemini, "settings.json"),
                HostPath(BaseDirectory::Gemini, "GEMINI.md"),
                HostPath(BaseDirectory::Gemini, "oauth_creds.json"),
            ],
            PerScope::user_and_project(
                servers(HostPath(BaseDirectory::Gemini, "settings.json"), PLAIN),
                servers(HostPath(BaseDirectory::Project, ".gemini/settings.json"), PLAIN),
            ),
        )
    },
    AgentHost {
        has_shell_path: true,
        instructions: PerScope::user_and_project(
            HostPath(BaseDirectory::Goose, ".goosehints"),
            HostPath(BaseDirectory::Project, ".goosehints"),
        ),
        ..host(
            "goose",
            "Goose",
            &[HostPath(BaseDirectory::Goose, "")],
            PerScope::user(ServersFile {
                at: HostPath(BaseDirectory::Goose, "config.yaml"),
                place: ServerPlace::YamlMapping("extensions"),
                entry: GOOSE_MEMBER,
            }),
        )
    },
    AgentHost {
        instructions: PerScope::project(HostPath(BaseDirectory::Project, ".junie/guidelines.md")),
        ..host(
            "junie",
            "Junie",
            &[HostPath(BaseDirectory::Home, ".junie")],
            PerScope::user_and_project(
                servers(HostPath(BaseDirectory::Home, ".junie/mcp/mcp.json"), PLAIN),
                servers(HostPath(BaseDirectory::Project, ".junie/mcp/mcp.json"), PLAIN),
            ),
        )
    },
    AgentHost {
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "kilo",
            "Kilo Code",
            &[HostPath(BaseDirectory::VsCodeUser, "globalStorage/kilocode.kilo-code")],
            PerScope::user_and_project(
                servers(
                    HostPath(BaseDirectory::VsCodeUser, "globalStorage/kilocode.kilo-code/settings/mcp_settings.json"),
                    PLAIN,
                ),
                servers(HostPath(BaseDirectory::Project, ".kilocode/mcp.json"), PLAIN),
            ),
        )
    },
    AgentHost {
        skills: PerScope::user_and_project(
            &[SkillFile { at: HostPath(BaseDirectory::Home, ".kiro/steering/icr.md"), text: RULE }],
            &[SkillFile { at: HostPath(BaseDirectory::Project, ".kiro/steering/icr.md"), text: RULE }],
        ),
        ..host(
            "kiro",
            "Kiro",
            &[HostPath(BaseDirectory::Home, ".kiro")],
            PerScope::user_and_project(
                servers(HostPath(BaseDirectory::Home, ".kiro/settings/mcp.json"), PLAIN),
                servers(HostPath(BaseDirectory::Project, ".kiro/settings/mcp.json"), PLAIN),
            ),
        )
    },
    host(
        "lm-studio",
        "LM Studio",
        &[HostPath(BaseDirectory::Home, ".lmstudio")],
        PerScope::user(servers(HostPath(BaseDirectory::Home, ".lmstudio/mcp.json"), PLAIN)),
    ),
    AgentHost {
        has_shell_path: true,
        instructions: PerScope::user_and_project(HostPath(BaseDirectory::XdgConfig, "opencode/AGENTS.md"), AGENTS_MD),
        ..host(
            "opencode",
            "opencode",
            &[HostPath(BaseDirectory::XdgConfig, "opencode")],
            PerScope::user_and_project(
                json(HostPath(BaseDirectory::XdgConfig, "opencode/opencode.json"), "mcp", LOCAL_AS_ARRAY),
                json(HostPath(BaseDirectory::Project, "opencode.json"), "mcp", LOCAL_AS_ARRAY),
            ),
        )
    },
    AgentHost {
        instructions: PerScope::project(AGENTS_MD),
        skills: PerScope::user_and_project(
            &[SkillFile { at: HostPath(BaseDirectory::Home, ".roo/rules/icr.md"), text: RULE }],
            &[SkillFile { at: HostPath(BaseDirectory::Project, ".roo/rules/icr.md"), text: RULE }],
        ),
        ..host(
            "roo",
            "Roo Code",
            &[
                HostPath(BaseDirectory::VsCodeUser, "globalStorage/rooveterinaryinc.roo-cline"),
                HostPath(BaseDirectory::Home, ".roo"),
            ],
            PerScope::user_and_project(
                servers(
                    HostPath(
                        BaseDirectory::VsCodeUser,
                        "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
                    ),
                    PLAIN,
                ),
                servers(HostPath(BaseDirectory::Project, ".roo/mcp.json"), PLAIN),
            ),
        )
    },
    AgentHost {
        instructions: PerScope::project(HostPath(BaseDirectory::Project, ".github/copilot-instructions.md")),
        ..host(
            "vscode",
            "VS Code Copilot",
            &[HostPath(BaseDirectory::VsCodeUser, "")],
            PerScope::user_and_project(
                json(HostPath(BaseDirectory::VsCodeUser, "mcp.json"), "servers", STDIO),
                json(HostPath(BaseDirectory::Project, ".vscode/mcp.json"), "servers", STDIO),
            ),
        )
    },
    AgentHost {
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "warp",
            "Warp",
            &[HostPath(BaseDirectory::Home, ".warp")],
            PerScope::user_and_project(
                servers(HostPath(BaseDirectory::Home, ".warp/.mcp.json"), PLAIN),
                servers(HostPath(BaseDirectory::Project, ".warp/.mcp.json"), PLAIN),
            ),
        )
    },
    AgentHost {
        instructions: PerScope::project(HostPath(BaseDirectory::Project, ".windsurfrules")),
        skills: PerScope::project(&[SkillFile {
            at: HostPath(BaseDirectory::Project, ".windsurf/rules/icr.md"),
            text: RULE,
        }]),
        ..host(
            "windsurf",
            "Windsurf",
            &[HostPath(BaseDirectory::Home, ".codeium/windsurf")],
            PerScope::user(servers(HostPath(BaseDirectory::Home, ".codeium/windsurf/mcp_config.json"), PLAIN)),
        )
    },
    AgentHost {
        instructions: PerScope::project(AGENTS_MD),
        ..host(
            "zed",
            "Zed",
            &[HostPath(BaseDirectory::Zed, "")],
            PerScope::user_and_project(
                json(HostPath(BaseDirectory::Zed, "settings.json"), "context_servers", WITH_ENVIRONMENT),
                json(HostPath(BaseDirectory::Project, ".zed/settings.json"), "context_servers", WITH_ENVIRONMENT),
            ),
        )
    },
];
