import {
  type AcceptedEvent,
  type ConsoleBody,
  type HOME_OPERATIONS,
  type HomeTouchpoint,
  isInLanes,
} from '@foreword/contract';
import { retrieveEvent } from '../../intros/events/index.ts';
import { findMemberIntro } from '../../intros/index.ts';
import { findMember } from '../../members/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import { countryOfTimezone } from '../../platform/countries.ts';
import { ApiError } from '../../platform/errors.ts';
import { exampleOf, readPhone } from '../../platform/phone/index.ts';
import { listTouchpoints } from '../../touchpoints/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { presentHomeEvent } from './present.ts';

/** Lets integrations recognize events that did not come from them. */
const SOURCE = 'foreword_console';

const INTERNATIONAL_EXAMPLE = '+1 415 555 0177';

/** The number in E.164. A wrong guess would text a stranger, so anything but one whole number is refused. */
function requirePhone(typed: string, country: string | null): string {
  const phone = readPhone(typed, country);
  if (phone !== null) return phone;
  const example = exampleOf(country);
  const message =
    example === null
      ? `Enter the number with its country code, such as ${INTERNATIONAL_EXAMPLE}.`
      : `Enter a whole number, such as ${example}. Numbers of other countries start with + and the country code.`;
  throw new ApiError('validation_failed', message, { field: 'recipient.phone' });
}

type StartIntro = 'readNewIntroForm' | 'startIntro' | 'followStartedIntro';

/** An intro that a member starts in the console. It creates the same event as an integration. */
export function createStartIntroHandlers(
  deps: Pick<ConsoleDeps, 'db' | 'events' | 'links'>,
): Pick<ConsoleHandlers, StartIntro & keyof typeof HOME_OPERATIONS> {
  const {
    db: { kysely: db },
    events,
    links,
  } = deps;

  async function ownTouchpoints({ tenant, memberId }: ConsoleUser): Promise<HomeTouchpoint[]> {
    const [member, rows] = await Promise.all([findMember(db, tenant, memberId), listTouchpoints(db, tenant)]);
    const lanes = member?.lanes ?? [];
    return rows
      .filter(({ active, lane }) => active && isInLanes(lane, lanes))
      .map(({ slug, name, context, lane, delivery }) => ({ slug, name, context, lane, delivery }));
  }

  async function timezoneOf({ tenant }: ConsoleUser): Promise<string> {
    const organization = await findOrganization(db, tenant.organizationId);
    if (organization === null) throw new Error('the organization of a signed-in member does not exist');
    return organization.timezone;
  }

  async function toEvent(user: ConsoleUser, body: ConsoleBody<'POST /home/intros'>) {
    const { touchpoint: slug, recipient, appointment, occurred_at } = body;
    const touchpoint = (await ownTouchpoints(user)).find((own) => own.slug === slug);
    if (touchpoint === undefined) {
      throw new ApiError('touchpoint_not_found', 'This touchpoint has been turned off. Choose another one.', {
        field: 'touchpoint',
      });
    }
    if (touchpoint.context === 'appointment' && appointment === undefined) {
      throw new ApiError('validation_failed', 'appointment is required for this touchpoint.', {
        field: 'appointment',
      });
    }
    const timezone = await timezoneOf(user);
    const context = {
      ...(appointment !== undefined && { appointment: { starts_at: appointment, timezone } }),
      ...(touchpoint.lane !== null && { lane: touchpoint.lane }),
    };
    return {
      touchpoint: slug,
      occurred_at,
      member: { id: user.memberId },
      recipient: { ...recipient, phone: requirePhone(recipient.phone, countryOfTimezone(timezone)) },
      reference: { source: SOURCE },
      context,
    };
  }

  async function follow({ tenant, memberId }: ConsoleUser, id: string) {
    const event = await retrieveEvent(db, tenant, id);
    if (event.resolved.member.id !== memberId) {
      throw new ApiError('not_found', 'No event with this id in this organization and environment.');
    }
    const intro = event.intro === null ? null : await findMemberIntro(db, tenant, memberId, event.intro);
    if (intro === null) return presentHomeEvent(event, null);
    const { id: introId, link_generation: generation } = intro;
    await links.activateRecord(db, [{ tenant, introId, generation }]);
    return presentHomeEvent(event, links.recordUrl(introId, generation));
  }

  return {
    async readNewIntroForm(user) {
      const [touchpoints, timezone] = await Promise.all([ownTouchpoints(user), timezoneOf(user)]);
      return { touchpoints, timezone, phone_example: exampleOf(countryOfTimezone(timezone)) };
    },
    async startIntro(user, { body, key }) {
      const answer = await events.submit(user.tenant, key, await toEvent(user, body));
      const { id } = answer.body as AcceptedEvent;
      return follow(user, id);
    },
    followStartedIntro: (user, { params }) => follow(user, params.id),
  };
}
