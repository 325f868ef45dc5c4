// Ctrl+K or ⌘K: go to a page, a conversation or a person by typing. Names come from the server, and are shown as text.
(() => {
  const box = () => document.getElementById("palette");
  let places = [], asked = 0;

  const open = () => {
    const dialog = box();
    if (!dialog || dialog.open) return;
    dialog.showModal();
    const input = dialog.querySelector("input");
    input.value = "";
    input.focus();
    look("");
  };

  const pages = (typed) => [...document.querySelectorAll(".navigation a")]
    .map((link) => ({ label: link.textContent.trim(), about: "Page", url: link.getAttribute("href") }))
    .filter((each) => each.label.toLowerCase().includes(typed.toLowerCase()));

  const look = async (typed) => {
    const turn = ++asked;
    show(pages(typed));
    if (!typed.trim()) return;
    const url = new URL(box().dataset.places, location.href);
    url.searchParams.set("q", typed.trim());
    const answer = await fetch(url).then((found) => (found.ok ? found.json() : []), () => []);
    if (turn === asked) show([...pages(typed), ...answer]);
  };

  const show = (found) => {
    places = found;
    const list = box().querySelector("[role=listbox]");
    list.replaceChildren(...found.map((each, number) => {
      const row = document.createElement("a");
      row.href = each.url;
      row.id = `place-${number}`;
      row.setAttribute("role", "option");
      for (const [name, words] of [["name", each.label], ["about", each.about]]) {
        const part = document.createElement("span");
        part.className = name;
        part.dir = "auto";
        part.textContent = words;
        row.append(part);
      }
      return row;
    }));
    choose(0);
  };

  let chosen = 0;
  const choose = (number) => {
    chosen = Math.max(0, Math.min(places.length - 1, number));
    const dialog = box(), rows = [...dialog.querySelectorAll("[role=option]")];
    rows.forEach((row, at) => row.setAttribute("aria-selected", String(at === chosen)));
    rows[chosen]?.scrollIntoView({ block: "nearest" });
    dialog.querySelector("input").setAttribute("aria-activedescendant", rows[chosen]?.id ?? "");
  };

  document.addEventListener("keydown", (event) => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      return open();
    }
    const input = event.target instanceof Element && event.target.matches("#palette input");
    if (!input) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      if (places[chosen]) location.assign(places[chosen].url);
    }
  });
  document.addEventListener("input", (event) => {
    if (event.target instanceof Element && event.target.matches("#palette input")) look(event.target.value);
  });
  document.addEventListener("click", (event) => {
    const hit = event.target instanceof Element ? event.target : null;
    if (hit?.closest("[data-palette]")) open();
    else if (hit?.id === "palette") hit.close(); // outside of what is in it
    const more = hit?.closest("[data-more]"), bar = document.querySelector(".navigation");
    if (bar) {
      const on = Boolean(more) && !bar.classList.contains("open");
      bar.classList.toggle("open", on);
      bar.querySelector("[data-more]")?.setAttribute("aria-expanded", String(on));
    }
  });
})();
