/** Opt-outs, retention, erasures, consent to the use of a likeness, and exports of personal data. */

import {
  type ConsentChange,
  type ConsoleConsent,
  type ConsoleRetentionList,
  iso,
  type Likeness,
  type PRIVACY_OPERATIONS,
} from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Db, Tenant } from '../db/tenancy.ts';
import {
  type ConsentRow,
  canBeUndone,
  findOptOut,
  importOptOuts,
  listConsents as listOptOutChanges,
} from '../delivery/index.ts';
import { requireIntro } from '../intros/index.ts';
import { listColleagues, requireMember } from '../members/index.ts';
import { countryOfTimezone } from '../platform/countries.ts';
import { ApiError } from '../platform/errors.ts';
import { createConcurrencyLimit } from '../platform/fair-queue.ts';
import { pick } from '../platform/json.ts';
import { listErasures, previewErasure } from '../privacy/erasure/index.ts';
import {
  currentConsentText,
  findRemoval,
  giveConsent,
  listConsents,
  presentLikeness,
  withdrawConsent,
} from '../privacy/likeness/index.ts';
import { changeRetention, previewRetention, readRetention } from '../privacy/retention/index.ts';
import { type ConsoleAccess, keepPrivate } from './access.ts';
import { recordExport } from './activity.ts';
import type { ConsoleDeps } from './deps.ts';
import { countWork } from './members.ts';
import { type ConsoleHandlers, requireOrganization } from './operations.ts';
import type { ConsoleUser } from './sessions/service.ts';

const presentChange = ({ by_member: id, first_name, last_name, ...row }: ConsentRow): ConsentChange => ({
  ...pick(row, 'kind', 'source', 'said'),
  by: id === null ? null : { id, first_name: first_name ?? '', last_name: last_name ?? '' },
  at: row.created_at.toISOString(),
});

async function readOptOut(db: Db, tenant: Tenant, phone: string): Promise<ConsoleConsent> {
  const [optOut, history] = await Promise.all([findOptOut(db, tenant, phone), listOptOutChanges(db, tenant, phone)]);
  return {
    opted_out:
      optOut === undefined
        ? null
        : { source: optOut.source, at: iso(optOut.opted_out_at), can_be_undone: canBeUndone(optOut.source) },
    history: history.map(presentChange),
  };
}

async function presentRetention(db: Db, tenant: Tenant, now: Date): Promise<ConsoleRetentionList> {
  const rules = await readRetention(db, tenant, now);
  return {
    rules: rules.map(({ rule, days, pending }) => ({
      rule,
      days,
      effective_at: pending?.at.toISOString() ?? null,
      days_until_then: pending?.days ?? null,
    })),
  };
}

/** Shown in the settings; the activity page and the API have all of them. */
const SHOWN_RECEIPTS = 20;

async function readLikeness(db: Db, tenant: Tenant, id: string, now: Date): Promise<Likeness> {
  const member = await requireMember(db, tenant, id);
  const [organization, consents, removal, colleagues, work] = await Promise.all([
    requireOrganization(db, tenant),
    listConsents(db, tenant, id),
    findRemoval(db, tenant, id),
    listColleagues(db, tenant, id),
    countWork(db, tenant, id, now),
  ]);
  const text = currentConsentText(organization.language, organization.name);
  return {
    ...presentLikeness(member, { consents, removal, text }),
    open_intros: work.open,
    live_pages: work.pages,
    colleagues,
  };
}

/** Reading the rows keeps a connection busy; the download of the files does not. */
const MAX_PARALLEL = 2;

const EXPORT_RUNNING = 'An export of this kind is already running. Try again once it has finished.';
const RETRY_AFTER_S = 30;

/** Exports are rare, so a start does not load them. */
const loadArchive = () => import('../privacy/archive/index.ts');

/** The exports of this node: `organization org_…` or `recipient org_…`, until the end of the download. */
export type RunningExports = Set<string>;

export function createPrivacyHandlers(
  { db: { kysely: db }, clock, testClocks, delivery }: ConsoleDeps,
  running: RunningExports,
): Pick<ConsoleHandlers, keyof typeof PRIVACY_OPERATIONS> {
  return {
    readConsent: ({ tenant }, { query: { phone } }) => readOptOut(db, tenant, phone),
    importOptOuts: ({ tenant, memberId: by }, { body: { text } }) =>
      db.transaction().execute(async (tx) => {
        const country = countryOfTimezone((await requireOrganization(tx, tenant)).timezone);
        return importOptOuts(delivery, tx, { tenant, by, country, text }, testClocks.now(tenant));
      }),
    readRetention: ({ tenant }) => presentRetention(db, tenant, clock()),
    async changeRetention({ tenant }, { body }) {
      await db.transaction().execute((tx) => changeRetention(tx, tenant, { ...body, now: clock() }));
      return presentRetention(db, tenant, clock());
    },
    async previewRetention({ tenant }, { body }) {
      const { count, hasMore, effectiveAt } = await previewRetention(db, tenant, { ...body, now: clock() });
      return { count, has_more: hasMore, effective_at: iso(effectiveAt) };
    },
    readLikeness: ({ tenant }, { params: { id } }) => readLikeness(db, tenant, id, clock()),
    async giveLikeness({ tenant, memberId: id }, { body: { version } }) {
      await db.transaction().execute(async (tx) => {
        const { name, language } = await requireOrganization(tx, tenant);
        if (version !== currentConsentText(language, name).version) {
          throw new ApiError('edit_conflict', 'The text has changed. Reload the page and read it again.');
        }
        await giveConsent(tx, tenant, { id, organization: name, language }, clock());
      });
      return readLikeness(db, tenant, id, clock());
    },
    async withdrawLikeness({ tenant, memberId: by }, { params: { id }, body: { to = null } }) {
      const withdrawal = { memberId: id, by, reassignTo: to };
      await db.transaction().execute((tx) => withdrawConsent(tx, tenant, withdrawal, clock()));
      return readLikeness(db, tenant, id, clock());
    },
    listErasures: async ({ tenant }) => ({ erasures: await listErasures(db, tenant, SHOWN_RECEIPTS) }),
    previewErasure: ({ tenant }, { body: { phone } }) => previewErasure(db, tenant, phone),
    async measureExport({ tenant }) {
      const { measureExport } = await loadArchive();
      return {
        ...(await measureExport(db, tenant)),
        is_running: running.has(`organization ${tenant.organizationId}`),
      };
    },
  };
}

/** Streams the archive of the organization, and that of the recipient of an intro. The number is in no URL. */
export function registerArchiveExport(
  app: FastifyInstance,
  deps: ConsoleDeps,
  access: ConsoleAccess,
  running: RunningExports,
): void {
  const limit = createConcurrencyLimit(MAX_PARALLEL);

  /** One of each kind for an organization. Otherwise, impatient clicks would fill the queue of everyone. */
  async function open(request: FastifyRequest, user: ConsoleUser, phone: string | null) {
    const { tenant } = user;
    const kind = phone === null ? 'organization' : 'recipient';
    const key = `${kind} ${tenant.organizationId}`;
    if (running.has(key)) throw new ApiError('rate_limited', EXPORT_RUNNING, { retryAfterS: RETRY_AFTER_S });
    running.add(key);
    try {
      await recordExport(deps, request, user, kind);
      const { exportToStream } = await loadArchive();
      const fail = (err: unknown) => deps.log.error({ err, organization: tenant.organizationId }, 'an export failed');
      const archive = await limit(() => exportToStream(deps, { tenant, phone }, fail));
      return archive.once('close', () => running.delete(key));
    } catch (error) {
      running.delete(key);
      throw error;
    }
  }

  async function send(request: FastifyRequest, reply: FastifyReply, user: ConsoleUser, phone: string | null) {
    const { tenant } = user;
    const archive = await open(request, user, phone);
    const name = `foreword-${phone === null ? tenant.organizationId : 'recipient'}-${deps.clock().toISOString().slice(0, 10)}.tar`;
    keepPrivate(reply).type('application/x-tar').header('content-disposition', `attachment; filename="${name}"`);
    return reply.send(archive);
  }

  app.get(
    '/console/export/organization.tar',
    { config: { operation: 'console_export_organization' } },
    async (request, reply) => send(request, reply, await access.admit(request, 'owner'), null),
  );

  app.get<{ Querystring: { intro?: string } }>(
    '/console/export/recipient.tar',
    { config: { operation: 'console_export_recipient' } },
    async (request, reply) => {
      const user = await access.admit(request, 'owner');
      const intro = await requireIntro(deps.db.kysely, user, String(request.query.intro));
      // All erased recipients have the same empty number.
      if (intro.erased_at !== null) throw new ApiError('not_found', 'This recipient was erased.');
      return send(request, reply, user, intro.recipient_phone);
    },
  );
}
