// The slider of the threshold: a stop is [threshold, tp, fp, fn, tn].
for (const part of document.querySelectorAll("[data-thresholds]")) {
  const { stops, place, cut, text, cells, probabilities } = JSON.parse(part.dataset.thresholds);
  const slider = part.querySelector("input"), back = part.querySelector("button");
  const rate = (a, b) => b > 0 ? (a / b).toFixed(2) : "undefined";
  const show = (threshold, written, counted, moved) => {
    const [tp, fp, fn, tn] = counted ?? [];
    const odds = threshold / (1 - threshold), possible = probabilities && threshold > 0 && threshold < 1;
    const words = counted && {
      tp, fp, fn, tn, recall: rate(tp, tp + fn), specificity: rate(tn, tn + fp),
      precision: rate(tp, tp + fp), npv: rate(tn, tn + fn),
      benefit: possible ? ((tp - fp * odds) / (tp + fp + fn + tn)).toFixed(3) : "undefined",
    };
    for (const each of part.querySelectorAll("[data-of]")) {
      const shown = words ? words[each.dataset.of] : "\u2013";
      each.textContent = typeof shown === "number" ? Math.round(shown).toLocaleString("en") : shown;
    }
    part.querySelector("[data-of=threshold]").textContent = written;
    slider.setAttribute("aria-valuetext", `threshold ${written}`);
    back.hidden = part.querySelector(".warning").hidden = !moved;
  };
  const start = () => {
    slider.value = place;
    show(cut, text, cells, false);
  };
  slider.addEventListener("input", () => {
    const [threshold, ...counted] = stops[slider.value];
    show(threshold, String(+threshold.toPrecision(3)), counted, true);
  });
  back.addEventListener("click", start);
  start();
}
// Paper shows what folds, as an appendix.
addEventListener("beforeprint", () =>
  document.querySelectorAll("details").forEach(part => { part.open = true; }));
