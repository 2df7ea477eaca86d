// The table of all metrics: a word and two choices leave the rows that hold them.
document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector(".all-metrics table");
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  const text = (row, column) => row.cells[column].textContent.trim();
  for (const row of rows)
    for (const cell of row.cells) cell.title = cell.textContent.trim();
  const bar = document.createElement("div");
  bar.className = "metric-filter";
  const word = document.createElement("input");
  word.type = "search";
  word.placeholder = "name, alias or word";
  word.setAttribute("aria-label", "Filter the metrics");
  const choice = (label, column) => {
    const list = document.createElement("select");
    list.setAttribute("aria-label", label);
    list.add(new Option(`${label}: all`, ""));
    for (const value of [...new Set(rows.map(row => text(row, column)))].sort())
      if (value) list.add(new Option(`${label}: ${value}`, value));
    list.column = column;
    return list;
  };
  const lists = [choice("reads", 3), choice("better", 5), choice("proper", 6)];
  const number = document.createElement("output");
  const filter = () => {
    const words = word.value.toLowerCase().split(/[\s_]+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const whole = row.textContent.toLowerCase().replaceAll("_", " ");
      row.hidden = !(words.every(each => whole.includes(each)) &&
        lists.every(list => !list.value || text(row, list.column) === list.value));
      shown += !row.hidden;
    }
    number.textContent = `${shown} of ${rows.length}`;
  };
  bar.append(word, ...lists, number);
  table.closest(".all-metrics").prepend(bar);
  for (const each of [word, ...lists]) each.addEventListener("input", filter);
  filter();
});
