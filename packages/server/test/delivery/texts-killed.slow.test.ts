import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Reply } from '../../src/delivery/inbound/replies.ts';
import { sleep } from '../harness/index.ts';
import { type DeliveryFixture, LOG_ONLY } from './delivery-fixture.ts';
import { textingWith } from './texting.ts';
import { openWithProviders } from './with-providers.ts';

const CONVERSATIONS = 40;
const NODES = 2;
const ROUNDS = 8;
const KILLED_WITHIN_MS = 250;
const TIMEOUT_MS = 180_000;

let fixture: DeliveryFixture;
const children = new Set<ChildProcess>();
beforeEach(async () => {
  fixture = await openWithProviders(new Date().toISOString());
  await fixture.database.query('create table published (type text, id text)');
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await fixture.close();
});

/** A node that gets all texts. Returns its exit, and adds the texts that it responds to. */
async function startNode(texts: readonly Reply[], responses: string[]) {
  const given = JSON.stringify({ url: fixture.database.url, settings: LOG_ONLY, texts });
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'delivery.child.ts'), given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const gone = once(child, 'exit').then(() => children.delete(child));
  let written = '';
  child.stdout?.on('data', (data) => {
    written += data;
  });
  await expect.poll(() => written, { timeout: 30_000 }).toContain('started');
  const ended = gone.then(() => void responses.push(...written.split('\n').filter((line) => line.includes(' text '))));
  return { child, ended };
}

/** Arrange: half of the members have a video to record, and half have a reply to answer. */
async function arrange() {
  const texting = textingWith(fixture);
  const texts: Reply[] = [];
  const [requested, replied]: [string[], string[]] = [[], []];
  for (let i = 0; i < CONVERSATIONS; i++) {
    const [member, declining] = [await texting.createMember(), await texting.createMember()];
    await texting.forwardReplies(member);
    // At any hour.
    await fixture.database.query('update delivery_settings set texts_from = 0, texts_until = 1440');
    const phone = texting.newPhone();
    replied.push(await texting.deliver(member, { phone }));
    await texting.text(phone, 'Hello');
    await fixture.tick();
    requested.push(await texting.ask(declining));
    const from = (number: string, body: string): Reply => ({
      ...{ from: number, body, organizationId: null, reported: { carrier: 'telnyx', id: `${body} text ${i}` } },
    });
    texts.push(from(phone, 'Thanks'), from(member.phone, 'Yes, at noon'), from(declining.phone, 'DECLINE'));
  }
  return { texts, requested, replied };
}

test(
  'each text is applied once and answered at most once, although its nodes are killed at any moment',
  async () => {
    const { texts, requested, replied } = await arrange();
    const responses: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(texts, responses)));
      await sleep(randomInt(KILLED_WITHIN_MS));
      for (const { child } of nodes) child.kill('SIGKILL');
      await Promise.all(nodes.map(({ ended }) => ended));
    }
    const { ended } = await startNode(texts, responses);
    await ended;
    const count = async (table: string, ids: readonly string[]) =>
      fixture.database.query<{ id: string; n: number }>(
        `select intro_id as id, count(*)::int as n from ${table} where intro_id = any($1) group by 1 order by 1`,
        [ids],
      );
    const each = (ids: readonly string[], n: number) => [...ids].sort().map((id) => ({ id, n }));
    expect(await count('intro_declines', requested)).toEqual(each(requested, 1));
    // With the reply of the arrangement.
    expect(await count('intro_replies', replied)).toEqual(each(replied, 2));
    expect(await count('intro_answers', replied)).toEqual(each(replied, 1));
    expect(await count("(select * from messages where purpose = 'answer') m", replied)).toEqual(each(replied, 1));
    const published = await fixture.database.query('select type, id from published order by type, id');
    expect(published).toEqual([
      ...[...requested].sort().map((id) => ({ type: 'intro.declined', id })),
      ...[...replied].sort().map((id) => ({ type: 'intro.replied', id })),
    ]);
    expect(new Set(responses).size).toBe(responses.length);
    expect(responses.length).toBeGreaterThan(0);
    expect(responses.every((id) => !id.startsWith('Thanks'))).toBe(true);
  },
  TIMEOUT_MS,
);
