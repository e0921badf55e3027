import type { Database } from '../../db/tenancy.ts';
import type { Handlers } from '../../http/index.ts';
import type { TestClocks } from '../../testing/clock/index.ts';
import { type ErasureDeps, eraseRecipient, retrieveErasure } from './service.ts';

export const erasureOperations = (deps: ErasureDeps & { readonly db: Database; readonly testClocks: TestClocks }) =>
  ({
    eraseRecipient: {
      // With a keyed hash, the stored fingerprint does not reveal the number to someone who tries a list of numbers.
      identify: (caller, { body }) => ({ phone: deps.erasedOptOuts.hashOf(caller, body.phone).toString('hex') }),
      run: async (tx, caller, { body: { phone } }) =>
        eraseRecipient(deps, tx, caller, { phone, by: caller.by }, await deps.testClocks.nowWithin(tx, caller)),
    },
    retrieveErasure: (caller, { params }) => retrieveErasure(deps.db.kysely, caller, params.id),
  }) satisfies Partial<Handlers>;
