"""Generated languages, random and practical, to train on what the recipe was not tuned for."""
