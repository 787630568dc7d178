"""The pages of chat and of the actions inbox; thin edges over the services."""
