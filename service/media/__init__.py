"""Media that endpoints make and that no vendor stores: images, sound, video, files."""
