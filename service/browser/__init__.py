"""Modules and style sheets that browsers load: shared ones, the console's, the widgets'."""
