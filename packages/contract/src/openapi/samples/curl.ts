import { type LiteralStyle, writeLiteral } from './literals.ts';
import { headersOf, type SampleRequest, targetOf } from './request.ts';

const JSON_STYLE: LiteralStyle = {
  indent: '  ',
  object: ['{', '}'],
  list: ['[', ']'],
  padded: true,
  trailingComma: false,
  key: (name) => `${JSON.stringify(name)}: `,
  text: (value) => JSON.stringify(value),
  words: { null: 'null', true: 'true', false: 'false' },
};

// A single quote cannot be escaped inside single quotes: they are closed, and opened again after it.
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** With `-d`, curl sends a POST. */
function methodOf({ method, body }: SampleRequest): string {
  return method === 'GET' || body !== undefined ? '' : `-X ${method} `;
}

export function writeCurl(request: SampleRequest): string {
  const lines = [
    `curl ${methodOf(request)}"$FOREWORD_URL${targetOf(request)}"`,
    '-H "Authorization: Bearer $FOREWORD_API_KEY"',
    ...headersOf(request).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(request.body === undefined ? [] : [`-d ${quoted(writeLiteral(request.body, JSON_STYLE, '  '))}`]),
  ];
  return lines.join(' \\\n  ');
}
