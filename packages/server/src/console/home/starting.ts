import type { AcceptedEvent, ConsoleBody, HOME_OPERATIONS, HomeTouchpoint } from '@foreword/contract';
import { retrieveEvent } from '../../events/index.ts';
import { findMemberIntro } from '../../intros/index.ts';
import { findMember } from '../../members/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { listTouchpoints } from '../../touchpoints/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { retryKey } from '../retry-keys.ts';
import type { Who } from '../sessions/service.ts';
import { presentFollowed } from './present.ts';
import { isOwnLane } from './rules.ts';

/** Tells integrations apart from events of theirs. */
const SOURCE = 'foreword_console';

type Starting = 'GET /home/touchpoints' | 'POST /home/intros' | 'GET /home/events/:id';

/** An intro that a member begins by hand: the same event that an integration would send. */
export function createStartingHandlers(
  deps: Pick<ConsoleDeps, 'db' | 'events' | 'links'>,
): Pick<ConsoleHandlers, Starting & keyof typeof HOME_OPERATIONS> {
  const {
    db: { kysely: db },
    events,
    links,
  } = deps;

  async function ownTouchpoints({ tenant, memberId }: Who): Promise<HomeTouchpoint[]> {
    const [member, rows] = await Promise.all([findMember(db, tenant, memberId), listTouchpoints(db, tenant)]);
    const lanes = member?.lanes ?? [];
    return rows
      .filter(({ active, lane }) => active && isOwnLane(lanes, lane))
      .map(({ slug, name, context, lane, delivery }) => ({ slug, name, context, lane, delivery }));
  }

  async function timezoneOf({ tenant }: Who): Promise<string> {
    const organization = await findOrganization(db, tenant.organizationId);
    if (organization === null) throw new Error('somebody is signed in to an organization that is not there');
    return organization.timezone;
  }

  async function toEvent(who: Who, body: ConsoleBody<'POST /home/intros'>) {
    const { touchpoint: slug, recipient, appointment, occurred_at } = body;
    const touchpoint = (await ownTouchpoints(who)).find((own) => own.slug === slug);
    if (touchpoint === undefined) {
      throw new ApiError('touchpoint_not_found', 'This moment is turned off by now. Choose another one.', {
        field: 'touchpoint',
      });
    }
    if (touchpoint.context === 'appointment' && appointment === undefined) {
      throw new ApiError('validation_failed', 'appointment is required: this moment is about one.', {
        field: 'appointment',
      });
    }
    const context = {
      ...(appointment !== undefined && {
        appointment: { starts_at: appointment, timezone: await timezoneOf(who) },
      }),
      ...(touchpoint.lane !== null && { lane: touchpoint.lane }),
    };
    return {
      touchpoint: slug,
      occurred_at,
      member: { id: who.memberId },
      recipient,
      reference: { source: SOURCE },
      context,
    };
  }

  async function follow({ tenant, memberId }: Who, id: string) {
    const event = await retrieveEvent(db, tenant, id);
    if (event.resolved.member.id !== memberId) {
      throw new ApiError('not_found', 'No event with this id in this organization and environment.');
    }
    const intro = event.intro === null ? null : await findMemberIntro(db, tenant, memberId, event.intro);
    if (intro === null) return presentFollowed(event, null);
    const { id: introId, link_generation: generation } = intro;
    await links.giveRecord(db, [{ tenant, introId, generation }]);
    return presentFollowed(event, links.recordUrl(introId, generation));
  }

  return {
    async 'GET /home/touchpoints'({ who }) {
      const [touchpoints, timezone] = await Promise.all([ownTouchpoints(who), timezoneOf(who)]);
      return { touchpoints, timezone };
    },
    async 'POST /home/intros'({ who, body }) {
      const answer = await events.submit(who.tenant, retryKey(who, body.key), await toEvent(who, body));
      const { id } = answer.body as AcceptedEvent;
      return follow(who, id);
    },
    'GET /home/events/:id': ({ who, params }) => follow(who, params.id),
  };
}
