"""The page of skills: what there is, what it may do, reminders, and how it was used."""
