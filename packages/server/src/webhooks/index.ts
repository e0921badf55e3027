/** Webhook endpoints, and sending them what changed. */

export { type ContentSeal, createContentSeal } from './contents.ts';
export { webhookOperations } from './operations.ts';
export { type AnyTransaction, createPublish, type DomainEvent, type Publish, type ReadObjects } from './publish.ts';
export { reencryptResponses, webhookColumns } from './reencryption.ts';
export { MAX_ENDPOINTS } from './rules.ts';
export { MAX_CONCURRENT_ATTEMPTS } from './sender/scheduler.ts';
export { WebhookSender } from './sender.ts';
export { countBacklog } from './service.ts';
export { newSealedSecret, SEAL_PURPOSE } from './signing.ts';
export { listObjectWebhooks, type ObjectWebhook } from './store/object-webhooks.ts';
export { countWaiting as countWaitingWebhooks } from './store/queue.ts';
export { listEndpoints } from './store.ts';
