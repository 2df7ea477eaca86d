# Values of R packages for reports of prediction models, for tests/metrics/test_clinical.py.
# Debian 12: apt-get install r-base-core r-cran-rms r-cran-metafor r-cran-jsonlite
# Rscript tests/data/clinical_values.R > tests/data/clinical_values.json
suppressMessages({ library(rms); library(metafor); library(jsonlite) })
set.seed(1)
risks <- list()
for (n in c(40, 120, 400)) {
  p <- round(plogis(rnorm(n, -0.5, 1.2)), 3)
  y <- rbinom(n, 1, plogis(0.2 + 0.8 * qlogis(p)))
  fit <- pmin(pmax(fitted(loess(y ~ p)), 0), 1)
  d <- abs(p - fit)
  v <- val.prob(p, y, pl = FALSE)
  own <- list(p = p, y = y, ici = mean(d), e50 = median(d),
              e90 = unname(quantile(d, .9)), eci = 100 * mean(d^2), r2 = v[["R2"]],
              brier = v[["Brier"]], slope = v[["Slope"]], intercept = v[["Intercept"]],
              auc = v[["C (ROC)"]])
  risks[[as.character(n)]] <- own
}
pooled <- function(yi, sei) {
  f <- rma(yi, sei = sei, method = "REML", test = "knha", control = list(threshold = 1e-12, maxiter = 1000))
  q <- predict(f)
  list(yi = yi, sei = sei, estimate = f$b[1], se = f$se, tau2 = f$tau2, low = f$ci.lb, high = f$ci.ub,
       q = f$QE, i2 = f$I2, pi_low = q$pi.lb, pi_high = q$pi.ub)
}
pools <- list(
  bcg = with(escalc(measure = "RR", ai = tpos, bi = tneg, ci = cpos, di = cneg, data = dat.bcg),
             pooled(as.numeric(yi), sqrt(vi))),
  few = pooled(c(0.3, 0.9, 1.4), c(0.2, 0.25, 0.3)),
  alike = pooled(c(0.50, 0.52, 0.49, 0.51), c(0.2, 0.25, 0.3, 0.2)))
s <- data.frame(tp = c(47, 126, 19, 36, 130, 84), fp = c(101, 272, 12, 78, 211, 68),
                fn = c(9, 51, 10, 3, 19, 2), tn = c(738, 1543, 192, 276, 959, 89))
y <- with(s, c(rbind(log(tp / fn), log(fp / tn))))
v <- with(s, c(rbind(1 / tp + 1 / fn, 1 / fp + 1 / tn)))
d <- data.frame(y = y, v = v, o = rep(c("a", "b"), 6), i = rep(1:6, each = 2))
f <- rma.mv(y, v, mods = ~ o - 1, random = ~ o | i, struct = "UN", data = d, method = "REML",
            control = list(optimizer = "optim", optmethod = "Nelder-Mead", reltol = 1e-14, maxit = 20000))
bivariate <- list(studies = as.list(s), mean = c(f$b), covariance = f$vb, tau2 = f$tau2, rho = f$rho)
cat(toJSON(list(bivariate = bivariate, versions = c(list(R = as.character(getRversion())), sapply(c("rms", "metafor"),
  function(p) as.character(packageVersion(p)), simplify = FALSE)),
  risks = risks, pools = pools), digits = NA, auto_unbox = TRUE), "\n")
