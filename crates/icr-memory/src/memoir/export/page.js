{
  // Looking at a box shows its links and where they lead.
  const drawing = document.getElementById("drawing");
  const boxes = drawing ? [...drawing.querySelectorAll(".box")] : [];
  const lines = drawing ? [...drawing.querySelectorAll("[data-from]")] : [];
  const look = (at) => {
    drawing.classList.toggle("looking", at !== null);
    for (const one of drawing.querySelectorAll(".lit")) one.classList.remove("lit");
    if (at === null) return;
    boxes[at].classList.add("lit");
    for (const line of lines) {
      const { from, to } = line.dataset;
      if (from !== at && to !== at) continue;
      line.classList.add("lit");
      boxes[from].classList.add("lit");
      boxes[to].classList.add("lit");
    }
  };
  for (const box of boxes) {
    box.addEventListener("mouseenter", () => look(box.dataset.at));
    box.addEventListener("mouseleave", () => look(null));
    box.addEventListener("focus", () => look(box.dataset.at));
    box.addEventListener("blur", () => look(null));
  }
}
