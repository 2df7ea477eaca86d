"""The papers that define the metrics, by the keys that their declarations have."""

BIBLIOGRAPHY = {
    "Aickin 1990": "M. Aickin, Maximum likelihood estimation of agreement in the constant "
    "predictive probability model, and its relation to Cohen's kappa, Biometrics 46(2), 293-302, "
    "1990.",
    "Altman & Bland 1994": "D. G. Altman and J. M. Bland, Diagnostic tests 1: sensitivity and "
    "specificity, and 2: predictive values, BMJ 308, 1552 and 309, 102, 1994.",
    "Altman 1991": "D. G. Altman, Practical Statistics for Medical Research, Chapman & Hall, 1991.",
    "Austin & Steyerberg 2019": "P. C. Austin and E. W. Steyerberg, The integrated calibration "
    "index (ICI) and related metrics for quantifying the calibration of logistic regression "
    "models, Statistics in Medicine 38(21), 4051-4065, 2019.",
    "Baccianella et al. 2009": "S. Baccianella, A. Esuli and F. Sebastiani, Evaluation measures "
    "for ordinal regression, ISDA, 283-287, 2009.",
    "Bahnsen et al. 2015": "A. C. Bahnsen, D. Aouada and B. Ottersten, Example-dependent "
    "cost-sensitive decision trees, Expert Systems with Applications 42(19), 6609-6619, 2015.",
    "Balayla 2020": "J. Balayla, Prevalence threshold and the geometry of screening curves, PLoS "
    "ONE 15(10), e0240215, 2020.",
    "Barandela et al. 2003": "R. Barandela, J. S. Sanchez, V. Garcia and E. Rangel, Strategies for "
    "learning in class imbalance problems, Pattern Recognition 36(3), 849-851, 2003.",
    "Batuwita & Palade 2009": "R. Batuwita and V. Palade, A new performance measure for class "
    "imbalance learning: application to bioinformatics problems, ICMLA, 545-550, 2009.",
    "Bennett et al. 1954": "E. M. Bennett, R. Alpert and A. C. Goldstein, Communications through "
    "limited-response questioning, Public Opinion Quarterly 18(3), 303-308, 1954.",
    "Blakeley & Oddone 1995": "D. D. Blakeley, E. Z. Oddone, V. Hasselblad, D. L. Simel and D. B. "
    "Matchar, Noninvasive carotid artery testing: a meta-analytic review, Annals of Internal "
    "Medicine 122(5), 360-367, 1995.",
    "Blasiok & Nakkiran 2024": "J. Blasiok and P. Nakkiran, Smooth ECE: principled reliability "
    "diagrams via kernel smoothing, ICLR, 2024.",
    "Bossuyt et al. 2015": "P. M. Bossuyt et al., STARD 2015: an updated list of essential items "
    "for reporting diagnostic accuracy studies, BMJ 351, h5527, 2015.",
    "Braun-Blanquet 1932": "J. Braun-Blanquet, Plant Sociology: The Study of Plant Communities, "
    "McGraw-Hill, 1932.",
    "Bray & Curtis 1957": "J. R. Bray and J. T. Curtis, An ordination of the upland forest "
    "communities of southern Wisconsin, Ecological Monographs 27(4), 325-349, 1957.",
    "Brier 1950": "G. W. Brier, Verification of forecasts expressed in terms of probability, "
    "Monthly Weather Review 78(1), 1-3, 1950.",
    "Brin et al. 1997": "S. Brin, R. Motwani, J. D. Ullman and S. Tsur, Dynamic itemset counting "
    "and implication rules for market basket data, SIGMOD, 255-264, 1997.",
    "Brodersen et al. 2010": "K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann, The "
    "balanced accuracy and its posterior distribution, ICPR, 3121-3124, 2010.",
    "Byrt et al. 1993": "T. Byrt, J. Bishop and J. B. Carlin, Bias, prevalence and kappa, Journal "
    "of Clinical Epidemiology 46(5), 423-429, 1993.",
    "Calders & Jaroszewicz 2007": "T. Calders and S. Jaroszewicz, Efficient AUC optimization for "
    "classification, PKDD, LNCS 4702, 42-53, 2007.",
    "Chow 1970": "C. K. Chow, On optimum recognition error and reject tradeoff, IEEE Transactions "
    "on Information Theory 16(1), 41-46, 1970.",
    "Cohen 1960": "J. Cohen, A coefficient of agreement for nominal scales, Educational and "
    "Psychological Measurement 20(1), 37-46, 1960.",
    "Condessa et al. 2017": "F. Condessa, J. Bioucas-Dias and J. Kovacevic, Performance measures "
    "for classification systems with rejection, Pattern Recognition 63, 437-450, 2017.",
    "Cramer 1946": "H. Cramer, Mathematical Methods of Statistics, chapter 21, Princeton "
    "University Press, 1946.",
    "Davis & Goadrich 2006": "J. Davis and M. Goadrich, The relationship between precision-recall "
    "and ROC curves, ICML, 233-240, 2006.",
    "Debray et al. 2017": "T. P. A. Debray et al., A guide to systematic review and meta-analysis "
    "of prediction model performance, BMJ 356, i6460, 2017.",
    "Deeks & Altman 2004": "J. J. Deeks and D. G. Altman, Diagnostic tests 4: likelihood ratios, "
    "BMJ 329, 168-169, 2004.",
    "Crammer & Singer 2001": "K. Crammer and Y. Singer, On the algorithmic implementation of "
    "multiclass kernel-based vector machines, Journal of Machine Learning Research 2, 265-292, "
    "2001.",
    "Deng et al. 2009": "J. Deng, W. Dong, R. Socher, L.-J. Li, K. Li and L. Fei-Fei, ImageNet: a "
    "large-scale hierarchical image database, CVPR, 248-255, 2009.",
    "Dimitriadis et al. 2021": "T. Dimitriadis, T. Gneiting and A. I. Jordan, Stable reliability "
    "diagrams for probabilistic classifiers, PNAS 118(8), e2016191118, 2021.",
    "El-Yaniv & Wiener 2010": "R. El-Yaniv and Y. Wiener, On the foundations of noise-free "
    "selective classification, Journal of Machine Learning Research 11, 1605-1641, 2010.",
    "Elkan 2001": "C. Elkan, The foundations of cost-sensitive learning, IJCAI, 973-978, 2001.",
    "Epstein 1969": "E. S. Epstein, A scoring system for probability forecasts of ranked "
    "categories, Journal of Applied Meteorology 8(6), 985-987, 1969.",
    "Fawcett 2006": "T. Fawcett, An introduction to ROC analysis, Pattern Recognition Letters "
    "27(8), 861-874, 2006.",
    "Ferri et al. 2005": "C. Ferri, P. Flach, J. Hernandez-Orallo and A. Senad, Modifying ROC "
    "curves to incorporate predicted probabilities, ICML workshop on ROC analysis (ROCML), 2005.",
    "Flach & Kull 2015": "P. Flach and M. Kull, Precision-recall-gain curves: PR analysis done "
    "right, NeurIPS 28, 838-846, 2015.",
    "Flach & Wu 2005": "P. Flach and S. Wu, Repairing concavities in ROC curves, IJCAI, 702-707, "
    "2005.",
    "Fowlkes & Mallows 1983": "E. B. Fowlkes and C. L. Mallows, A method for comparing two "
    "hierarchical clusterings, JASA 78(383), 553-569, 1983.",
    "Garcia et al. 2009": "V. Garcia, R. A. Mollineda and J. S. Sanchez, Index of balanced "
    "accuracy: a performance measure for skewed class distributions, IbPRIA, LNCS 5524, 441-448, "
    "2009.",
    "Geifman et al. 2019": "Y. Geifman, G. Uziel and R. El-Yaniv, Bias-reduced uncertainty "
    "estimation for deep neural classifiers, ICLR, 2019.",
    "Gilbert 1884": "G. K. Gilbert, Finley's tornado predictions, American Meteorological Journal "
    "1, 166-172, 1884.",
    "Glas et al. 2003": "A. S. Glas et al., The diagnostic odds ratio: a single indicator of test "
    "performance, Journal of Clinical Epidemiology 56(11), 1129-1135, 2003.",
    "Gneiting & Raftery 2007": "T. Gneiting and A. E. Raftery, Strictly proper scoring rules, "
    "prediction, and estimation, JASA 102(477), 359-378, 2007.",
    "Good 1952": "I. J. Good, Rational decisions, Journal of the Royal Statistical Society B "
    "14(1), 107-114, 1952.",
    "Goodman & Kruskal 1954": "L. A. Goodman and W. H. Kruskal, Measures of association for cross "
    "classifications, JASA 49(268), 732-764, 1954.",
    "Gorodkin 2004": "J. Gorodkin, Comparing two K-category assignments by a K-category "
    "correlation coefficient, Computational Biology and Chemistry 28, 367-374, 2004.",
    "Gwet 2008": "K. L. Gwet, Computing inter-rater reliability and its variance in the presence "
    "of high agreement, British Journal of Mathematical and Statistical Psychology 61(1), 29-48, "
    "2008.",
    "Green & Swets 1966": "D. M. Green and J. A. Swets, Signal Detection Theory and Psychophysics, "
    "Wiley, 1966.",
    "Hamming 1950": "R. W. Hamming, Error detecting and error correcting codes, Bell System "
    "Technical Journal 29(2), 147-160, 1950.",
    "Hand & Anagnostopoulos 2014": "D. J. Hand, Measuring classifier performance: a coherent "
    "alternative to the area under the ROC curve, Machine Learning 77, 103-123, 2009; D. J. Hand "
    "and C. Anagnostopoulos, A better Beta for the H measure of classification performance, "
    "Pattern Recognition Letters 40, 41-46, 2014.",
    "Hand & Till 2001": "D. J. Hand and R. J. Till, A simple generalisation of the area under the "
    "ROC curve for multiple class classification problems, Machine Learning 45, 171-186, 2001.",
    "Hanley & McNeil 1982": "J. A. Hanley and B. J. McNeil, The meaning and use of the area under "
    "a receiver operating characteristic (ROC) curve, Radiology 143(1), 29-36, 1982.",
    "Hubert & Arabie 1985": "L. Hubert and P. Arabie, Comparing partitions, Journal of "
    "Classification 2(1), 193-218, 1985.",
    "Huang & Ling 2005": "J. Huang and C. X. Ling, Dynamic ensemble re-construction for better "
    "ranking, PKDD, LNCS 3721, 511-518, 2005.",
    "Kleiman & Page 2019": "R. Kleiman and D. Page, AUC-mu: a performance metric for multi-class "
    "classification models, ICML, 3439-3447, 2019.",
    "Church & Hanks 1990": "K. W. Church and P. Hanks, Word association norms, mutual information, "
    "and lexicography, Computational Linguistics 16(1), 22-29, 1990.",
    "Kononenko & Bratko 1991": "I. Kononenko and I. Bratko, Information-based evaluation criterion "
    "for classifier's performance, Machine Learning 6, 67-80, 1991.",
    "Krippendorff 2004": "K. Krippendorff, Content Analysis: An Introduction to Its Methodology, "
    "2nd edition, chapter 11, Sage, 2004.",
    "Kubat & Matwin 1997": "M. Kubat and S. Matwin, Addressing the curse of imbalanced training "
    "sets: one-sided selection, ICML, 179-186, 1997.",
    "Kuhn 2008": "M. Kuhn, Building predictive models in R using the caret package, Journal of "
    "Statistical Software 28(5), 1-26, 2008.",
    "Kulczynski 1927": "S. Kulczynski, Die Pflanzenassoziationen der Pieninen, Bulletin "
    "International de l'Academie Polonaise des Sciences et des Lettres B, Supplement II, 57-203, "
    "1927.",
    "Kullback & Leibler 1951": "S. Kullback and R. A. Leibler, On information and sufficiency, "
    "Annals of Mathematical Statistics 22(1), 79-86, 1951.",
    "Kumar et al. 2019": "A. Kumar, P. Liang and T. Ma, Verified uncertainty calibration, NeurIPS "
    "32, 3792-3803, 2019.",
    "Labatut & Cherifi 2011": "V. Labatut and H. Cherifi, Evaluation of performance measures for "
    "classifiers comparison, Ubiquitous Computing and Communication Journal 6, 21-34, 2011.",
    "Majnik 2011": "M. Majnik, thesis on ROC analysis, University of Ljubljana, 2011; see also M. "
    "Majnik and Z. Bosnic, ROC analysis of classifiers in machine learning: a survey, Intelligent "
    "Data Analysis 17(3), 531-558, 2013.",
    "Levin 1953": "M. L. Levin, The occurrence of lung cancer in man, Acta Unio Internationalis "
    "Contra Cancrum 9, 531-541, 1953.",
    "Manning et al. 2008": "C. D. Manning, P. Raghavan and H. Schuetze, Introduction to "
    "Information Retrieval, chapter 8, Cambridge University Press, 2008.",
    "Maratea et al. 2014": "A. Maratea, A. Petrosino and M. Manzo, Adjusted F-measure and kernel "
    "scaling for imbalanced data learning, Information Sciences 257, 331-341, 2014.",
    "Matthews 1975": "B. W. Matthews, Comparison of the predicted and observed secondary structure "
    "of T4 phage lysozyme, Biochimica et Biophysica Acta 405(2), 442-451, 1975.",
    "McClish 1989": "D. K. McClish, Analyzing a portion of the ROC curve, Medical Decision Making "
    "9(3), 190-195, 1989.",
    "Munoz & Bangdiwala 1997": "S. R. Munoz and S. I. Bangdiwala, Interpretation of kappa and B "
    "statistics measures of agreement, Journal of Applied Statistics 24(1), 105-112, 1997.",
    "Nagelkerke 1991": "N. J. D. Nagelkerke, A note on a general definition of the coefficient of "
    "determination, Biometrika 78(3), 691-692, 1991.",
    "Perkins & Schisterman 2006": "N. J. Perkins and E. F. Schisterman, The inconsistency of "
    "optimal cutpoints obtained using two criteria based on the receiver operating characteristic "
    "curve, American Journal of Epidemiology 163(7), 670-675, 2006.",
    "Powers 2011": "D. M. W. Powers, Evaluation: from precision, recall and F-measure to ROC, "
    "informedness, markedness and correlation, Journal of Machine Learning Technologies 2(1), "
    "37-63, 2011.",
    "Ranawana & Palade 2006": "R. Ranawana and V. Palade, Optimized precision: a new measure for "
    "classifier performance evaluation, IEEE Congress on Evolutionary Computation, 2254-2261, "
    "2006.",
    "Scott 1955": "W. A. Scott, Reliability of content analysis: the case of nominal scale coding, "
    "Public Opinion Quarterly 19(3), 321-325, 1955.",
    "Shannon 1948": "C. E. Shannon, A mathematical theory of communication, Bell System Technical "
    "Journal 27(3), 379-423, 1948.",
    "Simpson 1943": "G. G. Simpson, Mammals and the nature of continents, American Journal of "
    "Science 241(1), 1-31, 1943.",
    "Sitarz 2022": "M. Sitarz, Extending F1 metric, probabilistic approach, arXiv:2210.11997, "
    "2022.",
    "Saito & Rehmsmeier 2015": "T. Saito and M. Rehmsmeier, The precision-recall plot is more "
    "informative than the ROC plot when evaluating binary classifiers on imbalanced datasets, PLoS "
    "ONE 10(3), e0118432, 2015.",
    "Sokolova & Lapalme 2009": "M. Sokolova and G. Lapalme, A systematic analysis of performance "
    "measures for classification tasks, Information Processing & Management 45(4), 427-437, 2009.",
    "Theil 1970": "H. Theil, On the estimation of relationships involving qualitative variables, "
    "American Journal of Sociology 76(1), 103-154, 1970.",
    "Truchon & Bayly 2007": "J.-F. Truchon and C. I. Bayly, Evaluating virtual screening methods: "
    "good and bad metrics for the early recognition problem, Journal of Chemical Information and "
    "Modeling 47(2), 488-508, 2007.",
    "Tversky 1977": "A. Tversky, Features of similarity, Psychological Review 84(4), 327-352, "
    "1977.",
    "Van Calster et al. 2019": "B. Van Calster et al., Calibration: the Achilles heel of "
    "predictive analytics, BMC Medicine 17, 230, 2019.",
    "Van Hoorde et al. 2015": "K. Van Hoorde et al., A spline-based tool to assess and visualize "
    "the calibration of multiclass risk predictions, Journal of Biomedical Informatics 54, "
    "283-293, 2015.",
    "van Rijsbergen 1979": "C. J. van Rijsbergen, Information Retrieval, 2nd edition, chapter 7, "
    "Butterworths, 1979.",
    "Van Calster et al. 2025": "B. Van Calster et al., Evaluation of performance measures in "
    "predictive artificial intelligence models to support medical decisions: overview and "
    "guidance, Lancet Digital Health 7(12), 100916, 2025.",
    "Vanderlooy & Huellermeier 2008": "S. Vanderlooy and E. Huellermeier, A critical analysis of "
    "variants of the AUC, Machine Learning 72(3), 247-262, 2008.",
    "Vickers & Elkin 2006": "A. J. Vickers and E. B. Elkin, Decision curve analysis: a novel "
    "method for evaluating prediction models, Medical Decision Making 26(6), 565-574, 2006.",
    "Wei et al. 2010": "J.-M. Wei, X.-J. Yuan, Q.-H. Hu and S.-Q. Wang, A novel measure for "
    "evaluating classifiers, Expert Systems with Applications 37(5), 3799-3809, 2010; R. Delgado "
    "and J. D. Nunez-Gonzalez, Enhancing confusion entropy (CEN) for binary and multiclass "
    "classification, PLoS ONE 14(1), e0210264, 2019.",
    "Wu & Flach 2005": "S. Wu and P. Flach, A scored AUC metric for classifier evaluation and "
    "selection, ICML workshop on ROC analysis (ROCML), 2005.",
    "Yang et al. 2019": "H. Yang, K. Lu, X. Lyu and F. Hu, Two-way partial AUC and its properties, "
    "Statistical Methods in Medical Research 28(1), 184-195, 2019.",
    "Youden 1950": "W. J. Youden, Index for rating diagnostic tests, Cancer 3(1), 32-35, 1950.",
    "Yule 1912": "G. U. Yule, On the methods of measuring association between two attributes, "
    "Journal of the Royal Statistical Society 75(6), 579-652, 1912.",
}
