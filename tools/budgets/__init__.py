"""What people may use in a day and a run, and what they have used."""
