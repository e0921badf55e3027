import { type Bridge, describeFailure, TemporaryError } from './context.ts';
import { CrmError } from './crm-api.ts';
import { createMemory } from './memory.ts';
import { perform } from './processing.ts';
import { createQueue, inParallel } from './queue.ts';
import { type CrmRequest, RequestError } from './recipe.ts';

export interface Acknowledgement {
  readonly contentType: string;
  readonly body: string;
}

const OK: Acknowledgement = { contentType: 'application/json; charset=utf-8', body: '{"ok":true}' };
/** How many records of a batch are processed at the same time. */
const PARALLEL = 4;
/** A few minutes of the largest batches. */
const REMEMBERED = 10_000;

/** Processes the CRM's webhooks. Returns only when Foreword has accepted everything; throws otherwise. */
export function handleCrmWebhook(bridge: Bridge): (request: CrmRequest) => Promise<Acknowledgement> {
  const { recipe } = bridge;
  const queue = createQueue();
  const settled = createMemory(REMEMBERED);
  // A batch that takes longer than the CRM waits is finished in the background; its repeat must not take as long again.
  const processOnce = async (notice: unknown) => {
    const identity = recipe.identify?.(notice);
    if (identity !== undefined && settled.has(identity)) return;
    await processNotice(bridge, notice);
    if (identity !== undefined) settled.add(identity);
  };
  return async (request) => {
    const notices = recipe.receive(request);
    const work = inParallel(PARALLEL, notices, (notice) =>
      queue.run(recipe.recordOf(notice), () => processOnce(notice)),
    );
    await within(recipe.answerWithinMs, work);
    return recipe.acknowledgement ?? OK;
  };
}

async function processNotice(bridge: Bridge, notice: unknown): Promise<void> {
  const { recipe, log } = bridge;
  const record = recipe.recordOf(notice);
  try {
    for (const change of await recipe.read(notice)) await perform(bridge, change);
  } catch (error) {
    if (error instanceof TemporaryError) throw error;
    if (error instanceof CrmError && error.isMissing) return log.info('the record no longer exists', { record });
    if (error instanceof RequestError) return log.error('the record cannot be used', { record, reason: error.message });
    const isTemporary = !(error instanceof CrmError) || error.isTemporary;
    const fields = { record, ...describeFailure(error), ...(error instanceof CrmError && { reason: error.message }) };
    log.error(
      isTemporary ? 'the record could not be read; the CRM must send it again' : 'the record cannot be read',
      fields,
    );
    if (isTemporary) throw new TemporaryError('the record could not be read');
  }
}

/** The work continues after the limit. The CRM sends the webhook again and then finds it done. */
async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TemporaryError('not finished in time')), limitMs);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    // Its failure was logged, and no one waits for it after the limit.
    work.catch(() => undefined);
  }
}
