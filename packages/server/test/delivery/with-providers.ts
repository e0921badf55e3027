import { openInbox } from '../console/inbox.ts';
import { type CarrierService, HTTP_SECRET, startHttpService } from './carrier-services.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery } from './delivery-fixture.ts';

/** Like `openDelivery`, with a text carrier and a mail server that accept everything. */
export async function openWithProviders(start: string): Promise<DeliveryFixture & { carrier: CarrierService }> {
  // The clock of the fixture is not the carrier's, which therefore cannot check signatures.
  const [carrier, mail] = await Promise.all([startHttpService(false), openInbox()]);
  const fixture = await openDelivery(start, {
    ...LOG_ONLY,
    text: { carrier: 'http', address: { url: carrier.url, secret: HTTP_SECRET } },
    mail: mail.server,
  });
  return {
    ...fixture,
    carrier,
    async close() {
      await fixture.close();
      await Promise.all([carrier.close(), mail.close()]);
    },
  };
}
