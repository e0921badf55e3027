import type { ChangeConsent, OptOut } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import { readPage } from '../db/lists.ts';
import type { Tenant, Tx } from '../db/tenancy.ts';
import type { Caller, Handlers } from '../http/index.ts';
import { introChange } from '../intros/index.ts';
import { invalid } from '../platform/errors.ts';
import { recordChange } from '../privacy/audit/index.ts';
import type { Carriers } from './carriers/index.ts';
import type { Consent, Consents, ErasedOptOuts } from './consents.ts';
import { correctPhone } from './queue/plan.ts';
import { findOptOut, findWords, hadOptOut, listOptOuts, type OptOutRow } from './store/consents.ts';
import { readTimeline } from './views/timeline.ts';

const presentOptOut = ({ id, phone, source, said, opted_out_at: at }: OptOutRow): OptOut => ({
  id,
  object: 'opt_out',
  phone,
  source,
  reason: said,
  opted_out_at: at.toISOString(),
  environment: 'test',
});

/** The decision of a recipient that the operator, a member in the console, or an integration received elsewhere. */
function consentOf({ by, role }: Caller, { phone, reason: said }: ChangeConsent): Consent {
  if (by === null) return { phone, said, source: 'operator' };
  if (role === undefined) return { phone, said, source: 'api', by };
  // The evidence. An integration may have it in its own records.
  if (said === undefined || said.trim() === '') throw invalid('reason', 'must say who asked');
  return { phone, said: said.trim(), source: 'team', by };
}

export function deliveryOperations(
  deps: Pick<Services, 'db' | 'testClocks'> & {
    readonly consents: Consents;
    readonly erasedOptOuts: Pick<ErasedOptOuts, 'hashOf'>;
  },
) {
  const { db, testClocks, consents, erasedOptOuts } = deps;
  /** Neither what the key is bound to nor the stored response has the number, because an erasure does not find them. */
  const withoutNumber = {
    identify: (caller: Caller, { body: { phone, reason } }: { readonly body: ChangeConsent }) => ({
      phone: erasedOptOuts.hashOf(caller, phone).toString('hex'),
      reason: reason ?? null,
    }),
    store: (response: object) => ({ ...response, phone: '' }),
    present: (stored: object, _caller: Caller, { body }: { readonly body: ChangeConsent }) => ({
      ...stored,
      phone: body.phone,
    }),
  };
  return {
    listOptOuts: (caller, { query: { phone, ...page } }) =>
      readPage(page, {
        exists: (id) => hadOptOut(db.kysely, caller, id),
        rows: (range) => listOptOuts(db.kysely, caller, { phone, ...range }),
        present: presentOptOut,
      }),
    optOutRecipient: {
      ...withoutNumber,
      store: (response) => ({ ...withoutNumber.store(response), reason: '' }),
      async present(stored: OptOut, caller, { body: { phone } }) {
        const optOut = { ...stored, phone };
        return stored.reason === '' ? { ...optOut, reason: await findWords(db.kysely, caller, optOut) } : optOut;
      },
      /** Responds with the opt-out, also if the number had opted out before. */
      async run(tx, caller, { body }) {
        await consents.optOut(tx, caller, consentOf(caller, body), await testClocks.nowWithin(tx, caller));
        const row = await findOptOut(tx, caller, body.phone);
        if (row === undefined) throw new Error('the opt-out was undone in this transaction');
        return presentOptOut(row);
      },
    },
    optInRecipient: {
      ...withoutNumber,
      async run(tx, caller, { body }) {
        const now = await testClocks.nowWithin(tx, caller);
        const isChanged = await consents.optIn(tx, caller, consentOf(caller, body), now);
        const opted_in_at = isChanged ? now.toISOString() : null;
        return { object: 'recipient', phone: body.phone, opted_in_at, environment: caller.environment };
      },
    },
    retrieveTimeline: (caller, { params }) => readTimeline(db, caller, params.id),
  } satisfies Partial<Handlers>;
}

/** Operations that need the carriers, whose limits and accounts decide when a text is sent. */
export const textOperations = (
  deps: Pick<Services, 'testClocks' | 'links'> & {
    readonly carriers: Carriers;
    readonly erasedOptOuts: Pick<ErasedOptOuts, 'hashOf' | 'restoreForNew'>;
    /** In what was stored about the intros. Passed in, because the erasure imports this module. */
    replaceNumber(tx: Tx, tenant: Tenant, introIds: readonly string[], phone: string): Promise<void>;
  },
) =>
  ({
    correctIntroPhone: {
      ...introChange(deps)<'correctIntroPhone'>(async (tx, caller, { params: { id: introId }, body: { phone } }) => {
        const now = await deps.testClocks.nowWithin(tx, caller);
        await deps.erasedOptOuts.restoreForNew(tx, [{ tenant: caller, phone }]);
        const corrected = await correctPhone(deps, tx, caller, { introId, phone, by: caller.by }, now);
        await deps.replaceNumber(tx, caller, corrected, phone);
        await recordChange(tx, caller, { action: 'intro.phone_corrected', object: introId, by: caller.by });
      }),
      // An erasure does not reach it, and without a server key, trying every number would reveal the one behind a hash.
      identify: (caller, { body: { phone } }) => ({ phone: deps.erasedOptOuts.hashOf(caller, phone).toString('hex') }),
    },
  }) satisfies Partial<Handlers>;
