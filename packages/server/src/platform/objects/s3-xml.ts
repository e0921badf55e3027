// Reads a few elements of a format unchanged since 2006, without relevant attributes or nesting, so no XML parser is needed.

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|([a-z]+));/g, (whole, hex, decimal, name) => {
    const point = hex ? Number.parseInt(hex, 16) : Number(decimal);
    if (name !== undefined) return ENTITIES[name] ?? whole;
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });

const encode = (text: string): string => text.replace(/[&<>"'\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export const readElements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => decode(text));

export const readElement = (xml: string, name: string): string | undefined => readElements(xml, name)[0];

export const writeDeletion = (keys: readonly string[]): string =>
  `<Delete><Quiet>true</Quiet>${keys.map((key) => `<Object><Key>${encode(key)}</Key></Object>`).join('')}</Delete>`;

export const writeCompletion = (etags: readonly string[]): string =>
  `<CompleteMultipartUpload>${etags
    .map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${encode(etag)}</ETag></Part>`)
    .join('')}</CompleteMultipartUpload>`;
