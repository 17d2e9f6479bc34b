"""What is fuzzed, one small module each; they need no atheris, so that tests can use them."""
