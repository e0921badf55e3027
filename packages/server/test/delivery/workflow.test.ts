import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { PUBLIC_URL } from './delivery-fixture.ts';
import { openWithProviders } from './with-providers.ts';

const fixture = await forFile(openWithProviders('2026-03-05T16:00:00Z'));

const summarize = (messages: readonly { purpose: string; channel: string | null; status: string }[]) =>
  messages.map(({ purpose, channel, status }) => `${purpose} ${channel} ${status}`);

describe('the member', () => {
  test('gets a text with the recipient, the deadline and the recorder link', async () => {
    const id = await fixture.createIntro({
      appointment: { startsAt: '2026-03-12T19:30:00Z', timezone: 'America/Chicago' },
    });
    await fixture.tick();
    const [ask] = await fixture.messages(id);
    expect(ask).toMatchObject({ status: 'accepted', channel: 'text', address: '+13125550117', segments: 1 });
    expect(ask?.body).toBe(
      'Acme Roofing: Please record a short video for Dana Reyes by Thu, Mar 12, 2:30 PM CDT. ' +
        `Reply STOP to opt out. ${fixture.links.recordUrl(id, 0)}`,
    );
    expect(fixture.links.recordUrl(id, 0).startsWith(`${PUBLIC_URL}/r/`)).toBe(true);
    const links = await fixture.database.query('select kind from links where intro_id = $1', [id]);
    expect(links).toEqual([{ kind: 'record' }]);
  });

  test('is reminded halfway and an hour before the appointment, but not after recording', async () => {
    const appointment = { startsAt: '2026-03-12T19:30:00Z', timezone: 'America/Chicago' };
    const [kept, recorded] = [await fixture.createIntro({ appointment }), await fixture.createIntro({ appointment })];
    await fixture.advanceTo('2026-03-06T16:00:00Z');
    await fixture.record(recorded);
    await fixture.advanceTo('2026-03-13T16:00:00Z');
    const reminded = (await fixture.messages(kept)).map(({ purpose, accepted_at }) => [
      purpose,
      accepted_at?.toISOString() ?? null,
    ]);
    expect(reminded).toEqual([
      ['ask', '2026-03-05T16:00:00.000Z'],
      // Halfway is in the night before Monday.
      ['remind', '2026-03-09T13:00:00.000Z'],
      ['remind_last', '2026-03-12T18:30:00.000Z'],
    ]);
    expect(summarize(await fixture.messages(recorded))).toEqual([
      'ask text accepted',
      'deliver text accepted',
      'remind null dropped',
      'remind_last null dropped',
    ]);
  });
});
