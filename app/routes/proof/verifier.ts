import script from '../../../docs/verify-draws.mjs?raw';

/** Hands out the script with which anybody can check the draws of a rule on a machine of their own. */
export const loader = () =>
  new Response(script, {
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Content-Disposition': 'attachment; filename="verify-draws.mjs"',
      'Cache-Control': 'no-cache',
    },
  });
