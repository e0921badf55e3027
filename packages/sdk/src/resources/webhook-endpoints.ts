import type {
  CreateWebhookEndpoint,
  DeletedWebhookEndpoint,
  ListWebhookAttemptsParams,
  ListWebhookEndpointsParams,
  ListWebhookMessagesParams,
  ReplayWebhooks,
  RetrieveWebhookMessageParams,
  TestWebhook,
  UpdateWebhookEndpoint,
  WebhookAttempt,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookMessage,
  WebhookReplay,
} from '../generated/types.ts';
import type { List } from '../pages.ts';
import { type RequestOptions, segment, type WriteOptions } from '../request.ts';
import { Resource } from './resource.ts';

const PATH = '/v1/webhook_endpoints';

const pathOf = (id: string): string => `${PATH}/${segment('id', id)}`;

export class WebhookEndpoints extends Resource {
  /** The response contains the secret that signs every webhook. It is returned only here, and store it like a password. */
  async create(body: CreateWebhookEndpoint, options?: WriteOptions): Promise<WebhookEndpointWithSecret> {
    return this.change(PATH, options, { body });
  }

  list(filters: ListWebhookEndpointsParams = {}, options: RequestOptions = {}): List<WebhookEndpoint> {
    return this.pages(PATH, filters, options);
  }

  async retrieve(id: string, options?: RequestOptions): Promise<WebhookEndpoint> {
    return this.read(pathOf(id), options);
  }

  async update(id: string, body: UpdateWebhookEndpoint, options?: WriteOptions): Promise<WebhookEndpoint> {
    return this.change(pathOf(id), options, { body });
  }

  async delete(id: string, options?: WriteOptions): Promise<DeletedWebhookEndpoint> {
    return this.change(pathOf(id), options, { method: 'DELETE' });
  }

  /** Returns a new secret. Webhooks have both signatures for 24 hours. */
  async rotateSecret(id: string, options?: WriteOptions): Promise<WebhookEndpointWithSecret> {
    return this.change(`${pathOf(id)}/rotate_secret`, options);
  }

  /** Sends a test, with the example data of a type if you choose one. */
  async test(id: string, body?: TestWebhook, options?: WriteOptions): Promise<WebhookMessage> {
    return this.change(`${pathOf(id)}/test`, options, { body });
  }

  /** The messages of the last 30 days. */
  messages(id: string, filters: ListWebhookMessagesParams = {}, options: RequestOptions = {}): List<WebhookMessage> {
    return this.pages(`${pathOf(id)}/messages`, filters, options);
  }

  /** The attempts of the last 30 days. */
  attempts(id: string, filters: ListWebhookAttemptsParams = {}, options: RequestOptions = {}): List<WebhookAttempt> {
    return this.pages(`${pathOf(id)}/attempts`, filters, options);
  }

  /** Sends one message again, or every failed message since a time. */
  async replay(id: string, body: ReplayWebhooks, options?: WriteOptions): Promise<WebhookReplay> {
    return this.change(`${pathOf(id)}/replay`, options, { body });
  }
}

export class WebhookMessages extends Resource {
  /** A message by its `webhook-id`. */
  async retrieve(
    id: string,
    { endpoint, ...options }: RetrieveWebhookMessageParams & RequestOptions = {},
  ): Promise<WebhookMessage> {
    return this.read(`/v1/webhook_messages/${segment('id', id)}`, options, { query: { endpoint } });
  }
}
