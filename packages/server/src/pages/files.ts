import type { MediaFile } from './media.ts';
import type { PageView } from './view.ts';

/** Files that show only the organization, and stay available after the member left. */
export const isBrandFile = (name: string): boolean => name === 'icon.svg' || name === 'logo.png';

/** Finds a file below a page by name; null when it does not exist. */
export function findFile(view: PageView, name: string): MediaFile | null {
  const { video, member, organization } = view;
  const videoFile = (file: string, type: string): MediaFile => ({ key: video.folder + file, type });
  const picture = (key: string | null, type: string): MediaFile | null => (key === null ? null : { key, type });
  switch (name) {
    case `${video.name}.mp4`:
      return videoFile('video.mp4', 'video/mp4');
    case 'poster.jpg':
      return videoFile('poster.jpg', 'image/jpeg');
    case 'card.jpg':
      return videoFile('card.jpg', 'image/jpeg');
    case 'preview.webp':
      return video.hasPreview ? videoFile('preview.webp', 'image/webp') : null;
    case 'captions.vtt':
      return video.hasCaptions ? videoFile('captions.vtt', 'text/vtt; charset=utf-8') : null;
    case 'logo.png':
      return picture(organization.logo, 'image/png');
    case 'photo.jpg':
      return picture(member.photo, 'image/jpeg');
    default:
      return null;
  }
}
