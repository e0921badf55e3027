/** Folder: the page that turns the weekly summary off. */

import type { Language } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Row, Tenant } from '../db/tenancy.ts';
import { OFF_PATH, wordingIn } from '../delivery/index.ts';
import { createLinkRateLimit } from '../intros/links/index.ts';
import { findMember, turnSummaryOff } from '../members/index.ts';
import { findOrganization, testTenant } from '../organizations/index.ts';
import { browserLanguage, type Document, renderPlain, renderTeamPage, sendDocument } from '../pages/index.ts';
import { monotonicMs } from '../platform/clock.ts';
import { type Html, html } from '../platform/html.ts';
import { keepPrivate } from './access.ts';
import type { ConsoleDeps } from './deps.ts';

const textsIn = (language: Language) => wordingIn(language).summary.page;

const render = (language: Language, title: string, inside: Html): Document =>
  renderTeamPage({ language, title, inside, name: 'Foreword' });

/** Mail scanners follow links, but submit no forms. */
function renderConfirmOff(organization: { name: string; language: Language }, path: string): Document {
  const { confirmTitle, confirm, button } = textsIn(organization.language);
  return render(
    organization.language,
    confirmTitle,
    html`<p>${confirm(organization.name)}</p>
<form method="post" action="${path}"><button class="button full">${button}</button></form>`,
  );
}

const settingsLink = (text: string) => html`<a class="button full" href="/console/settings">${text}</a>`;

function renderOff(language: Language): Document {
  const { offTitle, off, settings } = textsIn(language);
  return render(language, offTitle, html`<p role="status">${off}</p>${settingsLink(settings)}`);
}

function renderUnknownLink(language: Language): Document {
  const { unknownTitle, unknown, settings } = textsIn(language);
  return render(language, unknownTitle, html`<p>${unknown}</p>${settingsLink(settings)}`);
}

type OffRequest = FastifyRequest<{ Params: { token: string } }>;

interface Found {
  readonly tenant: Tenant;
  readonly member: Row<'members'>;
  readonly organization: Row<'organizations'>;
}

/** A form with one field, or the field of a mail client's button. Its content does not matter. */
const BODY_BYTES = 4_096;

/**
 * Turns the weekly summary off without signing in. GET only asks, because mail scanners open every link; the button of the
 * page and that of mail clients (RFC 8058) send a POST to the same address.
 */
export function registerSummaryOff(
  app: FastifyInstance,
  { db: { kysely: db }, clock, delivery: { offLinks } }: Pick<ConsoleDeps, 'db' | 'clock' | 'delivery'>,
): void {
  const rateLimit = createLinkRateLimit(monotonicMs);
  const url = `${OFF_PATH}/:token`;
  const send = (request: OffRequest, reply: FastifyReply, status: number, document: Document) =>
    sendDocument(request, keepPrivate(reply), status, document);

  async function find(token: string): Promise<Found | null> {
    const link = offLinks.read(token);
    if (link === null) return null;
    const tenant = testTenant(link.organizationId);
    const [member, organization] = await Promise.all([
      findMember(db, tenant, link.memberId),
      findOrganization(db, link.organizationId),
    ]);
    if (member === null || organization === null) return null;
    return { tenant, member, organization: { ...organization, language: member.language ?? organization.language } };
  }

  async function withLink(
    request: OffRequest,
    reply: FastifyReply,
    respond: (found: Found) => Promise<Document>,
  ): Promise<FastifyReply> {
    const waitS = rateLimit.waitS(request.ip);
    if (waitS !== null)
      return send(
        request,
        reply.header('retry-after', waitS),
        429,
        renderPlain(browserLanguage(request.headers), 'tooMany'),
      );
    const found = await find(request.params.token);
    if (found !== null) return send(request, reply, 200, await respond(found));
    rateLimit.noteMiss(request.ip);
    return send(request, reply, 404, renderUnknownLink(browserLanguage(request.headers)));
  }

  app.get<{ Params: { token: string } }>(url, { config: { operation: 'summary_off_page' } }, (request, reply) =>
    withLink(request, reply, async ({ member, organization }) =>
      member.weekly_summary_off_at === null
        ? renderConfirmOff(organization, `${OFF_PATH}/${request.params.token}`)
        : renderOff(organization.language),
    ),
  );

  app.post<{ Params: { token: string } }>(
    url,
    { config: { operation: 'summary_off' }, bodyLimit: BODY_BYTES },
    (request, reply) =>
      withLink(request, reply, async ({ tenant, member, organization }) => {
        await db.transaction().execute((tx) => turnSummaryOff(tx, tenant, member, clock()));
        return renderOff(organization.language);
      }),
  );
}
