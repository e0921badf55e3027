import type { Database } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import { findFile } from './files.ts';
import type { MediaFile } from './media.ts';
import { openingOf } from './rules.ts';
import { toView } from './shelf.ts';
import { findByIntro } from './store.ts';
import type { PageView } from './view.ts';

async function findView(db: Database<Tables>, tenant: Tenant, introId: string, now: Date): Promise<PageView | null> {
  const row = await findByIntro(db, tenant, introId);
  // Below which address the files lie is for whoever shows them.
  return row !== null && openingOf(row, now) === 'open' ? toView(row, '') : null;
}

/** Names of the files of an intro's video; null while there is none, and when recipients cannot see it any more either. */
export async function nameVideoFiles(
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

/** For somebody of the team; watching it here is told nobody. */
export async function findVideoFile(
  db: Database<Tables>,
  intro: { tenant: Tenant; introId: string; name: string },
  now: Date,
): Promise<MediaFile | null> {
  const view = await findView(db, intro.tenant, intro.introId, now);
  return view && findFile(view, intro.name);
}
