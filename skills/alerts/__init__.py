"""Rules over denials: who is refused too often is told about, in the audit and by a webhook."""
