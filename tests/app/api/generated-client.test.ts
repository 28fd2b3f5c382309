import { execFile } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';
import type { Program } from './client/stage.ts';
import { Contract, type Json } from './support/contract.ts';
import { setWorld, stageFor } from './support/world.ts';

const folder = resolve('tests/app/api/client');
/** The file in which the program's TypeScript project finds `served-api`. */
const typesFile = resolve('node_modules/.cache/keepsake-served-api/api.d.ts');
const compiler = resolve('node_modules/typescript/bin/tsc');

async function generateTypes(document: Json): Promise<void> {
  mkdirSync(dirname(typesFile), { recursive: true });
  const written = `${typesFile}.${process.pid}`;
  writeFileSync(written, astToString(await openapiTS(document)));
  renameSync(written, typesFile);
}

/** Errors of the compiler; none if the program fits the generated types. */
async function typeErrors(): Promise<string> {
  const checked = promisify(execFile)(process.execPath, [compiler, '--project', folder]);
  return checked.then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}

test('A client generated from the served document compiles, and plays the whole loop over HTTP, from signing up to receiving the item', async () => {
  const world = await setWorld();
  const document = await (await fetch(`${world.origin}/api/v1/openapi.json`)).json();
  await generateTypes(document);
  expect(await typeErrors()).toBe('');
  const { playLoop } = (await import(/* @vite-ignore */ resolve(folder, 'program.ts'))) as Program;
  await playLoop(stageFor(world, new Contract(document)));
});
