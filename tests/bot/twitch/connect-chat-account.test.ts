import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { findChatAccount } from '#domain/account/twitch/find-chat-account.ts';
import { chatAccountScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { connectChatAccount } from '../../../cli/connect-chat-account.ts';
import { botLogin, clientId, type Stage, setStage, until } from './stage.ts';

/** Runs the command until it prints the code, for a person to decide. */
async function connect(stage: Stage, overrides: { clientId?: string } = {}) {
  stage.world.addUser({ login: botLogin });
  stage.world.addUser({ login: 'demo_stranger' });
  const lines: string[] = [];
  const outcome = connectChatAccount({
    db: stage.db,
    vault: stage.vault,
    config: { clientId, authUrl: stage.deps.config.twitch.authUrl, botLogins: [botLogin], ...overrides },
    print: (line) => lines.push(line),
  });
  const decide = async (login: string, decision: 'approve' | 'deny') => {
    const [address, code] = await until(
      () => /(http:\S+) .* code (\S+)/.exec(lines[0] ?? '')?.slice(1) ?? [],
      (found) => found.length === 2,
    );
    const body = new URLSearchParams({ user_code: code!, login, decision });
    const response = await fetch(address!, { method: 'POST', body });
    expect(response.status).toBe(200);
  };
  return { lines, outcome, decide };
}

const stored = (stage: Stage) => findChatAccount(stage.db, { vault: stage.vault, login: botLogin });

describe('Connecting the chat account', () => {
  test('stores the tokens of the account that consented', async () => {
    const stage = await setStage();
    const { outcome, decide, lines } = await connect(stage);
    await decide(botLogin, 'approve');
    expect(await outcome).toEqual({ ok: true, login: botLogin });
    const account = await stored(stage);
    expect(account).toMatchObject({ login: botLogin, broken: false });
    expect(account!.grant.scopes).toEqual(chatAccountScopes);
    expect(stage.world.tokens.findValid(account!.grant.accessToken)).not.toBeNull();
    expect(lines.at(-1)).toBe(`${botLogin} is connected.`);
    expect(lines.join()).not.toContain(account!.grant.accessToken);
  });

  test('retries after a lost answer', async () => {
    const stage = await setStage();
    stage.world.faults.failNext({ answer: 503, path: '/auth/token' });
    stage.world.faults.failNext({ answer: 'drop', path: '/auth/token' });
    const { outcome, decide } = await connect(stage);
    await decide(botLogin, 'approve');
    expect(await outcome).toMatchObject({ ok: true });
  });

  test('stores nothing if another account consented, nobody did, or the application is unknown', async () => {
    const stage = await setStage();
    const other = await connect(stage);
    await other.decide('demo_stranger', 'approve');
    expect(await other.outcome).toEqual({ ok: false, code: 'wrongAccount' });
    expect(other.lines.at(-1)).toContain(botLogin);
    const elsewhere = await setStage();
    const denied = await connect(elsewhere);
    await denied.decide(botLogin, 'deny');
    expect(await denied.outcome).toEqual({ ok: false, code: 'denied' });
    const nowhere = await setStage();
    const unknown = await connect(nowhere, { clientId: 'another-client' });
    expect(await unknown.outcome).toEqual({ ok: false, code: 'applicationRefused' });
    for (const each of [stage, elsewhere, nowhere]) expect(await stored(each)).toBeNull();
  });

  test('an unknown command prints the available ones', async () => {
    const child = spawn(process.execPath, [bundleOf('keepsake'), 'constructor'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stderr.on('data', (data) => {
      text += data;
    });
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect(status).toBe(2);
    expect(text).toContain('There is no command constructor.');
    expect(text).toContain('connect-chat-account');
  });
});
