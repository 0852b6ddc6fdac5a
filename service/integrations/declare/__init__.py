"""The words in which vendors and endpoints are declared."""
