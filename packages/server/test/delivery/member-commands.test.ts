import { describe, expect, test } from 'vitest';
import { matchColleagues, readCommand } from '../../src/delivery/inbound/members.ts';
import { cleanText, isReaction, readKeyword } from '../../src/delivery/inbound/rules.ts';

const decline = (words: string | null = null, number: number | null = null, isClear = false) => ({
  ...{ kind: 'decline', isClear, number, words },
});
const handOver = (name: string, number: number | null = null) => ({ kind: 'hand_over', number, name });

describe('a command of a member', () => {
  test.each([
    ['NO', decline()],
    ['no.', decline()],
    ['Nope', decline()],
    ['PASS', decline()],
    ["Can't", decline()],
    ['Can’t make it', decline('make it')],
    ["I can't, sorry", decline('sorry')],
    ['cannot', decline()],
    ['NO on vacation', decline('on vacation')],
    ['No, on vacation\nuntil Monday', decline('on vacation until Monday')],
    ['No puedo', decline()],
    ['Paso, estoy de viaje', decline('estoy de viaje')],
    ['DECLINE', decline(null, null, true)],
    ['Rechazar', decline(null, null, true)],
    ['NO 2', decline(null, 2)],
    ['no 2: on vacation', decline('on vacation', 2)],
    ['DECLINE 12', decline(null, 12, true)],
    ['NO 2pm is too late', decline('2pm is too late')],
    // One number at a time: the member gets the list.
    ['NO 1, 2', { ...decline('2'), number: 0 }],
    ['NO 1 & 2', { ...decline('& 2'), number: 0 }],
    [`NO ${'x'.repeat(300)}`, decline('x'.repeat(200))],
  ])('declines: %j', (text, expected) => {
    expect(readCommand(text)).toEqual(expected);
  });

  test.each([
    ['GIVE Sam', handOver('Sam')],
    ['give to Sam Lee', handOver('Sam Lee')],
    ['Give 2 Sam', handOver('Sam', 2)],
    ['GIVE 2 TO SAM', handOver('SAM', 2)],
    ['Give it to Sam', handOver('Sam')],
    ['HAND OVER Sam', handOver('Sam')],
    ['Hand it over to Sam', handOver('Sam')],
    ['Handover 3 Sam', handOver('Sam', 3)],
    ['pass to Sam', handOver('Sam')],
    ['PASAR A Samuel', handOver('Samuel')],
    ['Pase 2 a Ana María', handOver('Ana María', 2)],
    ['Give me a call', handOver('me a call')],
  ])('hands over: %j', (text, expected) => {
    expect(readCommand(text)).toEqual(expected);
  });

  test.each([
    ['ANSWER 1 No, that is fine', 'No, that is fine'],
    ['answer 1: Yes\nAt noon', 'Yes\nAt noon'],
    ['RESPUESTA 1 Claro', 'Claro'],
  ])('answers: %j', (text, words) => {
    expect(readCommand(text)).toEqual({ kind: 'answer', number: 1, words });
  });

  test.each([
    'On it',
    'Noah records it',
    'November works',
    'No problem!',
    'No worries, tomorrow',
    'No hay problema',
    'Passing by',
    'Given the weather, at noon',
    'Pasaremos a las dos',
    'Answer is yes',
    'Yes',
    '2',
  ])('is not read into other words: %j', (text) => {
    expect(readCommand(text)).toBeNull();
  });

  test('is none of the keywords that carriers act on', () => {
    for (const word of [
      'NO',
      'NOPE',
      'PASS',
      "CAN'T",
      'DECLINE',
      'GIVE',
      'HAND OVER',
      'ANSWER',
      'NO PUEDO',
      'PASO',
      'PASAR A',
    ]) {
      expect(readKeyword(word)).toBeNull();
    }
    // A keyword comes first: "No más" opts out.
    expect(readKeyword('No más')?.keyword).toBe('stop');
  });
});

describe('colleagues', () => {
  const team = ['Sam Lee', 'Sam Ortiz', 'José Núñez', 'Ana Maria de la Cruz', 'Ana Ng'].map((name) => ({ name }));
  test.each([
    ['sam', ['Sam Lee', 'Sam Ortiz']],
    ['Sam L', ['Sam Lee']],
    ['sam  ortiz!', ['Sam Ortiz']],
    ['jose', ['José Núñez']],
    ['JOSE NUNEZ', ['José Núñez']],
    ['Ana Maria', ['Ana Maria de la Cruz']],
    ['Ana', ['Ana Maria de la Cruz', 'Ana Ng']],
    ['Ana N', ['Ana Ng']],
    ['Lee', []],
    ['S', []],
    ['Samuel', []],
    ['me a call', []],
    ['', []],
    ['!', []],
  ])('named %j', (said, expected) => {
    expect(matchColleagues(team, said).map(({ name }) => name)).toEqual(expected);
  });
});

describe('a reaction', () => {
  test.each([
    'Liked “Acme Roofing: Please record a short video”',
    'Loved "Hi Dana"',
    'Laughed at “Hi Dana,\nsee you”',
    'Emphasized an image',
    'Removed a like from “Hi Dana”',
    'Removed an exclamation from “Hi Dana”',
    '👍 to “Hi Dana”',
    'Reacted 😂 to “Hi Dana”',
    '\u200a\u200b👍\u200b to \u201c\u200aHi Dana\u200a\u201d',
    'Le gustó “Hola”',
    'Me encanta «Hola»',
    'Eliminó un Me gusta de “Hola”',
    'Reaccionó con ❤️ a “Hola”',
  ])('is recognized: %j', (text) => {
    expect(isReaction(cleanText(text))).toBe(true);
  });
  test.each(['I liked “The Roof”, the movie', 'Liked it!', 'Loved the video', '👍', 'Thanks “Ana”'])(
    'is not seen in other words: %j',
    (text) => {
      expect(isReaction(cleanText(text))).toBe(false);
    },
  );
});

test('the words of a text have no invisible characters, and a maximum length', () => {
  expect(cleanText('  Hi\u0000 there\r\nAna\u202e\u0007 ')).toBe('Hi  there\nAna');
  expect(cleanText(`\ud83d${'👍'.repeat(1_600)}`)).toBe(`\ufffd${'👍'.repeat(1_599)}`);
  expect(cleanText('\u0000\n\t')).toBe('');
});
