import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Tenant } from '../../src/db/tenancy.ts';
import { openSummaries, type SummaryFixture } from './summary-fixture.ts';

let fixture: SummaryFixture;
beforeEach(async () => {
  fixture = await openSummaries('2026-03-09T13:00:00Z');
});
afterEach(() => fixture.close());

/** Plans and sends at this time. */
async function planAt(time: string): Promise<void> {
  fixture.setNow(time);
  await fixture.delivery.weeklySummaries.plan();
  await fixture.sendEmails();
}

const busyWeek = (tenant: Tenant) =>
  fixture.addIntro(tenant, {
    at: '2026-03-04T12:00:00Z',
    recordedAt: '2026-03-04T13:00:00Z',
    sentAt: '2026-03-04T13:05:00Z',
  });

/** Plans the email of one organization. */
async function planOne(): Promise<void> {
  await busyWeek(await fixture.newOrganization('Olive', 'America/Chicago'));
  await fixture.delivery.weeklySummaries.plan();
}

describe('the weekly summary', () => {
  test('arrives on Monday at 8:00 in the zone of each organization, once', async () => {
    for (const [name, timezone] of [
      ['Aroha', 'Pacific/Auckland'],
      ['Carl', 'America/Chicago'],
      ['Lena', 'Europe/Berlin'],
    ] as const) {
      await busyWeek(await fixture.newOrganization(name, timezone));
    }
    const arrived = () => fixture.inbox.emails.map(({ to }) => to.split('@')[0]);
    await planAt('2026-03-08T18:59:00Z');
    expect(arrived()).toEqual([]);
    // Auckland is 13 hours ahead of UTC, Berlin one. In Chicago the clocks changed the night before.
    await planAt('2026-03-08T19:00:00Z');
    expect(arrived()).toEqual(['aroha']);
    await planAt('2026-03-09T06:59:00Z');
    await planAt('2026-03-09T07:00:00Z');
    expect(arrived()).toEqual(['aroha', 'lena']);
    await planAt('2026-03-09T12:59:00Z');
    await planAt('2026-03-09T13:00:00Z');
    await planAt('2026-03-09T13:01:00Z');
    await planAt('2026-03-10T05:00:00Z');
    expect(arrived()).toEqual(['aroha', 'lena', 'carl']);
    // Nothing happened in the week after.
    await planAt('2026-03-16T14:00:00Z');
    expect(arrived()).toHaveLength(3);
  });

  test('shows the figures of the week next to those before, and who waits the longest', async () => {
    const tenant = await fixture.newOrganization('Olive', 'America/Chicago');
    const other = await fixture.newOrganization('Omar', 'America/New_York');
    await busyWeek(other);
    const sentAt = '2026-03-05T12:00:00Z';
    await fixture.addIntro(tenant, { at: '2026-03-03T12:00:00Z', recordedAt: sentAt, sentAt, watchedAt: sentAt });
    // Requested the week before, sent in this one, and answered after the watching was counted.
    await fixture.addIntro(tenant, { at: '2026-02-27T12:00:00Z', recordedAt: sentAt, sentAt, repliedAt: sentAt });
    // On Monday before 0:00 in Chicago is still the week; after it is the next.
    const [last, next] = ['2026-03-09T04:59:00Z', '2026-03-09T05:00:00Z'];
    await fixture.addIntro(tenant, { at: '2026-03-06T12:00:00Z', recordedAt: last, sentAt: last });
    await fixture.addIntro(tenant, { at: '2026-03-06T12:00:00Z', recordedAt: next, sentAt: next });
    for (const day of ['2026-02-24', '2026-02-25', '2026-02-26', '2026-02-28']) {
      const at = `${day}T12:00:00Z`;
      await fixture.addIntro(tenant, { at, recordedAt: at, sentAt: at, watchedAt: at });
    }
    const old = await fixture.addIntro(tenant, { at: '2026-03-01T12:00:00Z', status: 'requested', name: 'Marcus' });
    await fixture.addIntro(tenant, { at: '2026-03-08T12:00:00Z', status: 'requested', name: 'Lucia' });
    await fixture.addIntro(tenant, {
      at: '2026-03-01T13:00:00Z',
      status: 'expired',
      expiresAt: '2026-03-04T13:00:00Z',
    });
    await planAt('2026-03-09T13:00:00Z');

    const [row] = (await fixture.rows()).filter(({ address }) => address === 'olive@acme.example');
    expect(row?.body).toContain(
      [
        'Sent: 3 (1 fewer than the week before)',
        'Watched to the end: 1 (3 fewer than the week before)',
        'Answered: 1 (1 more than the week before)',
        // Three were waiting a week ago. Since then, one was recorded and one expired. The two sent later are recorded.
        'Waiting to be recorded: 2 (1 fewer than the week before)',
      ].join('\n'),
    );
    expect(row?.body).toMatch(/Marcus Reyes[\s\S]+since March 1\n[\s\S]+Lucia Reyes[\s\S]+since March 8\n/);
    expect(row?.body).toContain(`https://go.acme.example/console/intros/${old}`);
    expect(row?.body).toContain('https://go.acme.example/console/overview');
    expect(fixture.emailsTo('omar@acme.example')[0]?.text).not.toContain('Marcus');
  });

  test('is in the language of the organization, with its dates, or in the one that an owner chose', async () => {
    const tenant = await fixture.newOrganization('Olga', 'America/Chicago');
    const english = await fixture.addOwner(tenant, 'Erin');
    await fixture.database.query("update members set language = 'en' where id = $1", [english]);
    await fixture.database.query("update organizations set language = 'es' where id = $1", [tenant.organizationId]);
    await busyWeek(tenant);
    await fixture.addIntro(tenant, { at: '2026-03-08T12:00:00Z', status: 'requested', name: 'Lucia' });
    await planAt('2026-03-09T13:00:00Z');
    const [, row] = await fixture.rows();
    expect(row?.body).toContain('Enviados: 1 (1 más que la semana anterior)');
    expect(row?.body).toContain('desde el 8 de marzo');
    expect(fixture.emailsTo('olga@acme.example')[0]?.text).toContain('<html lang="es">');
    expect(fixture.emailsTo('erin@acme.example')[0]?.text).toContain('<html lang="en">');
  });

  test('goes to active owners who want it, and not for a week without any intros', async () => {
    const tenant = await fixture.newOrganization('Olive', 'America/Chicago');
    await fixture.addOwner(tenant, 'Mia', { role: 'manager' });
    await fixture.addOwner(tenant, 'Gone', { active: false });
    const off = await fixture.addOwner(tenant, 'Off');
    await fixture.addOwner(tenant, 'Second');
    await fixture.database.query('update members set weekly_summary_off_at = now() where id = $1', [off]);
    await busyWeek(tenant);
    const quiet = await fixture.newOrganization('Quiet', 'America/Chicago');
    await fixture.addIntro(quiet, { at: '2026-02-20T12:00:00Z', status: 'requested' });
    await planAt('2026-03-09T13:00:00Z');
    expect((await fixture.rows()).map(({ address }) => address)).toEqual(['olive@acme.example', 'second@acme.example']);
    expect(fixture.inbox.emails.map(({ to }) => to).sort()).toEqual(['olive@acme.example', 'second@acme.example']);
  });

  test('leaves out practice recordings', async () => {
    const tenant = await fixture.newOrganization('Olive', 'America/Chicago');
    const source = 'foreword_practice';
    const at = '2026-03-04T12:00:00Z';
    await fixture.addIntro(tenant, { at, recordedAt: at, source });
    await fixture.addIntro(tenant, { at, status: 'requested', name: 'Pat', source });
    await planAt('2026-03-09T13:00:00Z');
    // A week with nothing else is one without any intros.
    expect(await fixture.rows()).toEqual([]);
    const other = await fixture.newOrganization('Omar', 'America/Chicago');
    await fixture.addIntro(other, { at, status: 'requested', name: 'Pat', source });
    await busyWeek(other);
    await planAt('2026-03-09T13:00:00Z');
    const [row] = await fixture.rows();
    expect(row?.body).toContain('Waiting to be recorded: 0');
    expect(row?.body).not.toContain('Pat');
  });

  test('goes to the current address of an owner', async () => {
    await planOne();
    await fixture.database.query("update members set email = 'new@acme.example' where email = 'olive@acme.example'");
    await fixture.sendEmails();
    expect(fixture.inbox.emails.map(({ to }) => to)).toEqual(['new@acme.example']);
    expect(await fixture.rows()).toMatchObject([{ address: 'new@acme.example', status: 'accepted' }]);
  });

  test('is sent once to each owner when several nodes plan and send at the same time', async () => {
    const tenants: Tenant[] = [];
    for (const name of ['Ada', 'Bea', 'Cyd', 'Dov']) {
      const tenant = await fixture.newOrganization(name, 'America/Chicago');
      await fixture.addOwner(tenant, `${name}2`);
      await busyWeek(tenant);
      tenants.push(tenant);
    }
    const nodes = Array.from({ length: 4 }, () => fixture.deliveryWith());
    await Promise.all(nodes.map((node) => node.weeklySummaries.plan()));
    const rows = await fixture.rows();
    expect(rows).toHaveLength(8);
    await Promise.all(
      [...nodes, ...nodes].map(async (node) => {
        while (await node.sendNextEmail());
      }),
    );
    expect(fixture.inbox.emails.map(({ to }) => to).sort()).toEqual(rows.map(({ address }) => address));
  });

  test('is not sent again after the process died while the server was confirming it', async () => {
    await planOne();
    await fixture.database.query('update owner_emails set attempts = 1, handed_over_at = now()');
    await fixture.sendEmails();
    expect(fixture.inbox.emails).toEqual([]);
    expect(await fixture.rows()).toMatchObject([
      { status: 'failed', error_message: expect.stringContaining('may have arrived') },
    ]);
    // It died before the server asked for the content: the next attempt sends it.
    await fixture.database.query(
      "update owner_emails set status = 'scheduled', handed_over_at = null, due_at = created_at",
    );
    await fixture.sendEmails();
    expect(fixture.inbox.emails).toHaveLength(1);
    expect(await fixture.rows()).toMatchObject([{ status: 'accepted' }]);
  });

  test('is not sent to an owner who turned it off after it was planned', async () => {
    await planOne();
    await fixture.database.query("update members set weekly_summary_off_at = now() where email = 'olive@acme.example'");
    await fixture.sendEmails();
    expect(fixture.inbox.emails).toEqual([]);
    expect(await fixture.rows()).toMatchObject([{ status: 'failed' }]);
  });
});

describe('turning the summary off', () => {
  async function sendOne() {
    const tenant = await fixture.newOrganization('Olive', 'America/Chicago');
    await busyWeek(tenant);
    await planAt('2026-03-09T13:00:00Z');
    const text = fixture.emailsTo('olive@acme.example')[0]?.text.replaceAll(/\r\n[ \t]/g, ' ') ?? '';
    const [, url = ''] = /^List-Unsubscribe:\s*<([^>]+)>/m.exec(text) ?? [];
    return { text, url, path: new URL(url).pathname, app: fixture.serveOffPage() };
  }
  const isOff = async () => {
    const [row] = await fixture.database.query<{ off: boolean }>(
      "select weekly_summary_off_at is not null as off from members where email = 'olive@acme.example'",
    );
    return row?.off;
  };

  test('takes one click in the mail client, or on the page of the link, without signing in', async () => {
    const { text, url, path, app } = await sendOne();
    expect(text).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
    expect(text.split(url).length - 1).toBeGreaterThanOrEqual(3);
    // The stored email has no link that works without signing in.
    expect((await fixture.rows())[0]?.body).not.toContain(path);
    const page = await app.inject({ url: path });
    expect([page.statusCode, await isOff()]).toEqual([200, false]);
    expect(page.body).toContain(`<form method="post" action="${path}">`);
    expect(page.headers['cache-control']).toBe('no-store');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const click = await app.inject({ method: 'POST', url: path, headers, payload: 'List-Unsubscribe=One-Click' });
    expect([click.statusCode, await isOff()]).toEqual([200, true]);
    expect(click.body).toContain('The weekly summary is off');
    // A second click, and the link afterwards, change nothing.
    expect((await app.inject({ method: 'POST', url: path })).statusCode).toBe(200);
    expect((await app.inject({ url: path })).body).toContain('The weekly summary is off');
    await app.close();
  });

  test('rejects a changed token, and changes nothing', async () => {
    const { path, app } = await sendOne();
    const other = await fixture.newOrganization('Other', 'America/Chicago');
    const [organization = '', member = '', signature = ''] = path.split('/').at(-1)?.split('.') ?? [];
    for (const token of [
      `${other.organizationId}.${member}.${signature}`,
      `${organization}.${member}.${'A'.repeat(signature.length)}`,
      `${organization}.${member}`,
      `${organization}.${member}.${signature}.x`,
      'x',
    ]) {
      const url = `/weekly-summary/off/${token}`;
      expect((await app.inject({ url })).statusCode, token).toBe(404);
      expect((await app.inject({ method: 'POST', url })).statusCode, token).toBe(404);
    }
    expect(await isOff()).toBe(false);
    await app.close();
  });
});
