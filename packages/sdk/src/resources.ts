/** The methods of the client. Each class has those of one resource. */

import { ForewordEventFailedError, ForewordIntroClosedError } from './errors.ts';
import { type Operations, ROUTES } from './generated/operations.ts';
import type { Intro, IntroStatus, TouchpointEvent } from './generated/types.ts';
import { LARGEST_PAGE, List } from './pages.ts';
import {
  type Call,
  type CreateOptions,
  checkIdempotencyKey,
  type Requester,
  type RequestOptions,
  segment,
  type WriteOptions,
} from './request.ts';
import { type AbortSignalLike, runtime } from './runtime.ts';
import { waitUntil } from './waiting.ts';

type Id = keyof Operations;
type Query<K extends Id> = Operations[K] extends { query: infer T extends object } ? T : never;
type Body<K extends Id> = Operations[K] extends { body: infer T extends object } ? T : never;
type Result<K extends Id> = Operations[K]['result'];
/** An object of a list. */
type Item<K extends Id> = Result<K> extends { data: (infer T)[] } ? T : never;

function routeOf(operation: Id, id?: string): Pick<Call, 'method' | 'path'> {
  const [method, path] = ROUTES[operation].split(' ') as [Call['method'], string];
  return { method, path: path.replace('{id}', () => segment('id', id)) };
}

/** Makes methods of operations. They reject instead of throwing, so that a caller handles every problem in one way. */
abstract class Resource {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  protected async read<K extends Id>(
    operation: K,
    id: string | undefined,
    options: RequestOptions = {},
    call: Pick<Call, 'query' | 'waitS'> = {},
  ): Promise<Result<K>> {
    return this.#requester.send({ ...routeOf(operation, id), options, ...call });
  }

  protected async change<K extends Id>(
    operation: K,
    id: string | undefined,
    options: WriteOptions = {},
    call: Pick<Call, 'body' | 'file'> = {},
  ): Promise<Result<K>> {
    const idempotencyKey = checkIdempotencyKey(options.idempotencyKey ?? `sdk:${runtime.crypto.randomUUID()}`);
    return this.#requester.send({ ...routeOf(operation, id), options, idempotencyKey, ...call });
  }

  protected lists<K extends Id>(operation: K) {
    return (filters?: Query<K>, options: RequestOptions = {}): List<Item<K>> =>
      new List(this.#requester, { ...routeOf(operation), query: filters ?? {}, options }, LARGEST_PAGE);
  }

  /** A list that belongs to an object. */
  protected listsOf<K extends Id>(operation: K) {
    return (id: string, filters?: Query<K>, options: RequestOptions = {}): List<Item<K>> =>
      new List(this.#requester, { ...routeOf(operation, id), query: filters ?? {}, options }, LARGEST_PAGE);
  }

  protected onePage<K extends Id>(operation: K, id: string | undefined, options: RequestOptions = {}): List<Item<K>> {
    return new List(this.#requester, { ...routeOf(operation, id), options });
  }

  protected retrieves<K extends Id>(operation: K) {
    return (id: string, options?: RequestOptions): Promise<Result<K>> => this.read(operation, id, options);
  }

  protected creates<K extends Id>(operation: K) {
    return async (body: Body<K>, options: CreateOptions): Promise<Result<K>> => {
      const idempotencyKey = checkIdempotencyKey(options?.idempotencyKey);
      return this.#requester.send({ ...routeOf(operation), body, options, idempotencyKey });
    };
  }

  /** Without an object in its path. */
  protected posts<K extends Id>(operation: K) {
    return (body: Body<K>, options?: WriteOptions): Promise<Result<K>> =>
      this.change(operation, undefined, options, { body });
  }

  protected updates<K extends Id>(operation: K) {
    return (id: string, body: Body<K>, options?: WriteOptions): Promise<Result<K>> =>
      this.change(operation, id, options, { body });
  }

  /** Like `updates`, without a body. */
  protected acts<K extends Id>(operation: K) {
    return (id: string, options?: WriteOptions): Promise<Result<K>> => this.change(operation, id, options);
  }

  /** Like `acts`, with an optional body. */
  protected actsWith<K extends Id>(operation: K) {
    return (id: string, body?: Body<K>, options?: WriteOptions): Promise<Result<K>> =>
      this.change(operation, id, options, { body });
  }
}

export interface WaitOptions {
  /** Time limit of the whole wait. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

export type ProcessedTouchpointEvent = TouchpointEvent & { readonly status: 'processed'; readonly intro: string };

const EVENT_TIMEOUT_MS = 60_000;

export class Events extends Resource {
  /** Reports a business moment. Repeating it with the same key returns the same event with the status `duplicate`. */
  readonly create = this.creates('createTouchpointEvent');
  readonly list = this.lists('listEvents');

  /** Processes a failed event again, once its cause is fixed. */
  readonly retry = this.acts('retryEvent');

  /** With `wait`, the response arrives when the event is processed, or after that many seconds. */
  async retrieve(
    id: string,
    { wait, ...options }: RequestOptions & { readonly wait?: number | undefined } = {},
  ): Promise<TouchpointEvent> {
    return this.read('retrieveEvent', id, options, { query: { wait }, waitS: wait });
  }

  /** Resolves when the event is processed; throws a `ForewordEventFailedError` when it failed. Default: 60 s. */
  waitFor(id: string, { timeoutMs = EVENT_TIMEOUT_MS, signal }: WaitOptions = {}): Promise<ProcessedTouchpointEvent> {
    return waitUntil({
      description: `the event ${id}`,
      timeoutMs,
      signal,
      retrieve: (wait, inner) => this.retrieve(id, { wait, signal: inner }),
      isDone: (event): event is ProcessedTouchpointEvent => {
        if (event.status === 'failed') throw new ForewordEventFailedError(event);
        return event.status === 'processed';
      },
    });
  }
}

/** A person has to record it. */
const INTRO_TIMEOUT_MS = 600_000;
/** No other status follows. */
const FINAL: readonly IntroStatus[] = ['sent', 'cancelled', 'expired'];

export class Intros extends Resource {
  readonly create = this.creates('createIntro');
  readonly list = this.lists('listIntros');

  /** For a cancelled or rescheduled appointment. An intro that was sent stays as it is. */
  readonly cancel = this.acts('cancelIntro');
  /** Reports that your system sent the link to the recipient. */
  readonly markSent = this.acts('markIntroSent');
  /** Replaces a wrong number, and texts the recorded intro there if Foreword delivers it. */
  readonly correctPhone = this.updates('correctIntroPhone');
  /** The link of a sent intro stops showing the video. This cannot be undone. */
  readonly takeDown = this.acts('takeDownIntro');
  /** Processes a take again whose processing failed. */
  readonly retryRecording = this.acts('retryRecording');

  /** With `wait`, the response arrives when the intro changes, or after that many seconds. */
  async retrieve(
    id: string,
    { wait, version, ...options }: Query<'retrieveIntro'> & RequestOptions = {},
  ): Promise<Intro> {
    return this.read('retrieveIntro', id, options, { query: { wait, version }, waitS: wait });
  }

  /** The steps of an intro, oldest first. */
  timeline(id: string, options?: RequestOptions): List<Item<'retrieveTimeline'>> {
    return this.onePage('retrieveTimeline', id, options);
  }

  /** A link that expires, under which the member records. The key needs the permission `recording_links`. */
  async recordingLink(
    id: string,
    { expires_in, ...options }: Body<'createRecordingLink'> & WriteOptions = {},
  ): Promise<Result<'createRecordingLink'>> {
    return this.change('createRecordingLink', id, options, { body: { expires_in } });
  }

  /**
   * Resolves when the intro has one of these statuses. Default: any but `requested`, which means that it was recorded,
   * cancelled or expired. Throws a `ForewordIntroClosedError` when it can no longer get there. Default time limit: 10 minutes.
   */
  async waitFor(
    id: string,
    {
      status = ['ready', ...FINAL],
      timeoutMs = INTRO_TIMEOUT_MS,
      signal,
    }: WaitOptions & { readonly status?: IntroStatus | readonly IntroStatus[] | undefined } = {},
  ): Promise<Intro> {
    const wanted = Array.isArray(status) ? status : [status];
    return waitUntil({
      description: `the intro ${id}`,
      timeoutMs,
      signal,
      retrieve: (wait, inner, last: Intro | undefined) =>
        this.retrieve(id, { wait: last === undefined ? 0 : wait, version: last?.version, signal: inner }),
      isDone: (intro): intro is Intro => {
        if (wanted.includes(intro.status)) return true;
        if (FINAL.includes(intro.status)) throw new ForewordIntroClosedError(intro);
        return false;
      },
    });
  }
}

export class Recipients extends Resource {
  /** For a recipient who asked you for no more texts. */
  readonly optOut = this.posts('optOutRecipient');
  /** For a recipient who asked you for texts again. Fails with `recipient_opted_out` if they opted out by text. */
  readonly optIn = this.posts('optInRecipient');
  /** The numbers that are not texted, newest opt-out first. */
  readonly listOptOuts = this.lists('listOptOuts');
  /** Removes everything that identifies the recipient with this number. This cannot be undone. */
  readonly erase = this.posts('eraseRecipient');
  /** The receipt of an erasure: what was removed, and whether it is complete. */
  readonly retrieveErasure = this.retrieves('retrieveErasure');
}

export class Touchpoints extends Resource {
  readonly retrieve = this.retrieves('retrieveTouchpoint');

  /** All touchpoints of the organization, in its own order. */
  list(options?: RequestOptions): List<Item<'listTouchpoints'>> {
    return this.onePage('listTouchpoints', undefined, options);
  }
}

export class Members extends Resource {
  /** A member with this `external_id` is updated instead. A deactivated one stays deactivated. */
  readonly create = this.creates('createMember');
  readonly list = this.lists('listMembers');

  readonly retrieve = this.retrieves('retrieveMember');
  readonly update = this.updates('updateMember');

  readonly reactivate = this.acts('reactivateMember');

  /** `open_intros` decides what happens to the intros that the member has not recorded. */
  readonly deactivate = this.actsWith('deactivateMember');
}

export class LinkDomains extends Resource {
  /** Publish what `verification` says, and point the host to the service. Both are then checked automatically. */
  readonly create = this.posts('createLinkDomain');
  readonly list = this.lists('listLinkDomains');

  readonly retrieve = this.retrieves('retrieveLinkDomain');
  /** Checks it within a few seconds. Retrieve it for the result. */
  readonly check = this.acts('checkLinkDomain');
  /** Links that were sent keep working while the domain leads to the service. */
  readonly delete = this.acts('deleteLinkDomain');
}

export class WebhookEndpoints extends Resource {
  /** The response contains the secret that signs every webhook. It is returned only here, and store it like a password. */
  readonly create = this.posts('createWebhookEndpoint');
  readonly list = this.lists('listWebhookEndpoints');

  readonly retrieve = this.retrieves('retrieveWebhookEndpoint');
  readonly update = this.updates('updateWebhookEndpoint');

  readonly delete = this.acts('deleteWebhookEndpoint');
  /** Returns a new secret. Webhooks have both signatures for 24 hours. */
  readonly rotateSecret = this.acts('rotateWebhookSecret');
  /** The messages of the last 30 days. */
  readonly messages = this.listsOf('listWebhookMessages');
  /** The attempts of the last 30 days. */
  readonly attempts = this.listsOf('listWebhookAttempts');
  /** Sends one message again, or every failed message since a time. */
  readonly replay = this.updates('replayWebhooks');

  /** Sends a test, with the example data of a type if you choose one. */
  readonly test = this.actsWith('testWebhookEndpoint');
}

export class WebhookMessages extends Resource {
  /** A message by its `webhook-id`. */
  async retrieve(
    id: string,
    { endpoint, ...options }: Query<'retrieveWebhookMessage'> & RequestOptions = {},
  ): Promise<Result<'retrieveWebhookMessage'>> {
    return this.read('retrieveWebhookMessage', id, options, { query: { endpoint } });
  }
}

/** A video to record, instead of the built-in clip: bytes or a Blob. */
interface RecordOptions extends WriteOptions {
  readonly video?: unknown;
  /** Default: `video/mp4`. */
  readonly videoType?: 'video/mp4' | 'video/webm' | 'video/quicktime' | 'video/x-matroska' | undefined;
}

class TestIntros extends Resource {
  /** Opens the page as the recipient would. */
  readonly open = this.acts('openTestIntro');
  readonly optOut = this.acts('optOutTestRecipient');

  readonly optIn = this.acts('optInTestRecipient');
  readonly expire = this.acts('expireTestIntro');

  /** Makes the recording or the delivery fail. */
  readonly fail = this.updates('failTestIntro');

  /** Records the intro as its member would. It is `ready` a few seconds later. */
  async record(id: string, { video, videoType = 'video/mp4', ...options }: RecordOptions = {}): Promise<Intro> {
    const file = video === undefined ? undefined : { content: video, type: videoType };
    return this.change('recordTestIntro', id, options, { file });
  }

  /** Watches the video as the recipient would, by default to its end. */
  async watch(id: string, { percent, ...options }: Body<'watchTestIntro'> & WriteOptions = {}): Promise<Intro> {
    return this.change('watchTestIntro', id, options, { body: { percent } });
  }

  /** Replies on the page as the recipient would: by default, confirms the appointment. */
  async reply(id: string, { type, message, ...options }: Body<'replyTestIntro'> & WriteOptions = {}): Promise<Intro> {
    return this.change('replyTestIntro', id, options, { body: { type, message } });
  }
}

class TestClocks extends Resource {
  /** Moves the organization's clock ahead, and lets everything happen that becomes due. */
  readonly advance = this.posts('advanceTestClock');

  retrieve(options?: RequestOptions): Promise<Result<'retrieveTestClock'>> {
    return this.read('retrieveTestClock', undefined, options);
  }

  reset(options?: WriteOptions): Promise<Result<'retrieveTestClock'>> {
    return this.change('resetTestClock', undefined, options);
  }
}

/** Simulates what people do, for tests without a camera and a phone. */
export class TestHelpers {
  readonly intros: TestIntros;
  readonly clock: TestClocks;

  constructor(requester: Requester) {
    this.intros = new TestIntros(requester);
    this.clock = new TestClocks(requester);
  }
}
