import type { Database } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import { renderCard } from './card.ts';
import { renderPage, type Scheme } from './page.ts';
import { toView } from './shelf.ts';
import { findByIntro } from './store.ts';
import type { Document, PageView } from './view.ts';

export { sendDocument } from './answers.ts';
export { renderClosed, renderTooMany, renderUnknown } from './closed.ts';
export { findVideoFile, nameVideoFiles } from './for-team.ts';
export { createPlayer, findMediaOrigin } from './media.ts';
export type { Scheme } from './page.ts';
export { assemble } from './render.ts';
export { registerPages } from './routes.ts';
export { closedBefore } from './rules.ts';
export { inline } from './script.ts';
export { brandStyle, CLOSED_STYLE } from './style.ts';
export type { Document, PageView } from './view.ts';

/** The page as its recipient will see it, without a trace of the look; null until there is a video, and once it is closed. */
export async function previewPage(
  db: Database<Tables>,
  intro: { tenant: Tenant; introId: string; pageUrl: string; mediaOrigin: string | null },
): Promise<Document | null> {
  const row = await findByIntro(db, intro.tenant, intro.introId);
  if (row === null || (row.status !== 'ready' && row.status !== 'sent')) return null;
  const view = toView(row, intro.pageUrl);
  if (view?.member.hasLeft === true) return renderCard(view, { preview: true });
  return view && renderPage(view, { preview: true, mediaOrigin: intro.mediaOrigin });
}

/** A page of nobody, to look at. */
export const renderSample = (view: PageView, scheme: Scheme): Document => renderPage(view, { preview: true, scheme });
