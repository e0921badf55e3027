/** Browsers that allow the camera in different places. */
export type BrowserKind = 'in_app' | 'ios_safari' | 'ios_other' | 'android' | 'mac_safari' | 'desktop';

const IN_APP = /FBAN|FBAV|Instagram|LinkedInApp|Line\/|GSA\/|; wv\)|MicroMessenger|Twitter|Snapchat/;

/** Only for help texts: the recorder detects its own capabilities by trying. */
export function nameBrowser(userAgent: string, touchPoints: number): BrowserKind {
  if (IN_APP.test(userAgent)) return 'in_app';
  // iPads identify as Macs, but no Mac has a touch screen.
  const ios = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1);
  if (ios) return /CriOS|FxiOS|EdgiOS/.test(userAgent) ? 'ios_other' : 'ios_safari';
  if (/Android/.test(userAgent)) return 'android';
  return /Macintosh.*Safari\//.test(userAgent) && !/Chrome\//.test(userAgent) ? 'mac_safari' : 'desktop';
}
