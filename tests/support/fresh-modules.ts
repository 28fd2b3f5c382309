import { vi } from 'vitest';

// Before each file of a process, our own modules and the environment are reset. The packages stay loaded.
const shared = globalThis as { firstEnvironment?: NodeJS.ProcessEnv; firstTimer?: typeof setTimeout };
shared.firstTimer ??= setTimeout;
if (setTimeout !== shared.firstTimer) throw new Error('an earlier file of this process left fake timers');
shared.firstEnvironment ??= { ...process.env };
for (const name of Object.keys(process.env)) if (!(name in shared.firstEnvironment)) delete process.env[name];
Object.assign(process.env, shared.firstEnvironment);
vi.resetModules();
