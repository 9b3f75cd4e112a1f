"""What is drawn and said of a reachability map: counts, words, histograms and figures, for plot, report and view."""
