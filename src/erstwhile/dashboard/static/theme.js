// Before anything is painted: light or dark, as chosen here before or as the system has it.
(() => {
  const key = "erstwhile-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try { return localStorage.getItem(key); } catch { return null; }
  };
  const show = () => {
    const dark = chosen() ? chosen() === "dark" : system.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    if (window.Quasar?.Dark && document.body) window.Quasar.Dark.set(dark);
    document.dispatchEvent(new CustomEvent("erstwhile-theme", { detail: { dark } }));
  };
  window.erstwhileTheme = {
    show,
    turn() {
      const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      try { localStorage.setItem(key, next); } catch { /* then it holds for this page */ }
      document.documentElement.dataset.theme = next;
      show();
    },
  };
  system.addEventListener("change", show);
  show();
})();
