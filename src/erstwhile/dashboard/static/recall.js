// The Recall lab's switches that need no server: text or messages, and the sorting and filtering of at most forty candidates.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  document.addEventListener("click", (event) => {
    const hit = event.target instanceof Element ? event.target : null;
    const view = hit?.closest("[data-lab-view]");
    if (view) return turn(view);
    const head = hit?.closest("[data-lab-sort]");
    if (head) sort(head);
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

  const sort = (button) => {
    const key = button.dataset.labSort;
    const head = button.closest("th");
    const table = head.closest("table");
    // A rank is best when it is low, everything else when it is high.
    const was = head.getAttribute("aria-sort");
    const up = was ? was === "descending" : key === "rank";
    for (const each of all("th[aria-sort]", table)) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((one, other) => (Number(one.dataset[key]) - Number(other.dataset[key])) * (up ? 1 : -1));
    body.append(...rows);
  };

  const filter = (control) => {
    const card = control.closest(".card");
    const words = card.querySelector("[data-lab-contains]").value.normalize("NFKC").toLowerCase().trim();
    const fate = card.querySelector("[data-lab-fate]").value;
    let shown = 0;
    for (const row of all("tbody tr", card)) {
      const says = all(".text", row).at(-1)?.textContent.normalize("NFKC").toLowerCase() ?? "";  // the last one is whole
      row.hidden = !says.includes(words) || (fate !== "" && row.dataset.fate !== fate);
      shown += row.hidden ? 0 : 1;
    }
    card.querySelector("[data-lab-count]").textContent = `${shown} shown`;
  };
})();
