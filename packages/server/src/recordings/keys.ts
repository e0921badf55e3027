import type { RecordingKey } from './store/recordings.ts';

/** Object keys. All files of a take share one prefix, and all takes of an organization share another. */
export const prefixOf = ({ organization_id, id }: Pick<RecordingKey, 'organization_id' | 'id'>): string =>
  `${organization_id}/${id}/`;

export const originalPrefixOf = (key: Pick<RecordingKey, 'organization_id' | 'id'>): string =>
  `${prefixOf(key)}original/`;

export const RECORDING_FILES = {
  'video.mp4': 'video/mp4',
  'poster.jpg': 'image/jpeg',
  'card.jpg': 'image/jpeg',
  'thumbnail.jpg': 'image/jpeg',
  'captions.vtt': 'text/vtt; charset=utf-8',
  'preview.webp': 'image/webp',
} as const;

export type RecordingFile = keyof typeof RECORDING_FILES;

export const keyOf = (key: Pick<RecordingKey, 'organization_id' | 'id'>, file: RecordingFile): string =>
  prefixOf(key) + file;
