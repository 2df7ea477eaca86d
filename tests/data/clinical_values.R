# Values of R packages for reports of prediction models, for tests/metrics/test_calibration.py.
# Debian 12: apt-get install r-base-core r-cran-rms r-cran-jsonlite
# Rscript tests/data/clinical_values.R > tests/data/clinical_values.json
suppressMessages({ library(rms); library(jsonlite) })
set.seed(1)
risks <- list()
for (n in c(40, 120, 400)) {
  p <- round(plogis(rnorm(n, -0.5, 1.2)), 3)
  y <- rbinom(n, 1, plogis(0.2 + 0.8 * qlogis(p)))
  v <- val.prob(p, y, pl = FALSE)
  own <- list(p = p, y = y, r2 = v[["R2"]], brier = v[["Brier"]],
              slope = v[["Slope"]], intercept = v[["Intercept"]], auc = v[["C (ROC)"]])
  risks[[as.character(n)]] <- own
}
versions <- list(R = as.character(getRversion()), rms = as.character(packageVersion("rms")))
cat(toJSON(list(versions = versions, risks = risks), digits = NA, auto_unbox = TRUE), "\n")
