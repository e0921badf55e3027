import type { ChangeConsent } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import type { Caller, Handlers } from '../http/index.ts';
import {
  type Consents,
  type ErasedOptOuts,
  listRecipientOptOuts,
  optInRecipient,
  optOutRecipient,
} from './consents.ts';
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
    store: (response: object) => ({ ...response, phone: '', ...('reason' in response && { reason: '' }) }),
    present: (stored: object, _caller: Caller, { body }: { readonly body: ChangeConsent }) => ({
      ...stored,
      phone: body.phone,
      ...('reason' in stored && stored.reason === '' && { reason: body.reason ?? null }),
    }),
  };
  return {
    listOptOuts: (caller, { query }) => listRecipientOptOuts(db.kysely, caller, query),
    optOutRecipient: {
      ...withoutNumber,
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
