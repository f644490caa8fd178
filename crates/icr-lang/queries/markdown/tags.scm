; Sections of Markdown.

(section . (atx_heading heading_content: (inline) @name) . (_)? @body) @definition.section
(setext_heading
  heading_content: (paragraph (inline) @name)
  [(setext_h1_underline) (setext_h2_underline)] @body) @definition.section
