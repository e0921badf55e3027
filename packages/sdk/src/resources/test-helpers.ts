import type {
  AdvanceTestClock,
  FailTestIntro,
  Intro,
  ReplyTestIntro,
  TestClock,
  WatchTestIntro,
} from '../generated/types.ts';
import { type Requester, type RequestOptions, segment, type WriteOptions } from '../request.ts';
import { Resource } from './resource.ts';

const pathOf = (id: string, action: string): string => `/v1/test_helpers/intros/${segment('id', id)}/${action}`;
const CLOCK = '/v1/test_helpers/clock';

/** A video to record, instead of the built-in clip: bytes or a Blob. */
interface RecordOptions extends WriteOptions {
  readonly video?: unknown;
  /** Default: `video/mp4`. */
  readonly videoType?: 'video/mp4' | 'video/webm' | 'video/quicktime' | 'video/x-matroska' | undefined;
}

class TestIntros extends Resource {
  /** Records the intro as its member would. It is `ready` a few seconds later. */
  async record(id: string, { video, videoType = 'video/mp4', ...options }: RecordOptions = {}): Promise<Intro> {
    const file = video === undefined ? undefined : { content: video, type: videoType };
    return this.change(pathOf(id, 'record'), options, { file });
  }

  /** Opens the page as the recipient would. */
  async open(id: string, options?: WriteOptions): Promise<Intro> {
    return this.change(pathOf(id, 'open'), options);
  }

  /** Watches the video as the recipient would, by default to its end. */
  async watch(id: string, { percent, ...options }: WatchTestIntro & WriteOptions = {}): Promise<Intro> {
    return this.change(pathOf(id, 'watch'), options, { body: { percent } });
  }

  /** Replies on the page as the recipient would: by default, confirms the appointment. */
  async reply(id: string, { type, message, ...options }: ReplyTestIntro & WriteOptions = {}): Promise<Intro> {
    return this.change(pathOf(id, 'reply'), options, { body: { type, message } });
  }

  async optOut(id: string, options?: WriteOptions): Promise<Intro> {
    return this.change(pathOf(id, 'opt_out'), options);
  }

  async optIn(id: string, options?: WriteOptions): Promise<Intro> {
    return this.change(pathOf(id, 'opt_in'), options);
  }

  async expire(id: string, options?: WriteOptions): Promise<Intro> {
    return this.change(pathOf(id, 'expire'), options);
  }

  /** Makes the recording or the delivery fail. */
  async fail(id: string, body: FailTestIntro, options?: WriteOptions): Promise<Intro> {
    return this.change(pathOf(id, 'fail'), options, { body });
  }
}

class TestClocks extends Resource {
  retrieve(options?: RequestOptions): Promise<TestClock> {
    return this.read(CLOCK, options);
  }

  /** Moves the organization's clock ahead, and lets everything happen that becomes due. */
  advance(body: AdvanceTestClock, options?: WriteOptions): Promise<TestClock> {
    return this.change(`${CLOCK}/advance`, options, { body });
  }

  reset(options?: WriteOptions): Promise<TestClock> {
    return this.change(`${CLOCK}/reset`, options);
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
