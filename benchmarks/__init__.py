"""Speed and memory against scikit-learn, the naive form and named peers."""
