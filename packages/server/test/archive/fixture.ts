import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createIntro, introOfEvent } from '../acceptance/support/actions.ts';
import type { Team } from '../console/team-fixture.ts';
import { SHARED_SETTINGS } from '../harness/service.ts';
import { openRows } from '../retention/old-rows.ts';

/** Tables whose rows an import changes. */
export const SETTLED: readonly string[] = [
  ...['messages', 'owner_emails', 'webhook_endpoints', 'webhook_deliveries', 'link_domains'],
];
export const PHONE = '+14155550123';
export const TAKE = `rec_${'0'.repeat(26)}`;
const OBJECTS = fileURLToPath(SHARED_SETTINGS.OBJECTS_URL);

const put = (key: string, content: string) => {
  const file = path.join(OBJECTS, key);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
};

/** A take whose files need no encoding. */
function insertTake({ database, organization }: Team, id: string, intro_id: string, fields: object) {
  const times = { created_at: new Date(), touched_at: new Date(), received_at: new Date() };
  const take = { id, intro_id, member_id: organization.memberId, media_type: 'video/mp4', ...times, ...fields };
  return openRows(database, organization.id).insert('recordings', take);
}

/** Creates data in most tables. Returns the id of an intro with a video. */
export async function createRows(team: Team): Promise<string> {
  const {
    api,
    organization: { id },
  } = team;
  const { id: intro } = await introOfEvent(api);
  await createIntro(api, { recipient: { first_name: 'Lee', last_name: 'Sand', phone: '+14155550177' } });
  await api.post('/v1/webhook_endpoints', { url: 'https://hooks.acme.example/in', events: ['*'] });
  await insertTake(team, TAKE, intro, {
    status: 'ready',
    ready_at: new Date(),
    parts: ['0-11'],
    has_captions: true,
    bytes: 5,
  });
  for (const [name, content] of [
    ['video.mp4', 'video'],
    ['poster.jpg', 'poster'],
    ['card.jpg', 'card'],
    ['thumbnail.jpg', 'thumbnail'],
    ['original/0-11', 'the original'],
  ] as const) {
    put(`${id}/${TAKE}/${name}`, content);
  }
  // Numbers that JavaScript would write differently.
  const metadata = '{"area": 1.0, "order": 12345678901234567890}';
  await team.database.query(`update intros set recording_id = $2, metadata = $3 where id = $1`, [
    intro,
    TAKE,
    metadata,
  ]);
  const { insert } = openRows(team.database, id);
  const now = new Date();
  await insert('consents', { id: 'con_1', phone: PHONE, kind: 'opt_out', source: 'page', created_at: now });
  await insert('flagged_numbers', { phone: PHONE, failure: 'unreachable_number', flagged_at: now });
  const active = { state: 'active', created_at: now, verified_at: now, active_at: now };
  await insert('link_domains', { id: 'lkd_1', host: 'go.acme.test', challenge: 'x', ...active });
  await insert('links', { intro_id: intro, kind: 'short', hash: Buffer.from('x') });
  return intro;
}
