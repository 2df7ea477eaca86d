# Values of R's survival and riskRegression, for tests/survival/test_survival.py.
# Debian 12: apt-get install r-base-core r-cran-survival r-cran-riskregression r-cran-jsonlite
# Rscript tests/survival/survival_values.R > tests/survival/survival_values_r.json
suppressMessages({ library(survival); library(riskRegression); library(jsonlite) })

part <- function(d, lp, other, horizon, threshold) {
  d$lp <- lp; d$other <- other
  times <- horizon * c(.5, .75, 1)
  risk <- 1 - exp(-outer(exp(lp), (times / (2 * horizon))^1.2))
  conc <- function(...) concordance(Surv(time, event) ~ lp, data = d, reverse = TRUE, ...)
  c1 <- conc(); c2 <- conc(timewt = "n/G2"); c3 <- conc(timewt = "n/G2", ymax = horizon - .5)
  both <- concordance(coxph(Surv(time, event) ~ lp, data = d),
                      coxph(Surv(time, event) ~ other, data = d))
  s <- suppressMessages(Score(list(m = risk), formula = Surv(time, event) ~ 1, data = d,
             times = times, metrics = c("auc", "brier"), summary = c("ipa"), se.fit = TRUE,
             cens.model = "km", null.model = TRUE, conservative = FALSE))
  a <- as.data.frame(s$AUC$score); b <- as.data.frame(s$Brier$score)
  b <- b[b$model == "m", ]
  r3 <- risk[, 3]
  cll <- log(-log(1 - r3))
  cut <- d; cut$event <- ifelse(cut$time <= horizon, cut$event, 0); cut$time <- pmin(cut$time, horizon)
  cut$cll <- cll
  slope <- coxph(Surv(time, event) ~ cll, data = cut, eps = 1e-14, iter.max = 50)
  smooth <- coxph(Surv(time, event) ~ cll + I(cll^2), data = cut, eps = 1e-14, iter.max = 50)
  at <- quantile(cll, c(.1, .5, .9), type = 7)
  curve <- summary(survfit(smooth, newdata = data.frame(cll = at)), times = horizon)$surv
  km <- summary(survfit(Surv(time, event) ~ 1, data = d), times = horizon)$surv
  hi <- r3 >= threshold
  kmh <- summary(survfit(Surv(time, event) ~ 1, data = d[hi, ]), times = horizon)$surv
  cox <- coxph(Surv(time, event) ~ other, data = d)
  list(lp = lp, other = other, horizon = horizon, times = times, threshold = threshold,
    harrell = unname(c1$concordance), harrell_variance = c1$var,
    uno = unname(c2$concordance), uno_tau = unname(c3$concordance), tau = horizon,
    pair = unname(both$concordance), pair_variance = both$var,
    auc = a$AUC, auc_se = a$se, brier = b$Brier, brier_se = b$se, ipa = b$IPA,
    oe = (1 - km) / mean(r3), slope = unname(coef(slope)), at = unname(at),
    curve = as.numeric(1 - curve),
    benefit = mean(hi) * (1 - kmh - kmh * threshold / (1 - threshold)),
    royston = unname(royston(cox)[1]), royston_of_lp = unname(royston(coxph(Surv(time, event) ~ lp, data = d))[1]))
}

g <- read.csv("examples/guide/data/gbsg2.csv"); g$event <- g$cens
v <- read.csv("examples/guide/data/veteran.csv"); v$event <- v$status
noise <- function(n) sin(12.9898 * seq_len(n)) # no ties
out <- list(
  gbsg2 = part(g, round(.05 * g$pnodes - .003 * pmin(g$progrec, 200) - .3 * (g$horTh == "yes"), 6),
               .04 * g$pnodes + .01 * g$tsize + .1 * noise(nrow(g)), 1500, .4),
  veteran = part(v, round(-.03 * (v$karnofsky - 60) + .2 * (v$celltype == "smallcell"), 6),
                 -.02 * v$karnofsky + .3 * noise(nrow(v)), 200, .5))
cat(toJSON(out, digits = NA, auto_unbox = TRUE, pretty = FALSE), "\n")
