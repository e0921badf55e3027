import { isolated, sentence, type Translated } from '@foreword/contract';
import type { EN } from './en.ts';
import { SUMMARY_ES } from './summary-es.ts';

/**
 * Latin American Spanish, with the formal "usted". Text messages avoid á, í, ó and ú: these are not in GSM-7, and one of them
 * more than halves what fits into a segment.
 */
export const ES: Translated<typeof EN> = {
  greeting: (firstName) => sentence`Hola, ${firstName}:`,

  // Without the weekday, because Saturday is "sábado".
  defaultText:
    'Hola, {{ recipient.first_name | truncate: 40 }}: {{ member.first_name | truncate: 40 }}, de {{ organization.name }}, ' +
    'tiene un breve video personal para usted{% if appointment %}, antes de su cita{% endif %}.',
  optOut: 'Responda STOP para no recibir mensajes.',

  request: (recipient) => `Por favor, grabe un video corto para ${isolated(recipient)}.`,
  reminder: (recipient) => `Recordatorio: por favor, grabe su video para ${isolated(recipient)}.`,
  withoutDeadline: (request) => request,
  withDeadline: (request, deadline) => `${request} Plazo: ${deadline}.`,
  requestSubject: (recipient) => `Grabe un video para ${recipient}`,
  reminderSubject: (recipient) => `Recordatorio: grabe su video para ${recipient}`,
  requestLength: 'Toma unos 15 segundos, directamente en su navegador.',
  recordButton: 'Grabar video',

  replyText: (recipient, said, phone) => `Respuesta de ${isolated(recipient)} a su video: ${said} Llame al ${phone}.`,
  replySubject: (recipient, label) => `${recipient} respondió: ${label}`,
  replied: (recipient, label) => `${isolated(recipient)} respondió a su video: “${isolated(label)}”`,
  replyContact: (firstName, phone) => `Puede llamar o escribir a ${isolated(firstName)} al ${phone}.`,
  introButton: 'Abrir el video',

  help: (organization) =>
    `${organization}: mensajes de video personales sobre su cita o proyecto. Responda STOP para no recibir mensajes. ¿Preguntas? Llame a nuestra oficina.`,
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
    effect: 'No se le enviarán los webhooks pendientes ni otros nuevos. Sus videos no se ven afectados.',
    fix: (path) =>
      `Para activarlo de nuevo, corrija el receptor y llame a POST ${path} con {"active": true}. POST ${path}/replay envía de nuevo los webhooks perdidos, y GET ${path}/attempts muestra cada respuesta.`,
    ignore: 'Si ya no necesita este endpoint, no tiene que hacer nada.',
  },
  key: {
    subject: (key, day) => `La clave de API “${key}” vence el ${day}`,
    expires: (key, organization, at) =>
      `La clave de API “${key.name}” de ${organization}, que termina en ${key.ending}, vence el ${at}. A partir de entonces se rechazarán las solicitudes que la usen.`,
    neverUsed: 'Nunca se ha usado.',
    lastUsed: (at) => `Se usó por última vez el ${at}.`,
    replace:
      'Para que el sistema que la usa siga funcionando, cree otra clave en la consola, en Developers, Keys, y reemplace esta. También puede cambiar ahí su fecha de vencimiento.',
    ignore: 'Si ningún sistema necesita ya esta clave, no tiene que hacer nada.',
  },
  paused: {
    subject: (organization) => `${organization}: los mensajes de texto están en pausa`,
    paused: (organization, reason) => `Foreword puso en pausa los mensajes de texto de ${organization}. ${reason}`,
    reasons: {
      burst: 'Hoy estaban por enviarse muchos más mensajes de lo habitual.',
      failures: 'La mayoría de los mensajes de hoy no se pudieron entregar.',
    },
    unexpected:
      'Si no esperaba esto, es posible que una clave de API o una cuenta esté en manos equivocadas: revise primero las claves de API y los videos recientes en la consola.',
    resume: (consoleUrl) =>
      `Para enviar los mensajes en espera, inicie sesión como propietario en ${consoleUrl} y reanúdelos. Mientras tanto no se pierde nada, y los miembros reciben sus avisos por correo electrónico.`,
  },
  carrierFault: {
    subject: (organization) => `${organization}: los mensajes de texto necesitan su atención`,
    faults: {
      credentials: 'La compañía telefónica rechaza la cuenta que envía sus mensajes.',
      suspended: 'La cuenta que envía sus mensajes está suspendida o no tiene saldo.',
      sender: 'La cuenta que envía sus mensajes no puede usar su número.',
      toll_free_unverified: 'El número gratuito que envía sus mensajes no está verificado.',
      unregistered:
        'El número que envía sus mensajes no está registrado para mensajes comerciales en Estados Unidos (A2P 10DLC).',
      registration_pending: 'El registro del número que envía sus mensajes aún no ha terminado.',
      campaign_suspended: 'La campaña A2P 10DLC de sus mensajes está suspendida.',
      daily_cap: 'La cuenta que envía sus mensajes alcanzó su límite diario.',
      filtered: 'Una red móvil bloqueó un mensaje suyo por considerarlo no deseado.',
      country_off: 'La cuenta que envía sus mensajes no puede enviarlos a uno de los países a los que escribió.',
    },
    held: 'Sus mensajes esperan y se envían automáticamente cuando esto se resuelva. No se pierde nada, y los miembros reciben sus avisos por correo electrónico.',
    failed: 'Un mensaje no se entregó; los demás se envían como siempre. Quien lo envía puede compartir el enlace.',
    next: {
      credentials: 'Revise el identificador de la cuenta y el token en su configuración.',
      suspended: 'Revise el saldo y los avisos en la consola de la compañía.',
      sender: 'Compruebe que el número pertenece a la cuenta y puede enviar mensajes.',
      toll_free_unverified: 'Solicite la verificación del número gratuito en la consola de la compañía.',
      unregistered: 'Registre su marca y una campaña, y agregue el número a la campaña.',
      registration_pending:
        'Espere: las redes tardan hasta un día con un número nuevo. No quite el número para agregarlo otra vez.',
      campaign_suspended: 'Lea el aviso de la compañía y resuelva la suspensión con su soporte.',
      daily_cap: 'Espere al día siguiente o pida un límite mayor a la compañía.',
      filtered:
        'Revise el registro del número y el texto del mensaje: sin enlaces acortados de terceros ni promociones.',
      country_off: 'Active el país en los permisos geográficos de la cuenta.',
    },
    ownAccount: 'Es la cuenta de su organización.',
    sharedAccount: 'Esta cuenta es del administrador de su Foreword. Reenvíele este correo.',
    details: (message, consoleUrl) => `La compañía dice: ${message}. ${consoleUrl} muestra el estado actual.`,
  },
  dailyLimit: {
    subject: (organization) => `${organization} alcanzó un límite diario de mensajes de texto`,
    organization: (organization, limit) =>
      `${organization} ha enviado hoy ${limit} mensajes de texto, que es su límite diario.`,
    member: (member, limit) =>
      `Hoy se enviaron ${limit} mensajes de texto sobre los videos de ${member}, que es el límite diario por miembro.`,
    effect: (consoleUrl) =>
      `Los demás mensajes esperan hasta mañana y no se pierde nada. ${consoleUrl} muestra los límites. Su administrador puede cambiarlos.`,
    unexpected: 'Si no esperaba esto, revise las claves de API y los videos recientes en la consola.',
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
    action: 'Asígnelo a otra persona o cancélelo.',
    due: (at) => `El plazo vence el ${at}.`,
  },
  signIn: {
    subject: (organization) => `Iniciar sesión en ${organization}`,
    lead: 'Este es su enlace para iniciar sesión. Funciona una sola vez, durante 15 minutos, en el navegador donde lo solicitó.',
    notYou: 'Si usted no lo solicitó, puede ignorar este correo. Nadie puede iniciar sesión sin él.',
    button: 'Iniciar sesión',
  },
};
