CREATE TABLE "open_streams" (
	"key" text NOT NULL,
	"process" text NOT NULL,
	"streams" bigint NOT NULL,
	"until_ms" bigint NOT NULL,
	CONSTRAINT "open_streams_key_process_pk" PRIMARY KEY("key","process")
);
--> statement-breakpoint
CREATE TABLE "sharers" (
	"holder" text PRIMARY KEY NOT NULL,
	"until_ms" bigint NOT NULL,
	"address" text NOT NULL,
	"version" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "open_streams_end" ON "open_streams" USING btree ("until_ms");