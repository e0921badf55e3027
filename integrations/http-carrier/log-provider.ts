import type { Provider } from './provider.ts';

/** Sends nothing, and says that it has each text: for a trial of the protocol. */
export const createLogProvider = (write: (id: string) => void): Provider => ({
  async send({ id }) {
    write(id);
    return { kind: 'sent', providerId: `log-${id}` };
  },
  isSigned: () => false,
  readReport: () => ({ providerId: '' }),
  readReply: () => ({ id: '', from: '', to: '', body: '' }),
  answer: () => ({ type: 'text/plain', body: '' }),
});
