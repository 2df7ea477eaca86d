"""The papers that define the metrics, by the keys that their declarations have."""

BIBLIOGRAPHY = {
    "Graf et al. 1999": "E. Graf, C. Schmoor, W. Sauerbrei and M. Schumacher, Assessment and "
    "comparison of prognostic classification schemes for survival data, Statistics in Medicine "
    "18(17-18), 2529-2545, 1999.",
    "Harrell et al. 1996": "F. E. Harrell, K. L. Lee and D. B. Mark, Multivariable prognostic "
    "models, Statistics in Medicine 15(4), 361-387, 1996.",
    "Hung & Chiang 2010": "H. Hung and C.-T. Chiang, Estimation methods for time-dependent AUC "
    "models with survival data, Canadian Journal of Statistics 38(1), 8-26, 2010.",
    "Lambert & Chevret 2016": "J. Lambert and S. Chevret, Summary measure of discrimination in "
    "survival models based on cumulative/dynamic time-dependent ROC curves, Statistical Methods in "
    "Medical Research 25(5), 2088-2102, 2016.",
    "McLernon et al. 2023": "D. J. McLernon, D. Giardiello, B. Van Calster et al., Assessing "
    "performance and clinical usefulness in prediction models with survival outcomes, Annals of "
    "Internal Medicine 176(1), 105-114, 2023.",
    "Royston & Sauerbrei 2004": "P. Royston and W. Sauerbrei, A new measure of prognostic "
    "separation in survival data, Statistics in Medicine 23(5), 723-748, 2004.",
    "Uno et al. 2011": "H. Uno, T. Cai, M. J. Pencina, R. B. D'Agostino and L. J. Wei, On the "
    "C-statistics for evaluating overall adequacy of risk prediction procedures with censored "
    "survival data, Statistics in Medicine 30(10), 1105-1117, 2011.",
    "Vickers et al. 2008": "A. J. Vickers, A. M. Cronin, E. B. Elkin and M. Gonen, Extensions to "
    "decision curve analysis, BMC Medical Informatics and Decision Making 8, 53, 2008.",
}
