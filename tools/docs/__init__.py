"""What a tool type is, from its code: for the console and `manage.py describe_tools`."""
