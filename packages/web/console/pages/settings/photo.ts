import { ApiFailure } from '../../failure.ts';
import { SETTINGS } from '../../texts/settings.ts';

/** A face is shown much smaller, also on the finest screens. */
const LONGEST_SIDE = 1024;
const QUALITY = 0.9;
/** What the server takes, of a picture that this browser cannot make smaller. */
const MOST_BYTES = 6_000_000;

const unreadable = (): ApiFailure =>
  new ApiFailure({ status: 422, code: 'validation_failed', message: SETTINGS.photoUnreadable });

/** A phone's photo of 12 MB goes up as 200 KB. */
async function makeSmaller(file: File): Promise<Blob> {
  // Upright, whichever way the phone was held.
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
  const scale = Math.min(1, LONGEST_SIDE / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  if (context === null) return file;
  // A JPEG knows no see-through: it would turn black.
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? file), 'image/jpeg', QUALITY));
}

const toBase64 = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(unreadable()));
    reader.readAsDataURL(blob);
  });

/** In base64, as the server takes it. What this browser cannot read, the server may be able to. */
export async function readPhoto(file: File): Promise<string> {
  const picture = await makeSmaller(file).catch(() => file);
  if (picture.size === 0 || picture.size > MOST_BYTES) throw unreadable();
  return toBase64(picture);
}
