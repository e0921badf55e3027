interface Sample {
  readonly token: string;
  readonly address: string;
  /** The address before it was forwarded. */
  readonly original?: string;
  readonly envelopeId?: string;
  readonly action?: string;
  /** The name of an encoding, and how it encodes parts. */
  readonly encoding?: readonly [name: string, encode: (text: string) => string];
  readonly returned?: 'text/rfc822-headers' | 'message/rfc822';
  /** Whether a list adds its footer: the report is one of two parts then. */
  readonly isNested?: boolean;
  readonly lineEnd?: string;
}

/** A notification in the format of RFC 3464, as Postfix writes it. */
export function deliveryStatus(sample: Sample): string {
  const { token, address, original = address, envelopeId, action = 'failed' } = sample;
  const { encoding: [encoding, encode] = ['7bit', (text: string) => text], returned = 'text/rfc822-headers' } = sample;
  const { isNested = false, lineEnd = '\r\n' } = sample;
  const part = (type: string, lines: string[]) => [
    '--1D6F2.1781110800/mx.acme.example',
    `Content-Type: ${type}`,
    `Content-Transfer-Encoding: ${encoding}`,
    '',
    encode(`${lines.join('\r\n')}\r\n`),
  ];
  const report = [
    'Content-Type: multipart/report; report-type=delivery-status;',
    '\tboundary="1D6F2.1781110800/mx.acme.example"',
    '',
    'This is a MIME-encapsulated message.',
    '',
    ...part('text/plain; charset=us-ascii', [`<${address}>: host mx.acme.example said: 550 5.1.1 no such user`]),
    ...part('message/delivery-status', [
      'Reporting-MTA: dns; mx.acme.example',
      ...(envelopeId === undefined ? [] : [`Original-Envelope-Id: ${envelopeId}`]),
      'Arrival-Date: Wed, 10 Jun 2026 17:00:00 +0000 (UTC)',
      '',
      `Final-Recipient: rfc822; ${address}`,
      `Original-Recipient: rfc822;${original.replace('+', '+2B')}`,
      `Action: ${action}`,
      'Status: 5.1.1',
      'Remote-MTA: dns; mx.acme.example',
      'Diagnostic-Code: smtp;',
      '    550 5.1.1 no such user',
    ]),
    ...part(returned, [
      'From: Acme <intros@acme.example>',
      ...(envelopeId === undefined ? [`To: ${original}`, `Message-ID: <${token}@acme.example>`] : []),
      'Subject: Record a video for Dana Reyes',
      ...(returned === 'message/rfc822' ? ['', 'Record it here.'] : []),
    ]),
    '--1D6F2.1781110800/mx.acme.example--',
    '',
  ];
  const whole = ['Content-Type: multipart/mixed; boundary=list', '', '--list', ...report, '--list--', ''];
  return [
    'Return-Path: <>',
    'From: MAILER-DAEMON@mx.acme.example (Mail Delivery System)',
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    ...(isNested ? whole : report),
  ]
    .join('\r\n')
    .replaceAll('\r\n', lineEnd);
}

/** As SNS posts a bounce of SES, with original headers turned on. */
export const amazonBounce = ({ token, address, type = 'Permanent' }: Sample & { readonly type?: string }) => ({
  Type: 'Notification',
  MessageId: 'da41e39f-ea4d-435a-b922-c6aae3915ebe',
  TopicArn: 'arn:aws:sns:us-west-2:123456789012:bounces',
  Message: JSON.stringify({
    notificationType: 'Bounce',
    bounce: {
      bounceType: type,
      bounceSubType: 'General',
      bouncedRecipients: [
        { emailAddress: address, action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 unknown' },
      ],
      timestamp: '2026-06-10T17:00:00.000Z',
    },
    mail: {
      messageId: '00000138111222aa-33322211-cccc-cccc-cccc-ddddaaaa0680-000000',
      destination: [address],
      headers: [
        { name: 'From', value: 'Acme <intros@acme.example>' },
        { name: 'Message-ID', value: `<${token}@acme.example>` },
      ],
    },
  }),
});
