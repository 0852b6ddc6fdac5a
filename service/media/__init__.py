"""Media that endpoints make and no vendor keeps: images, sound, video, files."""
