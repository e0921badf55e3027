import {
  type DeliveryFailureCode,
  type Language,
  LOCALES,
  type RecorderState,
  type RecordingFailureCode,
} from '@foreword/contract';
import { embedJson, escapeHtml } from '../platform/html.ts';
import { MAX_DURATION_S } from './media/limits.ts';

/** The recorder's texts that the server sends. The others belong to its script. */
export interface RecorderTexts {
  heading(name: string): string;
  /** In link previews. It names neither the recipient nor the member, because previews are stored by others. */
  cardDescription: string;
  /** Names the page for screen readers. */
  region: string;
  /** Shown while the script loads, and when a bad connection kept it from loading. */
  loading: string;
  /** Shown without JavaScript. */
  needsScript: string;
  /** Why a take was refused: a `RecordingFailureCode`, and the stored message in English. */
  explainRefusal(code: string | null, stored: string | null): string | null;
  /** Why a text was not sent or not delivered: a `DeliveryFailureCode`, and the stored message in English. */
  explainFailure(code: string, stored: string): string;
}

const REFUSALS: Readonly<Record<RecordingFailureCode, string>> = {
  not_a_video: 'Este archivo no es un video que podamos reproducir. Elige otro o graba con la cámara.',
  too_long: `Este video dura más de ${MAX_DURATION_S} segundos. Elige uno más corto o graba con la cámara.`,
  too_large: 'Este video es más grande que 4K. Elige uno más pequeño o graba con la cámara.',
  no_picture: 'Este archivo tiene sonido pero no imagen. Elige un video o graba con la cámara.',
  too_complex:
    'Este archivo es más complejo de lo normal para un video de esta duración. Elige el video original o graba con la cámara.',
  too_demanding: 'Procesar este video tarda demasiado. Elige uno en 1080p o menos, o graba con la cámara.',
  broken: 'Este video está dañado o es demasiado corto para reproducirse. Elige otro o grábalo otra vez.',
  processing_failed: 'No pudimos procesar este video. Vuelve a intentarlo o grábalo otra vez.',
};

const FAILURES: Readonly<Record<DeliveryFailureCode, string>> = {
  no_text_provider: 'No se envió: no hay ningún proveedor de mensajes de texto conectado.',
  no_email_provider: 'No se envió: no hay ningún proveedor de correo conectado.',
  recipient_opted_out: 'El destinatario pidió no recibir mensajes de texto.',
  appointment_over:
    'La cita empieza antes de que se le pueda escribir al destinatario, o ya había empezado cuando se informó.',
  recently_texted:
    'Este número recibió otro mensaje por el mismo motivo en las últimas 24 horas, y la cita empieza antes de que pasen.',
  country_not_allowed:
    'No se envió: tu organización no envía mensajes a números de este país. Un propietario puede permitir el país en la consola.',
  test_recording: 'No se envió: el video es una grabación de prueba, y tu organización no las envía a números reales.',
  test_clock: 'No se envió: el reloj de prueba de tu organización está adelantado, así que no sale ningún mensaje.',
  invalid_number: 'Según la compañía telefónica, este número de celular no existe.',
  unreachable_number:
    'Según la compañía telefónica, este número no puede recibir mensajes de texto. Puede ser un teléfono fijo.',
  carrier_refused: 'La compañía telefónica rechazó el mensaje.',
  message_filtered: 'La compañía telefónica bloqueó el mensaje por considerarlo no deseado.',
  undelivered: 'La compañía telefónica aceptó el mensaje, pero no pudo entregarlo.',
  carrier_unavailable: 'La compañía telefónica no estuvo disponible en ningún intento.',
  carrier_account:
    'La cuenta con la compañía telefónica no pudo enviar el mensaje, por ejemplo porque su número no está registrado. No es culpa del destinatario.',
  unknown_outcome:
    'No se sabe si la compañía telefónica aceptó el mensaje. No se volvió a enviar, para no enviarlo dos veces.',
};

/** A code of a newer version has no text here. */
const find = (texts: Readonly<Record<string, string>>, code: string | null): string | null =>
  code !== null && Object.hasOwn(texts, code) ? (texts[code] ?? null) : null;

export const TEXTS: Readonly<Record<Language, RecorderTexts>> = {
  en: {
    heading: (name) => `For ${name}`,
    cardDescription: 'A personal link to record a video. Please do not share it.',
    region: 'Record a video',
    loading: 'Loading. If nothing happens, reload this page.',
    needsScript:
      'This page needs JavaScript to record a video. Turn it on in your browser, or open the link in another browser.',
    explainRefusal: (_code, stored) => stored,
    explainFailure: (_code, stored) => stored,
  },
  es: {
    heading: (name) => `Para ${name}`,
    cardDescription: 'Un enlace personal para grabar un video. No lo compartas.',
    region: 'Grabar un video',
    loading: 'Cargando. Si no pasa nada, vuelve a cargar esta página.',
    needsScript:
      'Esta página necesita JavaScript para grabar un video. Actívalo en tu navegador o abre el enlace en otro navegador.',
    explainRefusal: (code, stored) => (stored === null ? null : (find(REFUSALS, code) ?? REFUSALS.processing_failed)),
    explainFailure: (code) => find(FAILURES, code) ?? 'No se envió ningún mensaje de texto.',
  },
};

interface ShellParts {
  /** The base path of the recorder's API, such as `/r/<token>`. */
  api: string;
  /** Names this intro's takes in the browser's storage. Default: `api`. */
  takes?: string;
  /** URLs of the built script, style sheet and typeface. */
  script: string;
  style: string;
  font: string;
  /** CSS that sets the brand's colors, light and dark. Generated by the server, never user input. */
  colors: string;
  /** The nonce of the page's Content-Security-Policy, for the inline style. */
  nonce: string;
}

function renderBrand({ name, logo_url }: RecorderState['organization']): string {
  const label = escapeHtml(name);
  return logo_url === null ? label : `<img src="${escapeHtml(logo_url)}" alt="${label}" height="28">`;
}

/** The first view before the JavaScript has loaded: the same text in the same place as on the start screen. */
function renderFirstView({ intro, organization }: RecorderState, texts: RecorderTexts): string {
  const { first_name, last_name } = intro.recipient;
  const name = escapeHtml(last_name === null ? first_name : `${first_name} ${last_name}`);
  const why = intro.touchpoint ?? intro.title;
  const script =
    intro.script === null
      ? ''
      : `<section class="script"><p lang="${intro.script_language}">${escapeHtml(intro.script)}</p></section>`;
  return `<div class="page"><header class="brand">${renderBrand(organization)}</header>
<div class="lead">${why === null ? '' : `<p class="why">${escapeHtml(why)}</p>`}<h1>${texts.heading(name)}</h1></div>
${script}<p class="small loading">${texts.loading}</p><noscript><p class="note">${texts.needsScript}</p></noscript></div>`;
}

/** The language of the recorder's screens. */
export const languageOf = ({ member }: RecorderState): Language => member.language;

/** For link previews: no face and no names. The title has none either; the script replaces it. */
function renderCard({ name }: RecorderState['organization'], language: Language): string {
  const { region, cardDescription } = TEXTS[language];
  return `<meta name="description" content="${cardDescription}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${escapeHtml(name)}">
<meta property="og:title" content="${region} · ${escapeHtml(name)}">
<meta property="og:description" content="${cardDescription}">
<meta property="og:locale" content="${LOCALES[language].replace('-', '_')}">
<meta name="twitter:card" content="summary">`;
}

/** The page at `/r/<token>`. */
export function renderShell(state: RecorderState, parts: ShellParts): string {
  const { api, takes, script, style, font, colors, nonce } = parts;
  const language = languageOf(state);
  const texts = TEXTS[language];
  return `<!doctype html>
<html lang="${language}" data-api="${escapeHtml(api)}"${takes === undefined ? '' : ` data-takes="${escapeHtml(takes)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${texts.region} · ${escapeHtml(state.organization.name)}</title>
${renderCard(state.organization, language)}
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="preload" as="font" type="font/woff2" href="${escapeHtml(font)}" crossorigin>
<link rel="stylesheet" href="${escapeHtml(style)}">
<style nonce="${escapeHtml(nonce)}">${colors}</style>
<script type="module" src="${escapeHtml(script)}"></script>
</head>
<body>
<main id="app" aria-label="${texts.region}">${renderFirstView(state, texts)}</main>
<script type="application/json" id="state">${embedJson(state)}</script>
</body>
</html>
`;
}
