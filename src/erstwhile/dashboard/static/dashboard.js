// What needs no server: the theme's switch, the space's, copying, local times, keys, and the lighting up of sources.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  document.addEventListener("click", (event) => {
    const hit = event.target instanceof Element ? event.target : null;
    if (!hit) return;
    if (hit.closest("[data-theme-switch]")) return window.erstwhileTheme.turn();
    const copied = hit.closest("[data-copy]");
    if (copied) return copy(copied);
    if (!hit.closest("a, button, input, textarea, select, summary, label")) light(hit);
  });

  document.addEventListener("change", (event) => {
    const chooser = event.target instanceof Element && event.target.closest("[data-space-switch]");
    if (!chooser) return;
    const section = "/" + location.pathname.split("/")[1];
    location.assign(section + "?" + new URLSearchParams({ space: chooser.value }));
  });

  const copy = async (button) => {
    const said = button.textContent;
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = said), 1500);
  };

  // A memory names the messages it was made of (data-sources: "1-10 14"), a message its place (data-seq). A click on either lights the others.
  const within = (sources, seq) =>
    sources.split(" ").some((range) => {
      const [first, last] = range.split("-").map(Number);
      return first <= seq && seq <= (last ?? first);
    });

  const light = (hit) => {
    const memory = hit.closest("[data-sources]");
    const message = hit.closest("[data-seq]");
    const chosen = memory ?? message;
    if (!chosen) return;
    const again = chosen.classList.contains("chosen");
    lit = again ? null : memory ? { sources: memory.dataset.sources, id: memory.dataset.id } : { seq: Number(message.dataset.seq) };
    relight(true);
  };

  let lit = null;
  const relight = (scroll) => {
    let first = null;
    for (const each of all("[data-seq], [data-sources]")) {
      const isMessage = each.dataset.seq !== undefined;
      const chosen = lit && (isMessage ? lit.seq === Number(each.dataset.seq) : lit.id !== undefined && lit.id === each.dataset.id);
      const on = lit && !chosen && (isMessage
        ? lit.sources !== undefined && within(lit.sources, Number(each.dataset.seq))
        : lit.seq !== undefined && within(each.dataset.sources, lit.seq));
      each.classList.toggle("chosen", Boolean(chosen));
      each.classList.toggle("lit", Boolean(on));
      if (on && !first) first = each;
    }
    if (scroll && first) {
      first.closest("details:not([open])")?.setAttribute("open", "");
      first.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    }
  };

  // "/" goes to the search, j and k walk through rows, Enter opens one, Escape lets go.
  const typing = (target) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && lit) { lit = null; relight(false); return; }
    if (typing(event.target)) return;
    if (event.key === "/") {
      event.preventDefault();
      const box = document.querySelector("[data-search] input, input[data-search]");
      if (box) box.focus();
      else location.assign("/search" + location.search.replace(/[?&](?!space=)[^&]*/g, "").replace(/^&/, "?"));
    } else if (event.key === "j" || event.key === "k") {
      walk(event.key === "j" ? 1 : -1);
    } else if (event.key === "Enter" && document.activeElement?.matches("[data-row]")) {
      const link = document.activeElement.querySelector("a[href]");
      if (link) link.click(); else light(document.activeElement);
    }
  });

  const walk = (step) => {
    const rows = all("[data-row]").filter((row) => row.offsetParent !== null);
    if (!rows.length) return;
    const at = rows.indexOf(document.activeElement?.closest("[data-row]"));
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
    if (!next.hasAttribute("tabindex")) next.setAttribute("tabindex", "-1");
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };

  // Times come in UTC and are shown in the reader's zone. What is shown anew is seen to anew.
  const zoned = (root) => {
    for (const each of all("time[datetime]:not([data-local])", root)) {
      const at = new Date(each.getAttribute("datetime"));
      if (Number.isNaN(at.getTime())) continue;
      each.dataset.local = "";
      const pad = (number) => String(number).padStart(2, "0");
      const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
      each.textContent = each.dataset.day !== undefined ? day : `${day} ${pad(at.getHours())}:${pad(at.getMinutes())}`;
    }
  };
  let due = false;
  new MutationObserver(() => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      zoned(document);
      if (lit) relight(false);
    });
  }).observe(document.documentElement, { childList: true, subtree: true });
  zoned(document);
  window.addEventListener("load", () => window.erstwhileTheme.show());
})();
