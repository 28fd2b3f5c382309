CREATE TABLE "billing_switch" (
	"id" text PRIMARY KEY NOT NULL,
	"sells_plans" boolean NOT NULL,
	"changed_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "checkouts" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"product" text NOT NULL,
	"tier" text NOT NULL,
	"period" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"session_id" text,
	"trial_twitch_id" text,
	"created_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	CONSTRAINT "checkouts_state" CHECK ("checkouts"."state" in ('open', 'completed', 'expired'))
);
--> statement-breakpoint
CREATE TABLE "stripe_customers" (
	"user_id" text PRIMARY KEY NOT NULL,
	"customer_id" text,
	"fetches_begun" bigint DEFAULT 0 NOT NULL,
	"fetch_stored" bigint DEFAULT 0 NOT NULL,
	"fetched_at_ms" bigint DEFAULT 0 NOT NULL,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stripe_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"customer_id" text,
	"object_id" text,
	"received_at_ms" bigint NOT NULL,
	"handled_at_ms" bigint,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"retry_at_ms" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"product" text NOT NULL,
	"tier" text NOT NULL,
	"period" text NOT NULL,
	"state" text NOT NULL,
	"anchor_ms" bigint NOT NULL,
	"period_start_ms" bigint NOT NULL,
	"period_end_ms" bigint NOT NULL,
	"trial_until_ms" bigint,
	"grace_until_ms" bigint,
	"ends_at_ms" bigint,
	"next_tier" text,
	"next_period" text,
	"next_at_ms" bigint,
	"problem" text,
	"created_at_ms" bigint NOT NULL,
	CONSTRAINT "subscriptions_product" CHECK ("subscriptions"."product" in ('streamer', 'viewer')),
	CONSTRAINT "subscriptions_tier" CHECK ("subscriptions"."tier" in ('basic', 'expert', 'pro')),
	CONSTRAINT "subscriptions_period" CHECK ("subscriptions"."period" in ('month', 'year')),
	CONSTRAINT "subscriptions_state" CHECK ("subscriptions"."state" in ('trialing', 'active', 'grace', 'ending', 'ended'))
);
--> statement-breakpoint
CREATE TABLE "trials" (
	"twitch_id" text NOT NULL,
	"product" text NOT NULL,
	"checkout_id" text NOT NULL,
	"subscription_id" text,
	"taken_at_ms" bigint NOT NULL,
	CONSTRAINT "trials_twitch_id_product_pk" PRIMARY KEY("twitch_id","product"),
	CONSTRAINT "trials_product" CHECK ("trials"."product" in ('streamer', 'viewer'))
);
--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stripe_customers" ADD CONSTRAINT "stripe_customers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_open" ON "checkouts" USING btree ("user_id","product") WHERE state = 'open';--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_session" ON "checkouts" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "checkouts_due" ON "checkouts" USING btree ("expires_at_ms") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "checkouts_created" ON "checkouts" USING btree ("created_at_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "stripe_customers_customer" ON "stripe_customers" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "stripe_customers_fetched" ON "stripe_customers" USING btree ("fetched_at_ms","user_id") WHERE customer_id is not null;--> statement-breakpoint
CREATE INDEX "stripe_events_due" ON "stripe_events" USING btree ("retry_at_ms","id") WHERE handled_at_ms is null;--> statement-breakpoint
CREATE INDEX "stripe_events_received" ON "stripe_events" USING btree ("received_at_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_live" ON "subscriptions" USING btree ("user_id","product") WHERE state in ('trialing', 'active', 'grace', 'ending');--> statement-breakpoint
CREATE INDEX "subscriptions_user" ON "subscriptions" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "subscriptions_grace" ON "subscriptions" USING btree ("grace_until_ms") WHERE state = 'grace';--> statement-breakpoint
CREATE INDEX "subscriptions_listed" ON "subscriptions" USING btree ("id") WHERE state in ('trialing', 'active', 'grace', 'ending');--> statement-breakpoint
CREATE INDEX "trials_checkout" ON "trials" USING btree ("checkout_id");