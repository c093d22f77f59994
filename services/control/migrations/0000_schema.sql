CREATE SEQUENCE "public"."versions" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "account_projects" (
	"account_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	CONSTRAINT "account_projects_account_id_project_id_pk" PRIMARY KEY("account_id","project_id")
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "accounts_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"actor_kind" text NOT NULL,
	"actor" text NOT NULL,
	"actor_id" text,
	"address" text,
	"request_id" text,
	"action" text NOT NULL,
	"subject_kind" text NOT NULL,
	"subject_id" text,
	"subject" text NOT NULL,
	"project" text,
	"before" jsonb,
	"after" jsonb
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"hash" text PRIMARY KEY NOT NULL,
	"request" text NOT NULL,
	"claim" text NOT NULL,
	"claimed_until" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"answer" text
);
--> statement-breakpoint
CREATE TABLE "logins" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"email" text,
	"admin" boolean DEFAULT false NOT NULL,
	"disabled" boolean DEFAULT false NOT NULL,
	"password" text,
	"issuer" text,
	"subject" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_sign_in_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"user_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"role" text NOT NULL,
	CONSTRAINT "memberships_user_id_project_id_pk" PRIMARY KEY("user_id","project_id")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_attempts" (
	"key" text PRIMARY KEY NOT NULL,
	"attempts" integer NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_days" (
	"start" timestamp with time zone NOT NULL,
	"key" "bytea" NOT NULL,
	"token_id" text NOT NULL,
	"project" text NOT NULL,
	"owner" text,
	"tags" jsonb,
	"model" text NOT NULL,
	"provider" text NOT NULL,
	"outcome" text NOT NULL,
	"charged" boolean NOT NULL,
	"attempts" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"unpriced" bigint NOT NULL,
	"timed" bigint NOT NULL,
	"ms" double precision NOT NULL,
	"begun" bigint NOT NULL,
	"first_ms" double precision NOT NULL,
	"input" double precision NOT NULL,
	"cached_input" double precision NOT NULL,
	"cache_write_5m" double precision NOT NULL,
	"cache_write_1h" double precision NOT NULL,
	"audio_input" double precision NOT NULL,
	"image_input" double precision NOT NULL,
	"output" double precision NOT NULL,
	"reasoning" double precision NOT NULL,
	"audio_output" double precision NOT NULL,
	"images" double precision NOT NULL,
	"seconds" double precision NOT NULL,
	"characters" double precision NOT NULL,
	"searches" double precision NOT NULL,
	"cost" double precision NOT NULL,
	CONSTRAINT "usage_days_start_key_pk" PRIMARY KEY("start","key")
);
--> statement-breakpoint
CREATE TABLE "usage_hours" (
	"start" timestamp with time zone NOT NULL,
	"key" "bytea" NOT NULL,
	"token_id" text NOT NULL,
	"project" text NOT NULL,
	"owner" text,
	"tags" jsonb,
	"model" text NOT NULL,
	"provider" text NOT NULL,
	"outcome" text NOT NULL,
	"charged" boolean NOT NULL,
	"attempts" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"unpriced" bigint NOT NULL,
	"timed" bigint NOT NULL,
	"ms" double precision NOT NULL,
	"begun" bigint NOT NULL,
	"first_ms" double precision NOT NULL,
	"input" double precision NOT NULL,
	"cached_input" double precision NOT NULL,
	"cache_write_5m" double precision NOT NULL,
	"cache_write_1h" double precision NOT NULL,
	"audio_input" double precision NOT NULL,
	"image_input" double precision NOT NULL,
	"output" double precision NOT NULL,
	"reasoning" double precision NOT NULL,
	"audio_output" double precision NOT NULL,
	"images" double precision NOT NULL,
	"seconds" double precision NOT NULL,
	"characters" double precision NOT NULL,
	"searches" double precision NOT NULL,
	"cost" double precision NOT NULL,
	CONSTRAINT "usage_hours_start_key_pk" PRIMARY KEY("start","key")
);
--> statement-breakpoint
CREATE TABLE "usage_key_hours" (
	"start" timestamp with time zone NOT NULL,
	"kind" text NOT NULL,
	"key" text,
	"outcome" text NOT NULL,
	"charged" boolean NOT NULL,
	"attempts" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"unpriced" bigint NOT NULL,
	"timed" bigint NOT NULL,
	"ms" double precision NOT NULL,
	"begun" bigint NOT NULL,
	"first_ms" double precision NOT NULL,
	"input" double precision NOT NULL,
	"cached_input" double precision NOT NULL,
	"cache_write_5m" double precision NOT NULL,
	"cache_write_1h" double precision NOT NULL,
	"audio_input" double precision NOT NULL,
	"image_input" double precision NOT NULL,
	"output" double precision NOT NULL,
	"reasoning" double precision NOT NULL,
	"audio_output" double precision NOT NULL,
	"images" double precision NOT NULL,
	"seconds" double precision NOT NULL,
	"characters" double precision NOT NULL,
	"searches" double precision NOT NULL,
	"cost" double precision NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_key_hours_until" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"until" timestamp with time zone NOT NULL,
	CONSTRAINT "usage_key_hours_until_one" CHECK ("usage_key_hours_until"."one")
);
--> statement-breakpoint
CREATE TABLE "api_models" (
	"name" text PRIMARY KEY NOT NULL,
	"data" jsonb NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"version" bigint DEFAULT nextval('versions') NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_providers" (
	"name" text PRIMARY KEY NOT NULL,
	"data" jsonb NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"version" bigint DEFAULT nextval('versions') NOT NULL
);
--> statement-breakpoint
CREATE TABLE "budget_notices" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"period" text NOT NULL,
	"period_start" timestamp with time zone NOT NULL,
	"amount" double precision NOT NULL,
	"threshold" double precision NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	CONSTRAINT "budget_notices_once" UNIQUE("kind","name","period","period_start","amount","threshold")
);
--> statement-breakpoint
CREATE TABLE "discovered_models" (
	"name" text PRIMARY KEY NOT NULL,
	"data" jsonb NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"version" bigint DEFAULT nextval('versions') NOT NULL
);
--> statement-breakpoint
CREATE TABLE "discoveries" (
	"provider" text PRIMARY KEY NOT NULL,
	"provider_version" bigint DEFAULT 0 NOT NULL,
	"names" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"refreshed_at" timestamp with time zone,
	"next_at" timestamp with time zone,
	"claimed_until" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "logged_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"request_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ms" integer NOT NULL,
	"format" text NOT NULL,
	"model" text NOT NULL,
	"token_id" text NOT NULL,
	"project" text NOT NULL,
	"owner" text,
	"status" integer NOT NULL,
	"outcome" text NOT NULL,
	"error" text,
	"request" text NOT NULL,
	"request_bytes" bigint NOT NULL,
	"request_cut" boolean NOT NULL,
	"response" text NOT NULL,
	"response_bytes" bigint NOT NULL,
	"response_cut" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "models" (
	"name" text PRIMARY KEY NOT NULL,
	"data" jsonb NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"version" bigint DEFAULT nextval('versions') NOT NULL
);
--> statement-breakpoint
CREATE TABLE "previous_secrets" (
	"hash" text PRIMARY KEY NOT NULL,
	"token_id" uuid NOT NULL,
	"valid_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "prices" (
	"version" text PRIMARY KEY NOT NULL,
	"price" jsonb,
	"first_used_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "project_settings" (
	"name" text PRIMARY KEY NOT NULL,
	"data" jsonb NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"version" bigint DEFAULT nextval('versions') NOT NULL
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settings" jsonb DEFAULT '{}' NOT NULL,
	"version" bigint DEFAULT 0 NOT NULL,
	"deleted_at" timestamp with time zone,
	CONSTRAINT "projects_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "providers" (
	"name" text PRIMARY KEY NOT NULL,
	"data" jsonb NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"version" bigint DEFAULT nextval('versions') NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refused_counts" (
	"start" timestamp with time zone NOT NULL,
	"process" text NOT NULL,
	"token_id" text NOT NULL,
	"project" text NOT NULL,
	"owner" text,
	"model" text NOT NULL,
	"status" integer NOT NULL,
	"reason" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "refused_counts_start_process_token_id_model_status_reason_pk" PRIMARY KEY("start","process","token_id","model","status","reason")
);
--> statement-breakpoint
CREATE TABLE "refused_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"request_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"endpoint" text NOT NULL,
	"token_id" text NOT NULL,
	"project" text NOT NULL,
	"owner" text,
	"model" text NOT NULL,
	"status" integer NOT NULL,
	"reason" text NOT NULL,
	"code" text,
	"param" text
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"owner_id" uuid,
	"account_id" uuid,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"disabled" boolean DEFAULT false NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"last_used_at" timestamp with time zone,
	"version" bigint DEFAULT nextval('versions') NOT NULL,
	CONSTRAINT "tokens_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "usage" (
	"id" uuid PRIMARY KEY NOT NULL,
	"request_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"ms" integer NOT NULL,
	"first_ms" integer,
	"operation" text NOT NULL,
	"format" text NOT NULL,
	"stream" boolean NOT NULL,
	"model" text NOT NULL,
	"fallback" text,
	"provider" text NOT NULL,
	"upstream_model" text NOT NULL,
	"token_id" text NOT NULL,
	"project" text NOT NULL,
	"owner" text,
	"tags" jsonb,
	"outcome" text NOT NULL,
	"error" text,
	"upstream_status" integer,
	"upstream_message" text,
	"final" boolean NOT NULL,
	"ended_by" text,
	"finish_reason" text,
	"charged" boolean NOT NULL,
	"known" boolean NOT NULL,
	"estimated" boolean NOT NULL,
	"by_caller" boolean NOT NULL,
	"input" bigint NOT NULL,
	"cached_input" bigint NOT NULL,
	"cache_write_5m" bigint NOT NULL,
	"cache_write_1h" bigint NOT NULL,
	"audio_input" bigint NOT NULL,
	"image_input" bigint NOT NULL,
	"output" bigint NOT NULL,
	"reasoning" bigint NOT NULL,
	"audio_output" bigint NOT NULL,
	"images" bigint NOT NULL,
	"seconds" double precision NOT NULL,
	"characters" bigint NOT NULL,
	"searches" bigint NOT NULL,
	"web_searches" bigint NOT NULL,
	"hosted_tools" text,
	"service_tier" text,
	"raw" jsonb,
	"cost" double precision,
	"price_version" text
);
--> statement-breakpoint
CREATE TABLE "usage_rejected" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"reason" text NOT NULL,
	"record" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "usage_rejected_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "user_settings" (
	"name" text PRIMARY KEY NOT NULL,
	"data" jsonb NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"version" bigint DEFAULT nextval('versions') NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settings" jsonb DEFAULT '{}' NOT NULL,
	"version" bigint DEFAULT 0 NOT NULL,
	"deleted_at" timestamp with time zone,
	CONSTRAINT "users_name_unique" UNIQUE("name")
);
--> statement-breakpoint
ALTER TABLE "account_projects" ADD CONSTRAINT "account_projects_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_projects" ADD CONSTRAINT "account_projects_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "logins" ADD CONSTRAINT "logins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "previous_secrets" ADD CONSTRAINT "previous_secrets_token_id_tokens_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."tokens"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_projects_project" ON "account_projects" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "accounts_newest" ON "accounts" USING btree ("created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE "accounts"."revoked_at" IS NULL;--> statement-breakpoint
CREATE INDEX "audit_at" ON "audit" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_actor" ON "audit" USING btree ("actor","id");--> statement-breakpoint
CREATE INDEX "audit_project" ON "audit" USING btree ("project","id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_end" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "logins_email" ON "logins" USING btree (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "logins_subject" ON "logins" USING btree ("issuer","subject");--> statement-breakpoint
CREATE INDEX "memberships_project" ON "memberships" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_end" ON "sessions" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_end" ON "sign_in_attempts" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "usage_days_token" ON "usage_days" USING btree ("token_id","start");--> statement-breakpoint
CREATE INDEX "usage_days_project" ON "usage_days" USING btree ("project","start");--> statement-breakpoint
CREATE INDEX "usage_days_owner" ON "usage_days" USING btree ("owner","start") WHERE "usage_days"."owner" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "usage_hours_token" ON "usage_hours" USING btree ("token_id","start");--> statement-breakpoint
CREATE INDEX "usage_hours_project" ON "usage_hours" USING btree ("project","start");--> statement-breakpoint
CREATE INDEX "usage_hours_owner" ON "usage_hours" USING btree ("owner","start") WHERE "usage_hours"."owner" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "usage_key_hours_start" ON "usage_key_hours" USING btree ("start","kind");--> statement-breakpoint
CREATE INDEX "budget_notices_due" ON "budget_notices" USING btree ("next_attempt_at") WHERE "budget_notices"."next_attempt_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "logged_requests_request" ON "logged_requests" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "logged_requests_project" ON "logged_requests" USING btree ("project","id");--> statement-breakpoint
CREATE INDEX "logged_requests_token" ON "logged_requests" USING btree ("token_id","id");--> statement-breakpoint
CREATE INDEX "logged_requests_expires" ON "logged_requests" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "previous_secrets_token" ON "previous_secrets" USING btree ("token_id");--> statement-breakpoint
CREATE INDEX "projects_by_name" ON "projects" USING btree ("name" COLLATE "C") WHERE "projects"."deleted_at" IS NULL;--> statement-breakpoint
CREATE INDEX "refused_requests_request" ON "refused_requests" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "refused_requests_token" ON "refused_requests" USING btree ("token_id","id");--> statement-breakpoint
CREATE INDEX "refused_requests_at" ON "refused_requests" USING btree ("at");--> statement-breakpoint
CREATE INDEX "tokens_live" ON "tokens" USING btree ("created_at" DESC NULLS FIRST,"version" DESC NULLS FIRST) WHERE "tokens"."revoked_at" IS NULL;--> statement-breakpoint
CREATE INDEX "tokens_newest" ON "tokens" USING btree ("created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE "tokens"."revoked_at" IS NULL;--> statement-breakpoint
CREATE INDEX "tokens_project_newest" ON "tokens" USING btree ("project_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE "tokens"."revoked_at" IS NULL;--> statement-breakpoint
CREATE INDEX "tokens_owner_newest" ON "tokens" USING btree ("owner_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE "tokens"."revoked_at" IS NULL;--> statement-breakpoint
CREATE INDEX "tokens_account" ON "tokens" USING btree ("account_id") WHERE "tokens"."account_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "usage_at" ON "usage" USING btree ("at");--> statement-breakpoint
CREATE INDEX "usage_token" ON "usage" USING btree ("token_id","at");--> statement-breakpoint
CREATE INDEX "usage_request" ON "usage" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "users_by_name" ON "users" USING btree ("name" COLLATE "C") WHERE "users"."deleted_at" IS NULL;