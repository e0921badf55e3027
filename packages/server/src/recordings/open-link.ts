import type { ClosedReason, RecorderState } from '@foreword/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Tenant } from '../db/tenancy.ts';
import { findSuccessor, type Successor } from '../intros/index.ts';
import { createLinkRateLimit, type FoundLink, type Link, type Links } from '../links/index.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { type Clock, monotonicMs } from '../platform/clock.ts';
import { isClosed, type LinkUse, mayUseLink } from './rules.ts';
import { findForMember, type IntroForMember } from './store/member-view.ts';

/** Pages that a recording link shows instead of the recorder. The pages module renders them. */
export interface RecorderPages {
  sendClosed(
    request: FastifyRequest,
    reply: FastifyReply,
    intro: IntroForMember,
    reason: ClosedReason,
  ): Promise<FastifyReply>;
  sendUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** The intro was removed, because its organization does not keep it this long. */
  sendRemoved(request: FastifyRequest, reply: FastifyReply, tenant: Tenant): Promise<FastifyReply>;
  /** Another member records the intro now. */
  sendReassigned(request: FastifyRequest, reply: FastifyReply, to: Successor): Promise<FastifyReply>;
  sendTooMany(request: FastifyRequest, reply: FastifyReply, waitS: number): Promise<FastifyReply>;
  sendUnavailable(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  sendPreview(request: FastifyRequest, reply: FastifyReply, link: Link): Promise<FastifyReply>;
}

export type RequestWithToken = FastifyRequest<{ Params: { token: string } }>;

export interface OpenedLink extends FoundLink {
  readonly token: string;
  readonly intro: IntroForMember & { readonly status: RecorderState['intro']['status'] };
}

/** Each sends the response itself and returns null when the link does not open the recorder. */
export interface LinkOpener {
  /** For a person who followed the link: answers with a page that explains why. */
  openForPerson(request: RequestWithToken, reply: FastifyReply, use: LinkUse): Promise<OpenedLink | null>;
  /** For the recorder's own requests: answers with JSON. */
  openForScript(request: RequestWithToken, reply: FastifyReply, use: LinkUse): Promise<OpenedLink | null>;
}

/** Links opened recently are never rate limited, however many wrong ones come from the same address. */
const MAX_KNOWN = 10_000;

/** Everything below a link is private: not cached, not indexed, and its address is not passed to other sites. */
function protect(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex, nofollow');
}

type LinkWithIntro = Omit<OpenedLink, 'intro'> & { readonly intro: IntroForMember };

/** Null when the link is open. */
function whyClosed({ intro, expiresAt }: LinkWithIntro, use: LinkUse, now: Date): ClosedReason | null {
  if (intro.is_likeness_withdrawn) return 'likeness_withdrawn';
  if (isClosed(intro.status)) return intro.status;
  if (intro.erased_at !== null) return 'cancelled';
  return mayUseLink(use, { expiresAt, takeBegunAt: intro.take_created_at }, now) ? null : 'link_expired';
}

export function createLinkOpener(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly links: Links;
  readonly pages: RecorderPages;
}): LinkOpener {
  const { db, clock, links, pages } = deps;
  const rateLimit = createLinkRateLimit(monotonicMs);
  const known = new BoundedMap<string, true>({ maxSize: MAX_KNOWN });

  /** A number is the seconds to wait after too many wrong links. */
  async function open({ params: { token }, ip }: RequestWithToken) {
    const waitS = known.has(token) ? null : rateLimit.waitS(ip);
    if (waitS !== null) return waitS;
    const link = await links.find(db.kysely, 'record', token);
    const intro = link && (await findForMember(db.kysely, link.tenant, link.introId));
    if (link === null || intro === null) {
      const replaced = link === null ? await links.findReplaced(db.kysely, token) : null;
      const successor = replaced && (await findSuccessor(db.kysely, replaced.tenant, replaced));
      if (successor !== null) return { successor };
      const isRemoved = replaced && (await findForMember(db.kysely, replaced.tenant, replaced.introId)) === null;
      const removed = isRemoved ? replaced : link;
      if (removed !== null) return { removedFrom: removed.tenant };
      rateLimit.noteMiss(ip);
      return null;
    }
    known.set(token, true);
    return { ...link, token, intro };
  }

  return {
    async openForPerson(request, reply, use) {
      protect(reply);
      const opened = await open(request);
      if (typeof opened === 'number') await pages.sendTooMany(request, reply, opened);
      else if (opened === null) await pages.sendUnknown(request, reply);
      else if ('successor' in opened) await pages.sendReassigned(request, reply, opened.successor);
      else if ('removedFrom' in opened) await pages.sendRemoved(request, reply, opened.removedFrom);
      else {
        const reason = whyClosed(opened, use, clock());
        if (reason === null) return opened as OpenedLink;
        await pages.sendClosed(request, reply, opened.intro, reason);
      }
      return null;
    },
    async openForScript(request, reply, use) {
      protect(reply);
      const opened = await open(request);
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
    },
  };
}
