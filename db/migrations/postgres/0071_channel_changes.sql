CREATE TABLE "channel_changes" (
	"ending" text PRIMARY KEY NOT NULL,
	"changes" bigint NOT NULL
);
--> statement-breakpoint
CREATE FUNCTION count_channel_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed text := to_jsonb(coalesce(NEW, OLD)) ->> TG_ARGV[0];
BEGIN
  IF TG_TABLE_NAME <> 'twitch_accounts' OR EXISTS (SELECT FROM rules WHERE channel_id = changed) THEN
    -- Runs as the transaction commits. One lock for all endings: two transactions that change several would wait for each other.
    PERFORM pg_advisory_xact_lock(hashtextextended('channel_changes', 0));
    INSERT INTO channel_changes AS counted (ending, changes) VALUES (right(changed, 2), 1)
    ON CONFLICT (ending) DO UPDATE SET changes = counted.changes + 1;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER channels_counted_insert AFTER INSERT ON channels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.live) EXECUTE FUNCTION count_channel_change('id');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER channels_counted_delete AFTER DELETE ON channels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.live) EXECUTE FUNCTION count_channel_change('id');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER channels_counted_update AFTER UPDATE OF login, live, stream_id, went_offline_at_ms, chat_fault ON channels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((NEW.login, NEW.live, NEW.stream_id, NEW.went_offline_at_ms, NEW.chat_fault) IS DISTINCT FROM (OLD.login, OLD.live, OLD.stream_id, OLD.went_offline_at_ms, OLD.chat_fault)) EXECUTE FUNCTION count_channel_change('id');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER rules_counted AFTER INSERT OR DELETE ON rules DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_channel_change('channel_id');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER rules_counted_update AFTER UPDATE OF state, follow_days, watch_minutes, attended_streams, subscriber_tier, points_cost ON rules DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((NEW.state, NEW.follow_days, NEW.watch_minutes, NEW.attended_streams, NEW.subscriber_tier, NEW.points_cost) IS DISTINCT FROM (OLD.state, OLD.follow_days, OLD.watch_minutes, OLD.attended_streams, OLD.subscriber_tier, OLD.points_cost)) EXECUTE FUNCTION count_channel_change('channel_id');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER raffles_counted AFTER INSERT OR DELETE ON raffles DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_channel_change('channel_id');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER raffles_counted_update AFTER UPDATE OF state ON raffles DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.state IS DISTINCT FROM OLD.state) EXECUTE FUNCTION count_channel_change('channel_id');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER twitch_accounts_counted AFTER INSERT OR DELETE ON twitch_accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_channel_change('twitch_id');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER twitch_accounts_counted_update AFTER UPDATE OF state, missing_since_ms, scopes ON twitch_accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((NEW.state, NEW.missing_since_ms, NEW.scopes) IS DISTINCT FROM (OLD.state, OLD.missing_since_ms, OLD.scopes)) EXECUTE FUNCTION count_channel_change('twitch_id');
