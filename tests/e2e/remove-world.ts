import { rmSync } from 'node:fs';

/** The data folder of the run; the processes that used it have ended by themselves or end now. */
export default function removeWorld(): void {
  if (process.env.E2E_DATA) rmSync(process.env.E2E_DATA, { recursive: true, force: true });
}
