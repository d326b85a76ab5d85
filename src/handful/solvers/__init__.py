"""What several methods share: sums and solutions, no rankings."""
