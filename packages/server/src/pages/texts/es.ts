import { sentence, type Translated } from '@foreword/contract';
import type { EN } from './en.ts';

/** Latin American Spanish: "usted" for recipients, and "tú" for members, as in the recorder. */
export const ES: Translated<typeof EN> = {
  title: (firstName) => sentence`Unas palabras de ${firstName}`,
  forWhom: (firstName) => sentence`Para ${firstName}`,
  description: (name, organization) => sentence`Un video breve de ${name}, de ${organization}.`,
  play: (length) => `Reproducir el video, ${length}`,
  videoOf: (name) => sentence`Video de ${name}`,
  noVideo: 'El video no se cargó. Revise su conexión e inténtelo de nuevo.',
  captions: 'Subtítulos',
  replay: 'Ver de nuevo',
  role: (title, organization) => sentence`${title} en ${organization}`,
  roleless: (organization) => sentence`de ${organization}`,
  photo: (name) => sentence`Foto de ${name}`,

  appointment: 'Su cita',
  when: (day, time) => `${day}, ${time}`,
  addToCalendar: 'Agregar al calendario',
  calendarFile: 'Apple',
  google: 'Google',
  outlook: 'Outlook',
  eventName: (name, organization) => sentence`${name}, ${organization}`,
  eventNotes: (phone) => `¿Preguntas? Llame al ${phone}.`,

  call: (firstName) => sentence`Llamar a ${firstName}`,
  text: (firstName) => sentence`Escribir a ${firstName}`,
  callOffice: 'Llamar a la oficina',
  textOffice: 'Escribir a la oficina',

  saveContact: (firstName) => sentence`Guardar el contacto de ${firstName}`,

  replyTo: (firstName) => sentence`Responder a ${firstName}`,
  yourQuestion: (firstName) => sentence`Su pregunta para ${firstName}`,
  sendQuestion: 'Enviar pregunta',
  whenSuits: '¿Cuándo le vendría bien? (opcional)',
  sendReply: 'Enviar',
  replySent: (firstName) => sentence`Enviado a ${firstName}`,
  yourReply: (label) => `“${label}”`,
  changeReply: 'Cambiar su respuesta',
  replyProblemTitle: 'Su respuesta no se envió',
  noQuestion: 'Escriba su pregunta y envíela de nuevo.',
  longQuestion: 'Su pregunta es demasiado larga. Acórtela a 500 caracteres y envíela de nuevo.',
  longNote: 'Su respuesta es demasiado larga. Acórtela a 200 caracteres y envíela de nuevo.',
  tooManyRepliesTitle: 'Por favor, llame',
  tooManyReplies: (organization) =>
    sentence`Hoy ya respondió muchas veces. La última respuesta no se envió. Por favor, llame a ${organization}.`,
  backToVideo: 'Volver al video',

  isItReally: (organization) => sentence`¿Esto es realmente de ${organization}?`,
  checkIntro: (name, organization) => sentence`${name} grabó este video para usted en nombre de ${organization}.`,
  checkByPhone: (firstName) =>
    sentence`Para mayor seguridad, llame a la oficina y pregunte por ${firstName}. Puede usar el número de su contrato o factura en lugar del que aparece abajo.`,
  checkWithout: (firstName) =>
    sentence`Para mayor seguridad, llame a la oficina al número de su contrato o factura y pregunte por ${firstName}.`,
  office: 'Oficina',
  license: 'Licencia',
  website: 'Sitio web',
  madeOn: 'Enlace creado',
  sentBy: 'Enviado con',
  sentByForeword: (organization) => sentence`Foreword, en nombre de ${organization}`,
  preview: 'Vista previa de la página del destinatario',
  footer: (organization) => sentence`Hecho para usted por ${organization} con Foreword.`,

  optOut: (organization) => sentence`No recibir más mensajes de ${organization}`,
  optedOutTitle: 'No recibirá más mensajes de texto',
  optedOut: (organization) =>
    sentence`${organization} ya no puede enviarle mensajes de texto con Foreword. Para volver a recibirlos, responda START a cualquiera de sus mensajes.`,

  undo: 'Deshacer',
  stopped: (organization) => sentence`Ya no recibe mensajes de texto de ${organization}.`,
  restart: 'Para volver a recibirlos, responda START a cualquiera de sus mensajes.',
  allowedTitle: 'Recibirá mensajes de texto de nuevo',
  allowed: (organization) => sentence`${organization} puede enviarle mensajes de texto como antes.`,

  cardTitle: (organization) => sentence`${organization} está para ayudarle`,
  left: (firstName, organization) =>
    sentence`${firstName} ya no trabaja en ${organization}, por lo que este video ya no está disponible. La oficina le atenderá con gusto.`,
  leftWithout: (firstName, organization) =>
    sentence`${firstName} ya no trabaja en ${organization}, por lo que este video ya no está disponible. Si necesita ayuda, llame al número de su contrato o factura.`,
  takenDown: (organization) =>
    sentence`${organization} retiró este video. Si tiene alguna pregunta, la oficina le atenderá con gusto.`,
  takenDownWithout: (organization) =>
    sentence`${organization} retiró este video. Si tiene alguna pregunta, llame al número de su contrato o factura.`,
  withdrawn: 'Este video ya no está disponible. Si tiene alguna pregunta, la oficina le atenderá con gusto.',
  withdrawnWithout:
    'Este video ya no está disponible. Si tiene alguna pregunta, llame al número de su contrato o factura.',
  cardDescription: (organization) => sentence`Cómo comunicarse con ${organization}.`,

  closedTitle: 'Esta página ya se cerró',
  recipientCancelled: (organization) =>
    sentence`${organization} retiró esta página, quizá porque hubo un cambio de planes. La oficina puede darle más información.`,
  recipientExpired: (organization) =>
    sentence`Las páginas de video se cierran después de un tiempo. Si tiene alguna pregunta, ${organization} le atenderá con gusto.`,
  recordNext: (firstName) => sentence`Grabar para ${firstName}`,
  memberCancelledTitle: 'No hace falta grabar este video',
  memberCancelled: 'La solicitud se canceló. Nadie verá lo que hayas grabado.',
  memberWithdrawnTitle: 'Aquí no se puede grabar nada',
  memberWithdrawn:
    'El consentimiento para usar tus videos se retiró, y por eso se eliminaron tus videos y sus páginas. Para volver a grabar, inicia sesión en la consola y da tu consentimiento en Configuración (Settings).',
  memberExpiredTitle: 'Esta solicitud venció',
  memberExpired: 'Este enlace ya no funciona. Si el video todavía es necesario, pide un enlace nuevo a tu oficina.',

  reassignedTitle: (member) => sentence`Ahora lo graba ${member}`,
  reassigned: 'Ya no tienes que hacer nada.',

  linkExpiredTitle: 'Este enlace venció',
  linkExpired: 'Solo funcionó unos minutos. Vuelve a la app donde lo encontraste y ábrelo otra vez desde ahí.',

  unknownTitle: 'Página no encontrada',
  unknown: 'Revise el enlace. Es posible que falte una parte.',
  tooManyTitle: 'Espere un momento, por favor',
  tooMany: 'Se abrieron demasiados enlaces no válidos desde su red. Inténtelo de nuevo en un minuto.',
  unavailableTitle: 'Un momento, por favor',
  unavailable: 'Esta página no se puede cargar en este momento. Volverá a intentarlo en unos segundos.',
};
