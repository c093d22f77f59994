-- Thresholds that the spending of a budget has reached: one row for each budget, period and threshold, so that each is told once.
CREATE TABLE budget_notices (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind text NOT NULL,
  name text NOT NULL,
  period text NOT NULL,
  period_start timestamptz NOT NULL,
  amount double precision NOT NULL,
  threshold double precision NOT NULL,
  -- The body of the webhook.
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  -- Null once it was delivered or given up, and without a webhook.
  next_attempt_at timestamptz,
  UNIQUE (kind, name, period, period_start, amount, threshold)
);
--> statement-breakpoint
CREATE INDEX budget_notices_due ON budget_notices (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
