CREATE TABLE `channel_changes` (
	`ending` text PRIMARY KEY NOT NULL,
	`changes` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TRIGGER `channels_counted_insert` AFTER INSERT ON `channels` WHEN NEW.`live` BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(NEW.`id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `channels_counted_delete` AFTER DELETE ON `channels` WHEN OLD.`live` BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(OLD.`id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `channels_counted_update` AFTER UPDATE OF `login`, `live`, `stream_id`, `went_offline_at_ms`, `chat_fault` ON `channels` WHEN NEW.`login` IS NOT OLD.`login` OR NEW.`live` IS NOT OLD.`live` OR NEW.`stream_id` IS NOT OLD.`stream_id` OR NEW.`went_offline_at_ms` IS NOT OLD.`went_offline_at_ms` OR NEW.`chat_fault` IS NOT OLD.`chat_fault` BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(NEW.`id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `rules_counted_insert` AFTER INSERT ON `rules` BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(NEW.`channel_id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `rules_counted_delete` AFTER DELETE ON `rules` BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(OLD.`channel_id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `rules_counted_update` AFTER UPDATE OF `state`, `follow_days`, `watch_minutes`, `attended_streams`, `subscriber_tier`, `points_cost` ON `rules` WHEN NEW.`state` IS NOT OLD.`state` OR NEW.`follow_days` IS NOT OLD.`follow_days` OR NEW.`watch_minutes` IS NOT OLD.`watch_minutes` OR NEW.`attended_streams` IS NOT OLD.`attended_streams` OR NEW.`subscriber_tier` IS NOT OLD.`subscriber_tier` OR NEW.`points_cost` IS NOT OLD.`points_cost` BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(NEW.`channel_id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `raffles_counted_insert` AFTER INSERT ON `raffles` BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(NEW.`channel_id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `raffles_counted_delete` AFTER DELETE ON `raffles` BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(OLD.`channel_id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `raffles_counted_update` AFTER UPDATE OF `state` ON `raffles` WHEN NEW.`state` IS NOT OLD.`state` BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(NEW.`channel_id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `twitch_accounts_counted_insert` AFTER INSERT ON `twitch_accounts` WHEN EXISTS (SELECT 1 FROM `rules` WHERE `channel_id` = NEW.`twitch_id`) BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(NEW.`twitch_id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `twitch_accounts_counted_delete` AFTER DELETE ON `twitch_accounts` WHEN EXISTS (SELECT 1 FROM `rules` WHERE `channel_id` = OLD.`twitch_id`) BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(OLD.`twitch_id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `twitch_accounts_counted_update` AFTER UPDATE OF `state`, `missing_since_ms`, `scopes` ON `twitch_accounts` WHEN NEW.`state` IS NOT OLD.`state` OR NEW.`missing_since_ms` IS NOT OLD.`missing_since_ms` OR NEW.`scopes` IS NOT OLD.`scopes` BEGIN INSERT INTO `channel_changes` (`ending`, `changes`) VALUES (substr(NEW.`twitch_id`, -2), 1) ON CONFLICT (`ending`) DO UPDATE SET `changes` = `changes` + 1; END;
