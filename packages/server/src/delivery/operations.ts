import type { ChangeConsent, OptOut } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import type { Caller, Handlers } from '../http/index.ts';
import { introChange } from '../intros/index.ts';
import { recordChange } from '../privacy/audit/index.ts';
import type { Carriers } from './carriers/index.ts';
import {
  type Consents,
  type ErasedOptOuts,
  listRecipientOptOuts,
  optInRecipient,
  optOutRecipient,
} from './consents.ts';
import { correctPhone } from './queue/plan.ts';
import { findWords } from './store/consents.ts';
import { readTimeline } from './views/timeline.ts';

export function deliveryOperations(
  deps: Pick<Services, 'db' | 'testClocks'> & {
    readonly consents: Consents;
    readonly erasedOptOuts: Pick<ErasedOptOuts, 'hashOf'>;
  },
) {
  const { db, testClocks, erasedOptOuts } = deps;
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
    listOptOuts: (caller, { query }) => listRecipientOptOuts(db.kysely, caller, query),
    optOutRecipient: {
      ...withoutNumber,
      store: (response) => ({ ...withoutNumber.store(response), reason: '' }),
      async present(stored: OptOut, caller, { body: { phone } }) {
        const optOut = { ...stored, phone };
        return stored.reason === '' ? { ...optOut, reason: await findWords(db.kysely, caller, optOut) } : optOut;
      },
      run: async (tx, caller, { body }) =>
        optOutRecipient(deps, tx, caller, body, await testClocks.nowWithin(tx, caller)),
    },
    optInRecipient: {
      ...withoutNumber,
      run: async (tx, caller, { body }) =>
        optInRecipient(deps, tx, caller, body, await testClocks.nowWithin(tx, caller)),
    },
    retrieveTimeline: (caller, { params }) => readTimeline(db, caller, params.id),
  } satisfies Partial<Handlers>;
}

/** Operations that need the carriers, whose limits and accounts decide when a text is sent. */
export const textOperations = (deps: Pick<Services, 'testClocks' | 'links'> & { readonly carriers: Carriers }) =>
  ({
    correctIntroPhone: introChange(deps)(async (tx, caller, { params: { id: introId }, body: { phone } }) => {
      const now = await deps.testClocks.nowWithin(tx, caller);
      await correctPhone(deps, tx, caller, { introId, phone, by: caller.by }, now);
      await recordChange(tx, caller, { action: 'intro.phone_corrected', object: introId, by: caller.by });
    }),
  }) satisfies Partial<Handlers>;
