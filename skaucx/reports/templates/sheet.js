// The control of the threshold: a stop is [threshold, tp, fp, fn, tn, net benefit].
for (const part of document.querySelectorAll("[data-stops]")) {
  const stops = JSON.parse(part.dataset.stops), used = JSON.parse(part.dataset.used);
  const slider = part.querySelector("input[type=range]");
  const share = part.querySelector("input[type=number]");
  const start = { threshold: +used.threshold, cells: used.cells, text: used.text };
  const counts = ["found", "alarms", "missed", "cleared", "recall", "specificity", "precision", "npv"];
  const own = share.value;
  const [found, , missed] = start.cells, all = start.cells.reduce((a, b) => a + b, 0);
  const short = x => Number.isFinite(x) ? String(+x.toPrecision(3)) : "undefined";
  const rate = (a, b) => b > 0 ? (a / b).toFixed(2) : "undefined";
  const nearest = at => stops.reduce((best, stop) =>
    Math.abs(stop[0] - at) < Math.abs(best[0] - at) ? stop : best);
  const say = (name, text) => part.querySelectorAll(`[data-of=${name}]`).forEach(
    place => { place.textContent = text; });
  const follow = (name, x, y) => {
    const chart = part.querySelector(`svg[data-kind=${name}]`);
    if (!chart) return;
    const [x0, x1, y0, y1, left, right, bottom, top] = JSON.parse(chart.dataset.scales);
    const across = left + (x - x0) / (x1 - x0) * (right - left);
    const inside = x >= x0 && x <= x1;
    for (const cut of chart.querySelectorAll(".cut")) {
      cut.setAttribute("x1", across); cut.setAttribute("x2", across);
      cut.style.display = inside ? "" : "none";
    }
    for (const dot of chart.querySelectorAll(".follow")) {
      dot.style.display = inside && y >= y0 && y <= y1 ? "" : "none";
      dot.setAttribute("cx", across);
      if (Number.isFinite(y)) dot.setAttribute("cy", bottom - (y - y0) / (y1 - y0) * (bottom - top));
    }
  };
  const show = (threshold, [tp, fp, fn, tn], benefit, moved) => {
    const recall = tp / (tp + fn), alarm = fp / (fp + tn), 
      p = share.value === own ? (found + missed) / all : share.value / 100;  // not the rounded one
    say("threshold", moved ? short(threshold) : start.text);
    part.querySelectorAll("[data-of=moved], [data-of=back]").forEach(place => { place.hidden = !moved; });
    for (const mark of part.querySelectorAll(".cut, .follow"))
      mark.style.visibility = moved || used.called ? "" : "hidden";
    part.querySelectorAll("[data-of=still]").forEach(place => { place.hidden = moved; });
    const people = [p * recall, (1 - p) * alarm, p * (1 - recall), (1 - p) * (1 - alarm)];
    ["found", "alarms", "missed", "cleared"].forEach((name, k) =>
      say(name, Number.isFinite(people[k]) ? Math.round(1000 * people[k]).toLocaleString("en") : "undefined"));
    say("recall", rate(tp, tp + fn)); say("specificity", rate(tn, tn + fp));
    say("precision", rate(people[0], people[0] + people[1]));
    say("npv", rate(people[3], people[3] + people[2]));
    follow("scores", threshold); follow("reliability", threshold);
    follow("roc", alarm, recall); follow("benefit", threshold, benefit);
    slider.setAttribute("aria-valuetext", `threshold ${short(threshold)}`);
    if (!moved && !used.called) counts.forEach(name => say(name, "\u2013"));
  };
  let moved = false;
  const update = () => {
    const stop = nearest(+slider.value);
    if (moved) show(stop[0], stop.slice(1, 5), stop[5] === null ? NaN : stop[5], true);
    else { const at = nearest(start.threshold);
      show(start.threshold, start.cells, at[5] === null ? NaN : at[5], false); }
  };
  slider.addEventListener("input", () => { moved = true; update(); });
  share.addEventListener("input", () => {
    part.querySelector("[data-of=back]").hidden = false; update(); part.querySelector("[data-of=back]").hidden = false;
  });
  part.querySelector("button").addEventListener("click", () => {
    moved = false; slider.value = start.threshold; share.value = own; update();
  });
  update();
}
// Paper shows what folds, as an appendix.
addEventListener("beforeprint", () =>
  document.querySelectorAll("details").forEach(part => { part.open = true; }));
