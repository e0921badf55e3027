import type { Intro, List, ListIntrosQuery } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import { readPage, readPeriod } from '../db/lists.ts';
import type { Database, Db, Tenant } from '../db/tenancy.ts';
import type { Caller, ChangeId, Handlers, KeyedChange } from '../http/index.ts';
import { type ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { LongPoll, Watched } from '../platform/long-poll.ts';
import type { TestClocks } from '../testing/clock/index.ts';
import { scriptHint } from '../touchpoints/index.ts';
import type { IntroCreator } from './creation.ts';
import type { IntroWithMember } from './fields.ts';
import type { Links } from './links/index.ts';
import { type IntroEvents, presentIntro, type StoredIntro, toStored, withLinks } from './present.ts';
import { appointmentHint, noSuchIntro } from './rules.ts';
import { cancelManually, markSentByIntegration, markSentManually, takeDownManually } from './service.ts';
import { listIntros } from './store/lists.ts';
import { findIntro, findNewer, type IntroVersion } from './store.ts';

type Reader = Tenant & Partial<Pick<Caller, 'by' | 'role'>>;

/** Throws 404 if there is none. To a member, other members' intros do not exist. */
export async function requireIntro(db: Db, reader: Reader, id: string): Promise<IntroWithMember> {
  const row = ID_PATTERN.test(id) ? await findIntro(db, reader, id) : null;
  if (row === null || (reader.role === 'member' && row.member_id !== reader.by)) throw noSuchIntro();
  return row;
}

/** A change that responds with its intro, as it is afterwards. */
export const introChange =
  ({ links }: { readonly links: Links }) =>
  <K extends ChangeId>(run: (...request: Parameters<KeyedChange<K>['run']>) => Promise<unknown>): KeyedChange<K> => ({
    async run(...request) {
      const [tx, caller, input] = request;
      // Before the change, because its refusal would say that the intro of another member exists.
      if (caller.role === 'member') await requireIntro(tx, caller, input.params.id);
      await run(...request);
      return toStored(await requireIntro(tx, caller, input.params.id));
    },
    present: (stored: StoredIntro) => withLinks(stored, links.pageUrl),
    async restore(tx, caller, { params }) {
      const row = await findIntro(tx, caller, params.id);
      return row === null ? null : toStored(row);
    },
  });

/** Neither an empty page nor the end of the list would be true. */
const needsPeriod = (): ApiError =>
  invalid(
    'created_after',
    'is needed for this combination of filters: the newest 100,000 intros include none that match. ' +
      'Search one period at a time, with created_after and created_before',
  );

/** A page of intros, newest first. */
async function list(
  { db: { kysely }, links }: { readonly db: Database; readonly links: Links },
  tenant: Tenant,
  query: ListIntrosQuery,
): Promise<List<Intro>> {
  let isComplete = true;
  const page = await readPage(query, {
    exists: async (id) => (await findIntro(kysely, tenant, id)) !== null,
    async rows({ limit, startingAfter: after }) {
      const { status: statuses = [], member: memberId, touchpoint, reference_id: referenceId } = query;
      const { recipient_phone: phone, metadata = {} } = query;
      // The parameter accepts any text. A value that is not an id matches no intro.
      if (memberId !== undefined && !ID_PATTERN.test(memberId)) return [];
      const period = readPeriod(query);
      const filter = { ...period, statuses, memberId, touchpoint, referenceId, phone, metadata, after, limit };
      const found = await listIntros(kysely, tenant, filter);
      isComplete = found.isComplete;
      if (!isComplete && found.rows.length === 0) throw needsPeriod();
      return found.rows;
    },
    present: (row) => presentIntro(row, links.pageUrl),
  });
  return isComplete ? page : { ...page, has_more: true };
}

const joinHints = (...hints: readonly (string | undefined)[]): string | undefined =>
  hints.filter((hint) => hint !== undefined).join(' ') || undefined;

/** Advice for an intro that will not be sent. Only the response of such an intro is parsed. In ASCII, because it is a header. */
function optOutHint(body: string): string | undefined {
  if (!body.includes('"recipient_opted_out":true')) return;
  const { delivery } = JSON.parse(body) as Intro;
  if (delivery.reason !== 'recipient_opted_out') return;
  return 'The recipient opted out of texts. Foreword does not text this intro, and does not ask the member to record it.';
}

export const introCreation = ({
  creator,
  testClocks,
}: {
  readonly creator: IntroCreator;
  readonly testClocks: TestClocks;
}) =>
  ({
    async createIntro(caller, { body }, key) {
      const { hint, ...answer } = await creator.submit(caller, key, body);
      const script = scriptHint(body.instructions?.script ?? '');
      const hasBegun = appointmentHint(body.context?.appointment, testClocks.now(caller));
      return { ...answer, hint: joinHints(optOutHint(String(answer.body)), script, hasBegun, hint) };
    },
  }) satisfies Partial<Handlers>;

export function introOperations(
  deps: Pick<Services, 'db' | 'testClocks' | 'links'> & {
    readonly introEvents: IntroEvents;
    readonly longPoll: LongPoll;
  },
) {
  const { db, testClocks, links, longPoll } = deps;
  const change = introChange(deps);
  const watched: Watched<IntroVersion> = { findChanged: (known) => findNewer(db.pool, known) };
  return {
    listIntros: (caller, { query }) => list(deps, caller, query),
    retrieveIntro: (caller, { params: { id }, query: { wait: seconds = 0, version: known }, waiting: client }) =>
      longPoll.retrieve(
        watched,
        {
          read: async () => presentIntro(await requireIntro(db.kysely, caller, id), links.pageUrl),
          changeOf: ({ version }) =>
            version > (known ?? version) ? null : { tenant: caller, id, version: known ?? version },
        },
        { seconds, client },
      ),
    cancelIntro: change(async (tx, caller, { params: { id: introId } }) => {
      const now = await testClocks.nowWithin(tx, caller);
      const refusal = await cancelManually(deps, tx, caller, { introId, by: caller.by }, now);
      // To integrations, the status of the intro says that it is no longer open. A person is told.
      if (refusal !== null && caller.role !== undefined) throw refusal;
    }),
    markIntroSent: change(async (tx, caller, { params: { id: introId } }) => {
      const now = await testClocks.nowWithin(tx, caller);
      const markSent = caller.role === undefined ? markSentByIntegration : markSentManually;
      const refusal = await markSent(deps, tx, caller, { introId, by: caller.by }, now);
      if (refusal !== null) throw refusal;
    }),
    takeDownIntro: change(async (tx, caller, { params: { id: introId } }) => {
      const now = await testClocks.nowWithin(tx, caller);
      const refusal = await takeDownManually(deps, tx, caller, { introId, by: caller.by }, now);
      if (refusal !== null) throw refusal;
    }),
  } satisfies Partial<Handlers>;
}
