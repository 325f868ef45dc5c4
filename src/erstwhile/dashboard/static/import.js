// Uploads the files that were chosen or dropped, one after the other, with a bar; the page imports them afterwards.
(() => {
  const put = (url, file, sent) => new Promise((done) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = (event) => sent(event.loaded);
    request.onload = () => {
      if (request.status < 300) return done("");
      let words = "";
      try { words = JSON.parse(request.responseText).detail; } catch { /* then in our own words */ }
      done(words || `The server refused the file (${request.status}).`);
    };
    request.onerror = () => done("The connection was lost. Choose the file again.");
    request.open("POST", `${url}&name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file);
  });

  const send = async (input) => {
    const zone = input.closest("[data-zone]"), bar = zone.querySelector("progress"), said = zone.querySelector("[data-said]");
    const files = [...input.files], whole = Math.max(1, files.reduce((sum, file) => sum + file.size, 0));
    let before = 0;
    bar.hidden = false;
    zone.classList.add("busy");
    for (const file of files) {
      const wrong = await put(input.dataset.upload, file, (sent) => {
        bar.value = (before + sent) / whole;
        said.textContent = `Uploading ${file.name}: ${Math.round(100 * bar.value)} %`;
      });
      if (wrong) {
        said.textContent = wrong;
        bar.hidden = true;
        zone.classList.remove("busy");
        input.value = "";
        return;
      }
      before += file.size;
    }
    said.textContent = "Reading …";
    input.dispatchEvent(new CustomEvent("uploaded"));
  };

  document.addEventListener("change", (event) => {
    if (event.target instanceof Element && event.target.matches("[data-upload]") && event.target.files.length) send(event.target);
  });
  for (const [name, on] of [["dragenter", true], ["dragover", true], ["dragleave", false], ["drop", false]])
    document.addEventListener(name, (event) => {
      const zone = event.target instanceof Element && event.target.closest("[data-zone]");
      if (zone) zone.classList.toggle("over", on);
    });
})();
