// Loaded into every process that the supervisor starts. A supervisor that is killed outright cannot end anybody, so each
// of them looks whether it is still there, and ends its own group as the supervisor would have done.
const LOOK_MS = 1000;
const PATIENCE_MS = 15_000;

const supervisor = process.ppid;
const looking = setInterval(() => {
  if (process.ppid === supervisor) return;
  clearInterval(looking);
  process.kill(-process.pid, 'SIGTERM');
  setTimeout(() => process.kill(-process.pid, 'SIGKILL'), PATIENCE_MS).unref();
}, LOOK_MS);
looking.unref();
