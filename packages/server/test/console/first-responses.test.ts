import { describe, expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import type { ConsoleClient } from './console-client.ts';
import { ago, HOUR, openOverview } from './overview-fixture.ts';

const fixture = await forFile(openOverview());
const team = await fixture.newTeam();
await fixture.addIntro(team, { requestedAt: ago(HOUR), firstName: '</script><script>' });
await fixture.addMember(team.id, 'bo@another.example');
await fixture.addMember(team.id, 'olu@another.example', 'owner');
const owner = await fixture.signIn(team.id, 'olu@another.example');
const member = await fixture.signIn(team.id, 'bo@another.example');

interface ConsolePage {
  readonly html: string;
  /** By the address below `/console/api`. */
  readonly responses: Map<string, unknown>;
}

async function readPage(client: ConsoleClient, path: string): Promise<ConsolePage> {
  const html = await (await client.get(path)).text();
  const found = html.matchAll(/<script type="application\/json" data-request="([^"]+)">(.*?)<\/script>/gs);
  return { html, responses: new Map([...found].map(([, address = '', json = '']) => [address, JSON.parse(json)])) };
}

/** Reads the page until it has this many responses: it leaves out those that take too long on a busy machine. */
const readFullPage = (client: ConsoleClient, path: string, count: number) =>
  eventually(
    () => readPage(client, path),
    ({ responses }) => responses.size >= count,
    60_000,
  );

describe('the console page', () => {
  test('contains the responses to the first requests of the overview, as the API returns them', async () => {
    const { responses } = await readFullPage(team.client, '/console', 5);
    expect([...responses.keys()]).toEqual([
      ...['/overview/setup', '/text-limits', '/overview/attention', '/intro-counts', '/overview?days=30'],
    ]);
    const { body } = await team.client.call('GET /overview/attention');
    expect(responses.get('/overview/attention')).toEqual(body);
    expect((await readFullPage(team.client, '/console/overview?days=7', 5)).responses.has('/overview?days=7')).toBe(
      true,
    );
  });

  test('contains the first page of the intros, with names escaped, and none of another organization', async () => {
    await fixture.addIntro(fixture.organization, { requestedAt: ago(HOUR), firstName: 'Stranger' });
    const { html, responses } = await readFullPage(team.client, '/console/intros', 1);
    const { body } = await team.client.call('GET /intros', { query: { sort: 'created' } });
    expect(responses.get('/intros?sort=created')).toEqual(body);
    expect(body.rows).toMatchObject([{ recipient: { first_name: '</script><script>' } }]);
    expect(html).not.toContain('</script><script>');
    expect(html).not.toContain('Stranger');
    expect((await readPage(team.client, '/console/intros?status=sent')).responses.size).toBe(0);
  });

  test.each([
    ['/account', ['/home/settings', '/home/likeness', '/passkeys', '/sessions']],
    ['/organization/brand', ['/brand']],
    ['/messages', ['/messages?status=sending%2Caccepted%2Cdelivered%2Cundelivered%2Cfailed', '/text-limits']],
    ['/organization/activity', ['/activity']],
    ['/organization/data', ['/retention', '/export', '/erasures']],
  ])('contains the first responses of %s', async (path, addresses) => {
    const { responses } = await readFullPage(owner, `/console${path}`, addresses.length);
    expect([...responses.keys()]).toEqual(addresses);
  });

  test('contains nothing that the role may not read', async () => {
    const overview = await readFullPage(member, '/console/overview', 2);
    expect([...overview.responses.keys()]).toEqual(['/overview/attention', '/intro-counts']);
    expect(overview.responses.get('/overview/attention')).toEqual({ items: [], has_more: false });
    expect((await readFullPage(member, '/console/intros', 1)).responses.get('/intros?sort=created')).toMatchObject({
      rows: [],
    });
    expect([...(await readFullPage(member, '/console', 3)).responses.keys()]).toEqual([
      ...['/home', '/overview/attention', '/home/recorded'],
    ]);
  });

  test('preloads the scripts of the page, and nothing more for a page that does not exist', async () => {
    const preloads = async (path: string) =>
      [...(await readPage(team.client, path)).html.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(
        ([, url]) => url,
      );
    const [none, overview, intro] = [
      await preloads('/console/none'),
      await preloads('/console/overview'),
      await preloads('/console/intros/int_1'),
    ];
    expect(overview).toEqual(expect.arrayContaining(none));
    expect(overview.length).toBeGreaterThan(none.length);
    expect(intro.length).toBeGreaterThan(none.length);
    for (const url of new Set([...overview, ...intro])) {
      const response = await fetch(fixture.service.url + url, { headers: { 'accept-encoding': 'br' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-encoding')).toBe('br');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });
});
