import type { Database } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import { findFile, type MediaFile } from './media.ts';
import { toView } from './page-cache.ts';
import { pageStateOf } from './rules.ts';
import { findByIntro } from './store.ts';
import type { PageView } from './view.ts';

async function findView(db: Database<Tables>, tenant: Tenant, introId: string, now: Date): Promise<PageView | null> {
  const row = await findByIntro(db, tenant, introId);
  // The caller builds the addresses of the files.
  return row !== null && pageStateOf(row, now) === 'open' ? toView(row, '') : null;
}

/** File names of an intro's video; null when there is none or the recipient cannot see it either. */
export async function listVideoFiles(
  db: Database<Tables>,
  tenant: Tenant,
  introId: string,
  now: Date,
): Promise<{ video: string; poster: string; captions: string | null } | null> {
  const view = await findView(db, tenant, introId, now);
  if (view === null) return null;
  return {
    video: `${view.video.name}.mp4`,
    poster: 'poster.jpg',
    captions: view.video.hasCaptions ? 'captions.vtt' : null,
  };
}

/** For the console; watching here does not count as the recipient's view. */
export async function findVideoFile(
  db: Database<Tables>,
  intro: { tenant: Tenant; introId: string; name: string },
  now: Date,
): Promise<MediaFile | null> {
  const view = await findView(db, intro.tenant, intro.introId, now);
  return view && findFile(view, intro.name);
}
