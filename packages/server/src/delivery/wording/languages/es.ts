import { isolated, sentence, type Translated } from '@foreword/contract';
import type { EN, INBOUND_EN, SUMMARY_EN } from './en.ts';

/** Without á, í, ó and ú, like all text messages. */
const INBOUND_ES: Translated<typeof INBOUND_EN> = {
  declined: (recipient) =>
    `Listo, rechazaste el video para ${isolated(recipient)}. Tu equipo decide el siguiente paso. Si cambias de idea, usa tu enlace para grabar.`,
  handedOver: (recipient, colleague) =>
    `Listo. ${isolated(colleague)} graba ahora el video para ${isolated(recipient)}, y tu enlace ya no funciona.`,
  nothingToRecord: 'No tienes videos por grabar, y nada ha cambiado.',
  recorded: (recipient) =>
    `El video para ${isolated(recipient)} ya fue grabado o se sube en este momento, y nada ha cambiado.`,
  notYours: (recipient) => `El video para ${isolated(recipient)} ya no te corresponde, y nada ha cambiado.`,
  tooMany: 'Hiciste muchos cambios en poco tiempo. Pide a tu equipo que haga este.',
  noColleague: (name) =>
    `Nadie de tu equipo se llama ${isolated(name)}, y nada ha cambiado. Revisa el nombre, o abre tu enlace para elegir de una lista.`,
  severalColleagues: (names, command) =>
    `Varias personas tienen ese nombre: ${names}. Responde con el nombre completo, como ${command}.`,
  handOverCommand: (number, name) => `PASAR ${number === null ? '' : `${number} `}A ${isolated(name)}`,

  unclear: (recipient) =>
    `No entendimos tu mensaje. Responde NO para rechazar el video para ${isolated(recipient)}, o PASAR A y un nombre para pasarlo a otra persona. Para grabar, abre tu enlace.`,
  noReader: 'Nadie lee estos mensajes. Por favor, contacta a tu cliente directamente.',
  videos: 'Nada ha cambiado. Videos por grabar:',
  conversations: 'Nada se ha enviado. ¿Para quién es?',
  either: 'Nada se ha enviado y nada ha cambiado. ¿De qué se trata?',
  reply: (recipient) => `${isolated(recipient)} (respuesta)`,
  video: (recipient) => `${isolated(recipient)} (por grabar)`,
  unlisted: (count) => `${count} sin mostrar: abre sus enlaces.`,
  chooseVideo: (number) => `Responde NO ${number} para rechazarlo, o PASAR ${number} A y un nombre para pasarlo.`,
  chooseRecipient: (number) => `Escribe RESPUESTA ${number} y tus palabras.`,

  answered: (recipient) => `Tu respuesta va en camino a ${isolated(recipient)}.`,
  answeredLater: (recipient, at) => `${isolated(recipient)} recibe tu respuesta el ${at}.`,
  answerTooLong: (length, most) =>
    `Sin enviar: tu respuesta tiene ${length} caracteres. Por favor, usa ${most} o menos.`,
  answerWithMedia: 'Sin enviar: no se pueden pasar fotos ni archivos. Por favor, escribe solo palabras.',
  answerOptedOut: (recipient) => `Sin enviar: ${isolated(recipient)} ya no recibe mensajes. Por favor, llama.`,
  answerClosed: (recipient) =>
    `Sin enviar: el enlace de ${isolated(recipient)} ya no muestra el video. Por favor, llama.`,

  ask: (organization) => `Responda STOP para dejar de recibir mensajes de ${organization}`,
  askFromUs: 'Responda STOP para dejar de recibir mensajes',

  attachment: '[archivo adjunto]',
  unknownCompany:
    'No sabemos a qué empresa le escribe, y nadie ha recibido su mensaje. Por favor, responda en el enlace de su video o llame a la empresa.',
};

const SUMMARY_ES: Translated<typeof SUMMARY_EN> = {
  subject: (organization, days) => `${organization}: tu semana, ${days}`,
  lead: (organization, days) => `Así les fue a los videos de ${organization} del ${days}.`,
  figures: { sent: 'Enviados', watched: 'Vistos hasta el final', answered: 'Respondidos', waiting: 'Por grabar' },
  same: 'igual que la semana anterior',
  more: (amount) => `${amount} más que la semana anterior`,
  fewer: (amount) => `${amount} menos que la semana anterior`,
  longest: 'Los que más tiempo llevan esperando',
  waiting: (member, since) => `por grabar por ${isolated(member)}, desde el ${since}`,
  button: 'Abrir el resumen',
  why: 'Los propietarios reciben este correo los lunes.',
  off: 'Desactivarlo',
  page: {
    confirmTitle: '¿Desactivar el resumen semanal?',
    confirm: (organization) => `Ya no recibirás los lunes el correo sobre la semana de ${organization}.`,
    button: 'Desactivarlo',
    offTitle: 'El resumen semanal está desactivado',
    off: 'Puedes volver a activarlo en tu configuración.',
    settings: 'Abrir tu configuración',
    unknownTitle: 'Este enlace no funciona',
    unknown: 'Abre el enlace del resumen más reciente o desactiva el resumen en tu configuración.',
  },
};

/**
 * Latin American Spanish: "usted" for recipients, "tú" for members and owners. Text messages avoid á, í, ó and ú: these are not in
 * GSM-7, and one of them more than halves what fits into a segment.
 */
export const ES: Translated<typeof EN> = {
  greeting: (firstName) => sentence`Hola, ${firstName}:`,

  // Without the weekday, because Saturday is "sábado".
  defaultText:
    'Hola, {{ recipient.first_name | truncate: 40 }}: {{ member.first_name | truncate: 40 }}, de {{ organization.name }}, ' +
    'tiene un breve video personal para usted{% if appointment %}, antes de su cita{% endif %}.',
  saveNumber: 'Guarde este contacto para recibir nuestros mensajes.',
  optOut: 'Responda STOP para no recibir mensajes.',

  request: (occasion) => `Por favor, graba un video corto para ${occasion}.`,
  reminder: (occasion) => `Recordatorio: por favor, graba tu video para ${occasion}.`,
  appointmentOf: (recipient) => `la cita de ${isolated(recipient)}`,
  withoutDeadline: (request) => request,
  withDeadline: (request, deadline) => `${request} Plazo: ${deadline}.`,
  withAppointment: (request, at) => `${request} Es el ${at}.`,
  declineHint: '¿No puedes? Responde NO.',
  requestSubject: (recipient) => `Graba un video para ${recipient}`,
  reminderSubject: (recipient) => `Recordatorio: graba tu video para ${recipient}`,
  requestLength: 'Toma unos 15 segundos, directamente en tu navegador.',
  recordButton: 'Grabar video',

  // Without á, í, ó and ú, like all text messages.
  practice: {
    text: (firstName, organization) =>
      `Te damos la bienvenida, ${isolated(firstName)}. Vas a grabar videos cortos para clientes de ${isolated(organization)}. Haz una prueba: no le llega a nadie.`,
    subject: 'Graba un video de prueba',
    lastName: '(prueba)',
    script: (recipient, firstName, organization) =>
      `Hola, ${recipient}: soy ${firstName}, de ${organization}. Será un gusto conocerte. ¡Nos vemos pronto!`,
  },

  replyText: (recipient, said) => `Respuesta de ${isolated(recipient)} a tu video: ${said}`,
  textReply: (recipient, said) => `Mensaje de ${isolated(recipient)}: ${said}`,
  theirNumber: (phone) => `Llama al ${phone}.`,
  answerHere: 'Responde a este mensaje para contestar.',
  replySubject: (recipient, label) => `${recipient} respondió: ${label}`,
  textReplySubject: (recipient) => `${recipient} respondió con un mensaje de texto`,
  replied: (recipient, label) => `${isolated(recipient)} respondió a tu video: “${isolated(label)}”`,
  textReplied: (recipient) => `${isolated(recipient)} respondió con un mensaje de texto:`,
  replyContact: (firstName, phone) => `Puedes llamar o escribir a ${isolated(firstName)} al ${phone}.`,
  introButton: 'Abrir el video',
  answer: (member, organization, words) => `${member}, de ${organization}: ${words}`,
  inbound: INBOUND_ES,

  help: (organization) =>
    `${organization}: mensajes de video personales sobre su cita o proyecto. Responda STOP para no recibir mensajes. ¿Preguntas? Llame a nuestra oficina.`,
  helpForMember: (organization) =>
    `${organization}: solicitudes para grabar un video corto para un cliente. Responde NO para rechazar una, o PASAR A y un nombre para pasarla a otra persona. Responde STOP para no recibir mensajes.`,
  helpFromUs:
    'Estos son mensajes de video personales sobre su cita o proyecto. Responda STOP para no recibir mensajes. ¿Preguntas? Llame a nuestra oficina.',
  unknownNumber:
    'No tenemos registro de haberle enviado mensajes, y no hemos cambiado nada. Por favor, llame a la empresa que le escribe.',
  stopped: (organization) =>
    `Usted ya no va a recibir mensajes de ${organization}. Responda START para recibirlos de nuevo.`,
  stoppedFromUs: 'Usted ya no va a recibir nuestros mensajes. Responda START para recibirlos de nuevo.',
  started: (organization) =>
    `Usted va a recibir de nuevo los mensajes de ${organization}. Responda STOP para no recibirlos.`,
  startedFromUs: 'Usted va a recibir de nuevo nuestros mensajes. Responda STOP para no recibirlos.',

  sender: (organization) => `Foreword, para ${organization}`,
  webhooks: {
    subject: (host) => `Se desactivaron los webhooks a ${host}`,
    off: (organization, endpoint) =>
      `Foreword desactivó un endpoint de webhooks de ${isolated(organization)}: ${endpoint}.`,
    reasons: {
      gone: 'Respondió con el estado 410, que significa que ya no quiere recibir webhooks.',
      failing: 'Todos los envíos a este endpoint han fallado durante cinco días.',
    },
    effect: 'No se le enviarán los webhooks pendientes ni otros nuevos. Tus videos no se ven afectados.',
    fix: (path) =>
      `Para activarlo de nuevo, corrige el receptor y llama a POST ${path} con {"active": true}. POST ${path}/replay envía de nuevo los webhooks perdidos, y GET ${path}/attempts muestra cada respuesta.`,
    ignore: 'Si ya no necesitas este endpoint, no tienes que hacer nada.',
  },
  key: {
    subject: (key, day) => `La clave de API “${key}” vence el ${day}`,
    expires: (key, organization, at) =>
      `La clave de API “${key.name}” de ${organization}, que termina en ${key.ending}, vence el ${at}. A partir de entonces se rechazarán las solicitudes que la usen.`,
    neverUsed: 'Nunca se ha usado.',
    lastUsed: (at) => `Se usó por última vez el ${at}.`,
    replace:
      'Para que el sistema que la usa siga funcionando, crea otra clave en la consola, en Developers, Keys, y reemplaza esta. También puedes cambiar ahí su fecha de vencimiento.',
    ignore: 'Si ningún sistema necesita ya esta clave, no tienes que hacer nada.',
  },
  paused: {
    subject: (organization) => `${organization}: los mensajes de texto están en pausa`,
    paused: (organization, reason) => `Foreword puso en pausa los mensajes de texto de ${organization}. ${reason}`,
    reasons: {
      burst: 'Hoy estaban por enviarse muchos más mensajes de lo habitual.',
      failures: 'La mayoría de los mensajes de hoy no se pudieron entregar.',
    },
    unexpected:
      'Si no esperabas esto, es posible que una clave de API o una cuenta esté en manos equivocadas: revisa primero las claves de API y los videos recientes en la consola.',
    resume: (consoleUrl) =>
      `Para enviar los mensajes en espera, inicia sesión como propietario en ${consoleUrl} y reanúdalos. Mientras tanto no se pierde nada, y los miembros reciben sus avisos por correo electrónico.`,
  },
  carrierFault: {
    subject: (organization) => `${organization}: los mensajes de texto necesitan tu atención`,
    faults: {
      credentials: 'La compañía telefónica rechaza la cuenta que envía tus mensajes.',
      suspended: 'La cuenta que envía tus mensajes está suspendida o no tiene saldo.',
      sender: 'La cuenta que envía tus mensajes no puede usar su número.',
      toll_free_unverified: 'El número gratuito que envía tus mensajes no está verificado.',
      unregistered:
        'El número que envía tus mensajes no está registrado para mensajes comerciales en Estados Unidos (A2P 10DLC).',
      registration_pending: 'El registro del número que envía tus mensajes aún no ha terminado.',
      campaign_suspended: 'La campaña A2P 10DLC de tus mensajes está suspendida.',
      daily_cap: 'La cuenta que envía tus mensajes alcanzó su límite diario.',
      filtered: 'Una red móvil bloqueó un mensaje tuyo por considerarlo no deseado.',
      country_off: 'La cuenta que envía tus mensajes no puede enviarlos a uno de los países a los que escribiste.',
    },
    held: 'Tus mensajes esperan y se envían automáticamente cuando esto se resuelva. No se pierde nada, y los miembros reciben sus avisos por correo electrónico.',
    failed: 'Un mensaje no se entregó; los demás se envían como siempre. Quien lo envía puede compartir el enlace.',
    next: {
      credentials: 'Revisa el identificador de la cuenta y el token en su configuración.',
      suspended: 'Revisa el saldo y los avisos en la consola de la compañía.',
      sender: 'Comprueba que el número pertenece a la cuenta y puede enviar mensajes.',
      toll_free_unverified: 'Solicita la verificación del número gratuito en la consola de la compañía.',
      unregistered: 'Registra tu marca y una campaña, y agrega el número a la campaña.',
      registration_pending:
        'Espera: las redes tardan hasta un día con un número nuevo. No quites el número para agregarlo otra vez.',
      campaign_suspended: 'Lee el aviso de la compañía y resuelve la suspensión con su soporte.',
      daily_cap: 'Espera al día siguiente o pide un límite mayor a la compañía.',
      filtered:
        'Revisa el registro del número y el texto del mensaje: sin enlaces acortados de terceros ni promociones.',
      country_off: 'Activa el país en los permisos geográficos de la cuenta.',
    },
    ownAccount: 'Es la cuenta de tu organización.',
    sharedAccount: 'Esta cuenta es del administrador de tu Foreword. Reenvíale este correo.',
    details: (message, consoleUrl) => `La compañía dice: ${message}. ${consoleUrl} muestra el estado actual.`,
  },
  dailyLimit: {
    subject: (organization) => `${organization} alcanzó un límite diario de mensajes de texto`,
    organization: (organization, limit) =>
      `${organization} ha enviado hoy ${limit} mensajes de texto, que es su límite diario.`,
    member: (member, limit) =>
      `Hoy se enviaron ${limit} mensajes de texto sobre los videos de ${member}, que es el límite diario por miembro.`,
    effect: (consoleUrl) =>
      `Los demás mensajes esperan hasta mañana y no se pierde nada. ${consoleUrl} muestra los límites. Tu administrador puede cambiarlos.`,
    unexpected: 'Si no esperabas esto, revisa las claves de API y los videos recientes en la consola.',
  },
  summary: SUMMARY_ES,
  declined: {
    subject: (member, recipient) => `${member} no puede grabar el video para ${recipient}`,
    declined: (member, recipient, reason) =>
      `${isolated(member)} no va a grabar el video para ${isolated(recipient)}. Motivo: ${reason}.`,
    reasons: {
      not_meeting: 'no va a reunirse con esta persona',
      away: 'no está disponible',
      details_wrong: 'los datos son incorrectos',
      other: 'otro',
    },
    action: 'Asígnalo a otra persona o cancélalo.',
    due: (at) => `El plazo vence el ${at}.`,
  },
  signIn: {
    subject: (organization) => `Iniciar sesión en ${organization}`,
    lead: 'Este es tu enlace para iniciar sesión. Funciona una sola vez, durante 15 minutos, en el navegador donde lo solicitaste.',
    notYou: 'Si no lo solicitaste, puedes ignorar este correo. Nadie puede iniciar sesión sin él.',
    button: 'Iniciar sesión',
  },
};
