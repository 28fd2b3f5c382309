import script from '../../../docs/verify-draws.mjs?raw';

/** Serves the script with which anyone can check a rule's draws. */
export const loader = () =>
  new Response(script, {
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Content-Disposition': 'attachment; filename="verify-draws.mjs"',
      'Cache-Control': 'no-cache',
    },
  });
