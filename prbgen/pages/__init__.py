"""What all pages that prbgen writes have in common: one file each, no network, safe with any text, light and dark."""
