/** Webhook endpoints, and sending them what changed. */

export { webhookOperations } from './operations.ts';
export * from './publish.ts';
export { MAX_ENDPOINTS } from './rules.ts';
export {
  type ContentSeal,
  createContentSeal,
  newSealedSecret,
  reencryptResponses,
  SEAL_PURPOSE,
  webhookColumns,
} from './sealing.ts';
export { MAX_CONCURRENT_ATTEMPTS } from './sender/scheduler.ts';
export { WebhookSender } from './sender.ts';
export { countWaiting as countWaitingWebhooks } from './store/queue.ts';
export { countBacklog, listEndpoints, listObjectWebhooks, type ObjectWebhook } from './store.ts';
