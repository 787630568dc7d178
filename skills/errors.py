from config.base.errors import Bug


class AppendOnly(Bug):
    """Audit events and seals are never changed or deleted."""

    code = "append_only"


class MetadataRefused(Bug):
    """An audit event's metadata must be small JSON without content."""

    code = "audit_metadata_refused"
