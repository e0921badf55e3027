import { ForewordIntroClosedError } from '../errors.ts';
import type {
  CorrectPhone,
  CreateIntro,
  CreateRecordingLink,
  Intro,
  IntroStatus,
  ListIntrosParams,
  RecordingLink,
  RetrieveIntroParams,
  TimelineStep,
} from '../generated/types.ts';
import type { List } from '../pages.ts';
import { type CreateOptions, type RequestOptions, segment, type WriteOptions } from '../request.ts';
import { waitUntil } from '../waiting.ts';
import type { WaitOptions } from './events.ts';
import { Resource } from './resource.ts';

const PATH = '/v1/intros';
/** A person has to record it. */
const WAIT_TIMEOUT_MS = 600_000;
const CLOSED: readonly IntroStatus[] = ['cancelled', 'expired'];

const pathOf = (id: string): string => `${PATH}/${segment('id', id)}`;

export class Intros extends Resource {
  create(body: CreateIntro, options: CreateOptions): Promise<Intro> {
    return this.add(PATH, body, options);
  }

  /** With `wait`, the response arrives when the intro changes, or after that many seconds. */
  async retrieve(id: string, { wait, version, ...options }: RetrieveIntroParams & RequestOptions = {}): Promise<Intro> {
    return this.read(pathOf(id), options, { query: { wait, version }, waitS: wait });
  }

  list(filters: ListIntrosParams = {}, options: RequestOptions = {}): List<Intro> {
    return this.pages(PATH, filters, options);
  }

  /** For a cancelled or rescheduled appointment. An intro that was sent stays as it is. */
  async cancel(id: string, options?: WriteOptions): Promise<Intro> {
    return this.change(`${pathOf(id)}/cancel`, options);
  }

  /** Reports that your system sent the link to the recipient. */
  async markSent(id: string, options?: WriteOptions): Promise<Intro> {
    return this.change(`${pathOf(id)}/mark_sent`, options);
  }

  /** Replaces a wrong number, and texts the recorded intro there if Foreword delivers it. */
  async correctPhone(id: string, input: CorrectPhone, options?: WriteOptions): Promise<Intro> {
    return this.change(`${pathOf(id)}/correct_phone`, options, { body: input });
  }

  /** The link of a sent intro stops showing the video. This cannot be undone. */
  async takeDown(id: string, options?: WriteOptions): Promise<Intro> {
    return this.change(`${pathOf(id)}/take_down`, options);
  }

  /** Processes a take again whose processing failed. */
  async retryRecording(id: string, options?: WriteOptions): Promise<Intro> {
    return this.change(`${pathOf(id)}/retry_recording`, options);
  }

  /** The steps of an intro, oldest first. */
  timeline(id: string, options?: RequestOptions): List<TimelineStep> {
    return this.onePage(`${pathOf(id)}/timeline`, options);
  }

  /** A link that expires, under which the member records. The key needs the permission `recording_links`. */
  async recordingLink(
    id: string,
    { expires_in, ...options }: CreateRecordingLink & WriteOptions = {},
  ): Promise<RecordingLink> {
    return this.change(`${pathOf(id)}/recording_link`, options, { body: { expires_in } });
  }

  /**
   * Resolves when the intro has one of these statuses. Default: any but `requested`, which means that it was recorded,
   * cancelled or expired. Throws a `ForewordIntroClosedError` when it can no longer get there. Default time limit: 10 minutes.
   */
  async waitFor(
    id: string,
    {
      status = ['ready', 'sent', ...CLOSED],
      timeoutMs = WAIT_TIMEOUT_MS,
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
        if (CLOSED.includes(intro.status)) throw new ForewordIntroClosedError(intro);
        return false;
      },
    });
  }
}
