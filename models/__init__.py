"""The tensor core of LAnE: Composer, Solver, Memory and the derivation loop."""
