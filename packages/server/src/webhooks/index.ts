export { announce, type Change, type Within } from './announce.ts';
export { FORGET_INTERVAL_MS, forgetOldWebhooks } from './jobs.ts';
export { presentEndpoint, presentMessage, presentWithSecret } from './present.ts';
export { SEAL_PURPOSE } from './secrets.ts';
export { MAX_PARALLEL } from './sender/lines.ts';
export { countWaiting as countWaitingWebhooks } from './sender/store.ts';
export { createWebhookSender, type WebhookSender } from './sender.ts';
export { addEndpoint, createWebhookService, sendTest, type WebhookService } from './service.ts';
export { deleteEndpoint, findEndpointOfAny, listEndpoints } from './store.ts';
