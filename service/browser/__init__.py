"""Modules and style sheets that browsers load, for the console, for widgets, or shared."""
