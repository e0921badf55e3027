import { type LiteralStyle, writeLiteral } from './literals.ts';
import { headersOf, type SampleRequest, targetOf } from './request.ts';

// Ruby reads #{…}, #$… and #@… inside double quotes.
const quoted = (text: string): string => JSON.stringify(text).replaceAll(/#(?=[{$@])/g, String.raw`\#`);

const STYLE: LiteralStyle = {
  indent: '  ',
  object: ['{', '}'],
  list: ['[', ']'],
  padded: true,
  trailingComma: false,
  key: (name) => (/^\w+$/.test(name) ? `${name}: ` : `${quoted(name)} => `),
  text: quoted,
  words: { null: 'nil', true: 'true', false: 'false' },
};

const CLASSES = { GET: 'Get', POST: 'Post', DELETE: 'Delete' };

export function writeRuby(request: SampleRequest): string {
  return [
    'require "json"',
    'require "net/http"',
    '',
    `uri = URI("#{ENV.fetch("FOREWORD_URL")}${targetOf(request)}")`,
    `request = Net::HTTP::${CLASSES[request.method]}.new(uri)`,
    'request["Authorization"] = "Bearer #{ENV.fetch("FOREWORD_API_KEY")}"',
    ...headersOf(request).map(([name, value]) => `request["${name}"] = "${value}"`),
    ...(request.body === undefined ? [] : [`request.body = JSON.generate(${writeLiteral(request.body, STYLE)})`]),
    '',
    'response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") { |http| http.request(request) }',
    'puts JSON.parse(response.body)',
  ].join('\n');
}
