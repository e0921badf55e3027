import type { Transaction } from 'kysely';
import { createConsents, createErasedOptOuts, createEventPublisher } from '../delivery/index.ts';
import { createIntroEvents } from '../intros/index.ts';
import { createLinks } from '../links/index.ts';
import { sealWith } from '../platform/seal.ts';
import type { Tables, Tenant } from '../tables.ts';
import { onTestClock, readClock } from '../test-clock/index.ts';
import { createContentSeal, createPublish, SEAL_PURPOSE } from '../webhooks/index.ts';
import { readLinkConfig } from './address.ts';
import { commandClock } from './connection.ts';
import { openKey } from './server-key.ts';

/** What use cases need of the service, without its queues and caches. */
export async function openParts(tx: Transaction<Tables>) {
  const config = await readLinkConfig();
  const serverKey = await openKey(tx, config);
  const links = createLinks(serverKey, config.publicUrl);
  const contents = createContentSeal(serverKey);
  const introEvents = createIntroEvents(links, createPublish(contents));
  const erasedOptOuts = createErasedOptOuts(serverKey);
  return {
    clock: commandClock,
    async now(tenant: Tenant): Promise<Date> {
      return onTestClock(commandClock(), (await readClock(tx, tenant))?.offset_seconds ?? null);
    },
    serverKey,
    links,
    contents,
    seal: sealWith(serverKey, SEAL_PURPOSE),
    introEvents,
    erasedOptOuts,
    consents: createConsents({ publish: createEventPublisher(introEvents), erasedOptOuts }),
    allowPrivate: config.webhooksAllowPrivate,
  };
}

export type Parts = Awaited<ReturnType<typeof openParts>>;
