import { z } from 'zod';
import { parseShapes, type ReplayedShape, replayOf } from '../shapes/replay.ts';
import { type Html, html } from './html.ts';
import { count } from './layout.ts';
import { type Panel, PanelRefusal, type PanelWorlds } from './panel.ts';

const page = '/trouble';
/** A report has at most a hundred differences. */
const MAX_REPORT = 400_000;

/** Lets every platform answer in the shapes of a report; none of a platform means that it answers as usual. */
export function replayShapes({ steam, twitch, stripe }: PanelWorlds, shapes: readonly ReplayedShape[]): void {
  for (const [platform, world] of Object.entries({ steam, twitch, stripe }))
    replayOf(world).speak(shapes.filter((each) => each.platform === platform));
}

function readReport(text: string): ReplayedShape[] {
  try {
    return text === '' ? [] : parseShapes(text);
  } catch {
    throw new PanelRefusal(400, 'This is no report of `keepsake shapes`.');
  }
}

/** Adds the verb that replays a report. */
export function addReportedShapes(panel: Panel): void {
  panel.verb(
    '/trouble/reported-shapes',
    'Makes Steam, Twitch and Stripe answer as in a report: `report` is the text that `keepsake shapes` printed. Without one they answer as usual again.',
    z.object({ report: z.string().trim().max(MAX_REPORT).default('') }),
    (_params, { report }) => {
      const shapes = readReport(report);
      replayShapes(panel.worlds, shapes);
      const said =
        shapes.length === 0 ? 'Everything answers as usual.' : 'The report is replayed from now on.';
      return { said, page, result: { replayed: shapes.length } };
    },
  );
}

/** The form for a report. */
export function reportedShapesSection({ steam, twitch, stripe }: PanelWorlds): Html {
  const replayed = [steam, twitch, stripe].reduce((sum, world) => sum + replayOf(world).size, 0);
  return html`<section><h2>Reported answers</h2><p class="hint">A report of <code>keepsake shapes</code>, as an instance met it. ${replayed > 0 && html`Replayed now: ${count(replayed, 'difference')}.`}</p>
<form method="post" action="/trouble/reported-shapes"><label class="wide">Report <input name="report"></label><button>Replay</button></form>
${replayed > 0 && html`<form method="post" action="/trouble/reported-shapes"><button>Answer as usual</button></form>`}</section>`;
}
