import { isolated, type Translated } from '@foreword/contract';
import type { SUMMARY_EN } from './summary-en.ts';

export const SUMMARY_ES: Translated<typeof SUMMARY_EN> = {
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
