import type { RecorderState } from '@foreword/contract';
import { TEXTS } from '../../server/src/recordings/shell.ts';
import { consentIn, type FakeServer } from './fake-server.ts';
import type { Story } from './story.ts';

function translate(state: RecorderState): void {
  const { intro, member, organization, recording } = state;
  organization.name = 'Techos Acme';
  member.language = 'es';
  state.consent = consentIn('es', organization.name);
  intro.recipient.language = 'es';
  intro.script_language = 'es';
  intro.title = 'Conoce a Ana antes del martes';
  if (intro.touchpoint !== null) intro.touchpoint = 'Cita programada';
  if (intro.script !== null) {
    intro.script =
      'Hola, Dana, soy Ana, de Techos Acme. El martes a las dos paso por tu casa para ver el techo. ' +
      'Son unos cuarenta minutos y no tienes que preparar nada. ¡Nos vemos!';
  }
  const problem = intro.text?.problem ?? null;
  if (problem !== null) problem.message = TEXTS.es.explainFailure(problem.code, problem.message);
  if (recording !== null) recording.message = TEXTS.es.explainRefusal('no_picture', recording.message);
}

/** The server of an organization whose language is Spanish. */
export function speakSpanish({ state, next }: FakeServer): void {
  translate(state);
  if (next?.next) translate(next.next.state);
}

/** The same story in Spanish. */
export const inSpanish = (story: Story): Story => ({
  ...story,
  prepare(server) {
    story.prepare?.(server);
    speakSpanish(server);
  },
});
