"""The methods, one module each. A method's own code ranks; `handful.selector` does the rest."""
