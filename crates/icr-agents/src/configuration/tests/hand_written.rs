&[
    (".aider.conf.yml", "# my models\nmodel: sonnet\nread: [STYLE.md]\n"),
    (".aws/amazonq/mcp.json", "{\"mcpServers\":{\"fetch\":{\"command\":\"uvx\",\"args\":[\"mcp-server-fetch\"]}}}"),
    (
        ".claude.json",
        "{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"files\": {\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"files\"\n      ],\n      \"env\": {}\n    }\n  },\n  \"projects\": {\n    \"/repo\": {\"allowedTools\": [], \"mcpServers\": {}}\n  }\n}\n",
    ),
    (".claude/CLAUDE.md", "# How I work\n\n- small commits\n"),
    (
        ".claude/settings.json",
        "{\r\n\t// sounds\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{ \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }, // keep\r\n\t\t],\r\n\t},\r\n\t\"model\": \"opus\",\r\n}\r\n",
    ),
    (".codeium/windsurf/mcp_config.json", "{\n    \"mcpServers\": {\n    }\n}"),
    (
        ".codex/config.toml",
        "model = \"o5\" # fast\n\n[mcp_servers.docs]\ncommand = \"docs\"\nargs = [ ]\n\n[mcp_servers.docs.env]\nTOKEN = 'x'\n# the end",
    ),
    (".codex/AGENTS.md", "no final newline"),
    (".config/Claude/claude_desktop_config.json", "\u{feff}{\n  \"globalShortcut\": \"\"\n}\n"),
    (
        ".config/Code/User/mcp.json",
        "{\n\t\"inputs\": [],\n\t\"servers\": {\n\t\t\"a\": { \"url\": \"http://localhost\" } /* mine */\n\t}\n}\n",
    ),
    (
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "{\n  \"mcpServers\": {}\n}\n",
    ),
    (".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", ""),
    (".config/Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json", "{}"),
    (
        ".config/amp/settings.json",
        "{\n  \"amp.notifications.enabled\": true,\n  \"amp.mcpServers\": { \"x\": { \"command\": \"x\" } }\n}\n",
    ),
    (
        ".config/goose/config.yaml",
        "GOOSE_PROVIDER: anthropic\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n  # more to come\n\nGOOSE_MODE: auto\n",
    ),
    (
        ".config/opencode/opencode.json",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  // remote\n  \"mcp\": {\n    \"a\": {\"type\": \"remote\", \"url\": \"https://x\"}, // why\n    /* off */\n  }\n}\n",
    ),
    (
        ".config/zed/settings.json",
        "// Zed settings\n//\n{\n  \"theme\": \"One Dark\",\n  \"context_servers\": {\n    // none yet\n  },\n  \"vim_mode\": true,\n}\n",
    ),
    (
        ".continue/config.yaml",
        "name: Local\nversion: 1.0.0\nschema: v1\nmcpServers:\n- name: sqlite\n  command: npx\n  args: [\"-y\", \"sqlite\"]\n\n# models\nmodels: []\n",
    ),
    (".copilot/mcp-config.json", "{ \"mcpServers\": { } }\n"),
    (
        ".cursor/mcp.json",
        "{\n  \"mcpServers\" : {\n      \"odd\"   : {\"command\":\"odd\"}\n      ,\n      \"last\": {\"command\": \"last\"}\n  }\n}\n",
    ),
    (
        ".cursor/hooks.json",
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{\"command\": \"./audit.sh\"}]\n  }\n}\n",
    ),
    (".factory/mcp.json", "\n\n"),
    (
        ".gemini/settings.json",
        "{\"theme\": \"Default\", \"mcpServers\": {\"a\": {\"command\": \"a\"}}, \"hooks\": {\"BeforeAgent\": []}}\n",
    ),
    (".gemini/GEMINI.md", "one\r\ntwo\r\n"),
    (".gemini/antigravity/mcp_config.json", "{\"mcpServers\": {\"a\": {\"command\": \"a\"},}}"),
    (".junie/mcp/mcp.json", "{\n   \"mcpServers\": {\n      \"a\": {\n         \"command\": \"a\"\n      }\n   }\n}\n"),
    (
        ".kiro/settings/mcp.json",
        "{\r\n  \"mcpServers\": {\r\n    \"a\": {\r\n      \"command\": \"a\"\r\n    }\r\n  }\r\n}",
    ),
    (
        ".lmstudio/mcp.json",
        "{\n  \"mcpServers\": {\n    \"a\": {\n      \"url\": \"http://x\"\n    }\n    // , \"b\": {}\n  }\n}\n",
    ),
    (".warp/.mcp.json", "// only a comment"),
    ("work/repo/.mcp.json", "{\n  \"mcpServers\": {\n    \"db\": { \"command\": \"db\" }\n  }\n}\n"),
    ("work/repo/AGENTS.md", "# Agents\n\nRun the tests.\n\n"),
    ("work/repo/CLAUDE.md", ""),
    ("work/repo/.aider.conf.yml", "read:\n  # style\n  - STYLE.md\nmodel: sonnet\n"),
    ("work/repo/.windsurfrules", "Be brief.\n"),
    ("work/repo/.vscode/mcp.json", "{\n    \"servers\": {}, \"inputs\": []\n}\n"),
    ("work/repo/.codex/config.toml", "[a]\r\nb = 1\r\n"),
]
