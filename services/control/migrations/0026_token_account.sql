-- The service account that made a token: a bound counts those of them that have no owner.
ALTER TABLE tokens ADD COLUMN account_id uuid;
--> statement-breakpoint
CREATE INDEX tokens_account ON tokens (account_id) WHERE account_id IS NOT NULL;
