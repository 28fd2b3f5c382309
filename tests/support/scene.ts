import { afterEach, beforeEach } from 'vitest';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { addBot, addStreamer, type Person } from './fixtures.ts';

// The setup of most domain tests. Read these inside a test or hook, because every test has its own.
export let database: TestDatabase;
export let botId: string;
export let streamer: Person;

/** Gives every test of the file its own database, with one ready bot and one streamer. */
export function setScene(): void {
  beforeEach(async () => {
    database = await openTestDatabase();
    botId = await addBot(database);
    streamer = await addStreamer(database);
  });
  afterEach(() => database.close());
}
