import { type LiteralStyle, singleQuoted, writeLiteral } from './literals.ts';
import { headersOf, type SampleRequest, targetOf } from './request.ts';

const STYLE: LiteralStyle = {
  indent: '    ',
  object: ['[', ']'],
  list: ['[', ']'],
  padded: false,
  trailingComma: true,
  key: (name) => `${singleQuoted(name)} => `,
  text: singleQuoted,
  words: { null: 'null', true: 'true', false: 'false' },
};

/** In PHP, an empty object and an empty list are the same array. */
const isEmptyObject = (body: SampleRequest['body']): boolean => JSON.stringify(body) === '{}';

/** Uses streams, because the curl extension is a separate package on Debian and others. */
export function writePhp(request: SampleRequest): string {
  const { body, method } = request;
  const content = isEmptyObject(body) || body === undefined ? "'{}'" : 'json_encode($body)';
  return [
    '<?php',
    '',
    ...(content === "'{}'" || body === undefined ? [] : [`$body = ${writeLiteral(body, STYLE)};`]),
    "$context = stream_context_create(['http' => [",
    ...(method === 'GET' ? [] : [`    'method' => '${method}',`]),
    "    'header' => [",
    "        'Authorization: Bearer ' . getenv('FOREWORD_API_KEY'),",
    ...headersOf(request).map(([name, value]) => `        '${name}: ${value}',`),
    '    ],',
    ...(body === undefined ? [] : [`    'content' => ${content},`]),
    ']]);',
    `$response = file_get_contents(getenv('FOREWORD_URL') . '${targetOf(request)}', false, $context);`,
    'print_r(json_decode($response, true));',
  ].join('\n');
}
