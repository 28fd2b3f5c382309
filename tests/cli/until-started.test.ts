import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { untilStarted } from '../../cli/prepare-store.ts';

/** PostgreSQL's own refusal while it starts, as it travels. */
const startingUp = () => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
};

/** A server that answers each connection with the next of these. */
async function serve(...answers: ((socket: Socket) => void)[]) {
  let connections = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => (answers[connections++] ?? (() => socket.destroy()))(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = `postgres://keepsake@127.0.0.1:${(server.address() as AddressInfo).port}/keepsake`;
  return { url, connections: () => connections };
}

const refuse = (socket: Socket) => socket.end(startingUp());
const quick = { waitMs: 60_000, retryMs: 1 };

test('A PostgreSQL that is starting is waited for, and that is said once', async () => {
  const wrong = Buffer.from(startingUp().toString('latin1').replace('57P03', '28P01'), 'latin1');
  const { url, connections } = await serve(refuse, refuse, refuse, (socket) => socket.end(wrong));
  const said: string[] = [];
  await untilStarted({ DATABASE_URL: url }, (line) => said.push(line), quick);
  expect([connections(), said]).toEqual([4, ['The database does not answer yet (57P03); waiting for it.']]);
});

test('A pooler that has no server, a proxy that hangs up and a server that is ending are waited for as well', async () => {
  const coded = (code: string) =>
    Buffer.from(startingUp().toString('latin1').replace('57P03', code), 'latin1');
  const { url, connections } = await serve(
    (socket) => socket.end(coded('08P01')),
    (socket) => socket.end(),
    (socket) => socket.end(coded('57P01')),
    (socket) => socket.end(coded('28P01')),
  );
  const said: string[] = [];
  await untilStarted({ DATABASE_URL: url }, (line) => said.push(line), quick);
  expect([connections(), said]).toEqual([4, ['The database does not answer yet (08P01); waiting for it.']]);
});

test('The wait ends with the start', async () => {
  const { url, connections } = await serve(refuse, refuse, refuse);
  await untilStarted({ DATABASE_URL: url }, () => {}, { ...quick, isOver: () => connections() === 2 });
  expect(connections()).toBe(2);
});

test('Nobody waits for ever, nor for a file', async () => {
  const { url, connections } = await serve(refuse, refuse);
  await untilStarted({ DATABASE_URL: url }, () => {}, { waitMs: 0, retryMs: 1 });
  expect(connections()).toBe(1);
  await untilStarted({ DATABASE_URL: undefined }, () => expect.fail(), quick);
});
