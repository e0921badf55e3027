import type { ClosedReason, OrganizationBrand, RecorderNext, RecorderState } from '@foreword/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../app/services.ts';
import type { Tenant } from '../db/tenancy.ts';
import { findSuccessor, listToRecord, type Successor, type ToRecordRow } from '../intros/index.ts';
import { createLinkRateLimit, type FoundLink } from '../intros/links/index.ts';
import { findOrganization } from '../organizations/index.ts';
import { keepPrivate, renderClosed, renderReassigned, sendDocument, sendTooMany, sendUnknown } from '../pages/index.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { monotonicMs } from '../platform/clock.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import { isClosed, isOpen, type LinkUse, mayLeadOn, mayUseLink } from './rules.ts';
import { findForMember, type IntroForMember } from './store/member-view.ts';

/** Says why a link does not work any more. */
const sendClosed = (
  request: FastifyRequest,
  reply: FastifyReply,
  reason: ClosedReason,
  organization: Pick<OrganizationBrand, 'name' | 'accent' | 'office_phone' | 'language'>,
  next: OpenedLink | null = null,
) => {
  const view = { audience: 'member', reason, language: organization.language, organization } as const;
  return sendDocument(request, reply, 410, renderClosed({ ...view, next: linkTo(next) }));
};

const linkTo = (next: OpenedLink | null) =>
  next && { url: `/r/${next.token}`, firstName: next.intro.recipient_first_name };

/** Another member records the intro now. */
const sendReassigned = (
  request: FastifyRequest,
  reply: FastifyReply,
  { first_name, last_name, organization_name: name, accent, language }: Successor,
  next: OpenedLink | null = null,
) => {
  const reader = { language, organization: { name, accent, office_phone: null } };
  return sendDocument(request, reply, 410, renderReassigned(reader, `${first_name} ${last_name}`, linkTo(next)));
};

export type RequestWithToken = FastifyRequest<{ Params: { token: string } }>;

export interface OpenedLink extends FoundLink {
  readonly token: string;
  readonly intro: IntroForMember & { readonly status: RecorderState['intro']['status'] };
}

export type LinkOpener = ReturnType<typeof createLinkOpener>;

/** Links opened recently are never rate limited, however many wrong ones come from the same address. */
const MAX_KNOWN = 10_000;

type LinkWithIntro = Omit<OpenedLink, 'intro'> & { readonly intro: IntroForMember };

/** A link that may lead to the other intros of its member. */
type Lead = Parameters<typeof mayLeadOn>[0] & {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly memberId: string;
};

function leadOf({ tenant, introId, expiresAt, intro }: LinkWithIntro): Lead {
  const closedAt = intro.status === 'expired' ? intro.expires_at : intro.cancelled_at;
  const member = { memberId: intro.member_id, isMemberActive: intro.member_active };
  return { tenant, introId, expiresAt, endedAt: closedAt ?? intro.recorded_at, ...member };
}

type FoundIntro =
  | LinkWithIntro
  /** Another member records the intro now. */
  | { readonly successor: Successor; readonly lead: Lead }
  /** The intro was removed. */
  | { readonly removedFrom: Tenant };

/** Null when the link is open. To lead on to other intros, its own may be closed. */
function whyClosed({ intro, expiresAt }: LinkWithIntro, use: LinkUse | 'lead', now: Date): ClosedReason | null {
  if (intro.is_likeness_withdrawn) return 'likeness_withdrawn';
  if (intro.erased_at !== null) return 'cancelled';
  if (use !== 'lead' && isClosed(intro.status)) return intro.status;
  return mayUseLink(use === 'lead' ? 'record' : use, { expiresAt, takeBegunAt: intro.take_created_at }, now)
    ? null
    : 'link_expired';
}

/** Each function sends the response itself and returns null when the link does not open the recorder. */
export function createLinkOpener(deps: Pick<Services, 'db' | 'clock' | 'links' | 'testClocks'>) {
  const { db, clock, links } = deps;
  const rateLimit = createLinkRateLimit(monotonicMs);
  const known = new BoundedMap<string, true>({ maxSize: MAX_KNOWN });

  /** A number is the seconds to wait after too many wrong links. */
  async function open(
    { params: { token }, ip }: RequestWithToken,
    reply: FastifyReply,
  ): Promise<FoundIntro | number | null> {
    keepPrivate(reply);
    const waitS = known.has(token) ? null : rateLimit.waitS(ip);
    if (waitS !== null) return waitS;
    const found = await links.find(db.kysely, 'record', token);
    const intro = found && (await findForMember(db.kysely, found.tenant, found.introId));
    // The intro may be reassigned between the two reads. The old link must not act as the new member.
    const isCurrent = found === null || intro === null || links.isOfGeneration(token, { ...found, ...intro });
    const link = isCurrent ? found : null;
    if (link === null || intro === null) {
      const replaced = link === null ? await links.findReplaced(db.kysely, token) : null;
      const successor = replaced && (await findSuccessor(db.kysely, replaced.tenant, replaced));
      if (replaced && successor) {
        const { tenant, introId } = replaced;
        const member = { memberId: successor.from_member_id, isMemberActive: true };
        return { successor, lead: { tenant, introId, ...member, expiresAt: null, endedAt: successor.created_at } };
      }
      const isRemoved = replaced && (await findForMember(db.kysely, replaced.tenant, replaced.introId)) === null;
      const removed = isRemoved ? replaced : link;
      if (removed !== null) return { removedFrom: removed.tenant };
      rateLimit.noteMiss(ip);
      return null;
    }
    known.set(token, true);
    return { ...link, token, intro };
  }

  async function answerScript(
    opened: FoundIntro | number | null,
    reply: FastifyReply,
    use: LinkUse | 'lead',
  ): Promise<OpenedLink | null> {
    if (typeof opened === 'number') {
      const message = 'Too many wrong links from this address. Try again in a minute.';
      reply.code(429).header('retry-after', opened);
      await reply.send({ error: { code: 'rate_limited', message } });
    } else if (opened === null) {
      await reply.code(404).send({ error: { code: 'not_found', message: 'This link does not exist.' } });
    } else if ('removedFrom' in opened) {
      await reply.code(410).send({ closed: 'expired' });
    } else if ('successor' in opened) {
      const { first_name, last_name } = opened.successor;
      const error = { code: 'not_found', message: 'Another member records this intro now.' };
      await reply.code(404).send({ error, reassigned_to: `${first_name} ${last_name}` });
    } else {
      const reason = whyClosed(opened, use, clock());
      if (reason === null) return opened as OpenedLink;
      // Shows the recorder that the response to a HEAD, which has no body, is not from a proxy.
      if (reason === 'link_expired') reply.header('tus-resumable', '1.0.0');
      await reply.code(410).send({ closed: reason });
    }
    return null;
  }

  return {
    /** For a person who followed the link: answers with a page that explains why. */
    async openForPerson(request: RequestWithToken, reply: FastifyReply, use: LinkUse): Promise<OpenedLink | null> {
      const opened = await open(request, reply);
      if (typeof opened === 'number') await sendTooMany(request, reply, opened);
      else if (opened === null) await sendUnknown(request, reply);
      else if ('lead' in opened) {
        const lead = await leadOn(deps, opened.lead, []);
        await sendReassigned(request, reply, opened.successor, lead?.first);
      } else if ('removedFrom' in opened) {
        // The intro was removed, because its organization does not keep it this long.
        const organization = await findOrganization(db.kysely, opened.removedFrom.organizationId);
        if (organization === null) await sendUnknown(request, reply);
        else await sendClosed(request, reply, 'expired', organization);
      } else {
        const reason = whyClosed(opened, use, clock());
        if (reason === null) return opened as OpenedLink;
        const lead = isClosed(reason) ? await leadOn(deps, leadOf(opened), []) : null;
        const organization = { ...opened.intro, name: opened.intro.organization_name };
        await sendClosed(request, reply, reason, organization, lead?.first);
      }
      return null;
    },
    /** For the recorder's own requests: answers with JSON. */
    async openForScript(request: RequestWithToken, reply: FastifyReply, use: LinkUse): Promise<OpenedLink | null> {
      return answerScript(await open(request, reply), reply, use);
    },
    /** To find the next intro of the member, although the link's own may be closed or handed over. */
    async openToLead(request: RequestWithToken, reply: FastifyReply): Promise<Lead | null> {
      const found = await open(request, reply);
      if (found !== null && typeof found === 'object' && 'lead' in found) return found.lead;
      const opened = await answerScript(found, reply, 'lead');
      return opened && leadOf(opened);
    },
  };
}

/** More than a member records in a day. */
const MAX_LEFT = 50;
/** More takes than a page can have in flight. */
const MAX_SKIPPED = 20;
const HOME = '/console/home';

/** The ids of intros whose takes the page is still sending: `int_1,int_2`. */
export function readSkipped(text: unknown): string[] {
  return String(text ?? '')
    .split(',')
    .filter((id) => ID_PATTERN.test(id))
    .slice(0, MAX_SKIPPED);
}

type NextDeps = Pick<Services, 'db' | 'links' | 'testClocks'>;

/** A take that is complete but not yet processed needs nothing from the member. */
const needsMember = ({ take_status: status }: ToRecordRow): boolean =>
  status !== 'uploaded' && status !== 'processing' && status !== 'ready';

/** Opens the first intro as its own link does. Null if it closed in the meantime. */
async function openFirst(
  { db, links }: NextDeps,
  tenant: Tenant,
  { id: introId, link_generation: generation }: ToRecordRow,
): Promise<OpenedLink | null> {
  // This page may be the first place to show the link.
  await links.activateRecord(db.kysely, [{ tenant, introId, generation }]);
  const intro = await findForMember(db.kysely, tenant, introId);
  if (intro === null || !isOpen(intro.status)) return null;
  const token = new URL(links.recordUrl(introId, generation)).pathname.split('/').at(-1) ?? '';
  return { tenant, introId, expiresAt: null, token, intro: intro as OpenedLink['intro'] };
}

/** The other intros that the member of this link has to record, with the most urgent one. Null: the link is for one intro only. */
async function leadOn(
  deps: NextDeps,
  link: Lead,
  skipped: readonly string[],
): Promise<{ first: OpenedLink | null; left: number } | null> {
  const { tenant, introId, memberId } = link;
  const now = deps.testClocks.now(tenant);
  if (!mayLeadOn(link, now)) return null;
  const known = [introId, ...skipped];
  const rows = await listToRecord(deps.db.kysely, tenant, memberId, MAX_LEFT + known.length + 1);
  const open = rows.filter(
    (row) => !known.includes(row.id) && needsMember(row) && (row.expires_at === null || row.expires_at > now),
  );
  const [first] = open;
  return { first: first === undefined ? null : await openFirst(deps, tenant, first), left: open.length };
}

/** The intro that the member of this link should record next. */
export async function findNext(
  deps: NextDeps & {
    /** As its own link shows it. */
    present(opened: OpenedLink): Promise<RecorderState>;
    isSignedIn: boolean;
  },
  link: Lead,
  skipped: readonly string[],
): Promise<RecorderNext | null> {
  const lead = await leadOn(deps, link, skipped);
  if (lead === null) return null;
  const { first, left } = lead;
  return {
    next: first && { api: `/r/${first.token}`, state: await deps.present(first) },
    left: Math.min(left, MAX_LEFT),
    has_more: left > MAX_LEFT,
    home: deps.isSignedIn ? HOME : null,
  };
}
