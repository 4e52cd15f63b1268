"""Plots, diagrams and crosstables."""
