// The slider of the threshold: a stop is [threshold, tp, fp, fn, tn, net benefit].
for (const part of document.querySelectorAll("[data-stops]")) {
  const stops = JSON.parse(part.dataset.stops), used = JSON.parse(part.dataset.used);
  const slider = part.querySelector("input"), back = part.querySelector("button");
  const first = slider.value;
  const count = x => Math.round(x).toLocaleString("en");
  const rate = (a, b) => b > 0 ? (a / b).toFixed(2) : "undefined";
  const show = (text, [tp, fp, fn, tn], benefit, counted, moved) => {
    const told = {
      found: count(tp), alarms: count(fp), missed: count(fn), cleared: count(tn),
      recall: rate(tp, tp + fn), specificity: rate(tn, tn + fp),
      precision: rate(tp, tp + fp), npv: rate(tn, tn + fn),
      benefit: benefit === null ? "undefined" : benefit.toFixed(3),
    };
    for (const [name, words] of Object.entries(told))
      part.querySelector(`[data-of=${name}]`).textContent = counted ? words : "\u2013";
    part.querySelector("[data-of=threshold]").textContent = text;
    slider.setAttribute("aria-valuetext", `threshold ${text}`);
    back.hidden = part.querySelector(".warning").hidden = !moved;
  };
  slider.addEventListener("input", () => {
    const [at, ...rest] = stops[slider.value];
    show(String(+at.toPrecision(3)), rest.slice(0, 4), rest[4], true, true);
  });
  back.addEventListener("click", () => {
    slider.value = first;
    show(used.text, used.cells, used.benefit, used.called, false);
  });
}
// Paper shows what folds, as an appendix.
addEventListener("beforeprint", () =>
  document.querySelectorAll("details").forEach(part => { part.open = true; }));
