import { describe, expect, test } from 'vitest';
import { idBound } from '../../src/platform/ids.ts';
import { forFile } from '../harness/index.ts';
import { ago, DAY, HOUR, MINUTE, openOverview } from './overview-fixture.ts';

const fixture = await forFile(openOverview());

describe('the export', () => {
  test('has a line per intro of the period, oldest first, only of this organization', async () => {
    const acme = await fixture.newTeam();
    const { client } = acme;
    await fixture.addIntro(acme, { requestedAt: ago(40 * DAY) });
    const first = await fixture.addIntro(acme, {
      requestedAt: ago(6 * DAY),
      status: 'sent',
      sent: true,
      recordedMs: MINUTE,
    });
    const second = await fixture.addIntro(acme, { requestedAt: ago(HOUR), slug: null });
    const response = await client.get('/console/export/intros.csv?days=30');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="intros-[-\d]+-to-[-\d]+\.csv"$/,
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    const lines = bytes.toString().slice(1).split('\r\n');
    expect(lines[0]).toMatch(/^id,status,touchpoint,.*recipient_phone.*,cancelled_at$/);
    expect(lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual([first, second]);
    expect(lines[1]).toContain(',Bo,Ng,ana@acme.example,Dana,,+14155550123,');
    expect(lines.at(-1)).toBe('');
  });

  test('defuses formulas, and escapes quotes and commas', async () => {
    const acme = await fixture.newTeam();
    const { client } = acme;
    for (const firstName of ['=HYPERLINK("http://evil.example")', '@sum', '+1+1', '-2+3', 'Dana "D", the 2nd']) {
      await fixture.addIntro(acme, { requestedAt: ago(HOUR), firstName });
    }
    const text = await (await client.get('/console/export/intros.csv?days=7')).text();
    expect(text).toContain(`,"'=HYPERLINK(""http://evil.example"")",`);
    for (const cell of [`,'@sum,`, `,'+1+1,`, `,'-2+3,`, ',"Dana ""D"", the 2nd",']) expect(text).toContain(cell);
  });

  test('exports thousands of intros without duplicates', async () => {
    const acme = await fixture.newTeam();
    const { client } = acme;
    const bound = idBound('int', ago(HOUR));
    await fixture.database.query(
      `insert into intros (organization_id, environment, id, status, member_id, recipient_first_name, recipient_phone,
         instructed, responsibility, metadata, created_at)
       select $1, 'test', $2 || lpad(n::text, 16, '0'), 'requested', $3, 'Dana', '+14155550123', false, 'integration', '{}', now()
       from generate_series(1, 3500) n`,
      [acme.id, bound, acme.memberId],
    );
    const text = await (await client.get('/console/export/intros.csv?days=7')).text();
    const ids = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0]);
    expect([ids.length, new Set(ids).size]).toEqual([3500, 3500]);
    const bad = await client.get('/console/export/intros.csv?days=365');
    expect(bad.status).toBe(422);
  });
});
