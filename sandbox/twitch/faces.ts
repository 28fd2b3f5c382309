import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Refusal } from './http-answers.ts';
import type { TwitchWorld } from './world.ts';
import type { TwitchUser } from './world-state.ts';

const yearSeconds = 31_536_000;
const skins = ['#f6d5b8', '#e9b98f', '#c98f62', '#9a6440', '#6d452c'];
const hairColors = ['#2b2430', '#5a3a26', '#a4622c', '#d9a441', '#b9472f', '#6f7a8c'];

/** The parts of a face on a canvas of 300 by 300, in the colours of the picture. */
const hairs = [
  '<path d="M84 150c-6-62 26-98 66-98s72 36 66 98c-10-34-30-48-66-48s-56 14-66 48z"/>',
  '<path d="M82 158c-10-70 26-110 74-108 46 2 70 40 62 106-6-22-14-36-28-46-30 16-66 18-96 8-6 12-10 24-12 40z"/>',
  '<path d="M80 232c-16-92-6-180 70-180s86 88 70 180l-22 6c8-60 4-104-48-104s-56 44-48 104z"/>',
  '<g><circle cx="96" cy="104" r="28"/><circle cx="128" cy="78" r="30"/><circle cx="168" cy="76" r="30"/><circle cx="202" cy="102" r="28"/></g>',
  '<path d="M88 120l14-54 22 24 22-40 20 38 28-24 16 56c-34-22-88-22-122 0z"/>',
];
const eyes = [
  '<circle cx="124" cy="156" r="8"/><circle cx="176" cy="156" r="8"/>',
  '<path d="M112 158q12-14 24 0M164 158q12-14 24 0" fill="none" stroke="#2b2430" stroke-width="7" stroke-linecap="round"/>',
  '<circle cx="124" cy="156" r="8"/><path d="M164 156h24" fill="none" stroke="#2b2430" stroke-width="7" stroke-linecap="round"/>',
];
const mouths = [
  '<path d="M126 196q24 22 48 0"/>',
  '<path d="M130 200h40"/>',
  '<path d="M124 194q26 34 52 0z" fill="#fff"/>',
];
const worn = [
  '',
  '<g fill="none" stroke="#2b2430" stroke-width="6"><circle cx="124" cy="156" r="21"/><circle cx="176" cy="156" r="21"/><path d="M145 154q5-5 10 0"/></g>',
  '<path d="M78 168c-6-84 28-120 72-120s78 36 72 120" fill="none" stroke="#20242c" stroke-width="14"/><g fill="#20242c"><rect x="64" y="144" width="28" height="52" rx="14"/><rect x="208" y="144" width="28" height="52" rx="14"/></g>',
];

const drawn = <Part>(parts: readonly Part[], chosenBy: number): Part =>
  parts[chosenBy % parts.length] as Part;

/** Draws somebody's face: the same for life, and hardly anybody else's. */
function drawFace({ id }: TwitchUser): string {
  const [hue = 0, skin = 0, hair = 0, hairColor = 0, eye = 0, mouth = 0, wears = 0] = createHash('sha256')
    .update(`face ${id}`)
    .digest();
  const color = drawn(skins, skin);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300" width="300" height="300">
<rect width="300" height="300" fill="hsl(${Math.round((hue / 256) * 360)} 46% 58%)"/>
<path d="M58 300c4-54 42-74 92-74s88 20 92 74z" fill="hsl(${Math.round((hue / 256) * 360 + 150) % 360} 34% 36%)"/>
<rect x="128" y="204" width="44" height="48" rx="20" fill="${color}"/>
<ellipse cx="150" cy="154" rx="66" ry="76" fill="${color}"/>
<g fill="${drawn(hairColors, hairColor)}">${drawn(hairs, hair)}</g>
<g fill="#2b2430">${drawn(eyes, eye)}</g>
<g fill="none" stroke="#8a3b33" stroke-width="7" stroke-linecap="round">${drawn(mouths, mouth)}</g>
${drawn(worn, wears)}
</svg>
`;
}

/** The path of somebody's profile picture; it names the id, because a login may change. */
export const facePath = ({ id }: Pick<TwitchUser, 'id'>): string =>
  `/jtv_user_pictures/${id}-profile_image-300x300.svg`;

/** Serves everybody's profile picture, which other sites' pages show. */
export function registerFaces(app: FastifyInstance, world: TwitchWorld): void {
  app.get<{ Params: { file: string } }>('/jtv_user_pictures/:file', (request, reply) => {
    const user = world.userById(request.params.file.replace(/-profile_image-300x300\.svg$/, ''));
    if (!user) throw new Refusal(404, '');
    return reply
      .headers({
        'cache-control': `public, max-age=${yearSeconds}, immutable`,
        'content-security-policy': "default-src 'none'",
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      })
      .type('image/svg+xml; charset=utf-8')
      .send(drawFace(user));
  });
}
