import { createIntro } from '../acceptance/support/actions.ts';
import { makePng } from '../cli/picture-maker.ts';
import { type ConsoleClient, newRetryKey } from '../console/console-client.ts';
import type { Team } from '../console/team-fixture.ts';
import { nextKey } from '../harness/api.ts';

let numbers = 0;
export const nextNumber = (): number => ++numbers;

/** Creates the objects that the operations change. */
export function createSetup(team: Team) {
  const { owner, api, database } = team;
  const picture = makePng({ width: 100, height: 100 }, [220, 30, 30], [20, 40, 200]).toString('base64');

  const add = async (): Promise<string> => (await team.add()).id;
  const deactivated = async (): Promise<string> => {
    const id = await add();
    await api.post(`/v1/members/${id}/deactivate`, { open_intros: 'keep' });
    return id;
  };
  const replaced = async (): Promise<string> => {
    const id = await deactivated();
    await owner.call('POST /members/:id/replace-pages', { params: { id } });
    return id;
  };
  const intro = async (): Promise<string> => (await createIntro(api)).id;
  const sentIntro = async (): Promise<string> => {
    const id = await intro();
    await database.query(`update intros set status = 'sent', sent_at = now(), recorded_at = now() where id = $1`, [id]);
    return id;
  };
  const endpoint = async (): Promise<string> => {
    const id = (await api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/hook' })).body.id;
    // An organization may have only a few.
    await database.query('delete from webhook_endpoints where organization_id = $1 and id <> $2', [
      team.organization.id,
      id,
    ]);
    return id;
  };
  const key = async (): Promise<string> =>
    (await owner.call('POST /keys', { body: { key: newRetryKey(), name: 'CRM' } })).body.key.id;
  const passkeyOf = async (memberId: string): Promise<string> => {
    const id = `pk_${String(nextNumber()).padStart(26, '0')}`;
    await database.query('delete from passkeys where member_id = $1', [memberId]);
    await database.query(
      `insert into passkeys (organization_id, environment, id, member_id, name, credential_id, public_key, counter, transports, created_at)
       values ($1, 'test', $2, $3, 'Laptop', $4, 'k', 0, '{}', now())`,
      [team.organization.id, id, memberId, Buffer.from(id)],
    );
    // As if it had confirmed the session.
    await database.query('update console_sessions set second_factor_at = now() where member_id = $1', [memberId]);
    return id;
  };
  const brand = async () => {
    const { logo_url: _logo, ...fields } = (await owner.call('GET /brand')).body;
    return fields;
  };
  const touchpoint = async () => {
    const body = { name: `Moment ${nextKey()}`, context: 'none', lane: null } as const;
    return (await owner.call('POST /touchpoints', { body })).body;
  };
  const renamed = async (slug: string) => {
    const { version } = (await owner.call('GET /touchpoints/:slug', { params: { slug } })).body;
    const body = { version, name: `Renamed ${nextKey()}` };
    return (await owner.call('POST /touchpoints/:slug', { params: { slug }, body })).body;
  };
  /** Signs in for one call, because the call ends the session. */
  const another = (): Promise<ConsoleClient> => team.signIn(team.organization.id, 'owner@acme.example');
  const person = () => ({
    first_name: 'New',
    last_name: 'Person',
    email: `new${nextKey().replaceAll(':', '')}@acme.example`,
  });

  return {
    picture,
    add,
    deactivated,
    replaced,
    intro,
    sentIntro,
    endpoint,
    key,
    passkeyOf,
    brand,
    touchpoint,
    renamed,
    another,
    person,
  };
}
