import { type LiteralStyle, writeLiteral } from './literals.ts';
import { headersOf, type SampleRequest, targetOf } from './request.ts';

const STYLE: LiteralStyle = {
  indent: '    ',
  object: ['{', '}'],
  list: ['[', ']'],
  padded: false,
  trailingComma: true,
  key: (name) => `${JSON.stringify(name)}: `,
  text: (value) => JSON.stringify(value),
  words: { null: 'None', true: 'True', false: 'False' },
};

/** Needs only the standard library. */
export function writePython(request: SampleRequest): string {
  const headers = headersOf(request).map(([name, value]) => `        "${name}": "${value}",`);
  const body = request.body === undefined ? [] : [`body = ${writeLiteral(request.body, STYLE)}`];
  return [
    'import json',
    'import os',
    'import urllib.request',
    '',
    ...body,
    'request = urllib.request.Request(',
    `    os.environ["FOREWORD_URL"] + "${targetOf(request)}",`,
    ...(request.method === 'GET' ? [] : [`    method="${request.method}",`]),
    '    headers={',
    '        "Authorization": "Bearer " + os.environ["FOREWORD_API_KEY"],',
    ...headers,
    '    },',
    ...(request.body === undefined ? [] : ['    data=json.dumps(body).encode(),']),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(json.load(response))',
  ].join('\n');
}
