import { HIDDEN } from './find-differences.ts';

/** Words of platforms' refusals, and common ones around them. Any other word may be a name. */
const vocabulary = new Set(
  `a about accept accepted access account accounts action active add after again all allowed already also an and any
  are as at authenticator authorization available back backpack balance ban banned be because been before being below
  between blocked but by can cannot cap change changed check code community complete confirm confirmation confirmed
  contact contain contains could country currently day days decline declined denied device did different do does done
  due during each eligible email enable enabled enough ensure error exceed exceeded exist exists expired fail failed few
  for found friend friends from full game games gift given had has have held hold hour hours however id if in inactive
  inc individual information invalid inventory is issue it item items its later least less limit limited link list
  locked log logged login longer lot lots made make many maximum may message messages met minimum minute minutes missing
  mobile moderation moderator modified month months more must need needs new no nobody not now number of off offer
  offers offline old on once one online only open or other our out outstanding over own page partner password past
  pending people perform permission permissions phone please policy possible privacy private problem process protected
  protection public purchase rate reason received recently recipient refusal refused rejected request requests require
  required requires restricted restriction result retry review safety scam second seconds security see send sending sent
  server service session set settings several should sign since some soon steam still store such support suspended
  system target temporarily temporary than that the their them then there they this those time timed times to token too
  trade traded trading transaction try two type unable unavailable under unknown until up update url use used user users
  valid value vac verified verify version very view wait was we week weeks were when which while who why will with
  within without wrong yet you your`.split(/\s+/),
);

const MAX_LENGTH = 300;
const word = /^(\W*)([A-Za-z]+|\d{1,4})(\W*)$/;

function isHarmless(token: string): boolean {
  const [, , core = ''] = word.exec(token) ?? [];
  return /^\d+$/.test(core) || vocabulary.has(core.toLowerCase());
}

/** Returns a platform's sentence with a sign in place of each word that may be a name, an id or an address. */
export function harmlessSentence(text: string): string {
  const tokens = text.slice(0, MAX_LENGTH).trim().split(/\s+/);
  return tokens
    .map((token) => (isHarmless(token) ? token : HIDDEN))
    .filter((token, place, all) => token !== HIDDEN || all[place - 1] !== HIDDEN)
    .join(' ');
}
