import { ApiFailure } from '../../failure.ts';
import { readBase64 } from '../../read-base64.ts';
import { SETTINGS } from '../../texts/settings.ts';

/** In pixels; photos are displayed much smaller, even on high-density screens. */
const LONGEST_SIDE = 1024;
const QUALITY = 0.9;
/** The server's limit, for pictures this browser can't downscale. */
const MAX_BYTES = 6_000_000;

const unreadable = (): ApiFailure =>
  new ApiFailure({ status: 422, code: 'validation_failed', message: SETTINGS.photoUnreadable });

/** Turns a 12 MB phone photo into about 200 KB. */
async function downscale(file: File): Promise<Blob> {
  // Applies the rotation stored by the phone.
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
  const scale = Math.min(1, LONGEST_SIDE / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  if (context === null) return file;
  // JPEG has no transparency: transparent pixels would turn black.
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? file), 'image/jpeg', QUALITY));
}

/** Reads the photo as base64. If this browser can't decode it, sends the original: the server may be able to. */
export async function readPhoto(file: File): Promise<string> {
  const picture = await downscale(file).catch(() => file);
  if (picture.size === 0 || picture.size > MAX_BYTES) throw unreadable();
  return readBase64(picture).catch(() => {
    throw unreadable();
  });
}
