import type { AUDITED_OPERATIONS } from '../../src/audit/index.ts';
import { createIntro } from '../acceptance/support/actions.ts';
import { makePng } from '../cli/picture-maker.ts';
import { type ConsoleClient, newRetryKey } from '../console/console-client.ts';
import type { Team } from '../console/team-fixture.ts';
import { nextKey } from '../harness/api.ts';

let numbers = 0;
const nextNumber = (): number => ++numbers;
const phoneNumber = (): string => `+14155550${100 + (nextNumber() % 800)}`;

type Declared = typeof AUDITED_OPERATIONS;
type Audited = { [K in keyof Declared]: Declared[K] extends string ? K : never }[keyof Declared];

/** Prepares an operation that succeeds and changes something, and returns its call. */
type Prepare = () => Promise<() => Promise<{ readonly status: number }>>;

/** Needs an authenticator, which only a browser has. */
export const IN_BROWSER = 'test/browser/console-passkeys.test.ts';

/** A call of every operation that is recorded. A missing one is a type error. */
export function createCalls(team: Team): Record<Audited, Prepare | typeof IN_BROWSER> {
  const { owner, manager, api, database } = team;
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
    await database.sql`update intros set status = 'sent', sent_at = now(), recorded_at = now() where id = ${id}`;
    return id;
  };
  const endpoint = async (): Promise<string> => {
    const id = (await api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/hook' })).body.id;
    // An organization may have only a few.
    await database.sql`delete from webhook_endpoints where organization_id = ${team.organization.id} and id <> ${id}`;
    return id;
  };
  const key = async (): Promise<string> =>
    (await owner.call('POST /keys', { body: { key: newRetryKey(), name: 'CRM' } })).body.key.id;
  const passkeyOf = async (memberId: string): Promise<string> => {
    const id = `pk_${String(nextNumber()).padStart(26, '0')}`;
    await database.sql`delete from passkeys where member_id = ${memberId}`;
    await database.sql`insert into passkeys (organization_id, environment, id, member_id, name, credential_id, public_key, counter, transports, created_at)
       values (${team.organization.id}, 'test', ${id}, ${memberId}, 'Laptop', ${Buffer.from(id)}, 'k', 0, '{}', now())`;
    // As if it had confirmed the session.
    await database.sql`update console_sessions set second_factor_at = now() where member_id = ${memberId}`;
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
    'POST /session/sign-out': async () => {
      const client = await another();
      return () => client.call('POST /session/sign-out');
    },
    'DELETE /sessions/:id': async () => {
      const { sessions } = (await (await another()).call('GET /sessions')).body;
      const id = sessions.find(({ is_this }) => is_this)?.id ?? '';
      return () => owner.call('DELETE /sessions/:id', { params: { id } });
    },
    'POST /sessions/revoke-others': async () => {
      await another();
      return () => owner.call('POST /sessions/revoke-others', { body: {} });
    },
    'POST /passkeys': IN_BROWSER,
    'POST /passkeys/:id': async () => {
      const id = await passkeyOf(team.managerId);
      return () => manager.call('POST /passkeys/:id', { params: { id }, body: { name: 'Phone' } });
    },
    'DELETE /passkeys/:id': async () => {
      const id = await passkeyOf(team.managerId);
      return () => manager.call('DELETE /passkeys/:id', { params: { id } });
    },
    'DELETE /members/:id/passkeys': async () => {
      const id = await add();
      await passkeyOf(id);
      return () => owner.call('DELETE /members/:id/passkeys', { params: { id } });
    },
    'POST /second-factor': async () => () => owner.call('POST /second-factor', { body: { required: false } }),
    'POST /keys': async () => () => owner.call('POST /keys', { body: { key: newRetryKey(), name: 'CRM' } }),
    'POST /keys/:id': async () => {
      const id = await key();
      return () => owner.call('POST /keys/:id', { params: { id }, body: { allowed_ips: ['203.0.113.0/24'] } });
    },
    'POST /keys/:id/revoke': async () => {
      const id = await key();
      return () => owner.call('POST /keys/:id/revoke', { params: { id } });
    },
    'POST /link-domains': async () => () =>
      owner.call('POST /link-domains', { body: { key: newRetryKey(), host: 'one.acme.example' } }),
    'DELETE /link-domains/:id': async () => {
      const { body } = await api.post('/v1/link-domains', { host: 'two.acme.example' });
      return () => owner.call('DELETE /link-domains/:id', { params: { id: body.id } });
    },
    'POST /webhooks': async () => () =>
      owner.call('POST /webhooks', { body: { key: newRetryKey(), url: 'http://127.0.0.1:9/hook' } }),
    'POST /webhooks/:id': async () => {
      const id = await endpoint();
      return () => owner.call('POST /webhooks/:id', { params: { id }, body: { active: false } });
    },
    'DELETE /webhooks/:id': async () => {
      const id = await endpoint();
      return () => owner.call('DELETE /webhooks/:id', { params: { id } });
    },
    'POST /webhooks/:id/rotate-secret': async () => {
      const id = await endpoint();
      return () => owner.call('POST /webhooks/:id/rotate-secret', { params: { id }, body: { key: newRetryKey() } });
    },
    'POST /webhooks/:id/replay': async () => {
      const id = await endpoint();
      return () => owner.call('POST /webhooks/:id/replay', { params: { id }, body: { since: '2026-01-01T00:00:00Z' } });
    },
    'POST /brand': async () => {
      const body = await brand();
      return () => owner.call('POST /brand', { body: { ...body, name: `Acme ${nextKey()}` } });
    },
    'POST /brand/logo': async () => {
      const { version } = await brand();
      return () => owner.call('POST /brand/logo', { body: { version, file: picture } });
    },
    'POST /brand/logo/remove': async () => {
      await owner.call('POST /brand/logo', { body: { version: (await brand()).version, file: picture } });
      const { version } = await brand();
      return () => owner.call('POST /brand/logo/remove', { body: { version } });
    },
    'POST /touchpoints': async () => () =>
      owner.call('POST /touchpoints', { body: { name: `Moment ${nextKey()}`, context: 'none', lane: null } }),
    'POST /touchpoints/:slug': async () => {
      const { slug, version } = await touchpoint();
      return () => owner.call('POST /touchpoints/:slug', { params: { slug }, body: { version, name: 'Renamed' } });
    },
    'POST /touchpoints/:slug/copy': async () => {
      const { slug } = await touchpoint();
      return () =>
        owner.call('POST /touchpoints/:slug/copy', { params: { slug }, body: { name: `Copy ${nextKey()}` } });
    },
    'POST /touchpoints/:slug/active': async () => {
      const { slug } = await touchpoint();
      return () => owner.call('POST /touchpoints/:slug/active', { params: { slug }, body: { active: true } });
    },
    'POST /touchpoints/:slug/reset': async () => {
      const slug = 'project_update';
      const { version } = await renamed(slug);
      return () => owner.call('POST /touchpoints/:slug/reset', { params: { slug }, body: { version } });
    },
    'POST /touchpoints/:slug/undo': async () => {
      const { slug } = await touchpoint();
      const { version } = await renamed(slug);
      const { changes } = (await owner.call('GET /touchpoints/:slug/history', { params: { slug } })).body;
      const body = { change: changes[0]?.id ?? '', version };
      return () => owner.call('POST /touchpoints/:slug/undo', { params: { slug }, body });
    },
    'POST /touchpoint-order': async () => {
      const { slug } = await touchpoint();
      return () => owner.call('POST /touchpoint-order', { body: { slug, before: 'project_update' } });
    },
    'POST /home/settings': async () => () =>
      owner.call('POST /home/settings', { body: { words_per_minute: 100 + (nextNumber() % 50) } }),
    'POST /home/photo': async () => () => owner.call('POST /home/photo', { body: { photo: picture } }),
    'DELETE /home/photo': async () => {
      await owner.call('POST /home/photo', { body: { photo: picture } });
      return () => owner.call('DELETE /home/photo');
    },
    'POST /home/likeness': async () => {
      const { version } = (await owner.call('GET /home/likeness')).body.text;
      return () => owner.call('POST /home/likeness', { body: { version } });
    },
    'POST /home/likeness/withdraw': async () => {
      const { email } = await team.add();
      const client = await team.signIn(team.organization.id, email);
      return () => client.call('POST /home/likeness/withdraw', { body: {} });
    },
    'POST /members/:id/likeness/withdraw': async () => {
      const id = await add();
      return () => owner.call('POST /members/:id/likeness/withdraw', { params: { id }, body: {} });
    },
    'POST /members': async () => () => owner.call('POST /members', { body: { key: newRetryKey(), ...person() } }),
    'POST /members/:id': async () => {
      const id = await add();
      return () => manager.call('POST /members/:id', { params: { id }, body: { first_name: 'Other' } });
    },
    'POST /members/:id/photo': async () => {
      const id = await add();
      return () => owner.call('POST /members/:id/photo', { params: { id }, body: { image: picture } });
    },
    'DELETE /members/:id/photo': async () => {
      const id = await add();
      await owner.call('POST /members/:id/photo', { params: { id }, body: { image: picture } });
      return () => owner.call('DELETE /members/:id/photo', { params: { id } });
    },
    'POST /members/:id/deactivate': async () => {
      const id = await add();
      const body = { to_record: 'leave', recorded: 'leave', replace_pages: false } as const;
      return () => owner.call('POST /members/:id/deactivate', { params: { id }, body });
    },
    'POST /members/:id/reactivate': async () => {
      const id = await deactivated();
      return () => owner.call('POST /members/:id/reactivate', { params: { id } });
    },
    'POST /members/:id/confirm-email': async () => {
      const id = await add();
      await database.sql`update members set bounced_email = lower(email), email_bounced_at = now() where id = ${id}`;
      return () => owner.call('POST /members/:id/confirm-email', { params: { id } });
    },
    'POST /members/:id/replace-pages': async () => {
      const id = await deactivated();
      return () => owner.call('POST /members/:id/replace-pages', { params: { id } });
    },
    'POST /members/:id/restore-pages': async () => {
      const id = await replaced();
      return () => owner.call('POST /members/:id/restore-pages', { params: { id } });
    },
    'POST /members/import': async () => {
      const { first_name, last_name, email } = person();
      const text = `first_name,last_name,email\n${first_name},${last_name},${email}`;
      const { fingerprint } = (await owner.call('POST /members/import/preview', { body: { text } })).body;
      return () => owner.call('POST /members/import', { body: { text, fingerprint, skip_problems: false } });
    },
    'POST /text-limits': async () => () => owner.call('POST /text-limits', { body: { countries: ['US', 'CA'] } }),
    'POST /text-limits/resume': async () => {
      await owner.call('POST /text-limits', { body: { countries: ['US'] } });
      await database.sql`update delivery_settings set texts_paused_at = now(), texts_paused_for = 'burst'
        where organization_id = ${team.organization.id}`;
      return () => owner.call('POST /text-limits/resume');
    },
    'POST /consent/allow': async () => {
      const phone = phoneNumber();
      await database.sql`insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
        values (${team.organization.id}, 'test', ${phone}, 'page', now())`;
      return () => manager.call('POST /consent/allow', { body: { phone, asked_by: 'Dana, on the phone' } });
    },
    'POST /consent/stop': async () => {
      const body = { phone: phoneNumber(), asked_by: 'Dana, on the phone' };
      return () => manager.call('POST /consent/stop', { body });
    },
    'POST /consent/import': async () => () => manager.call('POST /consent/import', { body: { text: phoneNumber() } }),
    'POST /intros/:id/cancel': async () => {
      const id = await intro();
      return () => manager.call('POST /intros/:id/cancel', { params: { id } });
    },
    'POST /intros/:id/take-down': async () => {
      const id = await sentIntro();
      return () => owner.call('POST /intros/:id/take-down', { params: { id } });
    },
    'POST /intros/:id/reassign': async () => {
      const [id, member] = [await intro(), await add()];
      return () => manager.call('POST /intros/:id/reassign', { params: { id }, body: { member } });
    },
    'POST /intros/:id/hand-over': async () => {
      const [id, member] = [await intro(), await add()];
      const params = { id };
      await manager.call('POST /intros/:id/reassign', { params, body: { member: team.managerId } });
      return () => manager.call('POST /intros/:id/hand-over', { params, body: { member } });
    },
    'POST /intros/bulk': async () => {
      const ids = [await intro()];
      return () => manager.call('POST /intros/bulk', { body: { action: 'cancel', ids } });
    },
    'POST /erasures': async () => () =>
      owner.call('POST /erasures', { body: { key: newRetryKey(), phone: '+14155550178' } }),
    'POST /retention': async () => () => owner.call('POST /retention', { body: { rule: 'videos', days: 30 } }),
    'POST /activity/retention': async () => () => owner.call('POST /activity/retention', { body: { days: 91 } }),
    cancelIntro: async () => {
      const id = await intro();
      return () => api.post(`/v1/intros/${id}/cancel`);
    },
    takeDownIntro: async () => {
      const id = await sentIntro();
      return () => api.post(`/v1/intros/${id}/take_down`);
    },
    optOutRecipient: async () => () => api.post('/v1/recipients/opt_out', { phone: phoneNumber() }),
    optInRecipient: async () => {
      const phone = phoneNumber();
      await api.post('/v1/recipients/opt_out', { phone });
      return () => api.post('/v1/recipients/opt_in', { phone });
    },
    eraseRecipient: async () => () => api.post('/v1/recipients/erase', { phone: '+14155550177' }),
    createMember: async () => () => api.post('/v1/members', person()),
    updateMember: async () => {
      const id = await add();
      return () => api.post(`/v1/members/${id}`, { first_name: 'Other' });
    },
    deactivateMember: async () => {
      const id = await add();
      return () => api.post(`/v1/members/${id}/deactivate`, { open_intros: 'keep' });
    },
    reactivateMember: async () => {
      const id = await deactivated();
      return () => api.post(`/v1/members/${id}/reactivate`);
    },
    createLinkDomain: async () => () => api.post('/v1/link-domains', { host: 'three.acme.example' }),
    deleteLinkDomain: async () => {
      const { body } = await api.post('/v1/link-domains', { host: 'four.acme.example' });
      return () => api.raw('DELETE', `/v1/link-domains/${body.id}`, { headers: { 'idempotency-key': nextKey() } });
    },
    createWebhookEndpoint: async () => () => api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/hook' }),
    updateWebhookEndpoint: async () => {
      const id = await endpoint();
      return () => api.post(`/v1/webhook_endpoints/${id}`, { active: false });
    },
    deleteWebhookEndpoint: async () => {
      const id = await endpoint();
      return () => api.raw('DELETE', `/v1/webhook_endpoints/${id}`, { headers: { 'idempotency-key': nextKey() } });
    },
    rotateWebhookSecret: async () => {
      const id = await endpoint();
      return () => api.post(`/v1/webhook_endpoints/${id}/rotate_secret`);
    },
    replayWebhooks: async () => {
      const id = await endpoint();
      return () => api.post(`/v1/webhook_endpoints/${id}/replay`, { since: '2026-01-01T00:00:00Z' });
    },
  };
}
