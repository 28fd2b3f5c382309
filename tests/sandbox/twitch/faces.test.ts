import { expect, test } from 'vitest';
import { apiFor, startDemo } from './start-demo.ts';

const read = async (address: string) => {
  const answer = await fetch(address);
  return { status: answer.status, headers: answer.headers, svg: await answer.text() };
};

test('Everybody has a face of their own, at the address that Twitch names', async () => {
  const demo = await startDemo();
  const { api } = await apiFor(demo, demo.viewer, []);
  const users = await api.users.getUsersByIds(demo.world.users().map(({ id }) => id));
  expect(users.length).toBe(demo.world.users().length);
  const faces = await Promise.all(users.map(({ profilePictureUrl }) => read(profilePictureUrl)));
  for (const { status, headers } of faces) {
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  }
  expect(new Set(faces.map(({ svg }) => svg)).size).toBe(users.length);
});

test('A face stays when its owner is renamed, and nobody has one who is not on Twitch', async () => {
  const demo = await startDemo();
  const { api } = await apiFor(demo, demo.viewer, []);
  const look = async () => {
    const user = await api.users.getUserById(demo.viewer.id);
    return { name: user?.displayName, ...(await read(user?.profilePictureUrl ?? '')) };
  };
  const before = await look();
  demo.world.rename(demo.viewer.id, 'renamed_viewer');
  const after = await look();
  expect(after.name).not.toBe(before.name);
  expect(after.svg).toBe(before.svg);
  const other = await read(`${demo.url}/jtv_user_pictures/999-profile_image-300x300.svg`);
  expect(other.status).toBe(404);
  expect(other.svg).not.toContain('<svg');
});
