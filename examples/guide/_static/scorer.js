// The order of what a search finds: names and headings that hold all its words, then guide, then the rest.
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  words: text => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean),
  score: ([page, title, anchor, , score, , kind]) => {
    const wanted = Scorer.words(new URLSearchParams(location.search).get("q") || "");
    const own = Scorer.words(title.replace(/^(\w+\.)+/, ""));
    const alike = (one, other) => one === other ||
      Math.min(one.length, other.length) > 3 && (one.startsWith(other) || other.startsWith(one));
    const share = (some, others) =>
      some.filter(word => others.some(other => alike(word, other))).length / (some.length || 1);
    const named = share(wanted, own) + share(own, wanted) / 4;
    const place = page.startsWith("api/results") ? -20 : page.startsWith("api/") ? 0 : 5;
    return score + Math.round(80 * named) + place - (anchor && kind !== "index" ? 5 : 0);
  },
};
