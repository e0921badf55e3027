-- Retention finds old rows by the time in their id, so nothing reads these. Every request and every webhook wrote to them.
drop index request_log_age;
drop index request_log_gaps_age;
drop index webhook_attempts_age;
drop index webhook_messages_age;
