import { expect, test } from 'vitest';
import { countNews } from '#db/postgres-news.ts';

test('What ended between two snapshots is news, unless it is to be ignored', () => {
  const news = countNews();
  const first = news.count('10:10:');
  expect(news.count('10:10:')).toBe(first);
  news.ignore('10');
  expect(news.count('11:11:'), 'ignored').toBe(first);
  const second = news.count('12:12:');
  expect(second).not.toBe(first);
  expect(news.count('12:13:12'), 'still in progress').toBe(second);
});

test('A transaction that was in progress is news when it ends, and not before', () => {
  const news = countNews();
  const first = news.count('10:11:10');
  expect(news.count('10:11:10')).toBe(first);
  news.ignore('11');
  expect(news.count('10:12:10')).toBe(first);
  expect(news.count('12:12:')).not.toBe(first);
});

test('An ignored transaction that was in progress is none when it ends', () => {
  const news = countNews();
  const first = news.count('10:11:10');
  news.ignore('10');
  expect(news.count('11:11:')).toBe(first);
});

test('An older snapshot that comes late hides nothing', () => {
  const news = countNews();
  news.count('10:10:');
  const newest = news.count('12:12:');
  news.count('11:11:');
  expect(Number(news.count('12:12:'))).toBeGreaterThanOrEqual(Number(newest));
  expect(news.count('13:13:')).not.toBe(newest);
});
