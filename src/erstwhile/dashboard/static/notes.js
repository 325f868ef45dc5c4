// A topic that is chosen lights its notes; once more, or Escape, lets go. What is shown anew is lit anew.
(() => {
  let chosen = null;
  const all = (selector) => [...document.querySelectorAll(selector)];

  const light = (scroll) => {
    let first = null;
    for (const topic of all("[data-topic]")) topic.setAttribute("aria-pressed", String(topic.dataset.topic === chosen));
    for (const note of all("[data-in]")) {
      const on = note.dataset.in === chosen;
      note.classList.toggle("lit", on);
      if (on && !first) first = note;
    }
    for (const note of all(".note")) note.classList.toggle("set-back", chosen !== null && note.dataset.in !== chosen);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (scroll && first) first.scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" });
  };

  document.addEventListener("click", (event) => {
    const topic = event.target instanceof Element && event.target.closest("[data-topic]");
    if (!topic) return;
    chosen = chosen === topic.dataset.topic ? null : topic.dataset.topic;
    light(true);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || chosen === null) return;
    chosen = null;
    light(false);
  });
  let due = false;
  new MutationObserver(() => {
    if (due || chosen === null) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      light(false);
    });
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
