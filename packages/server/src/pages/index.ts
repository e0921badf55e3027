import type { Database } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import { renderPage } from './page.ts';
import { toView } from './shelf.ts';
import { findByIntro } from './store.ts';
import type { Document } from './view.ts';

export { sendDocument } from './answers.ts';
export { renderClosed, renderTooMany, renderUnknown } from './closed.ts';
export { assemble } from './render.ts';
export { registerPages } from './routes.ts';
export { inline } from './script.ts';
export { brandStyle, CLOSED_STYLE } from './style.ts';
export type { Document } from './view.ts';

/** The page as its recipient will see it, without a trace of the look; null until there is a video, and once it is closed. */
export async function previewPage(
  db: Database<Tables>,
  intro: { tenant: Tenant; introId: string; pageUrl: string },
): Promise<Document | null> {
  const row = await findByIntro(db, intro.tenant, intro.introId);
  if (row === null || (row.status !== 'ready' && row.status !== 'sent')) return null;
  const view = toView(row, intro.pageUrl);
  return view && renderPage(view, { preview: true });
}
