CREATE TABLE "self_tests" (
	"bot_id" text NOT NULL,
	"endpoint" text NOT NULL,
	"app_id" bigint NOT NULL,
	"offers" text NOT NULL,
	"difference" text,
	"offer_id" text NOT NULL,
	"tested_at_ms" bigint NOT NULL,
	"differs_since_ms" bigint,
	CONSTRAINT "self_tests_bot_id_endpoint_app_id_offers_pk" PRIMARY KEY("bot_id","endpoint","app_id","offers"),
	CONSTRAINT "self_tests_endpoint" CHECK ("self_tests"."endpoint" in ('list', 'offer', 'page', 'history', 'inventory')),
	CONSTRAINT "self_tests_offers" CHECK ("self_tests"."offers" in ('open', 'accepted')),
	CONSTRAINT "self_tests_difference" CHECK ("self_tests"."difference" in ('absent', 'state', 'contents'))
);
--> statement-breakpoint
ALTER TABLE "self_tests" ADD CONSTRAINT "self_tests_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE no action ON UPDATE no action;