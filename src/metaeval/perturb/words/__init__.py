"""What perturbations know of words: tokens, word lists from the data, language tables, thesauri."""
