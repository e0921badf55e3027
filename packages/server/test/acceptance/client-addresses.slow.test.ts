import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { createIntro } from './support/actions.ts';
import { openService } from './support/service.ts';

const CDN_NODE = '203.0.113.9';
/** More wrong links than one address may follow in a short time. */
const TOO_MANY = 40;

// One process, because each node counts wrong links for itself.
const fixture = await forFile(openService({ TRUSTED_PROXIES: 'private,203.0.113.0/24', FOREWORD_ROLE: 'all' }));

const paths = (n: number) => [`/i/${String(n).padStart(12, 'A')}`, `/r/${String(n).padStart(22, 'A')}`];

/** Follows wrong links; returns the statuses of the last ones. */
async function guess(url: string, forwarded: string): Promise<number[]> {
  let last: number[] = [];
  for (let n = 0; n < TOO_MANY; n += 1) {
    const headers = { 'x-forwarded-for': forwarded };
    const responses = await Promise.all(paths(n).map((path) => fetch(url + path, { headers })));
    last = responses.map(({ status }) => status);
  }
  return last;
}

const guessOnce = (url: string, forwarded: string) =>
  Promise.all(
    paths(99).map(async (path) => (await fetch(url + path, { headers: { 'x-forwarded-for': forwarded } })).status),
  );

test('behind a CDN in TRUSTED_PROXIES, a client that guesses links locks out only itself, and still opens a link that it knows', async () => {
  const { url } = fixture.service;
  const { id } = await createIntro(fixture.api);
  const valid = new URL((await fixture.run('intro', 'link', id)).url).pathname;
  const headers = { 'x-forwarded-for': `198.51.100.7, ${CDN_NODE}` };
  const open = async () => (await fetch(url + valid, { headers })).status;
  expect(await open()).toBe(200);
  expect(await guess(url, `198.51.100.7, ${CDN_NODE}`)).toEqual([429, 429]);
  expect(await guessOnce(url, `198.51.100.7, ${CDN_NODE}`)).toEqual([429, 429]);
  expect(await guessOnce(url, `198.51.100.8, ${CDN_NODE}`)).toEqual([404, 404]);
  expect(await open()).toBe(200);
  // An invented address in front of its own does not help.
  expect(await guessOnce(url, `198.51.100.9, 198.51.100.7, ${CDN_NODE}`)).toEqual([429, 429]);
});
