"""The tool type `fetch`: HTTP GET and POST of a page or an API."""
