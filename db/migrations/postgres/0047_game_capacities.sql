CREATE TABLE "bot_capacities" (
	"bot_id" text NOT NULL,
	"app_id" bigint NOT NULL,
	"capacity" bigint NOT NULL,
	CONSTRAINT "bot_capacities_bot_id_app_id_pk" PRIMARY KEY("bot_id","app_id")
);
--> statement-breakpoint
DROP INDEX "items_bot";--> statement-breakpoint
ALTER TABLE "bot_capacities" ADD CONSTRAINT "bot_capacities_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "items_bot" ON "items" USING btree ("bot_id","state","app_id");