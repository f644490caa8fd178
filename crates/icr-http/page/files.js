// The files of the revision that is asked, as one list, for the file finder, folders, and completion of paths.

import { askKept } from "./api.js";

/** Levels of folders that one answer to `map` has at most; deeper folders are asked for by their path. */
const DEPTH_MOST = 10;

/** The tree of the view: `{name, type, files, lines, size_bytes, language, children}`, all levels of it. */
export async function fileTree() {
  const { tree } = await askKept("map", { depth: DEPTH_MOST });
  await completeFolders(tree, "");
  return tree;
}

/** Asks for what is in folders that an answer left out. */
async function completeFolders(node, prefix) {
  const folders = node.children.filter((child) => child.type === "directory");
  await Promise.all(
    folders.map(async (folder) => {
      const path = prefix + folder.name;
      if (folder.children.length === 0 && folder.files > 0) {
        folder.children = (await askKept("map", { depth: DEPTH_MOST, path })).tree.children;
      }
      await completeFolders(folder, `${path}/`);
    }),
  );
}

/** All paths of files, in the order of the tree. */
export async function filePaths() {
  const paths = [];
  const walk = (node, prefix) => {
    for (const child of node.children) {
      if (child.type === "directory") walk(child, `${prefix}${child.name}/`);
      else paths.push(prefix + child.name);
    }
  };
  walk(await fileTree(), "");
  return paths;
}

/** The node at `path`, or null. */
export function nodeAt(tree, path) {
  let node = tree;
  for (const name of path.split("/").filter(Boolean)) {
    node = node.children?.find((child) => child.name === name) ?? null;
    if (!node) return null;
  }
  return node;
}

/** Paths that hold the letters of `text` in order, best first: matches in the name and in one piece count more. */
export function matchingPaths(paths, text, most) {
  const wanted = text.toLowerCase().replace(/\s+/g, "");
  if (wanted === "") return paths.slice(0, most);
  const scored = [];
  for (const path of paths) {
    const score = pathScore(path.toLowerCase(), wanted);
    if (score > 0) scored.push([score - path.length / 1000, path]);
  }
  return scored
    .sort((a, b) => b[0] - a[0] || (a[1] < b[1] ? -1 : 1))
    .slice(0, most)
    .map(([, path]) => path);
}

function pathScore(path, wanted) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === wanted) return 5;
  if (name.startsWith(wanted)) return 4;
  if (name.includes(wanted)) return 3;
  if (path.includes(wanted)) return 2;
  let at = -1;
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1);
    if (at < 0) return 0;
  }
  return 1;
}
