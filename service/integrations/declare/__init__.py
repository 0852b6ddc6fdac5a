"""The classes with which vendors and endpoints are declared."""
