CREATE TABLE "leases" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"taken_at_ms" bigint DEFAULT 0 NOT NULL,
	"until_ms" bigint DEFAULT 0 NOT NULL,
	"address" text DEFAULT '' NOT NULL,
	"version" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "lease_epoch" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
INSERT INTO "leases" ("name", "holder", "epoch", "until_ms") SELECT 'chat:' || "twitch_id", "lease_holder", 1, "lease_until_ms" FROM "chat_accounts" WHERE "lease_holder" IS NOT NULL;--> statement-breakpoint
INSERT INTO "leases" ("name", "holder", "epoch", "until_ms") SELECT 'steam', min("lease_holder"), 1, max("lease_until_ms") FROM "bots" WHERE "lease_holder" IS NOT NULL HAVING count(*) > 0;--> statement-breakpoint
INSERT INTO "leases" ("name", "holder", "epoch", "until_ms") SELECT part.name, 'the version before', 1, held.until_ms FROM (SELECT 'twitch:0' AS name UNION ALL SELECT 'housekeeping' UNION ALL SELECT 'billing' UNION ALL SELECT 'mails') AS part CROSS JOIN (SELECT max("until_ms") AS until_ms FROM "leases") AS held WHERE held.until_ms IS NOT NULL;--> statement-breakpoint
UPDATE "bots" SET "lease_epoch" = 1 WHERE "lease_holder" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_accounts" DROP COLUMN "lease_holder";--> statement-breakpoint
ALTER TABLE "chat_accounts" DROP COLUMN "lease_until_ms";--> statement-breakpoint
ALTER TABLE "bots" DROP COLUMN "lease_holder";--> statement-breakpoint
ALTER TABLE "bots" DROP COLUMN "lease_until_ms";