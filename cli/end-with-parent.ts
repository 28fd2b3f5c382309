// Loaded into every process the supervisor starts. A supervisor that is killed cannot stop its children, so each
// child checks whether its parent still runs, and otherwise ends its own process group.
const CHECK_INTERVAL_MS = 1000;
const KILL_AFTER_MS = 15_000;

const supervisor = process.ppid;
const checking = setInterval(() => {
  if (process.ppid === supervisor) return;
  clearInterval(checking);
  process.kill(-process.pid, 'SIGTERM');
  setTimeout(() => process.kill(-process.pid, 'SIGKILL'), KILL_AFTER_MS).unref();
}, CHECK_INTERVAL_MS);
checking.unref();
