import { isolated, type Translated } from '@foreword/contract';
import type { INBOUND_EN } from './inbound-en.ts';

/** Without á, í, ó and ú, like all text messages. */
export const INBOUND_ES: Translated<typeof INBOUND_EN> = {
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
