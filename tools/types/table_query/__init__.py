"""Filter, sort, group and count given rows: what a model miscounts when it reads them."""
