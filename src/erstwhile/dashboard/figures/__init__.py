"""Overview and Report: counts, plots, the queue, costs."""
