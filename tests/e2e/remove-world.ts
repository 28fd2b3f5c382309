import { rmSync } from 'node:fs';

/** Deletes the run's data folder; its processes have ended or end now. */
export default function removeWorld(): void {
  if (process.env.E2E_DATA) rmSync(process.env.E2E_DATA, { recursive: true, force: true });
}
