"""The transformer encoder: the architecture and the recipe of Perrella et al. (2024, appendix B).

``recipe`` says how to train, ``network`` is the model, ``training`` the loop with checkpoints, ``storage``
the files. Everything needs the extra ``neural``, which is imported where it is used.
"""
