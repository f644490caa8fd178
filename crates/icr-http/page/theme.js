// The colour theme that the reader chose, set before the page is drawn. Not a module, so that nothing flashes.
try {
  document.documentElement.dataset.theme = localStorage.getItem("icr-theme") ?? "auto";
} catch {
  document.documentElement.dataset.theme = "auto";
}
