# Values of R packages on the data of pROC, for tests/inference/test_r_values.py.
# Debian 12: apt-get install r-base-core r-cran-proc r-cran-vcd r-cran-psych r-cran-epir
#            r-cran-jsonlite
# Rscript tests/data/r_values.R > tests/data/r_values.json
suppressMessages({
  library(pROC); library(vcd); library(psych); library(epiR); library(jsonlite)
})
data(aSAH)
d <- aSAH[complete.cases(aSAH[, c("outcome", "s100b", "ndka", "age")]), ]
y <- as.integer(d$outcome == "Poor")
first <- unname(fitted(glm(y ~ s100b + ndka + age, family = binomial, data = d)))
second <- unname(fitted(glm(y ~ s100b, family = binomial, data = d)))

roc_of <- function(score) suppressMessages(roc(y, score, direction = "<", quiet = TRUE))
a <- roc_of(first)
b <- roc_of(second)
delong <- roc.test(a, b, method = "delong")
part <- function(score, focus, correct) {
  as.numeric(auc(roc_of(score), partial.auc = c(1, 0.8), partial.auc.focus = focus,
                 partial.auc.correct = correct))
}

ratings <- matrix(c(12, 3, 1, 0, 4, 9, 5, 2, 2, 2, 14, 1, 0, 3, 0, 6), 4, byrow = TRUE)
linear <- Kappa(ratings, weights = "Equal-Spacing")
quadratic <- Kappa(ratings, weights = "Fleiss-Cohen")
pdf(NULL)
agreement <- agreementplot(ratings)
association <- assocstats(ratings)

tests <- epi.tests(as.table(matrix(c(17, 9, 4, 30), 2, byrow = TRUE)), method = "wilson",
                   digits = 4, conf.level = 0.95)$detail

found <- list(
  versions = c(list(R = as.character(getRversion())), sapply(
    c("pROC", "vcd", "psych", "epiR"), function(p) as.character(packageVersion(p)),
    simplify = FALSE)),
  y = y, first = first, second = second,
  pROC = list(
    auc = as.numeric(auc(a)), variance = var(a), ci = as.numeric(ci.auc(a, method = "delong")),
    z = unname(delong$statistic), p = delong$p.value, covariance = cov(a, b),
    partial_fpr = part(first, "sp", FALSE), partial_fpr_standard = part(first, "sp", TRUE),
    partial_tpr = part(first, "se", FALSE), partial_tpr_standard = part(first, "se", TRUE)),
  ratings = ratings,
  vcd = list(kappa = unname(linear$Unweighted), linear = unname(linear$Weighted),
             quadratic = unname(quadratic$Weighted), bangdiwala = agreement$Bangdiwala,
             cramer = association$cramer, contingency = association$contingency),
  psych = list(q = Yule(matrix(c(30, 4, 9, 17), 2)),
               y = Yule(matrix(c(30, 4, 9, 17), 2), Y = TRUE),
               phi = phi(matrix(c(30, 4, 9, 17), 2), digits = 12)),
  epiR = split(tests[, c("est", "lower", "upper")], tests$statistic)
)
cat(toJSON(found, digits = NA, auto_unbox = TRUE), "\n")
