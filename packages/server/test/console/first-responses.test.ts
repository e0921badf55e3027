import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConsoleClient } from './console-client.ts';
import { ago, HOUR, type OverviewFixture, type OverviewTeam, openOverview } from './overview-fixture.ts';

let fixture: OverviewFixture;
let team: OverviewTeam;
let member: ConsoleClient;
beforeAll(async () => {
  fixture = await openOverview();
  team = await fixture.newTeam();
  await fixture.addIntro(team, { requestedAt: ago(HOUR), firstName: '</script><script>' });
  await fixture.addMember(team.id, 'bo@another.example');
  member = await fixture.signIn(team.id, 'bo@another.example');
});
afterAll(() => fixture.close());

/** The responses in the page, by the address below `/console/api`. */
async function readPage(
  client: ConsoleClient,
  path: string,
): Promise<{ html: string; responses: Map<string, unknown> }> {
  const html = await (await client.get(path)).text();
  const found = html.matchAll(/<script type="application\/json" data-request="([^"]+)">(.*?)<\/script>/gs);
  return { html, responses: new Map([...found].map(([, address = '', json = '']) => [address, JSON.parse(json)])) };
}

describe('the console page', () => {
  test('contains the responses to the first requests of the overview, as the API returns them', async () => {
    const { responses } = await readPage(team.client, '/console');
    expect([...responses.keys()]).toEqual([
      ...['/overview/setup', '/text-limits', '/overview/waiting', '/overview?days=30', '/overview/replies'],
      '/overview/issues',
    ]);
    const { body } = await team.client.call('GET /overview/waiting');
    expect(responses.get('/overview/waiting')).toEqual(body);
    expect((await readPage(team.client, '/console/overview?days=7')).responses.has('/overview?days=7')).toBe(true);
  });

  test('contains the first page of the intros, with names escaped, and none of another organization', async () => {
    await fixture.addIntro(fixture.organization, { requestedAt: ago(HOUR), firstName: 'Stranger' });
    const { html, responses } = await readPage(team.client, '/console/intros');
    const { body } = await team.client.call('GET /intros', { query: { sort: 'created' } });
    expect(responses.get('/intros?sort=created')).toEqual(body);
    expect(body.rows).toMatchObject([{ recipient: { first_name: '</script><script>' } }]);
    expect(html).not.toContain('</script><script>');
    expect(html).not.toContain('Stranger');
    expect((await readPage(team.client, '/console/intros?status=sent')).responses.size).toBe(0);
  });

  test('contains nothing that the role may not read', async () => {
    expect((await readPage(member, '/console/overview')).responses.size).toBe(0);
    expect((await readPage(member, '/console/intros')).responses.get('/intros?sort=created')).toMatchObject({
      rows: [],
    });
    expect([...(await readPage(member, '/console')).responses.keys()]).toEqual(['/home']);
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
