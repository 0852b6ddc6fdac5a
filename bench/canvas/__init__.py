"""The scenario `canvas`: a large canvas of widgets in a browser."""
