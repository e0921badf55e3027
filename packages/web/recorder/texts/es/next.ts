import type * as en from '../en/next.ts';

export const TITLE: typeof en.TITLE = (firstName, organization) => `Grabar para ${firstName} · ${organization}`;

export const NEXT: typeof en.NEXT = {
  heading: (name) => `Siguiente: ${name}`,
  due: (when) => `vence ${when}`,
  left: (amount, hasMore) => `${hasMore ? 'más de ' : ''}${amount} por grabar`,
  none: 'No queda nada por grabar',
  noneLead: 'Te avisaremos cuando haya algo nuevo.',
  record: 'Grabar',
  home: 'Inicio',
};

export const EARLIER: typeof en.EARLIER = {
  region: 'Videos anteriores',
  uploading: (percent) => `${percent}% subido`,
  waiting: 'Esperando señal',
  processing: 'Procesando',
  failed: 'No se envió',
  closed: 'Ya no hace falta',
  open: 'Abrir',
  openFor: (name) => `Abrir el video para ${name}`,
};
