/** The recipient page: video, replies, opt-out and link previews. */

import type { Language } from '@foreword/contract';
import type { Database, Tenant } from '../db/tenancy.ts';
import { renderOrganizationCard } from './closed.ts';
import { type NumberOf, toView } from './lookup.ts';
import { renderPage, type Scheme } from './page.ts';
import { findByIntro } from './store.ts';
import { textsIn } from './texts/index.ts';
import type { Document, PageView } from './view.ts';

export { renderClosed, renderPlain, renderReassigned } from './closed.ts';
export { createFileSender, findMediaOrigin, findVideoFile, listVideoFiles, THUMBNAIL } from './media.ts';
export type { Scheme } from './page.ts';
export { assemble, brandRules, brandStyle, inline, renderTeamPage, TEAM_STYLE } from './render.ts';
export { applyBeacon, applyReply } from './replies.ts';
export {
  appPolicy,
  browserLanguage,
  keepPrivate,
  sendDocument,
  sendTooMany,
  sendUnavailable,
  sendUnknown,
} from './responses.ts';
export { registerPages } from './routes.ts';
export { closedBefore, pageStateOf } from './rules.ts';
export type { Document, PageView } from './view.ts';

/** The page as the recipient will see it, without tracking; null without a video and once the intro has closed. */
export async function previewPage(
  db: Database,
  intro: { tenant: Tenant; introId: string; pageUrl: string; mediaOrigin: string | null; numberOf: NumberOf },
  now: Date,
): Promise<Document | null> {
  const row = await findByIntro(db, intro.tenant, intro.introId);
  if (row === null || (row.status !== 'ready' && row.status !== 'sent')) return null;
  const view = toView(row, intro.pageUrl, intro.numberOf, now);
  if (view === null) return null;
  if (view.replacedFor !== null) return renderOrganizationCard(view, view.replacedFor, { preview: true });
  return renderPage(view, { preview: true, mediaOrigin: intro.mediaOrigin });
}

/** The title of a page whose intro has none. */
export const defaultTitle = (language: Language, memberFirstName: string): string =>
  textsIn(language).title(memberFirstName);

/** A sample page with made-up data. */
export const renderSample = (view: PageView, scheme: Scheme): Document => renderPage(view, { preview: true, scheme });
