import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createIntro, introOfEvent } from '../acceptance/support/actions.ts';
import type { Team } from '../console/team-fixture.ts';
import { SHARED_SETTINGS } from '../harness/service.ts';

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
export async function insertTake(team: Team, take: string, introId: string, fields: object): Promise<void> {
  const row = {
    ...{
      organization_id: team.organization.id,
      environment: 'test',
      id: take,
      intro_id: introId,
      member_id: team.organization.memberId,
      media_type: 'video/mp4',
    },
    ...{ created_at: new Date(), touched_at: new Date(), received_at: new Date(), ...fields },
  };
  const names = Object.keys(row);
  await team.database.query(
    `insert into recordings (${names.join()}) values (${names.map((_, at) => `$${at + 1}`).join()})`,
    Object.values(row),
  );
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
  await team.database.query(
    `insert into consents (organization_id, environment, id, phone, kind, source, created_at)
     values ($1, 'test', 'con_1', $2, 'opt_out', 'page', now())`,
    [id, PHONE],
  );
  await team.database.query(
    `insert into flagged_numbers (organization_id, environment, phone, failure, flagged_at)
     values ($1, 'test', $2, 'unreachable_number', now())`,
    [id, PHONE],
  );
  await team.database.query(
    `insert into link_domains (organization_id, environment, id, host, challenge, state, created_at, verified_at, active_at)
     values ($1, 'test', 'lkd_1', 'go.acme.test', 'x', 'active', now(), now(), now())`,
    [id],
  );
  await team.database.query(
    "insert into links (organization_id, environment, intro_id, kind, hash) values ($1, 'test', $2, 'short', 'x')",
    [id, intro],
  );
  return intro;
}
