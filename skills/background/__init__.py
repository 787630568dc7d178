"""Background skills: making and cancelling their jobs, and what judges and runs each of them."""
