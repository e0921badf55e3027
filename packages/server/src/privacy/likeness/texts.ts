import { type Language, sentence } from '@foreword/contract';

/** The consent texts. The text shown is stored with each consent, so later versions do not change earlier consents. */
interface ConsentText {
  /** Below the button that starts the camera. */
  readonly short: (organization: string) => string;
  readonly paragraphs: (organization: string) => readonly string[];
}

/** A changed text needs a new version; a test compares each version with its fingerprint. */
export const CONSENT_VERSION = '1';

const TEXTS: Readonly<Record<string, Readonly<Record<Language, ConsentText>>>> = {
  '1': {
    en: {
      short: (organization) =>
        sentence`By recording, you agree that ${organization} uses your face and voice as described here.`,
      paragraphs: (organization) => [
        sentence`${organization} stores the video you record, and shows it to the person it is for, on a page in its name.`,
        'The page and its link preview may also show pictures from the video, captions, your name, and your profile photo.',
        'Your team can watch the video. This consent covers no other use.',
        sentence`You can withdraw your consent at any time in your settings, or through an owner of ${organization}. Your videos and their pages are then removed within a minute, and you get no new intros.`,
      ],
    },
    es: {
      short: (organization) =>
        sentence`Al grabar, aceptas que ${organization} use tu rostro y tu voz como se describe aquí.`,
      paragraphs: (organization) => [
        sentence`${organization} guarda el video que grabas y lo muestra a la persona a quien va dirigido, en una página a su nombre.`,
        'La página y la vista previa de su enlace también pueden mostrar imágenes del video, subtítulos, tu nombre y tu foto de perfil.',
        'Tu equipo puede ver el video. Este consentimiento no cubre ningún otro uso.',
        sentence`Puedes retirar tu consentimiento cuando quieras en tus ajustes o por medio de un propietario de ${organization}. Tus videos y sus páginas se eliminan entonces en un minuto y no recibes más solicitudes de video.`,
      ],
    },
  },
};

/** The version of the consent, and its language. */
export interface ShownVersion {
  readonly version: string;
  readonly language: Language;
}

export interface ShownConsent extends ShownVersion {
  readonly short: string;
  readonly paragraphs: readonly string[];
}

/** Null: there is no such version. */
export function consentText(version: string, language: Language, organization: string): ShownConsent | null {
  const text = Object.hasOwn(TEXTS, version) ? TEXTS[version]?.[language] : undefined;
  if (text === undefined) return null;
  return { version, language, short: text.short(organization), paragraphs: text.paragraphs(organization) };
}

export function currentConsentText(language: Language, organization: string): ShownConsent {
  const text = consentText(CONSENT_VERSION, language, organization);
  if (text === null) throw new Error(`the consent ${CONSENT_VERSION} has no text`);
  return text;
}

/** As stored in the record. */
export const wholeText = ({ short, paragraphs }: ShownConsent): string => [short, ...paragraphs].join('\n\n');

/** `1 en`: the version and language that the recorder showed. Null for anything else. */
export function readShownConsent(text: string | null | undefined): ShownVersion | null {
  const [version = '', language] = (text ?? '').split(' ');
  const isLanguage = language === 'en' || language === 'es';
  return isLanguage && consentText(version, language, '') !== null ? { version, language } : null;
}
