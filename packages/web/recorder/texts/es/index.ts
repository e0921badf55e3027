/** The recorder's texts in Spanish. */

import { LOCALES } from '@foreword/contract/plain';
import { count } from '../count.ts';
import type * as en from '../en/index.ts';

export * from './problems.ts';

/** For dates and times. */
export const LOCALE = LOCALES.es;

export const START: typeof en.START = {
  heading: (name) => `Para ${name}`,
  // At the start of a line, unlike in a sentence.
  day: (day) => `${day.charAt(0).toLocaleUpperCase('es')}${day.slice(1)}`,
  when: (time, howSoon) => `${time}, ${howSoon}`,
  scriptTitle: 'Tu guion',
  scriptLength: (words, seconds) => `${count(words, 'palabra')}, cerca de ${count(seconds, 'segundo')}`,
  scriptLong: (limit) => `A tu ritmo dura más de ${limit} segundos. Puedes acortarlo al hablar.`,
  promptsTitle: 'Dilo a tu manera',
  promptsLength: (seconds) => `cerca de ${seconds} segundos`,
  start: 'Activar la cámara',
  opening: 'Esperando permiso',
  reason: (firstName) =>
    `Tu navegador pedirá permiso para usar la cámara y el micrófono. ${firstName} no verá nada hasta que toques Enviar.`,
};

export const OTHER_LANGUAGE: typeof en.OTHER_LANGUAGE = 'English';

export const CONSENT: typeof en.CONSENT = {
  more: 'Lee qué incluye',
  settings: 'Ver o retirar tu consentimiento',
};

export const PROMPTS: typeof en.PROMPTS = (firstName) => [
  `Saluda a ${firstName} por su nombre.`,
  'Di quién eres y qué vas a hacer.',
  'Di qué sigue después.',
];

export const LEFTOVER: typeof en.LEFTOVER = {
  heading: 'Tienes un video sin enviar',
  interrupted: 'Tu grabación se interrumpió',
  watchFirst: 'Se guardó una parte. Mírala antes de enviarla.',
  kept: 'Está guardado en este dispositivo.',
  send: 'Enviar',
  watch: 'Ver',
};

export const CAMERA: typeof en.CAMERA = {
  region: 'Cámara',
  record: 'Grabar',
  flip: 'Cambiar de cámara',
  close: 'Volver',
  slower: 'Más lento',
  faster: 'Más rápido',
  paceTitle: 'Velocidad del guion',
  paceUnit: 'palabras por minuto',
  prompter: 'Guion',
  dark: 'Está oscuro. Ponte frente a una ventana.',
  heard: 'El micrófono funciona',
  unheard: 'Di algo para probar el micrófono',
  noSound: 'No se encontró ningún micrófono. Tu video no tendrá sonido.',
  loud: 'Suena muy fuerte. Aléjate un poco.',
  lost: 'La cámara se interrumpió y ya está activa otra vez.',
};

export const COUNTDOWN: typeof en.COUNTDOWN = {
  skip: 'Empezar ya',
  cancel: 'Cancelar',
  begins: (seconds) => `La grabación empieza en ${seconds}`,
};

export const RECORDING: typeof en.RECORDING = {
  stop: 'Detener',
  began: 'Grabando',
  longer: 'Un poco más está bien',
  ending: 'Se detendrá solo en un momento',
  saving: 'Guardando tu video',
};

export const REVIEW: typeof en.REVIEW = {
  heading: '¿Te gusta cómo quedó?',
  interrupted: 'La grabación se interrumpió. Comprueba que dijiste todo.',
  play: (length) => `Reproducir tu video ${length}`.trim(),
  pause: (length) => `Pausar tu video ${length}`.trim(),
  retake: 'Repetir',
  send: (firstName) => `Enviar a ${firstName}`,
};

export const CAPTIONS: typeof en.CAPTIONS = {
  title: 'Subtítulos',
  script: 'Subtítulos: según tu guion',
  own: 'Subtítulos: con tus palabras',
  off: 'Sin subtítulos',
  unfit: 'Quizá no seguiste el guion al pie de la letra.',
  useScript: 'Usar el guion',
  edit: 'Editar',
  turnOff: 'Desactivar',
  label: '¿Qué dijiste?',
  save: 'Guardar',
};

export const TRIM: typeof en.TRIM = {
  title: 'Recorta tu video',
  start: 'Inicio',
  end: 'Fin',
  startsAt: (seconds, kept) => `Inicio: ${count(seconds, 'segundo')}; duración: ${count(kept, 'segundo')}`,
  endsAt: (seconds, kept) => `Fin: ${count(seconds, 'segundo')}; duración: ${count(kept, 'segundo')}`,
  hint: 'Arrastra los extremos para recortar.',
  kept: (kept, whole) => `Quedan ${kept} de ${whole}`,
  fits: (limit) => `Dura como máximo ${count(limit, 'segundo')}.`,
  long: (limit) => `Dura más de ${count(limit, 'segundo')}. Arrastra los extremos para recortar.`,
  reset: 'Restablecer',
};

export const FINDINGS: typeof en.FINDINGS = {
  silent: 'No te oímos. ¿Está tapado el micrófono?',
  quiet: 'Casi no se te oye. Acércate o habla más fuerte.',
  clipping: 'El sonido está demasiado fuerte en algunas partes. Aléjate un poco.',
  dark: 'La imagen está oscura. Ponte frente a una ventana.',
  cut_off: 'Puede que el final esté cortado. Haz una pausa antes de tocar Detener.',
  too_short: 'Es muy corto. ¿Dijiste todo?',
};

export const UPLOAD: typeof en.UPLOAD = {
  percent: (percent) => `${percent}% subido`,
  all: 'Subido. No se envía nada hasta que toques Enviar.',
  waiting: 'Tu video está guardado en este dispositivo y seguirá subiendo automáticamente.',
  waitingOpen: 'Deja esta página abierta hasta que se envíe tu video.',
  full: 'Por ahora no hay espacio para videos nuevos.',
};

export const SENDING: typeof en.SENDING = {
  heading: 'Enviando tu video',
  processingHeading: 'Procesando tu video',
  keep: 'Deja esta página abierta hasta que se envíe.',
  leave: 'Ya se subió. Puedes cerrar esta página; el resto se hace automáticamente.',
  steps: {
    sending: 'Enviando',
    checking: 'Revisando el video',
    processing: 'Preparándolo para todos los teléfonos',
  },
  percent: (percent) => `${percent}%`,
  offline: 'Volveremos a intentarlo automáticamente.',
};

export const REFUSED: typeof en.REFUSED = {
  heading: 'Ese video no funcionó',
  fallback: 'No se pudo leer el video. Grábalo otra vez.',
  earlier: 'Tu video anterior no cambió.',
  again: 'Grabar otra vez',
  offline: 'No pudimos conectarnos al servidor. Revisa tu conexión y vuelve a intentarlo.',
};

export const OUTCOME: typeof en.OUTCOME = {
  ready: 'Tu video está listo',
  sentHeading: 'Tu video se envió',
  deliveredHeading: 'Tu video se entregó',
  openedHeading: 'Ya abrieron tu video',
  simulatedHeading: 'Simulado: número de prueba',
  notSentHeading: 'Tu video no se envió',
  notDeliveredHeading: 'Tu video no se entregó',
  queued: (firstName) => `${firstName} recibirá el enlace por mensaje de texto en un momento.`,
  scheduled: (firstName, when) => `${firstName} recibirá el enlace por mensaje de texto ${when}. Ya terminaste.`,
  delays: {
    quiet_hours: 'A esta hora no se envían mensajes.',
    recent_text: 'Este número recibió otro mensaje en las últimas 24 horas.',
    opt_out_question: 'Quizás pidió no recibir más mensajes. Esperamos su respuesta.',
    daily_limit: 'Se alcanzó un límite diario de mensajes.',
    carrier_unavailable: 'El proveedor de mensajes no responde.',
  },
  paused: (firstName) =>
    `Los mensajes de tu organización están en pausa. ${firstName} recibirá el enlace cuando un propietario los reanude.`,
  held: (firstName) =>
    `La cuenta de tu organización no puede enviar mensajes por ahora. ${firstName} recibirá el enlace cuando vuelva a funcionar.`,
  inDoubt: 'Estamos confirmando con el proveedor de mensajes si el mensaje se envió.',
  sent: (firstName) => `El enlace se envió a ${firstName} por mensaje de texto. Ya terminaste.`,
  delivered: (firstName) => `El mensaje de texto con el enlace se entregó a ${firstName}. Ya terminaste.`,
  opened: (firstName) => `Se abrió la página con tu video para ${firstName}. Ya terminaste.`,
  byHand: (firstName) => `Alguien de tu equipo lo marcó como enviado a ${firstName}. Ya terminaste.`,
  simulated: (firstName) => `El número de ${firstName} es de prueba, así que no se envió ningún mensaje de texto.`,
  notSent: 'No se envió ningún mensaje de texto.',
  sendYourself: (firstName) => `Puedes enviarle el enlace a ${firstName} por tu cuenta.`,
  integration: (organization, firstName) => `${organization} le enviará el enlace a ${firstName}.`,
  integrationSent: (organization, firstName) => `${organization} le envió el enlace a ${firstName}. Ya terminaste.`,
};

export const WHEN: typeof en.WHEN = {
  today: (time) => `hoy ${atTime(time)}`,
  tomorrow: (time) => `mañana ${atTime(time)}`,
  on: (day, time) => `el ${day} ${atTime(time)}`,
};

/** "a la 1:30 p.m.", "a las 2:00 p.m." */
function atTime(time: string): string {
  return `${time.startsWith('1:') ? 'a la' : 'a las'} ${time}`;
}

export const DONE: typeof en.DONE = {
  linkTitle: 'Enlace',
  copy: 'Copiar enlace',
  copied: 'Copiado',
  copyFailed: 'Mantén presionado el enlace para copiarlo',
  share: 'Compartir',
  sendAnyway: 'Enviar de todos modos',
  sendFailed: 'No funcionó. Comprueba tu conexión y vuelve a intentarlo.',
  late: (firstName) => `${firstName} verá tu video anterior. Se envió antes de que el nuevo estuviera listo.`,
  preview: (firstName) => `Lo que verá ${firstName}`,
  previewNote: 'Esta vista previa no cuenta como apertura.',
};

export const CLOSED: typeof en.CLOSED = {
  cancelled: {
    heading: 'Este video ya no hace falta',
    body: (organization) => `${organization} lo canceló. No tienes que hacer nada más.`,
  },
  expired: {
    heading: 'Este enlace venció',
    body: (organization) => `Funcionó por tiempo limitado. Pide uno nuevo a ${organization}.`,
  },
  link_expired: {
    heading: 'Este enlace venció',
    body: () => 'Solo funcionó unos minutos. Vuelve a la app donde lo encontraste y ábrelo otra vez desde ahí.',
  },
  likeness_withdrawn: {
    heading: 'Aquí no se puede grabar nada',
    body: () =>
      'El consentimiento para usar tus videos se retiró, y por eso se eliminaron tus videos y sus páginas. Para volver a grabar, inicia sesión en la consola y da tu consentimiento en Configuración (Settings).',
  },
  unknown: {
    heading: 'Este enlace no funciona',
    body: () => 'Comprueba que copiaste el enlace completo.',
  },
  takeGone: 'Nadie vio tu video. Se eliminó de este dispositivo.',
  takeKept: 'Tu video sigue en este dispositivo. Vuelve a abrir el enlace más tarde para enviarlo.',
};

export const NOT_KEPT: typeof en.NOT_KEPT =
  'Este navegador no puede guardar videos. Deja esta página abierta hasta que se envíe el tuyo.';

export const OFFLINE: typeof en.OFFLINE = {
  noSignal: 'Sin señal.',
  noServer: (organization) => `No hay conexión con el servidor de ${organization}.`,
  kept: 'Puedes grabar ahora; el video se guarda en este dispositivo y se envía después.',
  notKept: 'Puedes grabar ahora; el video se enviará cuando vuelva la conexión.',
};

export const TITLE: typeof en.TITLE = (firstName, organization) => `Grabar para ${firstName} · ${organization}`;

export const NEXT: typeof en.NEXT = {
  heading: (name) => `Siguiente: ${name}`,
  due: (when) => `vence ${when}`,
  left: (amount, hasMore) => `${hasMore ? 'más de ' : ''}${amount} por grabar`,
  none: 'No queda nada por grabar',
  noneLead: 'Te avisaremos cuando haya algo nuevo.',
  home: 'Inicio',
};

export const EARLIER: typeof en.EARLIER = {
  region: 'Videos anteriores',
  waiting: 'Esperando señal',
  waitingForServer: 'Esperando al servidor',
  processing: 'Procesando',
  failed: 'No se puede usar',
  closed: 'Ya no hace falta',
  open: 'Abrir',
  openFor: (name) => `Abrir el video para ${name}`,
};

export const UNABLE: typeof en.UNABLE = {
  link: '¿No puedes grabar este?',
  heading: (name) => `¿No puedes grabar para ${name}?`,
  handOver: 'Pasarlo a alguien',
  handOverLead: 'Lo graba otra persona de tu equipo.',
  decline: 'Rechazar',
  declineLead: 'Tu equipo decide quién lo graba.',
  back: 'Volver',
  problems: {
    intro_recorded: 'Se está subiendo un video para este. Envíalo o inténtalo de nuevo en unos minutos.',
    intro_closed: 'Ahora lo graba otra persona.',
    validation_failed: 'Eso ya no es posible. Vuelve atrás y elige otra opción.',
    rate_limited: 'Lo hiciste muchas veces en poco tiempo. Pide a tu supervisor que lo reasigne.',
  },

  colleagueHeading: (name) => `¿Quién puede grabar para ${name}?`,
  colleagueLead: 'Le avisamos enseguida, y tu enlace deja de funcionar.',
  search: 'Buscar',
  loading: 'Cargando tu equipo…',
  noColleagues: 'No hay nadie a quien pasarlo. Puedes rechazarlo.',
  noMatch: 'No hay nadie con ese nombre.',
  handOverNow: 'Pasar',
  sending: 'Un momento…',

  reasonHeading: (name) => `¿Por qué no puedes grabar para ${name}?`,
  reasonLead: 'Avisamos a tu equipo, que decide quién lo graba.',
  reasons: {
    not_meeting: 'No voy a reunirme con esta persona',
    away: 'No estoy disponible',
    details_wrong: 'Los datos son incorrectos',
    other: 'Otro',
  },
  words: 'Motivo',

  declinedHeading: 'Rechazaste este',
  declinedBody: 'Avisamos a tu equipo, que decide quién lo graba.',
  recordAnyway: 'Grabarlo de todos modos',

  reassignedHeading: (name) => `Ahora lo graba ${name}`,
  reassignedBody: 'Ya no tienes que hacer nada.',
};
