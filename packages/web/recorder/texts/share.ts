/** Folder: the recorder's texts, with a folder for each language. */

import type { Language } from '@foreword/contract';

/** The message that comes with a shared link: in the recipient's language, whatever that of the screens is. */
export const SHARE_TEXTS: Readonly<Record<Language, (member: string, organization: string) => string>> = {
  en: (member, organization) => `${member} from ${organization} recorded a short video for you:`,
  es: (member, organization) => `${member}, de ${organization}, grabó este video corto:`,
};
