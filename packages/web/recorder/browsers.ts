export type BrowserKind =
  | 'in_app'
  | 'ios_safari'
  | 'ios_other'
  | 'android_firefox'
  | 'android_chrome'
  | 'mac_safari'
  | 'desktop_firefox'
  | 'desktop_chrome'
  | 'other';

const IN_APP = /FBAN|FBAV|Instagram|LinkedInApp|Line\/|GSA\/|; wv\)|MicroMessenger|Twitter|Snapchat/;

/** Only for help texts: the recorder detects its own capabilities by trying. */
export function nameBrowser(userAgent: string, touchPoints: number): BrowserKind {
  if (IN_APP.test(userAgent)) return 'in_app';
  // iPads identify as Macs, but no Mac has a touch screen.
  const ios = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1);
  if (ios) return /CriOS|FxiOS|EdgiOS/.test(userAgent) ? 'ios_other' : 'ios_safari';
  const firefox = /Firefox\//.test(userAgent);
  if (/Android/.test(userAgent)) return firefox ? 'android_firefox' : 'android_chrome';
  if (firefox) return 'desktop_firefox';
  if (/Chrome\//.test(userAgent)) return 'desktop_chrome';
  return /Macintosh.*Safari\//.test(userAgent) ? 'mac_safari' : 'other';
}
