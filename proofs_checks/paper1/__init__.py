"""Checks of paper 1, "the buffering recipe": one module for each group of headings."""
