# Optimism-corrected scores by rms::validate, with the rows of every resample.
# Rscript tests/data/optimism_values.R > tests/data/optimism_values.json
suppressMessages(library(rms))
n <- 150; B <- 40
set.seed(7)
X <- round(matrix(rnorm(n * 4), n), 3)
y <- as.integer(runif(n) < plogis(X[, 1] - 0.7 * X[, 2] - 0.5))
fit <- lrm(y ~ X, x = TRUE, y = TRUE, tol = 1e-14, eps = 1e-12, maxit = 100)
set.seed(11)
v <- validate(fit, B = B, tol = 1e-14, eps = 1e-12, maxit = 100)
set.seed(11)  # validate draws by sample(n, replace = TRUE), once a resample
draws <- t(sapply(1:B, function(i) sample(n, replace = TRUE) - 1))
row <- function(name) paste(format(v[name, 1:5], digits = 15), collapse = ", ")
m <- function(x) paste0("[", paste(apply(x, 1, function(r) paste0("[", paste(r, collapse = ", "), "]")), collapse = ",\n"), "]")
cat("{\"rms\": \"", as.character(packageVersion("rms")), "\",\n", sep = "")
cat("\"columns\": [\"apparent\", \"training\", \"test\", \"optimism\", \"corrected\"],\n")
for (name in c("Dxy", "R2", "Intercept", "Slope", "B"))
  cat("\"", name, "\": [", row(name), "],\n", sep = "")
cat("\"y\": [", paste(y, collapse = ", "), "],\n\"X\": ", m(X), ",\n\"draws\": ", m(draws), "}\n", sep = "")
