import type * as en from '../en/unable.ts';

export const UNABLE: typeof en.UNABLE = {
  link: '¿No puedes grabar este?',
  heading: (name) => `¿No puedes grabar para ${name}?`,
  handOver: 'Pasarlo a alguien',
  handOverLead: 'Lo graba otra persona de tu equipo.',
  decline: 'Rechazar',
  declineLead: 'Tu equipo decide quién lo graba.',
  back: 'Volver',
  again: 'Reintentar',
  failed: 'No funcionó. Revisa tu conexión e inténtalo de nuevo.',
  problems: {
    intro_recorded: 'Se está subiendo un video para este. Envíalo o inténtalo de nuevo en unos minutos.',
    intro_closed: 'Ahora lo graba otra persona.',
    validation_failed: 'Eso ya no es posible. Vuelve atrás y elige otra opción.',
    rate_limited: 'Lo hiciste muchas veces en poco tiempo. Pide a tu supervisor que lo reasigne.',
  },

  colleagueHeading: (name) => `¿Quién puede grabar para ${name}?`,
  colleagueLead: 'Le avisamos enseguida, y tu enlace deja de funcionar.',
  colleagues: 'Compañeros',
  search: 'Buscar',
  loading: 'Cargando tu equipo…',
  noColleagues: 'No hay nadie a quien pasarlo. Puedes rechazarlo.',
  noMatch: 'No hay nadie con ese nombre.',
  chooseColleague: 'Elige a una persona.',
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
  wordsHint: (most) => `Hasta ${most} caracteres`,
  chooseReason: 'Elige un motivo.',
  writeReason: 'Escribe un motivo breve.',

  declinedHeading: 'Rechazaste este',
  declinedBody: 'Avisamos a tu equipo, que decide quién lo graba.',
  recordAnyway: 'Grabarlo de todos modos',

  reassignedHeading: (name) => `Ahora lo graba ${name}`,
  reassignedBody: 'Ya no tienes que hacer nada.',
};
