import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, PUBLIC_URL, type Stage } from './delivery-fixture.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage('2026-03-05T16:00:00Z');
});
afterAll(() => stage.close());

const shortly = (messages: readonly { purpose: string; channel: string | null; status: string }[]) =>
  messages.map(({ purpose, channel, status }) => `${purpose} ${channel} ${status}`);

describe('the member', () => {
  it('is asked by text, with the recorder behind the link at the end, for whom it is, and until when', async () => {
    const id = await stage.ask({ appointment: { startsAt: '2026-03-12T19:30:00Z', timezone: 'America/Chicago' } });
    await stage.tick();
    const [ask] = await stage.messages(id);
    expect(ask).toMatchObject({ status: 'accepted', channel: 'text', address: '+13125550117', segments: 2 });
    expect(ask?.body).toBe(
      'Acme Roofing: Please record a short video for Dana Reyes. There is time until Thu, Mar 12, 2:30 PM CDT. ' +
        `Reply STOP to opt out. ${stage.links.recordUrl(id, 0)}`,
    );
    expect(stage.links.recordUrl(id, 0).startsWith(`${PUBLIC_URL}/r/`)).toBe(true);
    const links = await stage.database.query('select kind from links where intro_id = $1', [id]);
    expect(links).toEqual([{ kind: 'record' }]);
  });

  it('is reminded halfway and an hour before the appointment, and not after the video is there', async () => {
    const appointment = { startsAt: '2026-03-12T19:30:00Z', timezone: 'America/Chicago' };
    const [kept, recorded] = [await stage.ask({ appointment }), await stage.ask({ appointment })];
    await stage.until('2026-03-06T16:00:00Z');
    await stage.record(recorded);
    await stage.until('2026-03-13T16:00:00Z');
    const reminded = (await stage.messages(kept)).map(({ purpose, accepted_at }) => [
      purpose,
      accepted_at?.toISOString() ?? null,
    ]);
    expect(reminded).toEqual([
      ['ask', '2026-03-05T16:00:00.000Z'],
      // Halfway lies in the night to Monday.
      ['remind', '2026-03-09T13:00:00.000Z'],
      ['remind_last', '2026-03-12T18:30:00.000Z'],
    ]);
    expect(shortly(await stage.messages(recorded))).toEqual([
      'ask text accepted',
      'deliver text accepted',
      'remind null dropped',
      'remind_last null dropped',
    ]);
  });
});
