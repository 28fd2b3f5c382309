import { afterEach, beforeEach } from 'vitest';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { addBot, addStreamer, type Person } from './fixtures.ts';

// The setup of most domain tests. Read these inside a test or hook, because every test has its own.
export let db: TestDatabase;
export let botId: string;
export let streamer: Person;

/** Gives every test of the file its own database, with one ready bot and one streamer. */
export function setScene(): void {
  beforeEach(async () => {
    db = await openTestDatabase();
    botId = await addBot(db);
    streamer = await addStreamer(db);
  });
  afterEach(() => db.close());
}
