// Why a file is in the drawing, from all lists of the answer.
const panel = byId("panel"), chosen = byId("chosen");
const MAX_LISTED = 40;

function element(name, content = [], className = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...[content].flat(Infinity).filter((part) => part !== null && part !== ""));
  return made;
}
const code = (text) => element("code", visible(text));
// A sentence of the answer, in which names stand between backticks.
function sentence(text) {
  const parts = visible(text).split("`");
  return parts.map((part, at) => at % 2 === 0 ? part : at < parts.length - 1 ? element("code", part) : `\`${part}`);
}
const word = (name) => String(name).replaceAll("_", " ");
function bar(share) {
  const gauge = document.createElementNS(svg.namespaceURI, "svg");
  gauge.setAttribute("class", "gauge");
  gauge.setAttribute("width", 56);
  gauge.setAttribute("height", 8);
  gauge.setAttribute("aria-hidden", "true");
  for (const [className, width] of [["bar", 56], ["filled", 56 * shareOf(share)]]) {
    const part = document.createElementNS(svg.namespaceURI, "rect");
    part.setAttribute("class", className);
    part.setAttribute("width", width.toFixed(1));
    part.setAttribute("height", 8);
    part.setAttribute("rx", 2);
    gauge.append(part);
  }
  return gauge;
}
const gauge = (share) => element("span", [bar(share), percent(share)], "measure");
// At most so many of a list, each with commas or lines between, and how many more there are.
function listed(items, make, separator = null) {
  const shown = items.slice(0, MAX_LISTED).map(make);
  const rest = items.length > MAX_LISTED ? [`and ${items.length - MAX_LISTED} more`] : [];
  if (separator === null) return element("ul", [...shown, ...rest].map((item) => element("li", item)));
  return [...shown, ...rest].flatMap((item, at) => at > 0 ? [separator, item] : [item]);
}
// A heading and what belongs to it; nothing when nothing does.
function part(heading, ...content) {
  const kept = content.flat(Infinity).filter((item) => item !== null && item !== undefined && item !== "");
  return kept.length > 0 ? [element("section", [element("h3", heading), ...kept])] : [];
}
const paragraph = (...content) => element("p", content);

function evidence(reasons) {
  if (reasons.length === 0) return [];
  const heaviest = Math.max(...reasons.map((reason) => Math.abs(Number(reason.weight) || 0)));
  return [element("ul", reasons.map((reason) => {
    const weight = Number(reason.weight) || 0;
    const sign = weight < 0 ? "−" : "+";
    const measure = weight === 0 ? null : element("span", [bar(Math.abs(weight) / heaviest), `${sign}${Math.abs(weight).toFixed(1)}`], "measure");
    if (measure !== null) measure.title = "what it adds to the log of the odds";
    return element("li", [measure, element("span", [sentence(reason.text), " ", element("small", word(reason.kind))])]);
  }), "reasons")];
}

// A button that leads to another file.
function leading(path) {
  const button = element("button", code(fileOf.get(path)?.node.label ?? path), "leading");
  button.type = "button";
  button.title = visible(path);
  button.addEventListener("click", () => { choose(path); chosen.querySelector("h2")?.focus(); });
  return button;
}

function ofChange(path) {
  const file = impact.changed.find((row) => row.path === path);
  if (file === undefined) return [];
  const what = [word(file.status), file.old_path === null ? "" : `from ${visible(file.old_path)}`, `+${file.lines_added} −${file.lines_removed}`,
    visible(file.language), file.cosmetic ? "comments and layout only" : "", file.opaque === null ? "" : `not looked into: ${visible(file.opaque)}`];
  const symbols = impact.changed_symbols.filter((symbol) => symbol.path === path);
  return [
    ...part("Changed here", paragraph(what.filter(Boolean).join(" · ")), symbols.length === 0 ? [] : listed(symbols, (symbol) => [
      code(symbol.qualified_name), ` ${word(symbol.change)}, line ${symbol.line} `, severity(symbol.severity),
    ])),
  ];
}
const severity = (name) => element("span", word(name), `severity ${name}`);

function contracts(path) {
  const changes = impact.contract_impact.changes.filter((change) => change.path === path);
  if (changes.length === 0) return [];
  return part("Contracts that changed", listed(changes, (change) => [
    standing(change), " ", code(change.symbol), ` line ${change.line}: `, sentence(change.detail),
    change.accepted === null ? "" : [" (accepted: ", sentence(change.accepted), ")"], usersOf(change), broken(change),
  ]));
}
function standing(change) {
  if (change.accepted !== null) return element("span", "accepted", "severity additive");
  const className = { breaks: "breaking", may_break: "may-break", holds: "additive" }[change.effect];
  return element("span", word(change.effect), `severity ${className}`);
}
// Nobody has to change for what is only added.
function usersOf(change) {
  const isAdded = change.severity === "additive" || change.severity === "none";
  if (isAdded) return "";
  const own = change.own_references > 0 ? "; used in its own file" : "";
  if (change.consumers === 0 && own !== "") return own;
  return `; used by ${counted(change.consumers, "file")}, ${change.consumers_untouched} untouched${own}`;
}
function broken(change) {
  if (change.uses.length === 0) return "";
  return element("ul", change.uses.map((used) => element("li", [
    code(`${used.path}:${used.line}`), " ", used.text === "" ? "" : [code(used.text), " "], sentence(used.reason),
  ])), "broken");
}

function whyHere(path) {
  const missing = impact.missing.find((row) => row.path === path);
  const expected = missing ?? impact.expected.find((row) => row.path === path);
  const dependent = impact.direct_dependents.find((row) => row.path === path);
  const reached = impact.transitive_dependents.find((row) => row.path === path);
  const test = impact.tests.find((row) => row.path === path);
  const partner = impact.cochange.find((row) => row.path === path);
  const review = impact.suggested_review.find((row) => row.path === path);
  const told = new Set([...(expected?.evidence ?? []), ...(dependent?.evidence ?? [])].map((reason) => reason.text));
  const others = (review?.reasons ?? []).filter((reason) => !told.has(reason) && reason !== test?.reason);
  return [
    expected && part(missing ? "May have been forgotten" : "Expected to change", paragraph(gauge(expected.probability)), evidence(expected.evidence)),
    dependent && part("Refers to the change", paragraph(gauge(dependent.probability), ` ${word(dependent.impact_level)} impact, ${counted(dependent.references, "reference")}`,
      dependent.test ? ", test" : "", dependent.in_change ? ", changed too" : ""), evidence(dependent.evidence),
      dependent.symbols.length === 0 ? [] : paragraph("To ", listed(dependent.symbols, code, ", ")),
      dependent.lines.length === 0 ? [] : paragraph(dependent.lines.length === 1 ? "On line " : "On lines ", dependent.lines.join(", "))),
    reached && part("Reaches the change through others", paragraph(gauge(reached.probability), ` ${word(reached.impact_level)} impact, ${counted(reached.depth, "step")}`),
      reached.via.length === 0 ? [] : paragraph("Through ", listed(reached.via, leading, " → "))),
    test && part("Test", paragraph(gauge(test.probability), test.selected ? " in the plan" : " not in the plan"), paragraph(sentence(test.reason)),
      test.command === null ? paragraph("No runner is known for it.") : element("pre", code(test.command))),
    partner && part("Changed together", paragraph(gauge(partner.confidence), ` ${counted(partner.commits, "commit")} in common, ${(Number(partner.lift) || 0).toFixed(1)} times chance`, lastOf(partner))),
    others.length > 0 && part("To read", listed(others, sentence)),
  ].filter(Boolean).flat();
}
function lastOf(partner) {
  const day = new Date(partner.last_commit * 1000);
  return Number.isNaN(day.getTime()) ? "" : `, last ${day.toISOString().slice(0, 10)}`;
}

function connections(path) {
  const about = ({ edge, from, to }, outwards) => {
    const other = outwards ? to.node.path : from.node.path;
    const what = edge.label ? `: ${visible(edge.label)}` : edge.count > 1 ? ` (${edge.count})` : "";
    return outwards ? [`${VERBS[edge.kind]} `, leading(other), what] : [leading(other), ` ${VERBS[edge.kind]} it`, what];
  };
  const out = links.filter((link) => link.from.node.path === path), into = links.filter((link) => link.to.node.path === path);
  return [
    ...(out.length > 0 ? part("It", listed(out, (link) => about(link, true))) : []),
    ...(into.length > 0 ? part("What leads here", listed(into, (link) => about(link, false))) : []),
  ];
}

// Shows the file of `box`, or what to read first.
function show(box) {
  chosen.hidden = box === null;
  byId("first").hidden = box !== null;
  panel.classList.toggle("holds", box !== null);
  if (box === null) { chosen.replaceChildren(); delete chosen.dataset.path; return; }
  const { path, role, depth, strength } = box.node;
  const heading = element("h2", visible(path));
  heading.tabIndex = -1;
  const close = element("button", "Close", "close");
  close.type = "button";
  close.addEventListener("click", () => choose(null));
  const words = byId("roles").querySelector(`[value="${role}"]`).dataset.words;
  const steps = depth > 0 ? `, ${counted(depth, "step")} from the change` : "";
  const why = whyHere(path);
  const measure = role === "changed" || why.some((section) => section.querySelector(".gauge")) ? null : gauge(strength);
  chosen.dataset.path = path;
  chosen.replaceChildren(close, heading, element("p", [element("span", words, `role-name ${role}`), steps, " ", measure], "what"),
    ...ofChange(path), ...contracts(path), ...why, ...connections(path));
}
