-- What an attempt is billed for beside tokens: the tools that the provider ran, the searches of the web by them, and the service tier.
ALTER TABLE usage ADD COLUMN hosted_tools text, ADD COLUMN service_tier text, ADD COLUMN web_searches bigint NOT NULL DEFAULT 0;
