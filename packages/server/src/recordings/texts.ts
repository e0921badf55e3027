/** The texts of the recorder's page and of refused takes. */

import type { DeliveryFailureCode, Language, RecordingFailureCode } from '@foreword/contract';
import { MAX_DURATION_S } from './media/limits.ts';

/** The recorder's texts that the server sends. The others belong to its script. */
export interface RecorderTexts {
  heading(name: string): string;
  /** In link previews. It names neither the recipient nor the member, because previews are stored by others. */
  cardDescription: string;
  /** Names the page for screen readers. */
  region: string;
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
    needsScript:
      'This page needs JavaScript to record a video. Turn it on in your browser, or open the link in another browser.',
    explainRefusal: (_code, stored) => stored,
    explainFailure: (_code, stored) => stored,
  },
  es: {
    heading: (name) => `Para ${name}`,
    cardDescription: 'Un enlace personal para grabar un video. No lo compartas.',
    region: 'Grabar un video',
    needsScript:
      'Esta página necesita JavaScript para grabar un video. Actívalo en tu navegador o abre el enlace en otro navegador.',
    explainRefusal: (code, stored) => (stored === null ? null : (find(REFUSALS, code) ?? REFUSALS.processing_failed)),
    explainFailure: (code) => find(FAILURES, code) ?? 'No se envió ningún mensaje de texto.',
  },
};
