// What needs no server: the theme's switch, the space's, copying, local times, keys, and the lighting up of sources.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  document.addEventListener("click", (event) => {
    const hit = event.target instanceof Element ? event.target : null;
    if (!hit) return;
    if (hit.closest("[data-theme-switch]")) return window.erstwhileTheme.turn();
    const copied = hit.closest("[data-copy]");
    if (copied) return copy(copied);
    const turned = hit.closest("[data-pane-switch]");
    if (turned) return turn(turned.dataset.paneSwitch);
    const tab = hit.closest("[data-tab]");
    if (tab) { showTab(tab.dataset.tab); return follow(); }
    const link = hit.closest("a[data-jump]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) return jump(event, link);
    if (!hit.closest("a, button, input, textarea, select, summary, label")) light(hit);
  });

  document.addEventListener("change", (event) => {
    const chooser = event.target instanceof Element && event.target.closest("[data-space-switch]");
    if (!chooser) return;
    const section = "/" + location.pathname.split("/")[1];
    location.assign(section + "?" + new URLSearchParams({ space: chooser.value }));
  });

  const copy = async (button) => {
    const said = button.dataset.said ??= button.textContent;
    const done = await written(button.dataset.copy);
    button.textContent = done ? "Copied" : "Could not copy";
    setTimeout(() => (button.textContent = said), 1500);
  };

  // Browsers offer the clipboard over HTTPS and on the machine itself; elsewhere there is the old way, beside the button for the sake of dialogs.
  const written = async (words) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(words).then(() => true, () => false);
    const before = document.activeElement, area = document.createElement("textarea");
    area.value = words;
    area.className = "visually-hidden";
    (before?.parentElement ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    before?.focus();
    return done;
  };

  // A memory names the messages it was made of (data-sources: "1-10 14"), a message its place (data-seq). A click on either lights the others.
  const within = (sources, seq) =>
    sources.split(" ").some((range) => {
      const [first, last] = range.split("-").map(Number);
      return first <= seq && seq <= (last ?? first);
    });

  const light = (hit) => {
    if (String(getSelection())) return; // somebody marks words
    const memory = hit.closest("[data-sources]");
    const message = hit.closest("[data-seq]");
    const chosen = memory ?? message;
    if (!chosen) return;
    choose(chosen.classList.contains("chosen") ? null : memory ? { id: memory.dataset.id } : { seq: Number(message.dataset.seq) });
  };

  let lit = null;
  const choose = (next) => { lit = next; relight(true); };
  const named = (id) => all("[data-sources]").find((each) => each.dataset.id === id);

  // What is chosen is known by its name alone, so that it stays chosen when it is drawn anew, and what it says of its sources is what is there now.
  const relight = (scroll) => {
    const memory = lit?.id !== undefined ? named(lit.id) : null;
    const sources = memory?.dataset.sources, lean = Number(memory?.dataset.lean || 0);
    let first = null, count = 0, closest = Infinity;
    for (const each of all("[data-seq], [data-sources]")) {
      const isMessage = each.dataset.seq !== undefined, seq = Number(each.dataset.seq);
      const chosen = isMessage ? lit?.seq === seq : each === memory;
      const on = !chosen && (isMessage
        ? Boolean(sources) && within(sources, seq)
        : lit?.seq !== undefined && within(each.dataset.sources, lit.seq));
      const leaned = on && (isMessage ? seq === lean : Number(each.dataset.lean || 0) === lit.seq);
      for (const [name, value] of [["chosen", chosen], ["lit", on], ["leaned", leaned]])
        if (each.classList.contains(name) !== value) each.classList.toggle(name, value);
      if (on) count += 1;
      // Of messages the first, or the one it leans on; of memories the most specific, and facts before what sums up.
      const away = isMessage ? (leaned ? -1 : 0) : leaned ? -1 : spread(each.dataset.sources, lit?.seq);
      if (on && away < closest) { closest = away; first = each; }
    }
    for (const tab of all("[data-tab]")) {
      const many = lit?.seq === undefined ? 0 : all(`[data-tab-panel="${tab.dataset.tab}"] .lit`).length;
      tab.dataset.lit = many ? String(many) : "";
    }
    for (const each of all(".memory.away")) if (each !== memory || count) each.classList.remove("away");
    if (memory && sources && !count) memory.classList.add("away");
    for (const each of all("[data-pane-switch]")) {
      const pane = each.dataset.paneSwitch === (lit?.seq !== undefined ? "memory" : "thread");
      each.dataset.lit = pane && count ? String(count) : "";
    }
    if (scroll && first) show(first);
  };

  // Over how many messages the source reaches in which this one is.
  const spread = (sources, seq) => Math.min(...sources.split(" ").map((range) => {
    const [first, last] = range.split("-").map(Number);
    return first <= seq && seq <= (last ?? first) ? (last ?? first) - first : Infinity;
  }));

  const showTab = (name) => {
    for (const each of all("[data-tab]")) each.setAttribute("aria-selected", String(each.dataset.tab === name));
    for (const each of all("[data-tab-panel]")) each.hidden = each.dataset.tabPanel !== name;
  };

  // While nothing is chosen, the memory beside the messages goes along with them, unless somebody reads it.
  let touched = 0;
  const follow = () => {
    const thread = document.querySelector("[data-scroller]"), panel = document.querySelector("[data-tab-panel]:not([hidden])");
    if (!thread || !panel || lit || panel.matches(":hover") || Date.now() - touched < 1500) return;
    const box = thread.getBoundingClientRect(), middle = box.top + box.height / 2;
    const messages = all("[data-seq]", thread);
    if (!messages.length || panel.offsetParent === null) return;
    const end = thread.scrollHeight - thread.clientHeight - Math.abs(thread.scrollTop) < 4 && !thread.classList.contains("from-the-end");
    const bottom = end || (thread.classList.contains("from-the-end") && Math.abs(thread.scrollTop) < 4);
    const at = bottom ? messages.at(-1) : messages.find((each) => each.getBoundingClientRect().bottom >= middle) ?? messages.at(-1);
    const seq = Number(at.dataset.seq);
    let near = null, least = Infinity;
    for (const each of all("[data-sources]:not([data-sources=''])", panel)) {
      const [first, last] = each.dataset.sources.split(" ")[0].split("-").map(Number);
      const lean = Number(each.dataset.lean || 0) || Math.min(Math.max(seq, first), last ?? first);
      const away = Math.abs(lean - seq) * 1000 + ((last ?? first) - first);
      if (away <= least) { least = away; near = each; }
    }
    for (const each of all(".near")) if (each !== near) each.classList.remove("near");
    if (near && !near.classList.contains("near")) { near.classList.add("near"); centre(near, false); }
  };
  let following = false;
  document.addEventListener("scroll", (event) => {
    if (!(event.target instanceof Element)) return;
    if (!event.target.matches("[data-scroller]") || following) return;
    following = true;
    requestAnimationFrame(() => { following = false; follow(); });
  }, { capture: true, passive: true });
  for (const name of ["wheel", "touchmove", "keydown"])
    document.addEventListener(name, (event) => {
      if (event.target instanceof Element && event.target.closest("[data-tab-panel]")) touched = Date.now();
    }, { passive: true });

  const show = (element) => {
    const panel = element.closest("[data-tab-panel]");
    if (panel?.hidden) showTab(panel.dataset.tabPanel);
    element.closest("details:not([open])")?.setAttribute("open", "");
    if (element.offsetParent !== null) centre(element, !matchMedia("(prefers-reduced-motion: reduce)").matches); // else in a pane that a phone does not show now
  };

  // Within what scrolls by itself only that moves, not the page around it.
  const centre = (element, smooth) => {
    const behavior = smooth ? "smooth" : "auto", around = element.closest(".scroller");
    if (!around) return element.scrollIntoView({ block: "center", behavior });
    const inner = element.getBoundingClientRect(), outer = around.getBoundingClientRect();
    around.scrollBy({ top: inner.top - outer.top - Math.max(0, (outer.height - inner.height) / 2), behavior });
  };

  // A phone shows messages or memory, one at a time.
  const turn = (name) => {
    const panes = document.querySelector("[data-panes]");
    if (!panes) return;
    panes.dataset.shown = name;
    for (const each of all("[data-pane-switch]")) each.setAttribute("aria-pressed", String(each.dataset.paneSwitch === name));
    const first = document.querySelector(`[data-pane="${name}"] .leaned, [data-pane="${name}"] .lit`);
    if (first) show(first);
  };

  // "messages 11–20": where they are on this page, they are shown at once; else the link leads to them.
  const jump = (event, link) => {
    const memory = link.closest("[data-sources]");
    if (!memory || !document.querySelector(`[data-seq="${Number(link.dataset.jump)}"]`)) return;
    event.preventDefault();
    choose({ id: memory.dataset.id });
    turn("thread");
  };

  // An address can name what is chosen.
  const asked = () => {
    const given = new URLSearchParams(location.search);
    if (!document.querySelector("[data-panes]")) return;
    const seq = Number(given.get("seq") || 0), message = seq && document.querySelector(`[data-seq="${seq}"]`);
    if (given.get("memory") && named(given.get("memory"))) lit = { id: given.get("memory") };
    else if (message) lit = { seq };
    if (!lit) return follow();
    relight(true);
    if (message) centre(message, false);
    if (lit.id !== undefined) show(named(lit.id));
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
      const row = document.activeElement, link = row.querySelector("a[href]");
      if (row.matches("[data-seq], [data-sources]") || !link) light(row); else link.click();
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
      const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
      const whole = `${day} ${pad(at.getHours())}:${pad(at.getMinutes())}`;
      each.title = `${whole} ${offset(at)} (${zone})`;
      each.textContent = each.dataset.relative !== undefined ? ago(at, day) : each.dataset.day !== undefined ? day : whole;
    }
  };
  const pad = (number) => String(number).padStart(2, "0");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const offset = (at) => new Intl.DateTimeFormat("en", { timeZoneName: "shortOffset" }).formatToParts(at).find((each) => each.type === "timeZoneName").value;
  // "5 minutes ago", "yesterday", "3 weeks ago"; what is older, by its day.
  const ago = (at, day) => {
    const seconds = Math.max(0, (Date.now() - at) / 1000), words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
    if (seconds < 60) return "just now";
    if (seconds < 3600) return words.format(-Math.floor(seconds / 60), "minute");
    const midnight = (time) => new Date(time).setHours(0, 0, 0, 0);
    const days = Math.round((midnight(Date.now()) - midnight(at)) / 86_400_000);
    if (days === 0) return words.format(-Math.floor(seconds / 3600), "hour");
    if (days < 7) return words.format(-days, "day");
    return days < 60 ? words.format(-Math.round(days / 7), "week") : day;
  };
  // Once per page: the zone that times are shown in, the keys as they are on this machine, and the state of the connection.
  const settle = () => {
    const bar = document.querySelector(".navigation:not([data-placed])");
    if (!bar) return;
    bar.dataset.placed = "";
    for (const each of all("[data-zone-name]")) each.textContent = `Times in ${zone} (${offset(new Date())})`;
    if (/Mac|iP(hone|ad)/.test(navigator.platform)) for (const each of all("[data-command]")) each.textContent = "⌘ K";
  };
  // Without its server a page shows what was, and takes nothing in: what would be typed would be lost.
  const popup = document.getElementById("popup");
  if (popup) {
    const [what, then] = popup.children;
    what.textContent = "Connection lost";
    then.textContent = "What you see may be out of date. Editing is off until the server answers again.";
    popup.setAttribute("role", "alert");
    const changed = () => {
      const away = popup.getAttribute("aria-hidden") === "false";
      document.documentElement.classList.toggle("offline", away);
      for (const each of all("main, .toasts, .q-dialog")) each.inert = away;
    };
    new MutationObserver(changed).observe(popup, { attributes: true, attributeFilter: ["aria-hidden"] });
  }
  let due = false;
  new MutationObserver(() => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      zoned(document);
      settle();
      if (lit) relight(false);
    });
  }).observe(document.documentElement, { childList: true, subtree: true });
  zoned(document);
  settle();
  window.addEventListener("load", () => window.erstwhileTheme.show());
  // The page is drawn by script, a moment after its HTML is there.
  let waiting = 100;
  const arrived = () => { if (document.querySelector("[data-panes]")) asked(); else if (waiting--) requestAnimationFrame(arrived); };
  if (location.pathname === "/conversations/channel") arrived();
})();
