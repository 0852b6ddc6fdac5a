"""The assistant's tools: functions with a schema, run with the caller's own rights."""
