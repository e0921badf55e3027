import type * as en from '../en/problems.ts';

const RELOAD = 'Vuelve a esta página y toca “Reintentar”.';
export const ALLOWING: typeof en.ALLOWING = {
  in_app: [
    'Esta página está abierta dentro de otra app, que puede bloquear la cámara.',
    'Abre el menú de la app y elige “Abrir en el navegador”.',
  ],
  ios_safari: [
    'Toca el botón junto a la dirección en Safari.',
    'Elige “Configuración del sitio web”. Puede estar en “Más”.',
    'Pon Cámara y Micrófono en “Permitir”.',
    RELOAD,
  ],
  ios_other: [
    'Abre la app Configuración del iPhone.',
    'Toca el nombre de este navegador.',
    'Activa Cámara y Micrófono.',
    RELOAD,
  ],
  android: [
    'Toca el ícono a la izquierda de la dirección.',
    'Activa Cámara y Micrófono. Pueden estar en “Permisos”.',
    RELOAD,
  ],
  mac_safari: [
    'Abre el menú Safari y luego “Configuración para este sitio web”.',
    'Pon Cámara y Micrófono en “Permitir”.',
    RELOAD,
  ],
  desktop: ['Haz clic en el ícono a la izquierda de la dirección.', 'Activa Cámara y Micrófono.', RELOAD],
};

export const PROBLEMS: typeof en.PROBLEMS = {
  denied: {
    heading: 'La cámara está bloqueada en esta página',
    body: 'Para permitirla:',
  },
  none: {
    heading: 'No se encontró ninguna cámara',
    body: 'Abre este enlace en tu teléfono o elige un video que ya grabaste.',
  },
  busy: {
    heading: 'Otra app está usando la cámara',
    body: 'Cierra esa app, por ejemplo una videollamada, y vuelve a intentarlo.',
  },
  unsupported: {
    heading: 'Este navegador no puede grabar video',
    body: 'Abre este enlace en Safari, Chrome o Firefox, o elige un video que ya grabaste.',
  },
  insecure: {
    heading: 'Esta página no es segura',
    body: 'Los navegadores solo permiten la cámara en páginas seguras. Abre el enlace tal como lo recibiste, con https.',
  },
  again: 'Reintentar',
  scan: 'Escanéalo con tu teléfono para grabar ahí.',
};

export const PICK: typeof en.PICK = {
  pick: 'Elegir un video',
  problem: {
    not_a_video: 'Este archivo no es un video. Elige otro.',
    too_large: 'Este video pesa demasiado. Elige uno más corto.',
    too_long: 'Este video es demasiado largo. Elige uno de hasta un minuto.',
    unreadable: 'No se pudo leer este archivo. Elige otro.',
  },
};

export const UPLOAD_PROBLEMS: typeof en.UPLOAD_PROBLEMS = {
  link_gone: 'Este enlace ya no funciona. Pide uno nuevo a la oficina.',
  file_gone: 'Ya no se puede leer este video. Elígelo otra vez.',
  daily_limit: 'Llegaste al límite diario de videos. Vuelve a intentarlo mañana.',
  already_sent: 'Ya se envió un video anterior, así que este no se puede enviar.',
  refused: 'No se pudo aceptar este video. Grábalo otra vez.',
};
