import type { MediaFile } from './media.ts';
import type { PageView } from './view.ts';

/** What shows the organization alone, and so stays when a member has left. */
export const isOfBrand = (name: string): boolean => name === 'icon.svg' || name === 'logo.png';

/** The files below a page, by the last step of their address; null for what is not there. */
export function findFile(view: PageView, name: string): MediaFile | null {
  const { video, member, organization } = view;
  const ofVideo = (file: string, type: string): MediaFile => ({ key: video.folder + file, type });
  const picture = (key: string | null, type: string): MediaFile | null => (key === null ? null : { key, type });
  switch (name) {
    case `${video.name}.mp4`:
      return ofVideo('video.mp4', 'video/mp4');
    case 'poster.jpg':
      return ofVideo('poster.jpg', 'image/jpeg');
    case 'card.jpg':
      return ofVideo('card.jpg', 'image/jpeg');
    case 'preview.webp':
      return video.hasPreview ? ofVideo('preview.webp', 'image/webp') : null;
    case 'captions.vtt':
      return video.hasCaptions ? ofVideo('captions.vtt', 'text/vtt; charset=utf-8') : null;
    case 'logo.png':
      return picture(organization.logo, 'image/png');
    case 'photo.jpg':
      return picture(member.photo, 'image/jpeg');
    default:
      return null;
  }
}
