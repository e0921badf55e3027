import { type Bridge, describeFailure, TemporaryError } from './context.ts';
import { CrmError } from './crm-api.ts';
import type { Acknowledgement } from './crm-webhooks.ts';
import type { ForewordIntro } from './foreword.ts';
import { createMemory } from './memory.ts';
import { createQueue } from './queue.ts';
import { type ReadyPage, RequestError } from './recipe.ts';

const OK: Acknowledgement = { contentType: 'application/json; charset=utf-8', body: '{"ok":true}' };
/** Saves a look at the CRM for most repeats. After a restart, the recipe finds its own note. */
const REMEMBERED = 1000;

/** Writes the link of an intro that became ready to its record. Foreword repeats a webhook that is not answered with 2xx. */
export function handleForewordWebhook(
  bridge: Bridge,
): (rawBody: string, headers: Record<string, string>) => Promise<Acknowledgement> {
  const queue = createQueue();
  const written = createMemory(REMEMBERED);
  return async (rawBody, headers) => {
    const { type, data } = await bridge.foreword.webhooks.verify(rawBody, headers).catch(() => {
      throw new RequestError(401, 'the signature of the webhook is not valid');
    });
    const page = type === 'intro.ready' ? pageOf(bridge, data as ForewordIntro) : undefined;
    if (page === undefined) return OK;
    await queue.run(page.introId, async () => {
      if (written.has(page.introId)) return;
      await write(bridge, page);
      written.add(page.introId);
    });
    return OK;
  };
}

/** Undefined for intros of other integrations in the same organization. */
function pageOf({ recipe }: Bridge, intro: ForewordIntro): ReadyPage | undefined {
  const { reference, delivery, id, touchpoint, member } = intro;
  if (reference?.source !== recipe.source || reference.type === null || reference.id === null) return undefined;
  if (delivery.recipient_url === null) return undefined;
  return {
    record: { type: reference.type, id: reference.id },
    url: delivery.recipient_url,
    introId: id,
    touchpoint,
    memberName: `${member.first_name} ${member.last_name}`,
  };
}

async function write({ recipe, log }: Bridge, page: ReadyPage): Promise<void> {
  const fields = { record: `${page.record.type}:${page.record.id}`, intro: page.introId };
  try {
    await recipe.writeLink(page);
    log.info('wrote the link to the record', fields);
  } catch (error) {
    const reason = error instanceof CrmError ? error.message : describeFailure(error).code;
    if (error instanceof CrmError && !error.isTemporary)
      return log.error('the CRM refused the link', { ...fields, reason });
    log.error('the link could not be written; Foreword must send it again', { ...fields, reason });
    throw new TemporaryError('the link could not be written');
  }
}
