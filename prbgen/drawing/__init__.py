"""Plots: by matplotlib with one look, or written as SVG, with names beside their points."""
