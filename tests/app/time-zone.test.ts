import { afterEach, expect, test, vi } from 'vitest';
import { reportTimeZone } from '#app/islands/time-zone.ts';

afterEach(() => vi.unstubAllGlobals());

/** A browser on a page with this protocol, which keeps cookies unless they are blocked. */
function browse(protocol: string, { keeps = true } = {}) {
  const lines: string[] = [];
  const cookies = new Map<string, string>();
  vi.stubGlobal('location', { protocol });
  vi.stubGlobal('document', {
    get cookie() {
      return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(line: string) {
      lines.push(line);
      const [name = '', value = ''] = line.split('; ')[0]?.split('=') ?? [];
      if (keeps) cookies.set(name, value);
    },
  });
  return { lines, cookies };
}

const zone = () => encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone);

test('Behind https the time zone is sent back over https only', () => {
  const { lines } = browse('https:');
  expect(reportTimeZone()).toBe(true);
  expect(lines).toEqual([
    `__Host-keepsake_time_zone=${zone()}; Path=/; Max-Age=31536000; SameSite=Lax; Secure`,
  ]);
});

test('Without https a browser would refuse a cookie that is Secure', () => {
  const { lines, cookies } = browse('http:');
  expect(reportTimeZone()).toBe(true);
  expect(lines.join()).not.toContain('Secure');
  expect(cookies.get('keepsake_time_zone')).toBe(zone());
});

test('A cookie that an earlier version set is set again for this host alone, which loads the page again once', () => {
  const { lines, cookies } = browse('https:');
  cookies.set('keepsake_time_zone', zone());
  expect([reportTimeZone(), reportTimeZone()]).toEqual([true, false]);
  expect(cookies.get('__Host-keepsake_time_zone')).toBe(zone());
  expect(lines[1]).toMatch(/; Secure$/);
});

test('A change of the time zone loads the page again, unless the browser keeps no cookies', () => {
  const { cookies } = browse('https:');
  cookies.set('__Host-keepsake_time_zone', 'Moon%2FBase');
  expect(reportTimeZone()).toBe(true);
  browse('https:', { keeps: false });
  expect(reportTimeZone()).toBe(false);
});
