// The Recall lab's switches that need no server: text or messages, and the sorting and filtering of at most forty candidates.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  document.addEventListener("click", (event) => {
    const hit = event.target instanceof Element ? event.target : null;
    const view = hit?.closest("[data-lab-view]");
    if (view) turn(view);
  });
  document.addEventListener("change", (event) => {
    if (event.target instanceof Element && event.target.matches("[data-lab-order]")) sort(event.target);
  });
  document.addEventListener("input", (event) => {
    if (event.target instanceof Element && event.target.matches("[data-lab-contains], [data-lab-fate]")) filter(event.target);
  });
  // Enter asks, as in a chat; with Shift it begins a line.
  document.addEventListener("keydown", (event) => {
    const area = event.target instanceof Element && event.target.matches("[data-lab] textarea") ? event.target : null;
    if (!area || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    area.form.requestSubmit();
  });

  const turn = (button) => {
    const card = button.closest(".card");
    for (const each of all("[data-lab-view]", card)) each.setAttribute("aria-pressed", String(each === button));
    for (const each of all("[data-lab-panel]", card)) each.hidden = each.dataset.labPanel !== button.dataset.labView;
  };

  // A rank is best when it is low, everything else when it is high.
  const sort = (chooser) => {
    const key = chooser.value, list = chooser.closest(".card").querySelector("[data-lab-list]");
    const rows = all("[data-row]", list).sort((one, other) => (Number(one.dataset[key]) - Number(other.dataset[key])) * (key === "rank" ? 1 : -1));
    list.prepend(...rows);
  };

  const filter = (control) => {
    const card = control.closest(".card");
    const words = card.querySelector("[data-lab-contains]").value.normalize("NFKC").toLowerCase().trim();
    const fate = card.querySelector("[data-lab-fate]").value;
    let shown = 0;
    for (const row of all("[data-row]", card)) {
      const says = row.querySelector(".text")?.textContent.normalize("NFKC").toLowerCase() ?? "";
      const right = fate === "" || row.dataset.fate === fate || (fate === "dropped" && row.dataset.fate === "floor");
      row.hidden = !says.includes(words) || !right;
      shown += row.hidden ? 0 : 1;
    }
    card.querySelector("[data-lab-count]").textContent = `${shown} shown`;
  };
})();
