import { escapeText, writeLines } from './content-lines.ts';
import type { PageView } from './view.ts';

type ContactView = Pick<PageView, 'member' | 'organization' | 'textsFrom'>;

/** The office, then the numbers that text: the member's own, and the one that sends the texts. Each once. */
function numbersOf({
  member,
  organization,
  textsFrom,
}: ContactView): { readonly type: string; readonly phone: string }[] {
  const all = [
    { type: 'WORK,VOICE', phone: organization.officePhone },
    { type: 'CELL', phone: member.phone },
    { type: 'CELL', phone: textsFrom },
  ];
  return all.flatMap(({ type, phone }, index) =>
    phone === null || all.findIndex((other) => other.phone === phone) < index ? [] : [{ type, phone }],
  );
}

/** Phones hide texts of numbers that they do not know, so a card without a number is of no use. */
export const hasContact = (view: ContactView): boolean => numbersOf(view).length > 0;

/** A vCard 3.0, which phones of every age read. Null without a number. */
export function writeContactCard(view: ContactView, photo: Buffer | null): string | null {
  const { member, organization } = view;
  if (!hasContact(view)) return null;
  const [first, last] = [escapeText(member.firstName), escapeText(member.lastName)];
  return writeLines([
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:${last};${first};;;`,
    `FN:${first} ${last}`,
    `ORG:${escapeText(organization.name)}`,
    ...(member.title === null ? [] : [`TITLE:${escapeText(member.title)}`]),
    ...numbersOf(view).map(({ type, phone }) => `TEL;TYPE=${type}:${phone}`),
    ...(organization.website === null ? [] : [`URL:${new URL(organization.website).href}`]),
    ...(photo === null ? [] : [`PHOTO;ENCODING=b;TYPE=JPEG:${photo.toString('base64')}`]),
    'END:VCARD',
  ]);
}

/** Phones open a card that is shown inline, and name the file after the person when they save it. */
export function contactDisposition({ member }: Pick<PageView, 'member'>): string {
  const name = `${member.firstName} ${member.lastName}`.replaceAll(/[^\p{L}\p{M}\p{N} -]/gu, '').trim() || 'contact';
  const plain =
    name
      .normalize('NFKD')
      .replaceAll(/[^\w -]/g, '')
      .trim() || 'contact';
  return `inline; filename="${plain}.vcf"; filename*=UTF-8''${encodeURIComponent(name)}.vcf`;
}
