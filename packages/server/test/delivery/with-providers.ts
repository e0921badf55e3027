import type { FastifyInstance } from 'fastify';
import { twilioSignature } from '../../src/delivery/carriers/twilio.ts';
import type { CarrierSettings } from '../../src/delivery/index.ts';
import { openInbox } from '../console/inbox.ts';
import { type Behavior, HTTP_SECRET, startHttpService, startTwilioService, TWILIO } from './carrier-services.ts';
import { LOG_ONLY, type NewIntro, openDelivery, PUBLIC_URL } from './delivery-fixture.ts';
import { startTelnyxService, telnyxAt } from './telnyx-service.ts';

/** Each carrier as a local service, and the settings that use it. */
export const CARRIERS = {
  twilio: {
    start: startTwilioService,
    settings: (url: string): CarrierSettings => ({
      ...LOG_ONLY,
      text: { carrier: 'twilio', account: TWILIO },
      twilioApiUrl: url,
    }),
  },
  telnyx: {
    start: startTelnyxService,
    settings: (url: string): CarrierSettings => ({ ...LOG_ONLY, text: telnyxAt(url) }),
  },
  http: {
    // The clock of a fixture is not the carrier's, which therefore cannot check signatures.
    start: () => startHttpService(false),
    settings: (url: string): CarrierSettings => ({
      ...LOG_ONLY,
      text: { carrier: 'http', address: { url, secret: HTTP_SECRET } },
    }),
  },
};

export type WithCarrier = Awaited<ReturnType<typeof openWithProviders>>;

/** Like `openDelivery`, with a text carrier and a mail server that accept everything. */
export async function openWithProviders(
  start: string,
  name: keyof typeof CARRIERS = 'http',
  changes: Partial<CarrierSettings> = {},
) {
  const [carrier, mail] = await Promise.all([CARRIERS[name].start(), openInbox()]);
  const fixture = await openDelivery(start, {
    ...CARRIERS[name].settings(carrier.url),
    mail: mail.server,
    ...changes,
  });
  return {
    ...fixture,
    carrier,
    /** Like `deliver`, while the carrier behaves like this when it gets the text. */
    async deliver(intro: NewIntro = {}, ...behaviors: Behavior[]) {
      const id = await fixture.createIntro(intro);
      await fixture.tick();
      await fixture.record(id);
      carrier.next(...behaviors);
      await fixture.tick();
      return id;
    },
    async close() {
      await fixture.close();
      await Promise.all([carrier.close(), mail.close()]);
    },
  };
}

/** A call with the form that Twilio sends and signs. */
export function callAsTwilio(
  app: FastifyInstance,
  address: string,
  fields: Record<string, string>,
  token: string = TWILIO.authToken,
) {
  const url = address.replace(PUBLIC_URL, '');
  const form = new URLSearchParams(fields);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-twilio-signature': twilioSignature(token, PUBLIC_URL + url, form),
  };
  return app.inject({ method: 'POST', url, headers, payload: form.toString() });
}
