"""Forms made from pydantic models, so that a new tool type has its form without a line of code."""
