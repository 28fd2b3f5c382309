ALTER TABLE "channels" ADD COLUMN "looked_people" bigint;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "looked_bots" bigint;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "viewers" bigint;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "viewers_read_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "chat_fault_since_ms" bigint;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "chat_fault_mailed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "chat_commands" jsonb DEFAULT '{}'::jsonb NOT NULL;