import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anEvent, eventually, REFERENCE } from '../acceptance/support/actions.ts';
import { foreword, freePort, sleep } from '../harness/index.ts';
import { installFirstVersion } from './first-version.ts';
import { type Body, openUpgrade, startNode, type Upgrade, WAITING_RECIPIENT } from './upgrade-fixture.ts';

const SETTLED_WITHIN_MS = 30_000;
const SENDERS = 4;
const PAUSE_MS = 20;
/** Load before the first replacement, between the two, and after the second. */
const LOAD_MS = 2000;

const first = installFirstVersion();
afterAll(async () => {
  first?.remove();
});

describe('two nodes of the first version, replaced one at a time under load', () => {
  let upgrade: Upgrade;
  let before: Map<string, Body>;
  /** The ids of accepted events. */
  const accepted: string[] = [];

  beforeAll(async () => {
    upgrade = await openUpgrade(first);
    before = await upgrade.readObjects();
    const statuses = [...before.values()].flatMap(({ object, status }) => (object === 'intro' ? [status] : []));
    expect(new Set(statuses)).toEqual(new Set(['requested', 'ready', 'sent', 'cancelled', 'expired']));
    accepted.push(upgrade.event);
  });
  afterAll(() => upgrade?.close());

  async function sendEvents(sender: number, isOver: () => boolean): Promise<void> {
    for (let turn = 0; !isOver(); turn++) {
      const id = `event-${sender}-${turn}`;
      const recipient = { first_name: 'Dana', phone: `+1415${5_550_200 + sender * 1000 + turn}` };
      const event = anEvent({ recipient, reference: { ...REFERENCE, id } });
      accepted.push((await upgrade.client.post('/v1/touchpoint-events', event, id)).id);
      await sleep(PAUSE_MS);
    }
  }

  async function sendReads(isOver: () => boolean): Promise<void> {
    const { client, balancer, pages } = upgrade;
    const shown = [pages.member, `${pages.member}/state`, pages.recipient];
    const objects = [...before.keys(), '/v1/intros?limit=20'];
    for (let turn = 0; !isOver(); turn++) {
      const page = shown[turn % shown.length] ?? '';
      const status = (await balancer.request(page)).status;
      if (status !== 200) balancer.problems.push(`${page}: ${status}`);
      await client.get(objects[turn % objects.length] ?? '');
      const session = await client.console('/session');
      if (session !== 200) balancer.problems.push(`the console's session: ${session}`);
      await sleep(PAUSE_MS);
    }
  }

  test('no request fails, except on a node that is stopping, where the balancer tries another', async () => {
    const { balancer, nodes } = upgrade;
    let end = false;
    const isOver = () => end;
    const load = [...Array.from({ length: SENDERS }, (_, sender) => sendEvents(sender, isOver)), sendReads(isOver)];
    try {
      await sleep(LOAD_MS);
      for (const [index, old] of nodes.entries()) {
        expect(await balancer.stop(old)).toBe(0);
        const replacement = await startNode(old.environment);
        nodes[index] = replacement;
        balancer.add(replacement);
        await sleep(LOAD_MS);
      }
    } finally {
      end = true;
      await Promise.all(load);
    }
    expect(balancer.problems).toEqual([]);
    // Otherwise a node had no load.
    expect(balancer.answered.size).toBe(2 * nodes.length);
  });

  test('every accepted event is processed exactly once, with one webhook, and no text is sent twice', async () => {
    const { client, database, intros, receiver, carrier } = upgrade;
    expect(accepted.length).toBeGreaterThan(50);
    const created: string[] = [];
    for (const id of accepted) {
      const event = await eventually(
        () => client.get(`/v1/events/${id}`),
        ({ status }) => status !== 'accepted',
        SETTLED_WITHIN_MS,
      );
      expect(event).toMatchObject({ status: 'processed' });
      created.push(event.intro);
    }
    const all = [...created, ...Object.values(intros)].sort();
    expect(new Set(all).size).toBe(all.length);
    const rows = await database.query<{ id: string }>('select id from intros');
    expect(rows.map(({ id }) => id).sort()).toEqual(all);

    const requested = () => {
      const bodies = receiver.received.map(({ headers, body }) => ({ id: headers['webhook-id'], ...JSON.parse(body) }));
      // A webhook may be sent again with the same id.
      return new Map(bodies.flatMap(({ id, type, data }) => (type === 'intro.requested' ? [[id, data.id]] : [])));
    };
    await eventually(
      async () => requested().size,
      (size) => size >= all.length,
      SETTLED_WITHIN_MS,
    );
    expect([...requested().values()].sort()).toEqual(all);

    const texts = carrier.accepted.map(({ key }) => key);
    expect(texts.length).toBeGreaterThan(0);
    expect(new Set(texts).size).toBe(texts.length);
    expect(carrier.violations).toEqual([]);
  });

  test('every object of before reads the same, apart from added fields', async () => {
    const after = await upgrade.readObjects();
    for (const [at, body] of before) expect(after.get(at), at).toMatchObject(body);
  });

  test('links and the session of before work, and an upload continues where it was', async () => {
    const { balancer, pages, client, intros, upload } = upgrade;
    expect((await balancer.request(pages.member)).status).toBe(200);
    const page = await balancer.request(pages.recipient);
    const [, video = ''] = /src="([^"]*\.mp4)"/.exec(page.body) ?? [];
    expect((await balancer.request(video)).status).toBe(200);
    for (const at of ['/session', '/intros', '/members', '/touchpoints', '/brand']) {
      expect(await client.console(at), at).toBe(200);
    }
    await upload.send(0.5, 1);
    await client.untilStatus(String(intros.uploading), 'ready');
  });

  test('a text that waited for the sending hours is sent once they begin, and only once', async () => {
    const { environment, organization, carrier, client, database, intros } = upgrade;
    const texts = () => carrier.accepted.filter(({ to }) => to === WAITING_RECIPIENT.phone);
    expect(texts()).toEqual([]);
    const hours = ['--texts-from', '00:00', '--texts-until', '24:00'];
    // The load of the test may have reached a daily limit, or have paused the texts as unusual.
    const limits = ['--daily-texts', '100000', '--daily-texts-per-member', '100000'];
    const settings = await foreword(environment, 'delivery', 'set', '--org', organization, ...hours, ...limits);
    if (settings.texts_paused_for !== null) await foreword(environment, 'delivery', 'resume', '--org', organization);
    // Arrange: the text waits for the hours that applied when it was planned.
    await database.query(
      "update messages set due_at = now(), held_until = null where intro_id = $1 and purpose = 'deliver'",
      [intros.waiting],
    );
    await client.untilStatus(String(intros.waiting), 'sent');
    expect(texts()).toHaveLength(1);
  });
});

test('the embedded database of the first version starts in this one after a kill, with all its data', async () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-upgrade-'));
  const environment = { DATA_DIR: dataDir, PORT: String(await freePort()) };
  const old = await startNode(environment, first.main);
  // Printed once, after the service is ready.
  await expect.poll(() => old.output()).toContain('fw_test_');
  const [key = ''] = /fw_test_\w+/.exec(old.output()) ?? [];
  const read = async (at: string) => {
    const response = await fetch(`${old.url}${at}`, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status, at).toBe(200);
    return response.json();
  };
  const paths = ['/v1/touchpoints', '/v1/members', '/v1/intros'];
  const before = await Promise.all(paths.map(read));
  await old.kill();
  const upgraded = await startNode(environment);
  try {
    expect(await Promise.all(paths.map(read))).toMatchObject(before);
    expect(upgraded.output()).not.toContain('fw_test_');
  } finally {
    await upgraded.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
});
