from config.base.models.idempotency import IdempotencyRecord
from config.base.models.lease import Leased, NamedLease
from config.base.models.project import Membership, Project, Role
from config.base.models.rate import RateCount
from config.base.models.token import ApiToken, Scope
from config.base.models.user import User

__all__ = [
    "ApiToken",
    "IdempotencyRecord",
    "Leased",
    "Membership",
    "NamedLease",
    "Project",
    "RateCount",
    "Role",
    "Scope",
    "User",
]
