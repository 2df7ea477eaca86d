"""The papers that define errors of predicted numbers, by the keys that the metrics have."""

BIBLIOGRAPHY = {
    "Chicco et al. 2021": "D. Chicco, M. J. Warrens and G. Jurman, The coefficient of "
    "determination R-squared is more informative than SMAPE, MAE, MAPE, MSE and RMSE in "
    "regression analysis evaluation, PeerJ Computer Science 7, e623, 2021.",
    "Draper & Smith 1998": "N. R. Draper and H. Smith, Applied regression analysis, 3rd ed., "
    "Wiley, 1998.",
    "Hastie et al. 2009": "T. Hastie, R. Tibshirani and J. Friedman, The elements of "
    "statistical learning, 2nd ed., Springer, 2009.",
    "Hastie et al. 2015": "T. Hastie, R. Tibshirani and M. Wainwright, Statistical learning "
    "with sparsity, CRC Press, 2015, equation 3.11.",
    "Hyndman & Koehler 2006": "R. J. Hyndman and A. B. Koehler, Another look at measures of "
    "forecast accuracy, International Journal of Forecasting 22(4), 679-688, 2006.",
    "Jorgensen 1997": "B. Jorgensen, The theory of dispersion models, Chapman & Hall, 1997.",
    "Koenker & Machado 1999": "R. Koenker and J. A. F. Machado, Goodness of fit and related "
    "inference processes for quantile regression, Journal of the American Statistical "
    "Association 94(448), 1296-1310, 1999.",
    "Makridakis 1993": "S. Makridakis, Accuracy measures: theoretical and practical concerns, "
    "International Journal of Forecasting 9(4), 527-529, 1993.",
}
