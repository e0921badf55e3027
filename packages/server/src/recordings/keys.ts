import type { RecordingKey } from './store.ts';

/** Where the files of a take are kept. Everything of one take lies below one prefix, everything of one tenant below another. */
export const prefixOf = ({ organization_id, id }: Pick<RecordingKey, 'organization_id' | 'id'>): string =>
  `${organization_id}/${id}/`;

export const originalPrefixOf = (key: Pick<RecordingKey, 'organization_id' | 'id'>): string =>
  `${prefixOf(key)}original/`;

export const RECORDING_FILES = {
  'video.mp4': 'video/mp4',
  'poster.jpg': 'image/jpeg',
  'card.jpg': 'image/jpeg',
  'captions.vtt': 'text/vtt; charset=utf-8',
  'preview.webp': 'image/webp',
} as const;

export type RecordingFile = keyof typeof RECORDING_FILES;

export const keyOf = (key: Pick<RecordingKey, 'organization_id' | 'id'>, file: RecordingFile): string =>
  prefixOf(key) + file;
