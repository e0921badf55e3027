import { notifyNewMember } from '../../src/delivery/index.ts';
import { createIntroEvents, createReassign, type IntroEvents } from '../../src/intros/index.ts';
import type { Links } from '../../src/intros/links/index.ts';
import type { ServerKey } from '../../src/platform/server-key.ts';
import { discardIntroUploads } from '../../src/recordings/index.ts';
import { createContentSeal, createPublish } from '../../src/webhooks/index.ts';

/** The parts of intros that delivery needs. Published events are also added to `events`. */
export function recordIntroEvents(links: Links, key: ServerKey, events: { type: string; subject: string }[]) {
  const published = createIntroEvents(links, createPublish(createContentSeal(key)));
  const introEvents: IntroEvents = {
    ...published,
    async publish(within, changes, now) {
      for (const { type, introId } of changes) events.push({ type, subject: introId });
      await published.publish(within, changes, now);
    },
  };
  const reassign = createReassign({ links, introEvents, discardUploads: discardIntroUploads, notifyNewMember });
  return { introEvents, reassign };
}
